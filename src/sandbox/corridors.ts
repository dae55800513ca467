// The corridors of the sandbox, as data: believable destinations, limits and required fields, in every transaction mode and by every delivery
// method, so that a caller meets here everything that the real service may ask.
import type { DecimalText } from '../base/decimal.ts';
import type { DeliveryMethod, TransactionMode } from '../service/wire.ts';
import type { SourceCurrency } from './field-forms.ts';

export type Corridor = {
  readonly id: string;
  readonly sourceCurrencies: readonly SourceCurrency[];
  readonly targetCurrency: string;
  readonly destinationCountryIsoCode: string;
  readonly transactionMode: TransactionMode;
  readonly deliveryMethod: DeliveryMethod;
  readonly bankName: string | null;
  readonly isEnabled: boolean;
  /** Inclusive, in the target currency. */
  readonly minimumTransactionAmount: DecimalText;
  readonly maximumTransactionAmount: DecimalText;
  readonly requiredSendingEntityFields: readonly string[];
  readonly requiredReceivingEntityFields: readonly string[];
  readonly requiredDeliveryMethodFields: readonly (readonly string[])[];
  /** How long a quotation is valid; the interface tells it only as `expiredAt`. */
  readonly quoteLifeMs: number;
};

const BUSINESS = ['registeredName', 'registrationNumber', 'address', 'city', 'countryIsoCode'] as const;
const BUSINESS_RECEIVER = ['registeredName', 'address', 'city', 'countryIsoCode'] as const;
const INDIVIDUAL = ['firstName', 'lastName', 'msisdn', 'address', 'city', 'countryIsoCode'] as const;
const WALLET_OWNER = ['firstName', 'lastName', 'countryIsoCode'] as const;
const ACCOUNT_OWNER = ['firstName', 'lastName', 'city', 'countryIsoCode'] as const;

const SWIFT_ACCOUNT = [['bankAccountHolderFullName', 'bankAccountNumber', 'bankAccountSwiftCode']] as const;
/** Where the corridor names the bank, its SWIFT code is already known. */
const ACCOUNT_AT_BANK = [['bankAccountHolderFullName', 'bankAccountNumber']] as const;
/** Two alternative groups: an Alipay wallet is found by telephone number or by e-mail address. */
const ALIPAY = [['msisdn'], ['email']] as const;
const WECHAT = [['msisdn']] as const;
const CARD = [['cardNumber']] as const;

const ANY_SOURCE = ['XAF', 'EUR', 'USD'] as const;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Banks hold a rate for long, wallets less; one corridor is so short that a quotation can run out between create and confirm. */
const LONG_MS = 30 * MINUTE_MS;
const USUAL_MS = 15 * MINUTE_MS;
const BRIEF_MS = 5 * MINUTE_MS;
const SHORT_MS = 60 * SECOND_MS;

const CHINA = {
  destinationCountryIsoCode: 'CHN',
  targetCurrency: 'CNY',
  bankName: null,
  isEnabled: true,
} as const;
const B2B = {
  transactionMode: 'B2B',
  requiredSendingEntityFields: BUSINESS,
  requiredReceivingEntityFields: BUSINESS_RECEIVER,
} as const;
const B2C = {
  transactionMode: 'B2C',
  requiredSendingEntityFields: BUSINESS,
  requiredReceivingEntityFields: WALLET_OWNER,
} as const;
const C2B = {
  transactionMode: 'C2B',
  requiredSendingEntityFields: INDIVIDUAL,
  requiredReceivingEntityFields: BUSINESS_RECEIVER,
} as const;
const C2C = {
  transactionMode: 'C2C',
  requiredSendingEntityFields: INDIVIDUAL,
  requiredReceivingEntityFields: WALLET_OWNER,
} as const;
const BANK = {
  deliveryMethod: 'bankTransfer',
  bankName: null,
  isEnabled: true,
  requiredDeliveryMethodFields: SWIFT_ACCOUNT,
  quoteLifeMs: LONG_MS,
} as const;

const between = (minimumTransactionAmount: DecimalText, maximumTransactionAmount: DecimalText) => ({
  minimumTransactionAmount,
  maximumTransactionAmount,
});

/** Every corridor, in the order of the list; ids are stable. */
export const CORRIDORS: readonly Corridor[] = [
  {
    id: 'chn-cny-b2b-bank',
    ...CHINA,
    ...B2B,
    ...BANK,
    sourceCurrencies: ANY_SOURCE,
    ...between('100', '5000000'),
  },
  {
    id: 'chn-cny-b2c-bank',
    ...CHINA,
    ...B2C,
    ...BANK,
    requiredReceivingEntityFields: ACCOUNT_OWNER,
    sourceCurrencies: ANY_SOURCE,
    ...between('50', '350000'),
  },
  {
    id: 'chn-cny-b2c-alipay',
    ...CHINA,
    ...B2C,
    deliveryMethod: 'alipay',
    requiredDeliveryMethodFields: ALIPAY,
    sourceCurrencies: ANY_SOURCE,
    ...between('10', '50000'),
    quoteLifeMs: USUAL_MS,
  },
  {
    id: 'chn-cny-b2c-wechat',
    ...CHINA,
    ...B2C,
    deliveryMethod: 'wechat',
    requiredDeliveryMethodFields: WECHAT,
    sourceCurrencies: ANY_SOURCE,
    ...between('10', '50000'),
    quoteLifeMs: USUAL_MS,
  },
  {
    id: 'chn-cny-b2c-unionpay',
    ...CHINA,
    ...B2C,
    deliveryMethod: 'unionpayCard',
    requiredDeliveryMethodFields: CARD,
    sourceCurrencies: ANY_SOURCE,
    ...between('20', '100000'),
    quoteLifeMs: USUAL_MS,
  },
  {
    id: 'chn-cny-c2b-bank',
    ...CHINA,
    ...C2B,
    ...BANK,
    sourceCurrencies: ['XAF', 'EUR'],
    ...between('100', '500000'),
  },
  {
    id: 'chn-cny-c2c-alipay',
    ...CHINA,
    ...C2C,
    deliveryMethod: 'alipay',
    requiredDeliveryMethodFields: ALIPAY,
    sourceCurrencies: ['XAF', 'EUR'],
    ...between('10', '30000'),
    quoteLifeMs: SHORT_MS,
  },
  {
    id: 'chn-cny-c2c-wechat',
    ...CHINA,
    ...C2C,
    deliveryMethod: 'wechat',
    requiredDeliveryMethodFields: WECHAT,
    sourceCurrencies: ['XAF'],
    ...between('10', '30000'),
    quoteLifeMs: BRIEF_MS,
  },
  {
    id: 'chn-cny-c2c-unionpay',
    ...CHINA,
    ...C2C,
    deliveryMethod: 'unionpayCard',
    requiredDeliveryMethodFields: CARD,
    sourceCurrencies: ['XAF', 'USD'],
    ...between('20', '50000'),
    quoteLifeMs: BRIEF_MS,
  },
  {
    id: 'nga-ngn-b2b-bank',
    ...B2B,
    ...BANK,
    destinationCountryIsoCode: 'NGA',
    targetCurrency: 'NGN',
    sourceCurrencies: ANY_SOURCE,
    ...between('5000', '500000000'),
  },
  {
    id: 'nga-ngn-b2c-bank-access',
    ...B2C,
    ...BANK,
    destinationCountryIsoCode: 'NGA',
    targetCurrency: 'NGN',
    bankName: 'Access Bank',
    requiredReceivingEntityFields: ACCOUNT_OWNER,
    requiredDeliveryMethodFields: ACCOUNT_AT_BANK,
    sourceCurrencies: ['XAF', 'USD'],
    ...between('1000', '20000000'),
    quoteLifeMs: USUAL_MS,
  },
  {
    id: 'nga-ngn-b2c-bank-zenith',
    ...B2C,
    ...BANK,
    destinationCountryIsoCode: 'NGA',
    targetCurrency: 'NGN',
    bankName: 'Zenith Bank',
    requiredReceivingEntityFields: ACCOUNT_OWNER,
    requiredDeliveryMethodFields: ACCOUNT_AT_BANK,
    sourceCurrencies: ['XAF', 'USD'],
    ...between('1000', '20000000'),
    quoteLifeMs: USUAL_MS,
  },
  {
    id: 'ind-inr-b2b-bank',
    ...B2B,
    ...BANK,
    destinationCountryIsoCode: 'IND',
    targetCurrency: 'INR',
    sourceCurrencies: ANY_SOURCE,
    ...between('1000', '50000000'),
  },
  {
    id: 'ind-inr-c2c-bank',
    ...C2C,
    ...BANK,
    destinationCountryIsoCode: 'IND',
    targetCurrency: 'INR',
    requiredReceivingEntityFields: ACCOUNT_OWNER,
    sourceCurrencies: ['XAF', 'EUR'],
    ...between('500', '1000000'),
    quoteLifeMs: USUAL_MS,
  },
  {
    id: 'tur-try-b2b-bank',
    ...B2B,
    ...BANK,
    destinationCountryIsoCode: 'TUR',
    targetCurrency: 'TRY',
    sourceCurrencies: ANY_SOURCE,
    ...between('500', '20000000'),
    quoteLifeMs: BRIEF_MS,
  },
  {
    id: 'fra-eur-b2b-bank',
    ...B2B,
    ...BANK,
    destinationCountryIsoCode: 'FRA',
    targetCurrency: 'EUR',
    sourceCurrencies: ['XAF', 'EUR'],
    ...between('10', '1000000'),
  },
  {
    id: 'fra-eur-c2b-bank',
    ...C2B,
    ...BANK,
    destinationCountryIsoCode: 'FRA',
    targetCurrency: 'EUR',
    sourceCurrencies: ['XAF'],
    ...between('10', '50000'),
  },
  {
    id: 'are-aed-b2b-bank',
    ...B2B,
    ...BANK,
    destinationCountryIsoCode: 'ARE',
    targetCurrency: 'AED',
    sourceCurrencies: ['XAF', 'USD'],
    ...between('50', '2000000'),
  },
  {
    id: 'vnm-vnd-b2b-bank',
    ...B2B,
    ...BANK,
    destinationCountryIsoCode: 'VNM',
    targetCurrency: 'VND',
    sourceCurrencies: ['XAF', 'USD'],
    ...between('500000', '50000000000'),
  },
  {
    id: 'sen-xof-b2b-bank',
    ...B2B,
    ...BANK,
    destinationCountryIsoCode: 'SEN',
    targetCurrency: 'XOF',
    sourceCurrencies: ['XAF', 'EUR'],
    ...between('5000', '500000000'),
  },
  {
    id: 'sen-xof-b2c-bank',
    ...B2C,
    ...BANK,
    destinationCountryIsoCode: 'SEN',
    targetCurrency: 'XOF',
    bankName: 'CBAO Groupe Attijariwafa Bank',
    requiredReceivingEntityFields: ACCOUNT_OWNER,
    requiredDeliveryMethodFields: ACCOUNT_AT_BANK,
    sourceCurrencies: ['XAF'],
    ...between('1000', '10000000'),
  },
  {
    // Not enabled: it is not listed, and a caller that knows its id gets 10003.
    id: 'gbr-gbp-b2b-bank',
    ...B2B,
    ...BANK,
    isEnabled: false,
    destinationCountryIsoCode: 'GBR',
    targetCurrency: 'GBP',
    sourceCurrencies: ['XAF', 'EUR', 'USD'],
    ...between('10', '1000000'),
  },
];
