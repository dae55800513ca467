// What `doctor` says of a ledger that somebody changed by hand: where, and what to do before anything more is paid.
import type { HistoryFault, HistoryReport, RecordFault } from '../../ledger/history-report.ts';

const WHAT_TO_DO =
  'Pay nothing more with this ledger. Find out who can write to it; then move ledger.sqlite aside and run "paydrop rebuild" with the files that were paid, or put a copy back that doctor finds sound.';

/** Empty when nothing is wrong; else one sentence for each thing found, and what to do. */
export function describeHistory({ fault, batchFault, rowFault, sumFault }: HistoryReport): readonly string[] {
  const found = [
    fault === null ? null : ofEvent(fault),
    batchFault === null ? null : ofRecord(batchFault),
    rowFault === null ? null : ofRecord(rowFault),
    sumFault === null
      ? null
      : `The running sum of the ${sumFault.of}, on which the limits rest, is not the sum of its rows.`,
  ].filter((words) => words !== null);
  return found.length === 0 ? [] : [...found, WHAT_TO_DO];
}

function ofEvent(fault: HistoryFault): string {
  if (fault.kind === 'events-missing') {
    const { from, to } = fault;
    return from === to
      ? `Event ${String(from)} of the ledger's history was taken out by hand.`
      : `Events ${String(from)} to ${String(to)} of the ledger's history were taken out by hand.`;
  }
  const { seq, at, batch, row, event } = fault.place;
  const whose = row === null ? `batch ${batch}` : `row ${row} of batch ${batch}`;
  return `Event ${String(seq)} of the ledger's history (${at}, ${whose}: ${event}) was edited or put in by hand, or the one before it was.`;
}

const RECORD_WORDS: Readonly<Record<RecordFault['kind'], string>> = {
  edited: 'is not as the ledger left it: it was edited by hand, or its last events were taken out.',
  missing: 'was taken out by hand: its history says that it must be there.',
  added: 'was put in by hand: the history does not know it.',
};

function ofRecord({ kind, batch, row }: RecordFault): string {
  const whose = row === null ? `The record of batch ${batch}` : `Row ${row} of batch ${batch}`;
  return `${whose} ${RECORD_WORDS[kind]}`;
}
