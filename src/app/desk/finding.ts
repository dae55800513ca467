// What paydrop has found, with its remedy: each line of `doctor`, and each code of a refusal.
import { joinWords, type Words } from '../../base/language.ts';
import type { HistoryFault, HistoryReport, RecordFault } from '../../ledger/history.ts';
import { sentence } from '../../messages/messages.ts';
import { FILE_REFUSAL_CODES, REMEDIES } from '../../rows/file-refused.ts';
import { DECISION_CODES } from '../workflow/approval/decide-approval.ts';

export type DoctorFinding = { readonly name: string; readonly ok: boolean; readonly words: Words };

// What `doctor` says about a ledger that somebody changed by hand: where, and what to do before anything more is paid.

const WHAT_TO_DO = sentence('history.whatToDo');

/** Empty when nothing is wrong; else a sentence for each finding, and the remedy. */
export function describeHistory({ fault, batchFault, rowFault, sumFault }: HistoryReport): readonly Words[] {
  const found = [
    fault === null ? null : ofEvent(fault),
    batchFault === null ? null : ofRecord(batchFault),
    rowFault === null ? null : ofRecord(rowFault),
    sumFault === null ? null : sentence('history.sum', { of: sumFault.of }),
  ].filter((words) => words !== null);
  return found.length === 0 ? [] : [...found, WHAT_TO_DO];
}

function ofEvent(fault: HistoryFault): Words {
  if (fault.kind === 'events-missing') {
    const { from, to } = fault;
    return from === to ? sentence('history.event', { from }) : sentence('history.events', { from, to });
  }
  const { seq, at, batch, row, event } = fault.place;
  const whose =
    row === null ? sentence('history.ofBatch', { batch }) : sentence('history.ofRow', { row, batch });
  return sentence('history.eventEdited', { seq, at, whose, event });
}

const RECORD_WORDS: Readonly<Record<RecordFault['kind'], Words>> = {
  edited: sentence('history.edited'),
  missing: sentence('history.missing'),
  added: sentence('history.added'),
};

function ofRecord({ kind, batch, row }: RecordFault): Words {
  const whose =
    row === null
      ? sentence('history.recordOfBatch', { batch })
      : sentence('history.recordOfRow', { row, batch });
  return joinWords([whose, RECORD_WORDS[kind]]);
}

// What the codes mean by which files and decisions are refused, for a program that asks.

/** What to do about a file that is refused by this code; null for another code. */
export function remedyOf(code: string): Words | null {
  const known = FILE_REFUSAL_CODES.find((each) => each === code);
  return known === undefined ? null : REMEDIES[known];
}

export function isDecisionCode(code: string): boolean {
  return DECISION_CODES.some((each) => each === code);
}
