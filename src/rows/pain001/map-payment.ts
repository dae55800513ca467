// One payment of a message becomes the cells of a row. Elements that change who gets what, when or by which way are obeyed, or the row says that they
// cannot be; elements that only inform stay in the archived message.
import { idOf } from '../../base/plain-text.ts';
import { sentence } from '../../messages/messages.ts';
import { personNames } from '../cell.ts';
import type { MessageRules } from '../format.ts';
import type { RowFault } from '../row.ts';
import { fault, fillDelivery, instrumentOf, phone, unsupportedElement, walletIn } from './map-delivery.ts';
import {
  type Around,
  attachmentOf,
  documentNumbers,
  documentStems,
  inBraces,
  plainDecimal,
} from './around-payment.ts';
import { elementAt, textAt, type Element } from './schema.ts';

/** The columns of every message, whatever it leaves out, so that two messages of the same payments are the same table. */
export const CANONICAL = [
  'reference',
  'destinationCountryIsoCode',
  'targetCurrency',
  'transactionMode',
  'deliveryMethod',
  'bankName',
  'sourceCurrency',
  'sourceAmount',
  'amount',
  'currency',
  'purposeOfRemittance',
  'documentReferenceNumber',
  'attachment',
  'executionDate',
  'receiver.name',
  'receiver.registeredName',
  'receiver.firstName',
  'receiver.lastName',
  'receiver.registrationNumber',
  'receiver.address',
  'receiver.city',
  'receiver.countryIsoCode',
  'receiver.msisdn',
  'delivery.bankAccountHolderFullName',
  'delivery.bankAccountNumber',
  'delivery.bankAccountSwiftCode',
  'delivery.msisdn',
  'delivery.email',
  'delivery.cardNumber',
] as const;

/** The ids by which a program that books the answers finds its payment; unchanged from the message. */
export const ECHOED = ['iso.msgId', 'iso.pmtInfId', 'iso.endToEndId', 'iso.instrId', 'iso.uetr'] as const;

export const NAMES = [...CANONICAL, ...ECHOED] as const;

/** In the order of the columns; those that a payment leaves out are empty. */
type PaymentCells = Record<(typeof NAMES)[number], string>;

const BLANK = Object.fromEntries(NAMES.map((name) => [name, ''])) as PaymentCells;

type Mapped = {
  readonly cells: readonly string[];
  readonly faults: readonly RowFault[];
  /** Names that its document may have, without their ends. */
  readonly documentStems: readonly string[];
};

export function mapPayment(payment: Element, around: Around): Mapped {
  const { header, block, rules } = around;
  const faults: RowFault[] = [];
  const cells = { ...BLANK };
  const endToEndId = elementAt(payment, 'PmtId', 'EndToEndId')?.text ?? '';
  const documents = documentNumbers(payment);
  fillDelivery(cells, payment, around, faults);
  faults.push(...unsupported(payment, block, rules));
  fillAmount(cells, payment, around, faults);
  fillReceiver(cells, payment, block, rules);
  cells.reference = idOf(inBraces(rules.reference, payment, around));
  cells.purposeOfRemittance = purposeOf(payment, block, rules);
  cells.documentReferenceNumber = documents.join(', ');
  cells.attachment = attachmentOf(payment, around);
  cells.executionDate = around.executionDate;
  cells['iso.msgId'] = elementAt(header, 'MsgId')?.text ?? '';
  cells['iso.pmtInfId'] = elementAt(block, 'PmtInfId')?.text ?? '';
  cells['iso.endToEndId'] = endToEndId;
  cells['iso.instrId'] = elementAt(payment, 'PmtId', 'InstrId')?.text ?? '';
  cells['iso.uetr'] = elementAt(payment, 'PmtId', 'UETR')?.text ?? '';
  return {
    cells: Object.values(cells),
    faults,
    documentStems: documentStems([endToEndId, ...documents]),
  };
}

/** As the schemas have it: an id that breaks them can be told to nobody. */
export const ID = /^.{1,35}$/su;
const UETR = /^[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}$/;

/** Whether it can be told by its ids. */
export function isNamed(payment: Element): boolean {
  const id = (name: string) => elementAt(payment, 'PmtId', name)?.text;
  return ID.test(id('EndToEndId') ?? '') && ID.test(id('InstrId') ?? '-') && UETR.test(id('UETR') ?? NO_UETR);
}

const NO_UETR = '00000000-0000-4000-8000-000000000000';

/** An instructed amount is what moves, before charges; an equivalent amount is debited, and arrives in another currency. */
function fillAmount(
  cells: PaymentCells,
  payment: Element,
  { debitCurrency }: Around,
  faults: RowFault[],
): void {
  const instructed = elementAt(payment, 'Amt', 'InstdAmt');
  if (instructed !== undefined) {
    cells.amount = plainDecimal(instructed.text);
    cells.currency = instructed.currency ?? '';
    cells.sourceCurrency = debitCurrency;
    return;
  }
  const equivalent = elementAt(payment, 'Amt', 'EqvtAmt', 'Amt');
  const currency = equivalent?.currency ?? '';
  if (debitCurrency !== '' && currency !== debitCurrency)
    faults.push(
      fault(
        'amount_currency_contradicts',
        'sourceAmount',
        sentence('mapPayment.debit', { currency, debitCurrency }),
      ),
    );
  cells.sourceAmount = plainDecimal(equivalent?.text ?? '');
  cells.sourceCurrency = currency;
  cells.targetCurrency = textAt(payment, 'Amt', 'EqvtAmt', 'CcyOfTrf');
}

const SALARIES: readonly string[] = ['SALA', 'PAYR', 'BONU', 'SPSP', 'PENS'];

/** ISO's code → what a cell of a spreadsheet would say. `Supplier` is told to its owner as the usual case that it is taken for. */
const PURPOSES: ReadonlyMap<string, string> = new Map([
  ['SALA', 'SALARY_PAYMENT'],
  ['PAYR', 'SALARY_PAYMENT'],
  ['BONU', 'SALARY_PAYMENT'],
  ['SPSP', 'SALARY_PAYMENT'],
  ['GDDS', 'EXPORTED_GOODS'],
  ['SUPP', 'Supplier'],
  ['TRAD', 'Supplier'],
  ['GDSV', 'Supplier'],
  ['SCVE', 'SERVICE_CHARGES'],
  ['SERV', 'SERVICE_CHARGES'],
  ['NOWS', 'SERVICE_CHARGES'],
  ['FEES', 'SERVICE_CHARGES'],
  ['EDUC', 'EDUCATION'],
  ['STDY', 'EDUCATION'],
  ['DEPD', 'FAMILY_SUPPORT'],
  ['ALMY', 'FAMILY_SUPPORT'],
  ['OTHR', 'OTHER'],
]);

/** The purpose of the payment, else the category of the payment, else that of its block. */
function purposeElement(payment: Element, block: Element): Element | undefined {
  return (
    elementAt(payment, 'Purp') ??
    elementAt(payment, 'PmtTpInf', 'CtgyPurp') ??
    elementAt(block, 'PmtTpInf', 'CtgyPurp')
  );
}

/** Words that banks ask for in payments to China: goods and services. */
const CHINESE_PURPOSES: readonly (readonly [RegExp, string])[] = [
  [/\bCGODDR\b/, 'EXPORTED_GOODS'],
  [/\bCSTRDR\b/, 'SERVICE_CHARGES'],
];

/** Of an element that a profile names: its code word, else its text, of which the profile may say what it means. */
function purposeIn(element: Element): string {
  const text = element.children.length === 0 ? element.text.trim() : textAt(element, 'InstrInf');
  return CHINESE_PURPOSES.find(([word]) => word.test(text))?.[1] ?? text;
}

function purposeOf(payment: Element, block: Element, { purposeFrom }: MessageRules): string {
  const named = purposeFrom === null ? undefined : elementAt(payment, purposeFrom);
  if (named !== undefined) return purposeIn(named);
  const element = purposeElement(payment, block);
  if (element === undefined) return '';
  const code = textAt(element, 'Cd');
  // What neither we nor the interface list is written small: so it is no value of the interface, and a profile may still say what it means.
  if (code !== '') return PURPOSES.get(code) ?? code.toLowerCase();
  const own = textAt(element, 'Prtry');
  return VALUES.has(own) ? own : own.toLowerCase();
}

const VALUES: ReadonlySet<string> = new Set(PURPOSES.values());

type Party = 'person' | 'business' | null;

function partyOf(payment: Element, block: Element): Party {
  if (elementAt(payment, 'Cdtr', 'Id', 'PrvtId') !== undefined) return 'person';
  if (elementAt(payment, 'Cdtr', 'Id', 'OrgId') !== undefined) return 'business';
  const codes = [
    textAt(payment, 'Purp', 'Cd'),
    textAt(payment, 'PmtTpInf', 'CtgyPurp', 'Cd'),
    textAt(block, 'PmtTpInf', 'CtgyPurp', 'Cd'),
  ];
  return codes.some((code) => SALARIES.includes(code)) ? 'person' : null;
}

const MODES: Readonly<Record<NonNullable<Party>, string>> = { person: 'B2C', business: 'B2B' };

function fillReceiver(cells: PaymentCells, payment: Element, block: Element, rules: MessageRules): void {
  const party = partyOf(payment, block);
  const payee = elementAt(payment, 'Cdtr');
  if (payee === undefined) return;
  cells.transactionMode = party === null ? '' : MODES[party];
  fillNames(cells, textAt(payee, 'Nm'), party, rules);
  cells['receiver.registrationNumber'] = registrationOf(payee);
  cells['receiver.address'] = addressOf(payee);
  cells['receiver.city'] = textAt(payee, 'PstlAdr', 'TwnNm');
  cells['receiver.countryIsoCode'] = textAt(payee, 'PstlAdr', 'Ctry');
  cells['receiver.msisdn'] = phone(textAt(payee, 'CtctDtls', 'MobNb') || textAt(payee, 'CtctDtls', 'PhneNb'));
}

/** Of a person in two, where it is certain which is which; else whole, and the corridor shows whether that will do. */
function fillNames(cells: PaymentCells, name: string, party: Party, rules: MessageRules): void {
  const parts = party === 'person' ? personNames(name, rules.personNames) : null;
  if (party === 'business') cells['receiver.registeredName'] = name;
  else if (parts === null) cells['receiver.name'] = name;
  else [cells['receiver.lastName'], cells['receiver.firstName']] = parts;
}

function registrationOf(payee: Element): string {
  const organisation = elementAt(payee, 'Id', 'OrgId');
  if (organisation === undefined) return '';
  return (
    textAt(organisation, 'Othr', 'Id') ||
    textAt(organisation, 'AnyBIC') ||
    textAt(organisation, 'BICOrBEI') ||
    textAt(organisation, 'LEI')
  );
}

/** Everything but town and country, which have cells of their own. To cut a town out of a line would be a guess about the way of money. */
function addressOf(payee: Element): string {
  const address = elementAt(payee, 'PstlAdr');
  if (address === undefined) return '';
  const street = [textAt(address, 'StrtNm'), textAt(address, 'BldgNb')].filter(Boolean).join(' ');
  const lines = address.children.filter(({ name }) => name === 'AdrLine').map(({ text }) => text.trim());
  const all = (...names: readonly string[]) => names.map((name) => textAt(address, name));
  return [
    ...all('CareOf', 'Dept', 'SubDept'),
    street,
    ...all('BldgNm', 'Flr', 'UnitNb', 'Room', 'PstBx'),
    ...lines,
    ...all('TwnLctnNm', 'DstrctNm', 'PstCd', 'CtrySubDvsn'),
  ]
    .filter(Boolean)
    .join(', ');
}

/** Elements with an effect that the service does not have. */
function unsupported(
  payment: Element,
  block: Element,
  { ignored, purposeFrom }: MessageRules,
): readonly RowFault[] {
  const either = (name: string) => elementAt(payment, name) ?? elementAt(block, name);
  const found: string[] = ALWAYS.filter((name) => either(name) !== undefined);
  if (textAt(block, 'PmtMtd') === 'CHK') found.push('PmtMtd');
  if (either('ChrgBr')?.text.trim() === 'CRED') found.push('ChrgBr');
  if (isOther(elementAt(payment, 'UltmtCdtr'), elementAt(payment, 'Cdtr'))) found.push('UltmtCdtr');
  if (isOther(either('UltmtDbtr'), elementAt(block, 'Dbtr'))) found.push('UltmtDbtr');
  if (isAgreedRate(elementAt(payment, 'XchgRateInf'))) found.push('XchgRateInf');
  if (isUnknownInstrument(payment, block)) found.push('LclInstrm');
  if (isOtherAccount(elementAt(block, 'ChrgsAcct'), elementAt(block, 'DbtrAcct'))) found.push('ChrgsAcct');
  const isMeant = (name: string) => name !== purposeFrom && !ignored.some((each) => each === name);
  return found.filter(isMeant).map(unsupportedElement);
}

const ALWAYS = [
  'ChqInstr',
  'IntrmyAgt1',
  'IntrmyAgt2',
  'IntrmyAgt3',
  'CdtrAgtAcct',
  'InstrForCdtrAgt',
  'InstrForDbtrAgt',
  'MndtRltdInf',
] as const;

/** Two parties are one where all that the ultimate one says is said of the other too. */
function isOther(ultimate: Element | undefined, party: Element | undefined): boolean {
  if (ultimate === undefined) return false;
  return !ultimate.children.every((child) => {
    const same = party?.children.find(({ name }) => name === child.name);
    return same !== undefined && saidIn(same) === saidIn(child);
  });
}

function isOtherAccount(account: Element | undefined, debited: Element | undefined): boolean {
  const id = account === undefined ? undefined : elementAt(account, 'Id');
  if (id === undefined) return false;
  const own = debited === undefined ? undefined : elementAt(debited, 'Id');
  return own === undefined || saidIn(own) !== saidIn(id);
}

/** Everything that an element says, the white space around texts apart. */
export function saidIn({ name, text, children }: Element): string {
  return `<${name}>${children.length === 0 ? text.trim() : children.map(saidIn).join('')}`;
}

/** A rate is agreed where nothing calls it the rate of the day. */
function isAgreedRate(rate: Element | undefined): boolean {
  if (rate === undefined) return false;
  const type = textAt(rate, 'RateTp');
  const isStated = textAt(rate, 'XchgRate') !== '' && type === '';
  return isStated || type === 'AGRD' || textAt(rate, 'CtrctId') !== '';
}

function isUnknownInstrument(payment: Element, block: Element): boolean {
  const instrument = instrumentOf(payment, block);
  return instrument !== undefined && walletIn(textAt(instrument, 'Prtry')) === undefined;
}
