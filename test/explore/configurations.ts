// What is explored: each configuration bounds the accidents, and everything else may happen in every order. `allows` names what a configuration is known
// to break, so that the search itself is known to see it.
import type { Options } from './world.ts';

export type Configuration = {
  readonly name: string;
  readonly options: Options;
  /** The violation that it leads to, and why it is there; absent where nothing may be violated. */
  readonly allows?: RegExp;
};

/** Ticks: a read is one old at most, the service's clocks are one apart, a quotation lives for one. */
const QUIET: Options = {
  rows: 1,
  meet: 'alone',
  crashes: 0,
  freezes: 0,
  olderCopies: 0,
  losses: 0,
  isNoticed: true,
  cancels: 0,
  releases: 0,
  silences: 1,
  late: 1,
  refuses: false,
  failsExpired: true,
  needsDocument: false,
  documentsLost: 0,
  attempts: 2,
  isImpatient: false,
  staleTicks: 1,
  skewTicks: 1,
  lifeTicks: 1,
  ownTicks: 1,
  otherTicks: 2,
  isTokenIgnored: false,
  isIntentVolatile: false,
  isRaiseVolatile: false,
};

/** Reads are up to two ticks old. */
export const FINE: Pick<Options, 'staleTicks' | 'otherTicks'> = { staleTicks: 2, otherTicks: 3 };

export const CONFIGURATIONS: readonly Configuration[] = [
  { name: 'one lost answer', options: { ...QUIET, cancels: 1 } },
  { name: 'crash', options: { ...QUIET, crashes: 1 } },
  { name: 'crash, a person cancels', options: { ...QUIET, crashes: 1, cancels: 1, silences: 0 } },
  { name: 'frozen owner', options: { ...QUIET, freezes: 1 } },
  {
    name: 'frozen owner and nothing else',
    options: { ...QUIET, freezes: 1, silences: 0, failsExpired: false },
  },
  { name: 'frozen owner, a person cancels', options: { ...QUIET, freezes: 1, cancels: 1, silences: 0 } },
  { name: 'refusals', options: { ...QUIET, refuses: true, cancels: 1 } },
  { name: 'refusals and a crash', options: { ...QUIET, refuses: true, crashes: 1 } },
  { name: 'documents', options: { ...QUIET, needsDocument: true, documentsLost: 2, cancels: 1 } },
  {
    name: 'documents and a crash',
    options: {
      ...QUIET,
      needsDocument: true,
      documentsLost: 1,
      crashes: 1,
      refuses: true,
      failsExpired: false,
    },
  },
  { name: 'patience and release', options: { ...QUIET, isImpatient: true, releases: 1, cancels: 1 } },
  { name: 'ledger lost', options: { ...QUIET, losses: 1, cancels: 1 } },
  { name: 'ledger lost and nothing else', options: { ...QUIET, losses: 1, silences: 0 } },
  { name: 'ledger lost, refusals', options: { ...QUIET, losses: 1, refuses: true } },
  { name: 'older copy', options: { ...QUIET, olderCopies: 1 } },
  {
    name: 'older copy, unnoticed, expired transfers stay',
    options: { ...QUIET, olderCopies: 1, isNoticed: false, failsExpired: false },
  },
  {
    name: 'same payment in two rows',
    options: { ...QUIET, rows: 2, meet: 'same-payment', cancels: 1, attempts: 1 },
  },
  {
    name: 'limit with room for one of two rows',
    options: { ...QUIET, rows: 2, meet: 'limit', cancels: 1, attempts: 1 },
  },
  {
    name: 'older copy, unnoticed, expired transfers fail',
    options: { ...QUIET, olderCopies: 1, isNoticed: false, silences: 0 },
    allows: /^told failed/,
  },
  {
    name: 'clocks apart, fence of the age of a read alone',
    options: { ...QUIET, otherTicks: 1 },
    allows: /^paid twice/,
  },
];
