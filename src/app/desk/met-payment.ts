// The payment that a held row meets: the row that made paydrop ask, found again as the check found it.
import type { BatchRecord, RowRecord } from '../../ledger/records.ts';
import { accountKey } from '../../payouts/payment-keys.ts';
import { requestedCurrency } from '../../payouts/payout.ts';
import { shownPayee } from '../../payouts/shown-payee.ts';
import type { Records } from '../parts.ts';
import { judgeEncounters, windowStart } from '../workflow/check/cross-check.ts';

export type MetPayment = { readonly batch: BatchRecord; readonly row: RowRecord };

/** In what two payments may differ. */
type DifferingField = 'reference' | 'receiver' | 'account' | 'amount';

/** Rows of one receiver that are looked through for an equal one. */
const EQUAL_MOST = 200;

/** Null where the hold is about no other row, and where that row cannot be told for certain any more. */
export async function paymentMet(
  { ledger, config: { policy } }: Pick<Records, 'ledger' | 'config'>,
  batch: BatchRecord,
  row: RowRecord,
): Promise<MetPayment | null> {
  const { payout } = row;
  const code = row.progress.hold?.code;
  if (payout === null || code === undefined) return null;
  if (code === 'equal_rows') {
    const text = shownPayee(payout).receiver ?? undefined;
    const rows = await ledger.rows(batch.id, 0, EQUAL_MOST, { text });
    const equal = rows.find((each) => each.fingerprint === row.fingerprint && each.position !== row.position);
    return equal === undefined ? null : { batch, row: equal };
  }
  const since = windowStart(batch, policy);
  const byReference = await ledger.duplicateOf(payout, since);
  const byPayment =
    payout.reference === null ? null : await ledger.duplicateOf({ ...payout, reference: null }, since);
  // What held the row then must hold it now: another payment that came meanwhile is not the one that is asked about.
  const met = [byReference, byPayment && { ...byPayment, kind: 'other-reference' as const }].find(
    (each) => each !== null && each.other.batch !== batch.id && judgeEncounters(row, [each])?.code === code,
  );
  if (met === null || met === undefined) return null;
  const [other, [found]] = await Promise.all([
    ledger.batch(met.other.batch),
    ledger.rows(met.other.batch, met.other.position, 1),
  ]);
  return other === null || found?.position !== met.other.position ? null : { batch: other, row: found };
}

/** Of whole accounts, of which a screen shows the end. */
export function differences(one: RowRecord, other: RowRecord): readonly DifferingField[] {
  const [mine, theirs] = [valuesOf(one), valuesOf(other)];
  const names = ['reference', 'receiver', 'account', 'amount'] as const;
  return names.filter((name) => mine[name] !== theirs[name]);
}

function valuesOf({ reference, payout }: RowRecord): Readonly<Record<DifferingField, string | null>> {
  if (payout === null) return { reference, receiver: null, account: null, amount: null };
  const { receiver } = shownPayee(payout);
  const amount = `${payout.requested.amount} ${requestedCurrency(payout)}`;
  return { reference, receiver, account: accountKey(payout), amount };
}
