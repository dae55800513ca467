// Messages that are not taken, each with its code and the words by which its owner finds the fault.
import { describe, expect, it } from 'vitest';

import type { FileRefusalCode } from '../../../src/rows/file-refused.ts';
import type { ReadOptions } from '../../../src/rows/format.ts';
import { fileOf, readFileAt, refusalOf } from '../read-table.ts';
import { ACCOUNT, message, ownMessage, payment } from './messages.ts';

const DEBTORS: Partial<ReadOptions> = {
  debtors: [{ account: ACCOUNT, currency: 'XAF', sender: null, isFromHere: true }],
};
const GOOD = message([payment()]);
const at = (content: string | Uint8Array) => fileOf(content, '.xml');

type Case = readonly [what: string, code: FileRefusalCode, content: string | Uint8Array, says: string];

const wrapped = (open: string, close: string) =>
  GOOD.replace('<Document', `${open}<Document`).replace('</Document>', `</Document>${close}`);

const CASES: readonly Case[] = [
  [
    'another account',
    'debtor_unknown',
    GOOD.replace(ACCOUNT, 'CM2110003001000500000605306'),
    '"CM2110003001000500000605306"',
  ],
  [
    'another account in the second of two blocks',
    'debtor_unknown',
    message([payment(), payment({ reference: 'A-2' })]).replace(
      '<CdtTrfTxInf><PmtId><EndToEndId>A-2',
      `</PmtInf><PmtInf><PmtInfId>P-2</PmtInfId><PmtMtd>TRF</PmtMtd><ReqdExctnDt><Dt>2026-11-28</Dt></ReqdExctnDt><Dbtr/><DbtrAcct><Id><Othr><Id>BANK-1</Id></Othr></Id></DbtrAcct><DbtrAgt><FinInstnId/></DbtrAgt><CdtTrfTxInf><PmtId><EndToEndId>A-2`,
    ),
    '"BANK-1"',
  ],
  ['an account in another currency', 'debtor_currency_differs', GOOD.replace('<Ccy>XAF', '<Ccy>EUR'), 'EUR'],
  [
    'more payments than it says',
    'control_differs',
    message([payment()], { stated: '<NbOfTxs>2</NbOfTxs>' }),
    'GrpHdr says that there are 2',
  ],
  [
    'another sum than it says',
    'control_differs',
    message([payment()], { stated: '<NbOfTxs>1</NbOfTxs><CtrlSum>100.01</CtrlSum>' }),
    '100.01',
  ],
  [
    'a sum that is right for whoever adds in floating point',
    'control_differs',
    message([payment({ amount: '<InstdAmt Ccy="CNY">9007199254740993</InstdAmt>' })], {
      stated: '<NbOfTxs>1</NbOfTxs><CtrlSum>9007199254740992</CtrlSum>',
    }),
    'they add up to 9007199254740993',
  ],
  [
    'another number in a block',
    'control_differs',
    message([payment()], { block: '<NbOfTxs>7</NbOfTxs>' }),
    'PmtInf P-1 says that there are 7',
  ],
  [
    'another sum in a block',
    'control_differs',
    message([payment()], { block: '<CtrlSum>99.99</CtrlSum>' }),
    '99.99 (CtrlSum), but they add up to 100',
  ],
  [
    'a date that is none',
    'message_invalid',
    message([payment()], { day: 'YYYY-MM-DD' }),
    '"YYYY-MM-DD" is not allowed',
  ],
  ['a country of three letters', 'message_invalid', GOOD.replace('<Ctry>CN<', '<Ctry>CHN<'), 'PstlAdr/Ctry'],
  [
    'a name of 141 characters',
    'message_invalid',
    message([payment({ name: 'x'.repeat(141) })]),
    'at most 140 characters',
  ],
  ['an element that there is not', 'message_invalid', GOOD.replace('<Purp>', '<Porp/><Purp>'), 'Porp'],
  ['no message id', 'message_invalid', GOOD.replace('<MsgId>M-1</MsgId>', ''), 'Expected: MsgId'],
  [
    'a message id of 36 characters',
    'message_invalid',
    message([payment()], { msgId: 'x'.repeat(36) }),
    'at most 35',
  ],
  [
    'a namespace that changes below the root',
    'message_invalid',
    GOOD.replace('<GrpHdr>', '<GrpHdr xmlns="urn:x">'),
    'xmlns',
  ],
  ['a file that is cut off', 'xml_damaged', GOOD.slice(0, -40), ''],
  ['two messages', 'xml_damaged', GOOD + GOOD.replace(/<\?xml[^>]*>/, ''), ''],
  ['text behind the root', 'xml_damaged', `${GOOD}x`, ''],
  ['a NUL', 'xml_damaged', GOOD.replace('Li, Wei', 'Li\0, Wei'), ''],
  [
    'entities',
    'xml_bomb',
    GOOD.replace('<Document', '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa">]><Document'),
    'document type',
  ],
  [
    'an entity of a file',
    'xml_bomb',
    GOOD.replace('<Document', '<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/passwd">]><Document').replace(
      'Li, Wei',
      '&a;',
    ),
    'document type',
  ],
  [
    'a parameter entity',
    'xml_bomb',
    GOOD.replace('<Document', '<!DOCTYPE d [<!ENTITY % a SYSTEM "http://127.0.0.1/x"> %a;]><Document'),
    'document type',
  ],
  [
    'a label that its bytes contradict',
    'encoding_uncertain',
    message([payment()], { header: '<?xml version="1.0" encoding="utf-16"?>' }),
    'utf-16',
  ],
  [
    'an encoding that nobody reads',
    'encoding_uncertain',
    message([payment()], { header: '<?xml version="1.0" encoding="EBCDIC-CP-FR"?>' }),
    'ebcdic-cp-fr',
  ],
  [
    'letters that are not in the encoding',
    'bytes_undecodable',
    Buffer.from(GOOD.replace('Li, Wei', 'Éric, Wei'), 'latin1'),
    'utf-8',
  ],
  [
    'a direct debit',
    'message_unknown',
    message([payment()], { namespace: 'urn:iso:std:iso:20022:tech:xsd:pain.008.001.02' }),
    'never collects',
  ],
  [
    'a status report',
    'message_unknown',
    message([payment()], { namespace: 'urn:iso:std:iso:20022:tech:xsd:pain.002.001.03' }),
    'status report',
  ],
  [
    'a statement',
    'message_unknown',
    message([payment()], { namespace: 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.02' }),
    'statement',
  ],
  ['an old version', 'message_unknown', message([payment()], { version: '02' }), 'version'],
  [
    'the variant of a bank',
    'message_unknown',
    message([payment()], { version: '03DB' }),
    "bank's own variant",
  ],
  ['no namespace', 'message_unknown', message([payment()], { namespace: '' }), 'without a namespace'],
  [
    'an envelope',
    'message_unknown',
    wrapped(
      '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>',
      '</s:Body></s:Envelope>',
    ),
    'wrapped',
  ],
  [
    'a head',
    'message_unknown',
    wrapped('<BizMsg><AppHdr xmlns="urn:iso:std:iso:20022:tech:xsd:head.001.001.01"/>', '</BizMsg>'),
    'wrapped',
  ],
  [
    'a signature around it',
    'message_unknown',
    wrapped(
      '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:Object>',
      '</ds:Object></ds:Signature>',
    ),
    'wrapped',
  ],
];

describe('a message is refused', () => {
  it.each(CASES)('for %s: %s', async (_, code, content, says) => {
    const refusal = await refusalOf(at(content), DEBTORS);
    expect(refusal.code).toBe(code);
    expect(refusal.fault.en).toContain(says);
    expect(refusal.words.fr).not.toBe(refusal.words.en);
  });

  it('with the line and the path of each fault, and no more than twenty', async () => {
    const lines = message(
      Array.from({ length: 30 }, (_, n) => `\n${payment({ reference: `${'x'.repeat(35)}${String(n)}` })}`),
    );
    const { fault } = await refusalOf(at(lines), DEBTORS);
    expect(fault.en).toContain('Line 2, Document/CstmrCdtTrfInitn/PmtInf/CdtTrfTxInf/PmtId/EndToEndId');
    expect(fault.en.match(/Line \d+,/g)).toHaveLength(20);
  });

  it('when no account is listed, unless any will do', async () => {
    expect((await refusalOf(at(GOOD))).code).toBe('debtor_unknown');
    expect((await readFileAt(at(GOOD), { isAnyDebtor: true })).table.rowCount).toBe(1);
  });

  it('when it has more payments than rows are taken, or more bytes', async () => {
    const two = at(message([payment(), payment({ reference: 'A-2' })]));
    expect((await refusalOf(two, { ...DEBTORS, rowsMax: 1 })).code).toBe('too_many_rows');
    expect((await refusalOf(two, { ...DEBTORS, bytesMax: 100 })).code).toBe('too_large');
  });
});

describe('a file that is made to hurt is refused at once, whatever its size', () => {
  const many = (times: number, text: string) => text.repeat(times);
  const BOMBS: readonly (readonly [string, string])[] = [
    ['elements nested 10,000 deep', GOOD.replace('<Purp>', `${many(10_000, '<a>')}<Purp>`)],
    ['a text of 40 MB', GOOD.replace('Li, Wei', many(40_000_000, 'x'))],
    ['a comment of 40 MB', GOOD.replace('<Purp>', `<!--${many(40_000_000, 'x')}--><Purp>`)],
    [
      'a document type of 40 MB',
      GOOD.replace('<Document', `<!DOCTYPE d [${many(4_000_000, '<!ELEMENT')}]><Document`),
    ],
    [
      'a tag of 100,000 attributes',
      GOOD.replace(
        '<Purp>',
        `<Purp ${Array.from({ length: 100_000 }, (_, n) => `a${String(n)}="1"`).join(' ')}>`,
      ),
    ],
    ['millions of character references', GOOD.replace('Li, Wei', many(4_000_000, '&#65;'))],
    [
      'a payment of a million elements',
      GOOD.replace('</Purp>', `</Purp>${many(1_000_000, '<SplmtryData><Envlp><a/></Envlp></SplmtryData>')}`),
    ],
  ];

  it.each(BOMBS)('%s', async (_, content) => {
    const path = at(content);
    const before = process.memoryUsage.rss();
    const started = performance.now();
    expect((await refusalOf(path, DEBTORS)).code).toBe('xml_bomb');
    // The machine may be busy: idle it is some hundredths of a second.
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
  });
});

describe('a message is read', () => {
  const nameIn = async (content: string | Uint8Array) => {
    const { table, read } = await readFileAt(at(content), DEBTORS);
    return read[0]?.cells[table.indexOf.get('receiver.lastName') ?? -1];
  };
  const french = (header: string) => message([payment({ name: 'Nguéma, Éloïse' })], { header });

  it('in ISO-8859-1 and windows-1252 where it says so, and in UTF-16 with its mark', async () => {
    expect(await nameIn(Buffer.from(french('<?xml version="1.0" encoding="ISO-8859-1"?>'), 'latin1'))).toBe(
      'Nguéma',
    );
    expect(await nameIn(Buffer.from(french("<?xml version='1.0' encoding='windows-1252'?>"), 'latin1'))).toBe(
      'Nguéma',
    );
    expect(
      await nameIn(Buffer.from(`\ufeff${french('<?xml version="1.0" encoding="UTF-16"?>')}`, 'utf16le')),
    ).toBe('Nguéma');
    expect(await nameIn(`\ufeff${french('')}`)).toBe('Nguéma');
  });

  it('over comments and CDATA inside a text, with whatever prefix its root gives', async () => {
    expect(await nameIn(GOOD.replace('Li, Wei', 'L<!-- -->i<![CDATA[, W]]>ei'))).toBe('Li');
    const prefixed = GOOD.replaceAll(/<(\/?)(\w)/g, '<$1ns2:$2')
      .replace('xmlns=', 'xmlns:ns2=')
      .replace('<?ns2:xml', '<?xml');
    expect(await nameIn(prefixed)).toBe('Li');
  });

  it('with sums over several currencies, and numbers with zeros in front', async () => {
    const own = await readFileAt(at(ownMessage('09')), DEBTORS);
    expect(own.table.rowCount).toBe(7);
    expect(
      (
        await readFileAt(
          at(message([payment()], { stated: '<NbOfTxs>0001</NbOfTxs><CtrlSum>+0100.0</CtrlSum>' })),
          DEBTORS,
        )
      ).table.rowCount,
    ).toBe(1);
  });
});
