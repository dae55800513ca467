// Where the money of a payment goes: the country and the method that its account, bank and clearing system agree on, and what the method needs.
import { sentence } from '../../messages/messages.ts';
import { hasFormOfIban, isIban } from '../cell.ts';
import type { RowFault } from '../row.ts';
import type { Around } from './around-payment.ts';
import { elementAt, textAt, type Element } from './schema.ts';

/** The cells that this part of a payment fills. */
type DeliveryCells = Record<
  | 'destinationCountryIsoCode'
  | 'deliveryMethod'
  | 'bankName'
  | 'delivery.bankAccountNumber'
  | 'delivery.bankAccountSwiftCode'
  | 'delivery.bankAccountHolderFullName'
  | 'delivery.cardNumber'
  | 'delivery.email'
  | 'delivery.msisdn',
  string
>;

export function fault(code: RowFault['code'], column: string, words: RowFault['words']): RowFault {
  return { code, column, words };
}

export function unsupportedElement(name: string): RowFault {
  return fault('element_unsupported', name, sentence('mapPayment.unsupported', { name }));
}

const WALLETS: ReadonlyMap<string, string> = new Map([
  ['ALIPAY', 'alipay'],
  ['WECHAT', 'wechat'],
  ['WEIXIN', 'wechat'],
  ['UNIONPAY', 'unionpayCard'],
  ['CUP', 'unionpayCard'],
]);

export function walletIn(text: string): string | undefined {
  return WALLETS.get(text.toUpperCase());
}

/** Of an account at a bank, as ISO and as banks of the zone call it. */
const BANK_SCHEMES: readonly string[] = ['IBAN', 'BBAN', 'RIB'];

/** What the scheme of an account says that it is: undefined where it says nothing, null where nobody knows what it says. */
function methodByScheme(payment: Element, { rules }: Around): string | undefined | null {
  const scheme = elementAt(payment, 'CdtrAcct', 'Id', 'Othr', 'SchmeNm');
  if (scheme === undefined) return undefined;
  const name = (textAt(scheme, 'Cd') || textAt(scheme, 'Prtry')).toUpperCase();
  const told = rules.accountSchemes.get(name) ?? walletIn(name);
  return told ?? (BANK_SCHEMES.includes(name) ? 'bankTransfer' : null);
}

function unknownScheme(payment: Element): RowFault {
  const scheme = elementAt(payment, 'CdtrAcct', 'Id', 'Othr', 'SchmeNm');
  const name = scheme === undefined ? '' : textAt(scheme, 'Cd') || textAt(scheme, 'Prtry');
  return fault('element_unsupported', 'SchmeNm', sentence('mapPayment.scheme', { name }));
}

/** The instrument of the payment, else that of its block. */
export function instrumentOf(payment: Element, block: Element): Element | undefined {
  return elementAt(payment, 'PmtTpInf', 'LclInstrm') ?? elementAt(block, 'PmtTpInf', 'LclInstrm');
}

/** Where the money goes: the country, the method, and what the method needs. */
export function fillDelivery(
  cells: DeliveryCells,
  payment: Element,
  around: Around,
  faults: RowFault[],
): void {
  const iban = textAt(payment, 'CdtrAcct', 'Id', 'IBAN');
  const other = textAt(payment, 'CdtrAcct', 'Id', 'Othr', 'Id');
  const said = methodByScheme(payment, around);
  if (said === null) faults.push(unknownScheme(payment));
  const isBank = said === 'bankTransfer';
  const scheme = isBank ? undefined : (said ?? undefined);
  const named = instrumentOf(payment, around.block);
  const instrument = named === undefined ? undefined : walletIn(textAt(named, 'Prtry'));
  // An IBAN is an account at a bank.
  const isOther = iban !== '' || isBank || (scheme !== undefined && scheme !== instrument);
  if (instrument !== undefined && isOther) faults.push(unsupportedElement('LclInstrm'));
  if (iban !== '' && !isIban(iban))
    faults.push(fault('iban_wrong', 'delivery.bankAccountNumber', sentence('mapPayment.iban', { iban })));
  const wallet = iban === '' && !isBank ? (scheme ?? instrument) : undefined;
  const hasProxy = elementAt(payment, 'CdtrAcct', 'Prxy') !== undefined;
  const account = iban === '' ? other : iban;
  const method = said === null ? '' : (wallet ?? (account !== '' && !hasProxy ? 'bankTransfer' : ''));
  const bank = elementAt(payment, 'CdtrAgt', 'FinInstnId');
  const swift = bank === undefined ? '' : textAt(bank, 'BICFI') || textAt(bank, 'BIC');
  // Programs that know only one place for an account write their IBANs there.
  const whole = hasFormOfIban(account) && isIban(account) ? account.trim().toUpperCase() : iban;
  cells.destinationCountryIsoCode = countryOf(payment, whole, swift, wallet !== undefined, faults);
  cells.deliveryMethod = method;
  if (wallet !== undefined && said !== null) fillWallet(cells, payment, wallet, other);
  if (method !== 'bankTransfer') return;
  cells.bankName = bank === undefined ? '' : textAt(bank, 'Nm');
  cells['delivery.bankAccountNumber'] = account;
  cells['delivery.bankAccountSwiftCode'] = swift;
  cells['delivery.bankAccountHolderFullName'] =
    textAt(payment, 'CdtrAcct', 'Nm') || textAt(payment, 'Cdtr', 'Nm');
}

/** A wallet is found by a telephone number or an address of e-mail; a card by its number. */
function fillWallet(cells: DeliveryCells, payment: Element, wallet: string, account: string): void {
  const given = account || textAt(payment, 'CdtrAcct', 'Prxy', 'Id');
  const mobile = textAt(payment, 'Cdtr', 'CtctDtls', 'MobNb');
  if (wallet === 'unionpayCard') cells['delivery.cardNumber'] = account;
  else if (given.includes('@')) cells['delivery.email'] = given;
  else if (given !== '') cells['delivery.msisdn'] = phone(given);
  else if (mobile !== '') cells['delivery.msisdn'] = phone(mobile);
  else cells['delivery.email'] = textAt(payment, 'Cdtr', 'CtctDtls', 'EmailAdr');
}

/** ISO writes `+86-13912345678`. */
export function phone(text: string): string {
  return /^\+?[\d\s()./-]+$/.test(text) ? text.replace(/[^\d+]/g, '') : text;
}

/** Of the clearing systems that name their country: the first letters of the code mostly do not. */
const CLEARING: ReadonlyMap<string, string> = new Map([
  ['CNAPS', 'CN'],
  ['CNCIP', 'CN'],
  ['INFSC', 'IN'],
  ['AUBSB', 'AU'],
  ['CACPA', 'CA'],
  ['GBDSC', 'GB'],
  ['HKNCC', 'HK'],
  ['JPZGN', 'JP'],
  ['NZNCC', 'NZ'],
  ['SGIBG', 'SG'],
  ['USABA', 'US'],
  ['USPID', 'US'],
  ['ZANCC', 'ZA'],
]);

/** Parts of France whose accounts and banks carry either code. */
const FRENCH: readonly string[] = 'BL GF GP MF MQ NC PF PM RE TF WF YT'.split(' ');

/** Everything that tells the country of the account has to agree; the payee may live elsewhere. */
function countryOf(
  payment: Element,
  iban: string,
  swift: string,
  isWallet: boolean,
  faults: RowFault[],
): string {
  const agent = elementAt(payment, 'CdtrAgt', 'FinInstnId');
  const clearing = agent === undefined ? '' : textAt(agent, 'ClrSysMmbId', 'ClrSysId', 'Cd');
  const told = [
    iban.slice(0, 2),
    swift.slice(4, 6),
    agent === undefined ? '' : textAt(agent, 'PstlAdr', 'Ctry'),
    CLEARING.get(clearing) ?? '',
    isWallet ? 'CN' : '',
  ].filter((country) => country !== '');
  const [country = textAt(payment, 'Cdtr', 'PstlAdr', 'Ctry'), ...others] = told;
  if (others.some((other) => other !== country)) faults.push(...contradicting(told));
  return country;
}

function contradicting(told: readonly string[]): readonly RowFault[] {
  const countries = new Set(told.map((country) => (FRENCH.includes(country) ? 'FR' : country)));
  if (countries.size < 2) return [];
  const words = sentence('mapPayment.countries', { countries: [...countries].join(', ') });
  return [fault('country_contradicts', 'destinationCountryIsoCode', words)];
}
