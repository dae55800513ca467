// Writes the journal of one run, with the time of each entry.
import type { Entry, Journal, What } from '../invariants/journal.ts';
import type { Scheduler } from './scheduler.ts';

export type Write = (what: What) => void;

export type Witness = { readonly write: Write; readonly journal: Journal };

export function witnessOf(scheduler: Scheduler): Witness {
  const journal: Entry[] = [];
  return { journal, write: (what) => void journal.push({ at: scheduler.now, ...what }) };
}
