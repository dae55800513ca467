// Where the row machine stands elsewhere than today's record, and why: each difference is one that was meant. What no line explains is told, and fails the test.
import { mayConfirm } from '../../../src/delivery/time-left.ts';
import type { Progress } from '../../../src/payouts/progress.ts';
import type { RowEvent } from '../../explore/row-machine/row-event.ts';
import type { Now, RowState } from '../../explore/row-machine/row-state.ts';
import type { Standing } from './state-of.ts';

export type Compared = {
  readonly before: Progress;
  readonly after: Progress;
  readonly events: readonly RowEvent[];
  readonly now: Now;
  readonly record: Standing;
  readonly machine: Standing;
  readonly state: RowState;
};

type Reason = { readonly why: string; readonly explains: (compared: Compared) => boolean };

/** The service's circuit breaker, shared waits of rows that are followed together, and waits drawn at random belong to the run, not to the row. */
const ALIKE_MS = 5_000;

const lastOf = ({ events }: Compared): RowEvent | undefined => events.at(-1);
const heardOf = ({ events }: Compared, status: string): boolean =>
  events.some((event) => event.on === 'transfer' && event.transfer.status === status);
const isSameStanding = ({ record, machine }: Compared): boolean =>
  record.stage === machine.stage && record.hold === machine.hold && record.attempt === machine.attempt;
/** The transfer's time is over, or nearly: the record and the machine prove its end in different ways. */
const isOver = ({ before, after, now }: Compared): boolean =>
  [before.transfer, ...after.deadAttempts.map(({ transfer }) => transfer), after.transfer].some(
    (transfer) => transfer !== null && !mayConfirm(transfer, now.service),
  );

const waitsUpTo = ({ record, machine }: Compared, mostMs: number): boolean =>
  Math.max(record.waitMs ?? 0, machine.waitMs ?? 0) <= mostMs;

export const DIFFERENCES: readonly Reason[] = [
  {
    why: 'a call without an answer, or that was refused for a moment, is made again without a look, and what was read before it counts',
    explains: (compared) => {
      const { record, machine } = compared;
      const last = lastOf(compared);
      const isCall = last?.on === 'unanswered' || last?.on === 'unavailable' || last?.on === 'refused';
      const isRepeated =
        record.next === 'look' && ['quote', 'attach', 'confirm', 'create'].includes(machine.next);
      const isReadBefore = compared.events.slice(0, -1).some((event) => event.on === 'transfer');
      return isCall && (isRepeated || isReadBefore);
    },
  },
  {
    why: 'a breaker makes the run wait, not the row',
    explains: (compared) =>
      isSameStanding(compared) &&
      compared.record.next === compared.machine.next &&
      ['unavailable', 'unanswered'].includes(lastOf(compared)?.on ?? ''),
  },
  {
    why: 'rows that are followed together by the list keep together, which is the way of the run',
    explains: (compared) =>
      (isSameStanding(compared) || compared.before.deadAttempts.length > 0) &&
      compared.events.some((event) => event.on === 'transfer' && event.by === 'list'),
  },
  {
    why: 'an intent stands until its attempt is dead, also where the document is attached once more',
    explains: ({ record, machine }) =>
      record.stage === 'created' &&
      machine.stage === 'confirming' &&
      record.attempt === machine.attempt &&
      machine.hold === record.hold,
  },
  {
    why: 'a price that is too old is given up without a step of its own',
    explains: ({ record, machine }) =>
      record.stage === 'quoted' &&
      machine.stage === 'ready' &&
      record.attempt === machine.attempt &&
      machine.next === 'quote',
  },
  {
    why: 'the next attempt is not looked for before its create, which tells whether it exists',
    explains: ({ record, machine }) =>
      record.attempt === machine.attempt &&
      record.attempt > 1 &&
      record.next === 'look' &&
      machine.next === 'quote',
  },
  {
    why: 'one look 16 minutes beyond the expiry proves an attempt dead: no second look, no asking by confirming, no person',
    explains: (compared) =>
      isOver(compared) &&
      (heardOf(compared, 'created') ||
        (compared.record.next === 'confirm' && compared.machine.next === 'look')),
  },
  {
    why: 'tries are counted from the answers of the row, not from those of its step',
    explains: (compared) =>
      isSameStanding(compared) &&
      compared.record.next === compared.machine.next &&
      compared.machine.next !== 'held' &&
      waitsUpTo(compared, 62_000),
  },
  {
    why: 'before a failure of an attempt that nobody vouches for is told, the next one is looked for beyond the doubt by 16 minutes, of which the record waits 15 from its first look',
    explains: (compared) => heardOf(compared, 'failed') && compared.after.begunBy === null,
  },
];

/** Null where both stand alike; `why` null where nothing explains that they do not. */
export function differenceOf(
  compared: Compared,
): { readonly why: string | null; readonly words: string } | null {
  const { record, machine } = compared;
  const parts = (['stage', 'hold', 'attempt', 'next'] as const).filter(
    (part) => record[part] !== machine[part],
  );
  const isWaitOther = !isAlike(record.waitMs, machine.waitMs);
  if (parts.length === 0 && !isWaitOther) return null;
  const why = DIFFERENCES.find(({ explains }) => explains(compared))?.why ?? null;
  return { why, words: wordsOf(compared) };
}

function isAlike(one: number | null, other: number | null): boolean {
  // One that the goal of the run has reached is not waited for, wherever it stands.
  if (one === null || other === null) return true;
  return Math.abs(one - other) <= Math.max(ALIKE_MS, one / 2, other / 2);
}

function wordsOf({ before, events, record, machine }: Compared): string {
  const heard = events
    .map((event) =>
      'errorCode' in event
        ? `${event.on} ${event.call} ${String(event.errorCode)}`
        : 'transfer' in event
          ? `${event.by} shows ${event.transfer.status} of ${String(event.attempt)}${event.differs ? ', another' : ''}`
          : 'call' in event
            ? `${event.on} ${event.call}`
            : event.on,
    )
    .join(', ');
  const said = ({ stage, hold, attempt, next, waitMs }: Standing): string =>
    `${stage}${hold === null ? '' : ` held ${hold}`} attempt ${String(attempt)} then ${next} in ${waitMs === null ? '-' : String(Math.round(waitMs / 1000))} s`;
  return `${before.stage}${before.hold === null ? '' : ` held ${before.hold.code}`}${before.confirm === 'none' ? '' : ` confirm ${before.confirm}`}${before.begunBy === null ? ' unvouched' : ''}${before.lookedBy === null ? ' unlooked' : ''}: heard ${heard}; record ${said(record)}; machine ${said(machine)}`;
}
