// The lease of a batch for tests about something else: every caller gets it.
import { type Ledger, type DueRequest, underLease } from '../../src/ledger/ledger.ts';
import type { BatchRecord, RowRecord } from '../../src/ledger/records.ts';
import { BATCH } from './records.ts';

/** Ledgers that have asked for a lease, by their runs: each gives its batch back to the next who asks. */
const asked = new Map<string, Pick<Ledger, 'giveBack'>>();

type Owns = Pick<Ledger, 'run' | 'batch' | 'takeOver' | 'giveBack'>;

/** The batch as this run has it now, taken over where another one had it; one that is not there is had by nobody. */
export async function own(ledger: Owns, id: string): Promise<BatchRecord> {
  asked.set(ledger.run, ledger);
  const found = await ledger.batch(id);
  if (found === null) return { ...BATCH, id };
  if (found.owner === ledger.run && found.isFree !== true) return found;
  if (found.owner !== null) await asked.get(found.owner)?.giveBack(found);
  const free = (await ledger.batch(id)) ?? found;
  return (await ledger.takeOver(free)) ?? free;
}

type Written = Awaited<ReturnType<Ledger['record']>>;

/** Writes a row under a lease; where the batch had no owner, it has none afterwards. */
export async function record(
  ledger: Owns & Pick<Ledger, 'record'>,
  row: RowRecord,
  change: Parameters<Ledger['record']>[2],
): Promise<Written> {
  const found = await ledger.batch(row.batch);
  if (found !== null && (found.owner === null || found.isFree === true)) {
    const written = await underLease(ledger, found, (batch) => ledger.record(batch, row, change));
    return written ?? { written: false, isHalted: false };
  }
  return ledger.record(await own(ledger, row.batch), row, change);
}

/** Counts a row under a lease. */
export async function reserve(
  ledger: Owns & Pick<Ledger, 'reserve'>,
  row: RowRecord,
  amount: string,
  limits: Parameters<Ledger['reserve']>[3],
  day?: string,
): ReturnType<Ledger['reserve']> {
  return ledger.reserve(await own(ledger, row.batch), row, amount, limits, day);
}

/** What the owner of a batch would take up. */
export async function dueRows(
  ledger: Owns & Pick<Ledger, 'dueRows'>,
  { batch, ...request }: DueRequest & { readonly batch: string },
): Promise<readonly RowRecord[]> {
  return ledger.dueRows(await own(ledger, batch), request);
}
