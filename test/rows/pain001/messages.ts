// Messages to order: a whole one of small parts, of which a test changes one.
import { readFileSync } from 'node:fs';

export function ownMessage(version: string): string {
  return readFileSync(new URL(`own/cemac-china.pain.001.001.${version}.xml`, import.meta.url), 'utf8');
}

export const ACCOUNT = 'PAYDROP-XAF';

export type Ordered = {
  readonly version?: string;
  readonly msgId?: string;
  readonly header?: string;
  readonly stated?: string;
  readonly block?: string;
  readonly toBank?: string;
  readonly debtor?: string;
  readonly day?: string;
  readonly method?: string;
  readonly namespace?: string;
};

/** A message around these payments; `stated` stands between CreDtTm and InitgPty, the number of payments where it is left out. */
export function message(payments: readonly string[], ordered: Ordered = {}): string {
  const {
    version = '09',
    msgId = 'M-1',
    stated = `<NbOfTxs>${String(payments.length)}</NbOfTxs>`,
    block = '',
    toBank = '',
    day = '2026-11-28',
    method = 'TRF',
    debtor = `<Dbtr><Nm>Wouri SARL</Nm></Dbtr><DbtrAcct><Id><Othr><Id>${ACCOUNT}</Id></Othr></Id><Ccy>XAF</Ccy></DbtrAcct>`,
    namespace = `urn:iso:std:iso:20022:tech:xsd:pain.001.001.${version}`,
    header = '<?xml version="1.0" encoding="UTF-8"?>',
  } = ordered;
  const execution = version === '03' ? day : `<Dt>${day}</Dt>`;
  return `${header}<Document xmlns="${namespace}"><CstmrCdtTrfInitn><GrpHdr><MsgId>${msgId}</MsgId><CreDtTm>2026-11-21T16:02:11</CreDtTm>${stated}<InitgPty><Nm>Wouri SARL</Nm></InitgPty></GrpHdr><PmtInf><PmtInfId>P-1</PmtInfId><PmtMtd>${method}</PmtMtd>${block}<ReqdExctnDt>${execution}</ReqdExctnDt>${debtor}<DbtrAgt><FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId></DbtrAgt>${toBank}${payments.join('')}</PmtInf></CstmrCdtTrfInitn></Document>\n`;
}

/** A message of several blocks, each with its day and its payments. */
export function blocks(
  parts: readonly (readonly [day: string, payments: readonly string[]])[],
  ordered: Ordered = {},
): string {
  const count = parts.reduce((sum, [, payments]) => sum + payments.length, 0);
  const stated = `<NbOfTxs>${String(count)}</NbOfTxs>`;
  const whole = parts.map(([day, payments]) => message(payments, { stated, ...ordered, day }));
  const block = (text: string) => /<PmtInf>.*<\/PmtInf>/s.exec(text)?.[0] ?? '';
  const [first = ''] = whole;
  return first.replace(block(first), () => whole.map(block).join(''));
}

export type Paid = {
  readonly reference?: string;
  readonly type?: string;
  readonly amount?: string;
  readonly before?: string;
  readonly agent?: string;
  readonly name?: string;
  readonly party?: string;
  readonly address?: string;
  readonly account?: string;
  readonly after?: string;
  readonly purpose?: string;
  readonly remittance?: string;
};

export const PERSON = '<Id><PrvtId><Othr><Id>E1</Id></Othr></PrvtId></Id>';
export const COMPANY = '<Id><OrgId><Othr><Id>91330782MA2</Id></Othr></OrgId></Id>';

/** A salary to a wallet in China. */
export function payment(paid: Paid = {}): string {
  const {
    reference = 'A-1',
    type = '',
    amount = '<InstdAmt Ccy="CNY">100</InstdAmt>',
    before = '',
    agent = '',
    name = 'Li, Wei',
    party = PERSON,
    address = '<PstlAdr><Ctry>CN</Ctry></PstlAdr>',
    account = '<Id><Othr><Id>+8613800138000</Id><SchmeNm><Prtry>WECHAT</Prtry></SchmeNm></Othr></Id>',
    after = '',
    purpose = '<Purp><Cd>SALA</Cd></Purp>',
    remittance = '',
  } = paid;
  return `<CdtTrfTxInf><PmtId><EndToEndId>${reference}</EndToEndId></PmtId>${type}<Amt>${amount}</Amt>${before}${agent}<Cdtr><Nm>${name}</Nm>${address}${party}</Cdtr><CdtrAcct>${account}</CdtrAcct>${after}${purpose}${remittance}</CdtTrfTxInf>`;
}
