// Where a fault is marked in a workbook. A column that is missing has no cell, so its fault stands in the cell that a person would look at first.
import type { Column } from '../rows/row.ts';
import type { Fault } from './answer-table.ts';

/** Columns that are looked at together, the nearest first. */
const FAMILIES: readonly (readonly string[])[] = [
  [
    ...['receiver.name', 'receiver.registeredName', 'receiver.lastName', 'receiver.firstName'],
    'delivery.bankAccountHolderFullName',
  ],
  [
    ...['delivery.bankAccountNumber', 'delivery.cardNumber', 'delivery.msisdn', 'delivery.email'],
    ...['delivery.bankAccountSwiftCode', 'bankName', 'receiver.msisdn'],
  ],
  ['amount', 'destinationAmount', 'sourceAmount', 'currency', 'sourceCurrency', 'targetCurrency'],
  [
    ...['payoutCorridorId', 'destinationCountryIsoCode', 'deliveryMethod', 'transactionMode', 'bankName'],
    ...['targetCurrency', 'currency'],
  ],
  ['attachment', 'documentReferenceNumber', 'reference', 'purposeOfRemittance'],
];

/** What is wrong by the position of its column in `own`; faults of one cell stand below each other. */
export function placeFaults(faults: readonly Fault[], own: readonly Column[]): ReadonlyMap<number, string> {
  const notes = new Map<number, string>();
  for (const { column, message } of faults) {
    const present = own.findIndex(({ header }) => header.trim() === column.trim());
    const position = present >= 0 ? present : nearest(column, own);
    // Beside other faults of the cell, and in the place of another column, the message alone would not say what it is about.
    const text = present >= 0 ? message : `${column}: ${message}`;
    const earlier = notes.get(position);
    if (position >= 0) notes.set(position, earlier === undefined ? text : `${earlier}\n${text}`);
  }
  return notes;
}

/** -1 where no column has to do with it. */
function nearest(missing: string, own: readonly Column[]): number {
  const at = (canonical: string) => own.findIndex((column) => column.canonical === canonical);
  const family = FAMILIES.filter((names) => names.includes(missing)).flat();
  const kin = family.map(at).find((position) => position >= 0);
  if (kin !== undefined) return kin;
  const [party] = missing.split('.');
  return missing.includes('.')
    ? own.findIndex(({ canonical }) => canonical?.startsWith(`${party ?? ''}.`))
    : -1;
}
