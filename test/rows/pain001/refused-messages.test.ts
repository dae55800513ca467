// Messages that are not taken, each with its code and the words by which its owner finds the fault.
import { describe, expect, it } from 'vitest';

import type { ReadOptions } from '../../../src/rows/format.ts';
import { fileOf, readFileAt, refusalOf } from '../read-table.ts';
import { BAD_FILES, GOOD } from './bad-files.ts';
import { ACCOUNT, message, ownMessage, payment } from './messages.ts';
import { cpuMs } from '../../cpu-time.ts';

const DEBTORS: Partial<ReadOptions> = {
  debtors: [{ account: ACCOUNT, currency: 'XAF', sender: null, isFromHere: true }],
};
const at = (content: string | Uint8Array) => fileOf(content, '.xml');

describe('a message is refused', () => {
  it.each(BAD_FILES)('%i%s, for %s: %s', async (_line, _iso, _what, code, content, says) => {
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

  const OF_A_PLACE = ['xml_damaged', 'xml_bomb', 'bytes_undecodable', 'message_invalid'];
  const placed = BAD_FILES.filter(([, , , code]) => OF_A_PLACE.includes(code));

  it.each(placed)(
    '%i%s, for %s, with its line, wherever that is',
    async (_line, _iso, _what, _code, content) => {
      const lineOf = async (bytes: Buffer) => {
        const { fault } = await refusalOf(at(bytes), DEBTORS);
        return Number(/[Ll]ine (\d+)/.exec(fault.en)?.[1]);
      };
      const bytes = Buffer.from(content);
      const isWide = bytes.length > 1 && (bytes[0] === 0xff || bytes[0] === 0xfe);
      const start = bytes.indexOf(Buffer.from('?>', isWide ? 'utf16le' : 'latin1')) + (isWide ? 4 : 2);
      const moved = [bytes.subarray(0, start), Buffer.from('\n'.repeat(7), isWide ? 'utf16le' : 'latin1')];
      const line = await lineOf(bytes);
      expect(line).toBeGreaterThan(0);
      expect(await lineOf(Buffer.concat([...moved, bytes.subarray(start)]))).toBe(line + 7);
    },
  );

  const long = message(Array.from({ length: 400 }, (_, n) => payment({ reference: `B-${String(n)}` })));

  it.each([
    ['in a name', 2, GOOD.replace('Li, Wei', '\nWang & Fils')],
    ['in a name, with an entity behind it', 3, GOOD.replace('Li, Wei', '&amp;\n\nWang & Fils &amp; Co')],
    ['without blanks', 1, GOOD.replace('Li, Wei', 'R&D')],
    ['as an entity of HTML', 2, GOOD.replace('Li, Wei', '\nL&eacute;a')],
    ['in an attribute', 2, GOOD.replace('<InstdAmt Ccy="CNY"', '<InstdAmt\nCcy="C&Y"')],
    ['before more text than one token may have', 1, long.replace('Li, Wei', 'Wang & Fils')],
    ['behind a comment that may have one', 3, GOOD.replace('Li, Wei', '<!-- A & B\n\n -->Wang & Fils')],
  ])('for a bare & %s, in words that say how to write it', async (_what, line, text) => {
    const { code, fault, words } = await refusalOf(at(text), DEBTORS);
    expect([code, fault.en]).toEqual(['xml_damaged', expect.stringContaining(`(line ${String(line)})`)]);
    expect(words.en).toContain('&amp;');
    expect(words.en).not.toContain('export the message again, and use');
  });

  it('not for an & that stands where it may', async () => {
    const fine = GOOD.replace('Li, Wei', '<![CDATA[Wang & Fils]]><!-- A & B -->, Wei &#38; &lt; &#x26;');
    expect((await readFileAt(at(fine), DEBTORS)).table.rowCount).toBe(1);
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
    const started = cpuMs();
    expect((await refusalOf(path, DEBTORS)).code).toBe('xml_bomb');
    // It is some hundredths of a second.
    expect(cpuMs() - started).toBeLessThan(2_000);
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

  it('that declares its namespace again below the root, or one that it does not use', async () => {
    const again = /xmlns="[^"]*"/.exec(GOOD)?.[0] ?? '';
    expect(await nameIn(GOOD.replace('<Nm>Li', `<Nm ${again}>Li`))).toBe('Li');
    expect(
      await nameIn(GOOD.replace('<PmtInf>', '<PmtInf xmlns:xsd="http://www.w3.org/2001/XMLSchema">')),
    ).toBe('Li');
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
