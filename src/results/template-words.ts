// What a template says in words: a person fills it in who has never heard of the interface.
import { grouped } from '../base/decimal.ts';
import { sameWords, type Words } from '../base/language.ts';
import { formatAmount } from '../base/currency.ts';
import type { PayoutCorridor } from '../service/wire.ts';

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
  return field === 'countryIsoCode' ? { en: 'China', fr: 'Chine' } : sameWords(FIELD_EXAMPLES[field] ?? '');
}

export const FIELD_WORDS: Readonly<Record<Field, Words>> = {
  registeredName: { en: 'name as it is registered', fr: "raison sociale telle qu'elle est enregistrée" },
  registrationNumber: { en: 'registration number', fr: "numéro d'immatriculation (RCCM)" },
  firstName: { en: 'first name', fr: 'prénom' },
  lastName: { en: 'last name', fr: 'nom de famille' },
  fullName: { en: 'full name', fr: 'nom complet' },
  address: { en: 'address', fr: 'adresse' },
  city: { en: 'city', fr: 'ville' },
  countryIsoCode: { en: 'country, by its three letters', fr: 'pays, par ses trois lettres' },
  msisdn: {
    en: 'telephone number in international form, with + and country code',
    fr: 'numéro de téléphone au format international, avec + et indicatif du pays',
  },
  email: { en: 'e-mail address', fr: 'adresse e-mail' },
  bankAccountHolderFullName: {
    en: 'full name of the holder of the bank account',
    fr: 'nom complet du titulaire du compte bancaire',
  },
  bankAccountNumber: {
    en: 'number of the bank account or IBAN, with all its zeros',
    fr: 'numéro du compte bancaire ou IBAN, avec tous ses zéros',
  },
  bankAccountSwiftCode: { en: 'SWIFT code (BIC) of the bank', fr: 'code SWIFT (BIC) de la banque' },
  cardNumber: { en: 'number of the card, all its digits', fr: 'numéro de la carte, avec tous ses chiffres' },
};

/** A field that the interface does not name is told by its own name: `taxNumber` → `tax number`. */
export function inWords(field: string): Words {
  const known = Object.hasOwn(FIELD_WORDS, field) ? FIELD_WORDS[field as Field] : null;
  const apart = field.replace(/[A-Z]+/g, (capitals) => ` ${capitals.toLowerCase()}`).trim();
  return known ?? { en: apart, fr: `champ « ${field} »` };
}

const PARTY_WORDS: Readonly<Record<string, Words>> = {
  B: { en: 'a business', fr: 'une entreprise' },
  C: { en: 'an individual', fr: 'un particulier' },
};

/** `B2C` → `from a business to an individual`. */
export function modeInWords({ transactionMode }: Pick<PayoutCorridor, 'transactionMode'>): Words {
  const [from, to] = [PARTY_WORDS[transactionMode.charAt(0)], PARTY_WORDS[transactionMode.charAt(2)]];
  if (from === undefined || to === undefined) return sameWords(transactionMode);
  return { en: `from ${from.en} to ${to.en}`, fr: `d'${from.fr} à ${to.fr}` };
}

const METHOD_WORDS: Readonly<Record<string, Words>> = {
  bankTransfer: { en: 'bank transfer', fr: 'virement bancaire' },
  alipay: sameWords('Alipay'),
  wechat: sameWords('WeChat'),
  unionpayCard: { en: 'UnionPay card', fr: 'carte UnionPay' },
};

export function methodInWords({ deliveryMethod }: Pick<PayoutCorridor, 'deliveryMethod'>): Words {
  return METHOD_WORDS[deliveryMethod] ?? sameWords(deliveryMethod);
}

/** `from 100.00 to 5,000,000.00 CNY`. */
export function boundsInWords(corridor: PayoutCorridor): Words {
  const { targetCurrency, minimumTransactionAmount, maximumTransactionAmount } = corridor;
  const least = formatAmount(minimumTransactionAmount, targetCurrency);
  const most = formatAmount(maximumTransactionAmount, targetCurrency);
  return {
    en: `from ${grouped(least).en} to ${grouped(most).en} ${targetCurrency}`,
    fr: `de ${grouped(least).fr} à ${grouped(most).fr} ${targetCurrency}`,
  };
}
