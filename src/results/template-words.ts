// What a template says in words: a person fills it in who has never heard of the interface.
import { grouped } from '../base/decimal.ts';
import { sameWords, type Words } from '../base/language.ts';
import { formatAmount } from '../base/currency.ts';
import type { PayoutCorridor } from '../service/wire.ts';
import { sentence } from '../messages/messages.ts';

/** The fields that the interface names. */
export const FIELDS = [
  'registeredName',
  'registrationNumber',
  'firstName',
  'lastName',
  'fullName',
  'address',
  'city',
  'countryIsoCode',
  'msisdn',
  'email',
  'bankAccountHolderFullName',
  'bankAccountNumber',
  'bankAccountSwiftCode',
  'cardNumber',
] as const;
type Field = (typeof FIELDS)[number];

const FIELD_EXAMPLES: Readonly<Record<string, string>> = {
  registeredName: 'Yiwu Hengda Houseware Co., Ltd',
  registrationNumber: 'RC/DLA/2019/B/1234',
  firstName: 'Wei',
  lastName: 'Li',
  fullName: 'Li Wei',
  address: '388 Chouzhou North Road',
  city: 'Yiwu',
  msisdn: '+8613800138000',
  email: 'wei.li@example.com',
  bankAccountHolderFullName: 'Yiwu Hengda Houseware Co., Ltd',
  bankAccountNumber: '0045718263',
  bankAccountSwiftCode: 'ICBKCNBJZJP',
  cardNumber: '6200009655655089359',
};

/** An example of a field; empty for one that the interface does not name. */
export function exampleOf(field: string): Words {
  return field === 'countryIsoCode' ? sentence('template.exampleOf') : sameWords(FIELD_EXAMPLES[field] ?? '');
}

export const FIELD_WORDS: Readonly<Record<Field, Words>> = {
  registeredName: sentence('template.registeredName'),
  registrationNumber: sentence('template.registrationNumber'),
  firstName: sentence('template.firstName'),
  lastName: sentence('template.lastName'),
  fullName: sentence('template.fullName'),
  address: sentence('template.address'),
  city: sentence('template.city'),
  countryIsoCode: sentence('template.countryIsoCode'),
  msisdn: sentence('template.msisdn'),
  email: sentence('template.email'),
  bankAccountHolderFullName: sentence('template.bankAccountHolderFullName'),
  bankAccountNumber: sentence('template.bankAccountNumber'),
  bankAccountSwiftCode: sentence('template.bankAccountSwiftCode'),
  cardNumber: sentence('template.cardNumber'),
};

/** A field that the interface does not name is told by its own name: `taxNumber` → `tax number`. */
export function inWords(field: string): Words {
  const known = Object.hasOwn(FIELD_WORDS, field) ? FIELD_WORDS[field as Field] : null;
  const apart = field.replace(/[A-Z]+/g, (capitals) => ` ${capitals.toLowerCase()}`).trim();
  return known ?? { en: apart, fr: `champ « ${field} »` };
}

const PARTY_WORDS: Readonly<Record<string, Words>> = {
  B: sentence('template.B'),
  C: sentence('template.C'),
};

/** `B2C` → `from a business to an individual`. */
export function modeInWords({ transactionMode }: Pick<PayoutCorridor, 'transactionMode'>): Words {
  const [from, to] = [PARTY_WORDS[transactionMode.charAt(0)], PARTY_WORDS[transactionMode.charAt(2)]];
  if (from === undefined || to === undefined) return sameWords(transactionMode);
  return sentence('template.modeIn', { from, to });
}

const METHOD_WORDS: Readonly<Record<string, Words>> = {
  bankTransfer: sentence('template.bankTransfer'),
  alipay: sameWords('Alipay'),
  wechat: sameWords('WeChat'),
  unionpayCard: sentence('template.unionpayCard'),
};

export function methodInWords({ deliveryMethod }: Pick<PayoutCorridor, 'deliveryMethod'>): Words {
  return METHOD_WORDS[deliveryMethod] ?? sameWords(deliveryMethod);
}

/** `from 100.00 to 5,000,000.00 CNY`. */
export function boundsInWords(corridor: PayoutCorridor): Words {
  const { targetCurrency, minimumTransactionAmount, maximumTransactionAmount } = corridor;
  const least = formatAmount(minimumTransactionAmount, targetCurrency);
  const most = formatAmount(maximumTransactionAmount, targetCurrency);
  return sentence('template.boundsIn', { grouped: grouped(least), grouped2: grouped(most), targetCurrency });
}
