// `template`: writes the empty spreadsheet of a corridor, or an example of a payment message, and never over a file that may have been filled in.
import { extname } from 'node:path';

import { publishFile } from '../../base/atomic-file.ts';
import { isoTime } from '../../base/clock.ts';
import { inEachLanguage, joinWords, type Language, sameWords, say, type Words } from '../../base/language.ts';
import { formatAmount } from '../../base/currency.ts';
import { methodWords } from '../../payouts/corridor.ts';
import { fitsWord } from '../../payouts/recognize.ts';
import { receivesAsBusiness } from '../../payouts/payout.ts';
import { countryName, toAlpha2Code } from '../../payouts/read-parties.ts';
import { escaped as xmlText } from '../../results/status-report.ts';
import { boundsInWords, exampleOf, modeInWords } from '../../results/template-columns.ts';
import { templateFor } from '../../results/template.ts';
import type { PartyFields } from '../../service/payout-service.ts';
import type { PayoutCorridor } from '../../service/wire.ts';
import type { Paydrop } from '../parts.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import { assertPlace } from './output-place.ts';
import { loadCorridors, nearestCorridors } from '../workflow/validate/check-rules.ts';
import { plainHeader } from '../../rows/known-columns.ts';
import { sentence } from '../../messages/messages.ts';

export type TemplateOrder = {
  readonly corridor: string;
  readonly path: string;
  readonly mayReplace: boolean;
};

/** A template names no payee, and is passed to the people who fill it in. */
const FOR_OTHERS = 0o644;

/** Throws `ConfigUnusable` for an unknown corridor, or a place where no template may be written. */
export async function writeTemplate(
  { service, sender, config, clock }: Paydrop,
  { corridor: id, path, mayReplace }: TemplateOrder,
): Promise<void> {
  await checkPlace(path, mayReplace);
  const corridor = findCorridor(id, await loadCorridors(service));
  const isMessage = extname(path).toLowerCase() === '.xml';
  if (isMessage) return publishFile(path, [exampleMessage({ sender, config, clock }, corridor)]);
  await publishFile(path, [await templateFor(corridor, sender, config.language)], { mode: FOR_OTHERS });
}

function exampleMessage(
  { sender, config, clock }: Pick<Paydrop, 'sender' | 'config' | 'clock'>,
  corridor: PayoutCorridor,
): string {
  const { language, iso20022 } = config;
  const day = isoTime(clock.now()).slice(0, 10);
  const paying = iso20022.debtors.find(
    ({ currency }) => currency === null || corridor.sourceCurrencies.includes(currency),
  );
  const account = paying?.account ?? `PAYDROP-${corridor.sourceCurrencies[0] ?? ''}`;
  const text = messageFor(corridor, { account, day, sender, language });
  if (text === null) throw new ConfigUnusable(sentence('template.noMessage', { id: corridor.id }));
  return text;
}

/** Its bytes; null for a corridor that does not exist, or is switched off. */
export async function templateOf(
  { service, sender, config }: Paydrop,
  id: string,
): Promise<Uint8Array | null> {
  const corridor = (await loadCorridors(service)).find((each) => each.id === id);
  return corridor?.isEnabled === true ? templateFor(corridor, sender, config.language) : null;
}

async function checkPlace(path: string, mayReplace: boolean): Promise<void> {
  if (!['.xlsx', '.xml'].includes(extname(path).toLowerCase()))
    throw new ConfigUnusable(sentence('template.place.notXlsx', { path }));
  await assertPlace(path, mayReplace);
}

/** How many ids are shown when there is none of the given name. */
const SHOWN_MOST = 5;

function findCorridor(id: string, corridors: readonly PayoutCorridor[]): PayoutCorridor {
  const corridor = corridors.find((each) => each.id === id);
  if (corridor?.isEnabled === true) return corridor;
  if (corridor !== undefined) throw new ConfigUnusable(sentence('template.switchedOff', { id }));
  const near = nearestCorridors(id, corridors, SHOWN_MOST);
  throw new ConfigUnusable(sentence('template.noCorridor', { id, near: near.join(', ') }));
}

// For a program that writes payment messages instead: an example message for the corridor, to copy from.

type MessageTemplate = {
  /** The account that pays, as the config lists it. */
  readonly account: string;
  /** `yyyy-mm-dd` */
  readonly day: string;
  readonly sender: PartyFields;
  readonly language: Language;
};

/** The text of the message; null for a corridor that no message can express: its sender is a company. */
function messageFor(
  corridor: PayoutCorridor,
  { account, day, sender, language }: MessageTemplate,
): string | null {
  if (!corridor.transactionMode.startsWith('B')) return null;
  const currency = corridor.sourceCurrencies[0] ?? '';
  const amount = formatAmount(corridor.minimumTransactionAmount, corridor.targetCurrency);
  const name = xmlText(sender['registeredName'] ?? exampleIn('registeredName'));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<!-- ${xmlText(say(sentence('template.message', { id: corridor.id }), language)).replaceAll('--', '- -')} -->`,
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">',
    ' <CstmrCdtTrfInitn>',
    `  <GrpHdr><MsgId>EXAMPLE-1</MsgId><CreDtTm>${day}T08:00:00</CreDtTm><NbOfTxs>1</NbOfTxs><CtrlSum>${amount}</CtrlSum><InitgPty><Nm>${name}</Nm></InitgPty></GrpHdr>`,
    '  <PmtInf>',
    '   <PmtInfId>EXAMPLE-1-1</PmtInfId>',
    '   <PmtMtd>TRF</PmtMtd>',
    `   <ReqdExctnDt><Dt>${day}</Dt></ReqdExctnDt>`,
    `   <Dbtr><Nm>${name}</Nm></Dbtr>`,
    `   <DbtrAcct><Id><Othr><Id>${xmlText(account)}</Id></Othr></Id><Ccy>${currency}</Ccy></DbtrAcct>`,
    '   <DbtrAgt><FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId></DbtrAgt>',
    '   <CdtTrfTxInf>',
    '    <PmtId><EndToEndId>INV-0001</EndToEndId></PmtId>',
    `    <Amt><InstdAmt Ccy="${corridor.targetCurrency}">${amount}</InstdAmt></Amt>`,
    ...payeeLines(corridor),
    '    <RmtInf><Strd><RfrdDocInf><Nb>INV-0001</Nb></RfrdDocInf></Strd></RmtInf>',
    '   </CdtTrfTxInf>',
    '  </PmtInf>',
    ' </CstmrCdtTrfInitn>',
    '</Document>',
    '',
  ].join('\n');
}

/** The names of wallets in messages; any other delivery is to a bank. */
const SCHEMES: ReadonlyMap<string, readonly [name: string, field: string]> = new Map([
  ['alipay', ['ALIPAY', 'msisdn']],
  ['wechat', ['WECHAT', 'msisdn']],
  ['unionpayCard', ['UNIONPAY', 'cardNumber']],
]);

function payeeLines(corridor: PayoutCorridor): readonly string[] {
  const { deliveryMethod, bankName, destinationCountryIsoCode, transactionMode } = corridor;
  const country = toAlpha2Code(destinationCountryIsoCode) ?? '';
  const isBusiness = receivesAsBusiness(transactionMode);
  const name = isBusiness ? exampleIn('registeredName') : 'Li, Wei';
  const id = isBusiness ? ['OrgId', exampleIn('registrationNumber')] : ['PrvtId', 'EMP-001'];
  const [scheme, field] = SCHEMES.get(deliveryMethod) ?? ['', 'bankAccountNumber'];
  // A bank's BIC contains its country, and stands in for the one to be written here.
  const bank = `<BICFI>BANK${country}22XXX</BICFI>${bankName === null ? '' : `<Nm>${xmlText(bankName)}</Nm>`}`;
  const address = `<StrtNm>${xmlText(exampleIn('address'))}</StrtNm><TwnNm>${exampleIn('city')}</TwnNm><Ctry>${country}</Ctry>`;
  const called = exampleIn('msisdn').replace(/^(\+\d\d)/, '$1-');
  return [
    ...(scheme === '' ? [`    <CdtrAgt><FinInstnId>${bank}</FinInstnId></CdtrAgt>`] : []),
    `    <Cdtr><Nm>${xmlText(name)}</Nm><PstlAdr>${address}</PstlAdr>`,
    `     <Id><${id[0] ?? ''}><Othr><Id>${id[1] ?? ''}</Id></Othr></${id[0] ?? ''}></Id><CtctDtls><MobNb>${called}</MobNb></CtctDtls></Cdtr>`,
    `    <CdtrAcct><Id><Othr><Id>${exampleIn(field)}</Id>${scheme === '' ? '' : `<SchmeNm><Prtry>${scheme}</Prtry></SchmeNm>`}</Othr></Id></CdtrAcct>`,
    `    <Purp><Cd>${isBusiness ? 'GDDS' : 'SALA'}</Cd></Purp>`,
  ];
}

/** An example is the same in every language. */
function exampleIn(field: string): string {
  return exampleOf(field).en;
}

/** `China (CHN)`. */
function namedIn(code: string): Words {
  return inEachLanguage((language) => `${countryName(code, language) ?? code} (${code})`);
}

/** The corridors that fit each of the words, such as a country and a method. */
export async function fittingCorridors(
  { service }: Pick<Paydrop, 'service'>,
  words: readonly string[],
): Promise<readonly PayoutCorridor[]> {
  const all = await loadCorridors(service);
  return all.filter((corridor) => words.every((word) => fitsWord(corridor, word)));
}

/** What each corridor pays, and its required columns, under the headers that a spreadsheet may use. */
export function inWords(
  found: readonly PayoutCorridor[],
  { config }: Pick<Paydrop, 'config'>,
): readonly string[] {
  return found.map((corridor) => corridorWords(corridor, config.language));
}

function corridorWords(corridor: PayoutCorridor, language: Language): string {
  const { id, targetCurrency, transactionMode, deliveryMethod, bankName, isEnabled } = corridor;
  const text = (words: Words): string => say(words, language);
  const columns = (prefix: string, fields: readonly string[], and = ', '): Words =>
    joinWords(
      fields.map((field) => plainHeader(`${prefix}.${field}`)),
      and,
    );
  const or = sentence('corridors.or');
  const nothing = sentence('corridors.nothing');
  const ways = corridor.requiredDeliveryMethodFields.map((group) => columns('delivery', group, ' + '));
  const [first = nothing, ...others] = ways;
  const accounts = others.reduce((all, way) => joinWords([all, or, way], ''), first);
  const method =
    bankName === null
      ? methodWords(corridor.deliveryMethod)
      : joinWords([methodWords(corridor.deliveryMethod), sameWords(bankName)], ', ');
  return [
    `${id}${isEnabled ? '' : `  ${text(sentence('corridors.off'))}`}`,
    text(
      sentence('corridors.way', {
        country: namedIn(corridor.destinationCountryIsoCode),
        currency: targetCurrency,
        mode: transactionMode,
        words: modeInWords(corridor),
        method,
        from: corridor.sourceCurrencies.join(', '),
      }),
    ),
    text(sentence('corridors.bounds', { bounds: boundsInWords(corridor) })),
    text(
      sentence('corridors.sender', {
        columns: columns('sender', corridor.requiredSendingEntityFields),
      }),
    ),
    text(
      sentence('corridors.receiver', {
        columns: columns('receiver', corridor.requiredReceivingEntityFields),
      }),
    ),
    text(
      sentence('corridors.delivery', {
        columns: accounts,
        document: deliveryMethod === 'bankTransfer' ? sentence('corridors.document') : sameWords(''),
      }),
    ),
  ].join('\n');
}
