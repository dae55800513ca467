// What a template says in words: a person fills it in who has never heard of the interface.
import { formatAmount } from '../base/currency.ts';
import type { PayoutCorridor } from '../service/wire.ts';

/** An example of each field that the interface names; a field that it does not name has none. */
export const FIELD_EXAMPLES: Readonly<Record<string, string>> = {
  registeredName: 'Yiwu Hengda Houseware Co., Ltd',
  registrationNumber: 'RC/DLA/2019/B/1234',
  firstName: 'Wei',
  lastName: 'Li',
  fullName: 'Li Wei',
  address: '388 Chouzhou North Road',
  city: 'Yiwu',
  countryIsoCode: 'China',
  msisdn: '+8613800138000',
  email: 'wei.li@example.com',
  bankAccountHolderFullName: 'Yiwu Hengda Houseware Co., Ltd',
  bankAccountNumber: '0045718263',
  bankAccountSwiftCode: 'ICBKCNBJZJP',
  cardNumber: '6200009655655089359',
};

const FIELD_WORDS: Readonly<Record<string, string>> = {
  registeredName: 'name as it is registered',
  countryIsoCode: 'country, by its three letters',
  msisdn: 'telephone number in international form, with + and country code',
  email: 'e-mail address',
  bankAccountHolderFullName: 'full name of the holder of the bank account',
  bankAccountNumber: 'number of the bank account or IBAN, with all its zeros',
  bankAccountSwiftCode: 'SWIFT code (BIC) of the bank',
  cardNumber: 'number of the card, all its digits',
};

/** `registrationNumber` → `registration number`. */
export function inWords(field: string): string {
  return FIELD_WORDS[field] ?? field.replace(/[A-Z]+/g, (capitals) => ` ${capitals.toLowerCase()}`).trim();
}

const PARTY_WORDS: Readonly<Record<string, string>> = { B: 'a business', C: 'an individual' };

/** `B2C` → `from a business to an individual`. */
export function modeInWords({ transactionMode }: Pick<PayoutCorridor, 'transactionMode'>): string {
  const [from, to] = [PARTY_WORDS[transactionMode.charAt(0)], PARTY_WORDS[transactionMode.charAt(2)]];
  return from === undefined || to === undefined ? transactionMode : `from ${from} to ${to}`;
}

const METHOD_WORDS: Readonly<Record<string, string>> = {
  bankTransfer: 'bank transfer',
  alipay: 'Alipay',
  wechat: 'WeChat',
  unionpayCard: 'UnionPay card',
};

export function methodInWords({ deliveryMethod }: Pick<PayoutCorridor, 'deliveryMethod'>): string {
  return METHOD_WORDS[deliveryMethod] ?? deliveryMethod;
}

/** `from 100.00 to 5,000,000.00 CNY`. */
export function boundsInWords(corridor: PayoutCorridor): string {
  const { targetCurrency, minimumTransactionAmount: least, maximumTransactionAmount: most } = corridor;
  return `from ${grouped(formatAmount(least, targetCurrency))} to ${grouped(formatAmount(most, targetCurrency))} ${targetCurrency}`;
}

/** Thousands stand apart for the eye; what is typed needs no marks. */
function grouped(amount: string): string {
  const [whole = '', ...decimals] = amount.split('.');
  return [whole.replace(/\B(?=(\d{3})+$)/g, ','), ...decimals].join('.');
}
