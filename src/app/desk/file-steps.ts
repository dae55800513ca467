// How far a file has come, in the steps that people know: checked, priced, approved where somebody was asked, paid. A screen shows them in a line.
import { STEPS, type StepName, type StepState } from '../../contract/words.ts';
import { mayGoOn, waitsForAnswer } from '../../ledger/approval.ts';
import type { BatchState } from '../../ledger/batch-states.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import type { Standing } from '../../results/standing.ts';

export type FileStep = { readonly step: StepName; readonly state: StepState };

/** The step at which a batch of this state is; an accepted one that nobody has to approve any more is at the next. */
const AT: Readonly<Record<BatchState, FileStep['step']>> = {
  ...{ taking: 'checked', checking: 'checked', refused: 'checked' },
  ...{ pricing: 'priced', accepted: 'approved' },
  ...{
    reserving: 'paid',
    sending: 'paid',
    following: 'paid',
    closing: 'paid',
    closed: 'paid',
    resolving: 'paid',
  },
};

const WORKING: ReadonlySet<Standing> = new Set([
  ...(['checking', 'asking-prices', 'ready', 'paying', 'in-transit'] as const),
]);

export function stepsOf(batch: BatchRecord, standing: Standing): readonly FileStep[] {
  const { approval } = batch;
  const isAsked = approval?.kind === 'asked';
  const isOpen = batch.state === 'accepted' && (approval === undefined || !mayGoOn(batch));
  const steps = STEPS.filter((step) => step !== 'approved' || isAsked || isOpen);
  const isDeclined = isAsked && approval.declined !== null;
  const at = isDeclined || waitsForAnswer(batch) ? 'approved' : pastApproval(batch, isOpen);
  const place = steps.indexOf(at);
  return steps.map((step, index) => ({
    step,
    state: index < place ? 'done' : index > place ? 'open' : isDeclined ? 'ended' : stateOf(standing),
  }));
}

function pastApproval({ state }: BatchRecord, isOpen: boolean): FileStep['step'] {
  return AT[state] === 'approved' && !isOpen ? 'paid' : AT[state];
}

function stateOf(standing: Standing): FileStep['state'] {
  if (standing === 'done') return 'done';
  if (standing === 'done-not-paid' || standing === 'refused') return 'ended';
  return WORKING.has(standing) ? 'now' : 'waits';
}
