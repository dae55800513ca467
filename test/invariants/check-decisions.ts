// I-32: the decisions of a person about a held row. A cancelled row is unpaid and stays so, unless a person releases it after all.
import { statusAt, type CaseFile, type KnownTransfer, type Placed, type Violation } from './case-file.ts';
import type { RowFacts } from './journal.ts';

/** Where a row may stand once it was let go: where it stood, or followed by the word of the service alone. */
const LET_GO: ReadonlySet<string> = new Set(['ready', 'quoted', 'created', 'confirming', 'confirmed']);

export function isRelease(event: string): boolean {
  return event.startsWith('released by ');
}

export function isClosing(event: string): boolean {
  return event.startsWith('cancelled ');
}

/** What the word of a person makes of a held row. */
export function mayDecide(before: RowFacts, after: RowFacts, event: string): boolean {
  if (after.transferAttempt !== before.transferAttempt) return false;
  if (isClosing(event)) return after.stage === 'rejected';
  return isRelease(event) && LET_GO.has(after.stage);
}

export function wasClosed(file: CaseFile, row: string): boolean {
  return file.recorded.some(({ record, event }) => record.row === row && isClosing(event));
}

/** Out, or on its way, and not because another user of the account had confirmed it, of which nobody hears: also where the network took its word later. */
export function isPaidByUs(file: CaseFile, known: KnownTransfer, place = Infinity): boolean {
  const status = statusAt(known, place);
  if (status !== 'submitted' && status !== 'paid') return false;
  if (known.changes.some(({ to, by }) => to === 'submitted' && by === 'other')) return false;
  return file.sent.some(({ operation, subject }) => operation === 'confirm' && subject === known.facts.id);
}

export function checkClosedIsUnpaid(file: CaseFile): readonly Violation[] {
  return file.recorded.flatMap((closing) => {
    if (!isClosing(closing.event)) return [];
    const { row } = closing.record;
    return [...file.transfers.values()].flatMap((known) => {
      if (known.owner?.row !== row || known.by === 'other') return [];
      const words = paidAll(file, known, closing);
      return words === null ? [] : [{ invariant: 'I-32', row, words }];
    });
  });
}

function paidAll(file: CaseFile, known: KnownTransfer, { record, place }: Placed<'recorded'>): string | null {
  const { id } = known.facts;
  if (isPaidByUs(file, known, place)) return `is cancelled, and ${id} was ${statusAt(known, place)}`;
  const letGo = file.recorded.find(
    (entry) => entry.place > place && entry.record.row === record.row && isRelease(entry.event),
  );
  const isPaid = known.changes.some(
    ({ to, by, place: then }) =>
      to === 'submitted' && by === 'confirm' && then > place && then < (letGo?.place ?? Infinity),
  );
  return isPaid ? `was cancelled, and ${id} was submitted after that` : null;
}
