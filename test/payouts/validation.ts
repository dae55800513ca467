// A file with one row, corridors and a sender, right as they stand, so that a test of validation names only what it changes.
import { validateRow, type FoundDocument, type ValidatedRow } from '../../src/payouts/validate-row.ts';
import type { Rejection } from '../../src/payouts/rejection.ts';
import type { CellKind, DecimalMark } from '../../src/rows/form.ts';
import type { Row, Table } from '../../src/rows/row.ts';
import type { PayoutCorridor } from '../../src/service/wire.ts';

/** Canonical name → cell. */
export type Cells = Readonly<Record<string, string>>;

export const WALLET: PayoutCorridor = {
  id: 'chn-cny-b2c-alipay',
  sourceCurrencies: ['XAF', 'EUR'],
  targetCurrency: 'CNY',
  destinationCountryIsoCode: 'CHN',
  transactionMode: 'B2C',
  deliveryMethod: 'alipay',
  bankName: null,
  isEnabled: true,
  minimumTransactionAmount: '10',
  maximumTransactionAmount: '50000',
  requiredSendingEntityFields: ['registeredName', 'countryIsoCode'],
  requiredReceivingEntityFields: ['firstName', 'lastName', 'countryIsoCode'],
  requiredDeliveryMethodFields: [['msisdn'], ['email']],
};

export const BANK: PayoutCorridor = {
  ...WALLET,
  id: 'chn-cny-b2b-bank',
  sourceCurrencies: ['XAF'],
  transactionMode: 'B2B',
  deliveryMethod: 'bankTransfer',
  bankName: 'Bank of China',
  requiredReceivingEntityFields: ['registeredName'],
  requiredDeliveryMethodFields: [['bankAccountNumber', 'bankAccountSwiftCode']],
};

export const YEN: PayoutCorridor = {
  ...WALLET,
  id: 'jpn-jpy-b2c-card',
  targetCurrency: 'JPY',
  destinationCountryIsoCode: 'JPN',
  deliveryMethod: 'unionpayCard',
  maximumTransactionAmount: '5000000',
};

/** Where what is sent and what arrives are in one currency, so that `amount` could be both. */
export const EURO: PayoutCorridor = {
  ...WALLET,
  id: 'fra-eur-b2c-wechat',
  targetCurrency: 'EUR',
  destinationCountryIsoCode: 'FRA',
  deliveryMethod: 'wechat',
};

const CLOSED: PayoutCorridor = { ...WALLET, id: 'gha-ghs-b2c-wechat', isEnabled: false };

export const CORRIDORS: readonly PayoutCorridor[] = [WALLET, BANK, YEN, EURO, CLOSED];

export const SENDER = { registeredName: 'Société Forestière du Littoral', countryIsoCode: 'CMR' };

export const INVOICE: FoundDocument = {
  name: 'invoice.pdf',
  sha256: 'ab'.repeat(32),
  contentType: 'application/pdf',
};

/** A row to a wallet in which nothing is wrong. */
export const WALLET_ROW: Cells = {
  reference: 'A-1',
  payoutCorridorId: WALLET.id,
  sourceCurrency: 'XAF',
  sourceAmount: '',
  destinationAmount: '1000.50',
  amount: '',
  currency: '',
  purposeOfRemittance: 'SALARY_PAYMENT',
  'receiver.firstName': 'Wei',
  'receiver.lastName': 'Li',
  'receiver.countryIsoCode': 'CHN',
  'delivery.msisdn': '+8613800000007',
};

/** A row to a bank in which nothing is wrong. */
export const BANK_ROW: Cells = {
  ...WALLET_ROW,
  payoutCorridorId: BANK.id,
  purposeOfRemittance: 'SERVICE_CHARGES',
  attachment: 'invoice.pdf',
  'receiver.registeredName': 'Guangzhou Timber Co.',
  'delivery.bankAccountNumber': '6222021234567890123',
  'delivery.bankAccountSwiftCode': 'BKCHCNBJ',
};

export type Given = {
  readonly corridors?: readonly PayoutCorridor[];
  readonly sender?: Readonly<Record<string, string>>;
  readonly document?: FoundDocument | null;
  /** Canonical name → header as written, where the file has its own words. */
  readonly headers?: Cells;
  readonly decimalMark?: DecimalMark;
  /** What cells of a workbook hold that is not text, by column. */
  readonly kinds?: Readonly<Record<string, CellKind>>;
  /** Canonical name → the currency that the number format of its cell shows. */
  readonly currencies?: Cells;
};

export function validate(cells: Cells, given: Given = {}): ValidatedRow {
  const row: Row = {
    position: 0,
    place: '2',
    cells: Object.values(cells),
    ...(given.currencies && {
      currencies: Object.entries(given.currencies).map(
        ([name, written]) => [Object.keys(cells).indexOf(name), written] as const,
      ),
    }),
    ...(given.kinds && { kinds: Object.keys(cells).map((name) => given.kinds?.[name] ?? 'text') }),
  };
  return validateRow(row, {
    table: tableOf(Object.keys(cells), given),
    corridors: given.corridors ?? CORRIDORS,
    sender: given.sender ?? SENDER,
    document: (name) => (given.document === undefined && name !== '' ? INVOICE : (given.document ?? null)),
  });
}

/** What a row is rejected for, when it is one thing. */
export function rejectionOf(cells: Cells, given: Given = {}): Rejection {
  const { rejections, payout } = validate(cells, given);
  const [rejection, ...more] = rejections;
  if (rejection !== undefined && more.length === 0 && payout === null) return rejection;
  throw new Error(`The row was not rejected for one thing: ${JSON.stringify(rejections)}`);
}

function tableOf(names: readonly string[], { headers = {}, decimalMark = '.' }: Given): Table {
  const columns = names.map((canonical, index) => ({
    index,
    header: headers[canonical] ?? canonical,
    canonical,
  }));
  return {
    form: {
      kind: 'csv',
      delimiter: ',',
      encoding: { name: 'utf-8', bom: false },
      newline: '\n',
      sepLine: false,
      decimalMark,
    },
    headerPlace: '1',
    columns,
    indexOf: new Map(names.map((name, index) => [name, index])),
    unknown: [],
    decimalMarks: new Map(['amount', 'sourceAmount', 'destinationAmount'].map((name) => [name, decimalMark])),
    rowCount: 1,
    totals: null,
    footer: null,
    sums: new Map(),
  };
}
