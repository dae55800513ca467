// What a batch waits for, as one value: the reason, in words, until when where that is known, and what lifts it.
import type { Words } from '../base/language.ts';
import type { StoppedBy } from '../payouts/stop.ts';

/** As its summary tells it: everything that a person has to decide is `operator`. */
export const WAITING_FOR = [
  'approval',
  'funds',
  'credentials',
  'service',
  'doubt',
  'operator',
  'documents',
  'schedule',
] as const;
export type WaitingFor = (typeof WAITING_FOR)[number];

type Lifts = 'release' | 'approve' | 'resume' | 'itself';

const KINDS = {
  approval: { outside: 'approval', liftedBy: 'approve' },
  funds: { outside: 'funds', liftedBy: 'itself' },
  credentials: { outside: 'credentials', liftedBy: 'itself' },
  service: { outside: 'service', liftedBy: 'itself' },
  doubt: { outside: 'doubt', liftedBy: 'itself' },
  documents: { outside: 'documents', liftedBy: 'itself' },
  schedule: { outside: 'schedule', liftedBy: 'itself' },
  'held-rows': { outside: 'operator', liftedBy: 'release' },
  limits: { outside: 'operator', liftedBy: 'release' },
  refusals: { outside: 'operator', liftedBy: 'release' },
  'missed-time': { outside: 'operator', liftedBy: 'release' },
  // A file that is paid whole would not fit into the life of its prices at this hour.
  'too-slow': { outside: 'operator', liftedBy: 'resume' },
  pause: { outside: 'operator', liftedBy: 'resume' },
  'stop-file': { outside: 'operator', liftedBy: 'itself' },
  manifest: { outside: 'operator', liftedBy: 'itself' },
} as const satisfies Record<WaitKind | StoppedBy, { readonly outside: WaitingFor; readonly liftedBy: Lifts }>;

export type WaitKind =
  | Exclude<WaitingFor, 'operator'>
  | Exclude<StoppedBy, 'approval'>
  | 'held-rows'
  | 'too-slow'
  | 'pause'
  | 'manifest';

export type Wait<Kind extends WaitKind = WaitKind> = {
  readonly for: Kind;
  readonly words: Words;
  /** ISO; absent where nobody knows. */
  readonly until?: string;
  readonly liftedBy: Lifts;
};

export function waitFor<Kind extends WaitKind>(kind: Kind, words: Words, until?: string): Wait<Kind> {
  return { for: kind, words, liftedBy: KINDS[kind].liftedBy, ...(until === undefined ? {} : { until }) };
}

/** What is told outside of a wait. */
export function toldOutside({ for: kind }: Wait): WaitingFor {
  return KINDS[kind].outside;
}

/** Waits for the service, its money, its key or its time: a run tells them as they begin, and takes them back. */
export function isOfService({ for: kind }: Pick<Wait, 'for'>): boolean {
  return OF_SERVICE.has(kind);
}

const OF_SERVICE: ReadonlySet<WaitKind> = new Set<WaitKind>(['funds', 'credentials', 'service', 'doubt']);

/** Stops of the whole file that `release` of the batch lifts, and nothing else with it. */
const STANDING: ReadonlySet<WaitKind> = new Set<WaitKind>(['limits', 'refusals', 'missed-time']);

/** Waits that say nothing of whether such a stop would still stop the file. */
const UNASKED: ReadonlySet<WaitKind> = new Set<WaitKind>([
  'credentials',
  'service',
  'doubt',
  'stop-file',
  'manifest',
]);

/**
 * What a batch waits for at the end of a go, given what it waited for before. A stop that a person was told to lift by `release` stays until
 * then, or until a go gets past it: another halt meanwhile must not make the same command decide about its held rows instead.
 * @param isAsked false where the go ended before anything was asked, even if there is nothing to wait for.
 */
export function waitAfter(before: Wait | null, next: Wait | null, isAsked = true): Wait | null {
  const isUnshown = next === null ? !isAsked : !isAsked || UNASKED.has(next.for);
  return before !== null && STANDING.has(before.for) && isUnshown ? before : next;
}
