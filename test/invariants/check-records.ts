// I-14: what the ledger says of a row only ever goes forward, with the few ways back that the interface gives a reason for.
import { mayDecide } from './check-decisions.ts';
import { placed, type CaseFile, type Violation } from './case-file.ts';
import type { RowFacts } from './journal.ts';

const RANKS: Readonly<Record<string, number>> = {
  ready: 0,
  quoted: 1,
  created: 2,
  confirming: 3,
  confirmed: 4,
  paid: 5,
};

const BACK: ReadonlySet<string> = new Set(['quoted ready', 'confirming created']);
const ENDED: ReadonlySet<string> = new Set(['failed', 'rejected', 'duplicate']);

export function checkRecords(file: CaseFile): readonly Violation[] {
  const stands = new Map<string, RowFacts>();
  const violations: Violation[] = [];
  for (const entry of file.journal) {
    if (entry.kind === 'ledger') {
      stands.clear();
      for (const record of entry.records) stands.set(record.row, record);
    }
    if (entry.kind !== 'recorded') continue;
    const { record, event } = entry;
    const before = stands.get(record.row);
    stands.set(record.row, record);
    if (before !== undefined && !mayFollow(before, record, event))
      violations.push({
        invariant: 'I-14',
        row: record.row,
        words: `${before.stage} became ${record.stage} (${event})`,
      });
  }
  return violations;
}

function mayFollow(before: RowFacts, after: RowFacts, event: string): boolean {
  if (after.transferAttempt < before.transferAttempt) return false;
  if (ENDED.has(before.stage)) return after.stage === before.stage;
  if (before.stage === 'held')
    return after.stage === 'held' || event === 'found ended while held' || mayDecide(before, after, event);
  if (after.stage === 'held' || after.stage === 'failed') return true;
  if (after.stage === 'rejected') return (RANKS[before.stage] ?? 0) <= 1;
  if (after.transferAttempt > before.transferAttempt)
    return after.stage === 'ready' && before.stage !== 'confirmed';
  if (before.stage === 'paid') return after.stage === 'paid';
  return (
    BACK.has(`${before.stage} ${after.stage}`) || (RANKS[after.stage] ?? 0) >= (RANKS[before.stage] ?? 0)
  );
}

/** I-8: the transfer that a record names is the one of that very row and attempt. */
export function checkOwnTransfers(file: CaseFile): readonly Violation[] {
  return file.recorded.flatMap(({ record: { row, transferId, transferAttempt } }) => {
    const owner = file.transfers.get(transferId ?? '')?.owner;
    if (transferId === null || (owner?.row === row && owner.attempt === transferAttempt)) return [];
    return [{ invariant: 'I-8', row, words: `attempt ${String(transferAttempt)} names ${transferId}` }];
  });
}

/** Longer than any read lags behind in the model. */
const LAG_MOST_MS = 10 * 60_000;

/** I-18: a rebuilt ledger starts no row before an attempt of it that can be seen. */
export function checkRebuiltAttempts(file: CaseFile): readonly Violation[] {
  const seen = (at: number) =>
    [...file.transfers.values()].filter(({ at: madeAt, by }) => by === 'us' && madeAt < at - LAG_MOST_MS);
  return placed(file.journal, 'ledger')
    .filter(({ what }) => what === 'registered')
    .flatMap(({ records, at }) =>
      seen(at).flatMap(({ owner, facts }) => {
        const record = records.find(({ row }) => row === owner?.row);
        return record === undefined || record.transferAttempt >= (owner?.attempt ?? 0)
          ? []
          : [{ invariant: 'I-18', row: record.row, words: `was rebuilt without ${facts.id}` }];
      }),
    );
}

/** I-2 within the ledger: no row vanishes from it or appears twice. */
export function checkLedgerRows(file: CaseFile): readonly Violation[] {
  const expected = file.asked.map(({ row }) => row).join();
  return placed(file.journal, 'ledger')
    .filter(({ what }) => what !== 'restored')
    .flatMap(({ records }) =>
      records.map(({ row }) => row).join() === expected
        ? []
        : [{ invariant: 'I-2', row: null, words: 'a ledger stands without all rows' }],
    );
}
