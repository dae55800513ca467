// What a row to fix lacks of its payee, and whom it pays: its name and account are read from its cells as the check reads them, because a row with a fault is no payout.
import { accountKey, payeeKey } from '../../payouts/payment-keys.ts';
import { findCorridor } from '../../payouts/corridor.ts';
import type { Payout } from '../../payouts/payout.ts';
import { readDelivery, readReceiver } from '../../payouts/read-parties.ts';
import type { RejectionCode } from '../../payouts/rejection.ts';
import { RowReader } from '../../payouts/row-reader.ts';
import { isAccount } from '../../payouts/shown-payee.ts';
import { askedFields } from '../../payouts/validate-row.ts';
import type { Table } from '../../rows/row.ts';
import type { PayoutCorridor } from '../../service/wire.ts';
import type { RowToFill } from '../search/payee-tables.ts';
import type { CheckedRow } from '../workflow/validate/validate-file.ts';

const LACKS: ReadonlySet<RejectionCode> = new Set(['receiver_field_missing', 'delivery_field_missing']);

/** Null where nothing of it may come from an earlier payment: it lacks nothing of its payee, has no column for it, names no account, or no one corridor is known for it. */
export function rowToFill(
  table: Table,
  corridors: readonly PayoutCorridor[],
  { row, rejections }: CheckedRow,
): RowToFill | null {
  const empty = rejections
    .filter(({ code }) => LACKS.has(code))
    .flatMap(({ canonical = '' }) => {
      const column = table.indexOf.get(canonical);
      return column === undefined || (row.cells[column] ?? '').trim() !== '' ? [] : [{ column, canonical }];
    });
  if (empty.length === 0 || !canBeCorrected(table)) return null;
  const reader = new RowReader(table, row);
  const { corridor } = findCorridor(reader, corridors);
  if (corridor === null) return null;
  const payout = asPaid(reader, corridor);
  const isOfBank = corridor.bankName === null && reader.text('bankName') !== '';
  const cells = empty.filter(
    ({ canonical }) => mayBeFilled(canonical, table, payout) && !(isOfBank && isOfAccount(canonical)),
  );
  const [payee, account] = [payeeKey(payout), accountKey(payout)];
  if (cells.length === 0 || payee === null || account === null) return null;
  const { payoutCorridorId, transactionMode, deliveryMethod, targetCurrency } = payout;
  const { receivingParty, deliveryMethodInfo } = payout;
  const corridorOf = { payoutCorridorId, transactionMode, deliveryMethod, targetCurrency };
  const said = { ...corridorOf, receivingParty, deliveryMethodInfo };
  return { row: row.place, position: row.position, payee, account, cells, said };
}

/** No payment says which bank its file named: where a row names one, its SWIFT code is not taken from a payment that may have gone to another. */
function isOfAccount(canonical: string): boolean {
  return canonical.startsWith('delivery.') && !/name$/i.test(canonical);
}

/** A message is more than its cells, and a file without a header is not written again. */
function canBeCorrected({ message, headerPlace }: Table): boolean {
  return message === undefined && headerPlace !== '0';
}

/** Never what tells whom it pays, nor where a profile has words of its own for what is meant. */
function mayBeFilled(canonical: string, { meaning }: Table, { corridorFields = [] }: Payout): boolean {
  if (meaning?.values.has(canonical) === true) return false;
  if (canonical.startsWith('receiver.')) return !/name$/i.test(canonical);
  return !isAccount(canonical) && !corridorFields.some((field) => canonical === `delivery.${field}`);
}

/** As much of a payout as its keys are made of. */
function asPaid(reader: RowReader, corridor: PayoutCorridor): Payout {
  const { id: payoutCorridorId, transactionMode, deliveryMethod, targetCurrency } = corridor;
  return {
    ...{ payoutCorridorId, transactionMode, deliveryMethod, targetCurrency, ...askedFields(corridor) },
    receivingParty: readReceiver(reader, corridor),
    deliveryMethodInfo: readDelivery(reader, corridor),
    ...{ reference: null, documentReferenceNumber: null, document: null, sendingParty: {} },
    ...{ sourceCurrency: '', purposeOfRemittance: '' },
    requested: { side: 'destination', amount: '0' },
    bounds: { least: '0', most: '0' },
  };
}
