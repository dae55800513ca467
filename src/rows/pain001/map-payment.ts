// One payment of a message becomes the cells of a row. Elements that change who gets what, when or by which way are obeyed, or the row says that they
// cannot be; elements that only inform stay in the archived message.
import { sentence } from '../../messages/messages.ts';
import { personNames } from '../cell.ts';
import type { MessageRules } from '../format.ts';
import type { RowFault } from '../row.ts';
import { deliveryOf, fault, phone, unsupportedElement, walletIn } from './map-delivery.ts';
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

export type MappedName = (typeof CANONICAL)[number] | (typeof ECHOED)[number];

export type Mapped = {
  readonly cells: Readonly<Partial<Record<MappedName, string>>>;
  readonly faults: readonly RowFault[];
  /** Names that its document may have, without their ends. */
  readonly documentStems: readonly string[];
};

export function mapPayment(payment: Element, around: Around): Mapped {
  const { header, block, rules } = around;
  const faults: RowFault[] = [];
  const delivery = deliveryOf(payment, faults);
  const endToEndId = elementAt(payment, 'PmtId', 'EndToEndId')?.text ?? '';
  const documents = documentNumbers(payment);
  faults.push(...unsupported(payment, block, rules));
  return {
    cells: {
      reference: inBraces(rules.reference, payment, around),
      ...delivery,
      ...amountOf(payment, around, faults),
      purposeOfRemittance: purposeOf(payment, block, rules),
      documentReferenceNumber: documents.join(', '),
      attachment: attachmentOf(payment, around),
      executionDate: executionDay(block),
      ...receiverOf(payment, block, rules),
      'iso.msgId': elementAt(header, 'MsgId')?.text ?? '',
      'iso.pmtInfId': elementAt(block, 'PmtInfId')?.text ?? '',
      'iso.endToEndId': endToEndId,
      'iso.instrId': elementAt(payment, 'PmtId', 'InstrId')?.text ?? '',
      'iso.uetr': elementAt(payment, 'PmtId', 'UETR')?.text ?? '',
    },
    faults,
    documentStems: documentStems([endToEndId, ...documents]),
  };
}

/** An instructed amount is what moves, before charges; an equivalent amount is debited, and arrives in another currency. */
function amountOf(payment: Element, { debitCurrency }: Around, faults: RowFault[]): Mapped['cells'] {
  const instructed = elementAt(payment, 'Amt', 'InstdAmt');
  if (instructed !== undefined)
    return {
      amount: plainDecimal(instructed.text),
      currency: instructed.currency ?? '',
      sourceCurrency: debitCurrency,
    };
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
  return {
    sourceAmount: plainDecimal(equivalent?.text ?? ''),
    sourceCurrency: currency,
    targetCurrency: textAt(payment, 'Amt', 'EqvtAmt', 'CcyOfTrf'),
  };
}

/** Day of execution as written, a zone or a time of day left off. */
function executionDay(block: Element): string {
  const written =
    textAt(block, 'ReqdExctnDt', 'Dt') ||
    textAt(block, 'ReqdExctnDt', 'DtTm') ||
    textAt(block, 'ReqdExctnDt');
  return /^-?\d{4,}-\d\d-\d\d/.exec(written)?.[0] ?? written;
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
  if (code === '') return textAt(element, 'Prtry');
  // A code that the table does not have is written small: so it is no value of the interface, and a profile may still say what it means.
  return PURPOSES.get(code) ?? code.toLowerCase();
}

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

function receiverOf(payment: Element, block: Element, rules: MessageRules): Mapped['cells'] {
  const party = partyOf(payment, block);
  const payee = elementAt(payment, 'Cdtr');
  if (payee === undefined) return {};
  const contact = elementAt(payee, 'CtctDtls');
  const called = contact === undefined ? '' : textAt(contact, 'MobNb') || textAt(contact, 'PhneNb');
  return {
    transactionMode: party === null ? '' : MODES[party],
    ...namesOf(textAt(payee, 'Nm'), party, rules),
    'receiver.registrationNumber': registrationOf(payee),
    'receiver.address': addressOf(payee),
    'receiver.city': textAt(payee, 'PstlAdr', 'TwnNm'),
    'receiver.countryIsoCode': textAt(payee, 'PstlAdr', 'Ctry'),
    'receiver.msisdn': phone(called),
  };
}

/** Of a person in two, where it is certain which is which; else whole, and the corridor shows whether that will do. */
function namesOf(name: string, party: Party, rules: MessageRules): Mapped['cells'] {
  if (party === 'business') return { 'receiver.registeredName': name };
  const parts = party === 'person' ? personNames(name, rules.personNames) : null;
  if (parts === null) return { 'receiver.name': name };
  return { 'receiver.lastName': parts[0], 'receiver.firstName': parts[1] };
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

/** The town stands in its own element alone: to cut it out of a line would be a guess about the way of money. */
function addressOf(payee: Element): string {
  const address = elementAt(payee, 'PstlAdr');
  if (address === undefined) return '';
  const street = [textAt(address, 'StrtNm'), textAt(address, 'BldgNb')].filter(Boolean).join(' ');
  const lines = address.children.filter(({ name }) => name === 'AdrLine').map(({ text }) => text.trim());
  const more = ['BldgNm', 'Flr', 'Room', 'PstBx'].map((name) => textAt(address, name));
  return [street, ...more, ...lines, textAt(address, 'PstCd')].filter(Boolean).join(', ');
}

/** Elements with an effect that the service does not have. */
function unsupported(
  payment: Element,
  block: Element,
  { ignored, purposeFrom }: MessageRules,
): readonly RowFault[] {
  const either = (name: string) => elementAt(payment, name) ?? elementAt(block, name);
  const debtor = elementAt(block, 'Dbtr');
  const present = ALWAYS.filter((name) => elementAt(payment, name) !== undefined);
  const found = [
    ...present,
    ...(textAt(block, 'PmtMtd') === 'CHK' ? ['PmtMtd'] : []),
    ...(either('ChrgBr')?.text.trim() === 'CRED' ? ['ChrgBr'] : []),
    ...(isOther(elementAt(payment, 'UltmtCdtr'), elementAt(payment, 'Cdtr')) ? ['UltmtCdtr'] : []),
    ...(isOther(either('UltmtDbtr'), debtor) ? ['UltmtDbtr'] : []),
    ...(isAgreedRate(elementAt(payment, 'XchgRateInf')) ? ['XchgRateInf'] : []),
    ...(isUnknownInstrument(payment, block) ? ['LclInstrm'] : []),
    ...(isOtherAccount(elementAt(block, 'ChrgsAcct'), elementAt(block, 'DbtrAcct')) ? ['ChrgsAcct'] : []),
  ];
  const meant = new Set<string>([...ignored, ...(purposeFrom === null ? [] : [purposeFrom])]);
  return [...new Set(found)].filter((name) => !meant.has(name)).map(unsupportedElement);
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

function saidIn({ name, text, children }: Element): string {
  return `<${name}>${children.length === 0 ? text.trim() : children.map(saidIn).join('')}`;
}

function isAgreedRate(rate: Element | undefined): boolean {
  return rate !== undefined && (textAt(rate, 'RateTp') === 'AGRD' || textAt(rate, 'CtrctId') !== '');
}

function isUnknownInstrument(payment: Element, block: Element): boolean {
  const instrument = elementAt(payment, 'PmtTpInf', 'LclInstrm') ?? elementAt(block, 'PmtTpInf', 'LclInstrm');
  return instrument !== undefined && walletIn(textAt(instrument, 'Prtry')) === undefined;
}
