// Some schedules look at one rare moment again and again: what needs several mishaps in a row would hardly ever come about in a mixture of all.
import type { Faults, Plan } from './plan.ts';
import type { Random } from './random.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type Focus = (plan: Plan, random: Random) => Plan;

/** The share of the schedules with faults that look at each moment. */
const SHARE_OF_EACH = 0.06;

/** Nothing else goes wrong, so that the moment is reached. */
const QUIET: Partial<Faults> = {
  answerBroken: 0,
  answerForged: 0,
  serverError: 0,
  throttled: 0,
  wrongEcho: 0,
  documentLost: 0,
  refusedAtRandom: 0,
  freeze: 0,
  outages: 0,
  keyRefusals: 0,
  fundsGaps: 0,
  staffChanges: 0,
  strangers: 0,
  pauses: 0,
};

/** A confirm is lost, or late by an hour, and with it the ledger that knows of it; who comes later finds the transfer, and that its time is over. */
const forgottenConfirm: Focus = (plan, random) => ({
  ...plan,
  holes: { ...plan.holes, quotationLifeMs: random.pick([8 * SECOND, 30 * SECOND, 2 * MINUTE]) },
  faults: {
    ...plan.faults,
    ...QUIET,
    confirmLost: 0.8,
    lateMsMost: random.pick([20 * MINUTE, 60 * MINUTE]),
    death: 0.05,
    deathsMost: 3,
  },
  rows: random.between(1, 2),
  faultsMs: 180 * MINUTE,
  restoreShare: random.pick([0, 0.9]),
  wipeShare: 0.9,
  startsLate: true,
});

/** The answer to a create is lost, reads lag, and the next try is refused for good. */
const doubtfulRefusal: Focus = (plan, random) => ({
  ...plan,
  holes: {
    ...plan.holes,
    createChecksQuotationFirst: true,
    staleMsMost: random.pick([30 * SECOND, 9 * MINUTE]),
    staleShare: 0.8,
    quotationLifeMs: random.pick([30 * SECOND, 10 * MINUTE]),
  },
  faults: {
    ...plan.faults,
    ...QUIET,
    createUnanswered: 0.6,
    refusedAtRandom: 0.3,
    death: 0,
    interruptions: 0,
  },
  rows: random.between(1, 2),
  runners: 1,
  faultsMs: 60 * MINUTE,
  restoreShare: 0,
  wipeShare: 0,
});

/** Rows are followed together by a list that lags, leaves rows out, and is meddled with on its way. */
const doubtfulList: Focus = (plan, random) => ({
  ...plan,
  holes: {
    ...plan.holes,
    staleMsMost: random.pick([2 * SECOND, 30 * SECOND, 9 * MINUTE]),
    staleShare: 0.5,
    listPageRows: random.pick([2, 3]),
  },
  faults: { ...plan.faults, ...QUIET, answerForged: 0.2 },
  rows: random.between(3, 6),
  runners: 1,
  faultsMs: 60 * MINUTE,
  payoutMsMost: random.pick([MINUTE, 20 * MINUTE]),
  listLeast: 2,
});

/** A run that takes over a row whose confirm may have been sent is asked for its document once more, and then its time is over. */
const demandedAgain: Focus = (plan, random) => ({
  ...plan,
  holes: { ...plan.holes, quotationLifeMs: random.pick([7 * MINUTE, 12 * MINUTE, 22 * MINUTE]) },
  faults: {
    ...plan.faults,
    ...QUIET,
    documentLost: 0.8,
    confirmLost: 0.5,
    death: 0.02,
    deathsMost: 3,
  },
  rows: random.between(2, 4),
  runners: 1,
  faultsMs: 60 * MINUTE,
  restoreShare: 0,
  wipeShare: 0,
  startsLate: true,
});

/** A read that lags is seen beyond the expiry, and shows the transfer as it was before its confirm: neither before its create, nor as it is. */
const LAGGING = { staleMsMost: 5 * MINUTE, staleShare: 0.8, quotationLifeMs: 90 * SECOND } as const;

/** A confirm arrives when nobody remembers its transfer: the ledger was put back, reads hide what they may, and the create that is sent again gets no answer. */
const forgottenTransfer: Focus = (plan, random) => ({
  ...plan,
  holes: {
    ...plan.holes,
    ...LAGGING,
  },
  faults: {
    ...plan.faults,
    ...QUIET,
    confirmLost: 0.6,
    lateMsMost: 80 * SECOND,
    createUnanswered: 0.6,
    death: 0.1,
    deathsMost: 4,
  },
  rows: random.between(1, 2),
  runners: 1,
  faultsMs: 30 * MINUTE,
  restoreShare: 1,
  wipeShare: 0,
});

/** One copy of a confirm is refused, for its document, the funds or the key, and the other is taken later; reads lag behind it. */
const secondCopy: Focus = (plan, random) => ({
  ...plan,
  holes: {
    ...plan.holes,
    ...LAGGING,
    fundsRefusedBy: 'confirm',
  },
  faults: {
    ...plan.faults,
    ...QUIET,
    refusedCopy: 0.5,
    lateMsMost: 80 * SECOND,
    answerLost: random.pick([0, 0.4]),
    death: 0,
    interruptions: 0,
  },
  rows: random.between(2, 4),
  runners: 1,
  faultsMs: 15 * MINUTE,
  restoreShare: 0,
  wipeShare: 0,
  isDaemon: random.chance(0.7),
  isOwnFile: true,
});

const MOMENTS: readonly Focus[] = [
  forgottenConfirm,
  doubtfulRefusal,
  doubtfulList,
  demandedAgain,
  forgottenTransfer,
  secondCopy,
];

export function focused(plan: Plan, random: Random): Plan {
  const moment = plan.faultsMs === 0 ? undefined : MOMENTS[Math.floor(random.next() / SHARE_OF_EACH)];
  return moment === undefined ? plan : moment(plan, random);
}
