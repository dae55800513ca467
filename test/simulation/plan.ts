// The contents of a schedule, drawn from its seed: the choices that the interface leaves open, and the faults that happen. Each run has its own
// mixture, because faults that are always all on hide bugs that need a quiet moment in between.
import { focused } from './focus.ts';
import { withDecisions } from './held-plan.ts';
import type { Random } from './random.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** What the interface does not show; each choice holds for a whole run. */
export type Holes = {
  readonly confirmChecksExpiryFirst: boolean;
  readonly createChecksQuotationFirst: boolean;
  readonly idsAreCaseInsensitive: boolean;
  readonly afterExpiry: 'stays-created' | 'fails';
  readonly fundsRefusedBy: 'rates' | 'create' | 'confirm';
  /** How a confirm ends that the payout network refuses (10027). */
  readonly refusedConfirm: 'fails' | 'stays-created' | 'fails-later' | 'pays-later';
  /** A read may show the past by up to this much. */
  readonly staleMsMost: number;
  readonly staleShare: number;
  /** The service's machines disagree by up to this much about the time. */
  readonly skewMsMost: number;
  /** Share of the answers with a `Date`. */
  readonly dateShare: number;
  readonly refusalStatus: 'by-class' | 'all-500' | 'by-kind';
  readonly quotationLifeMs: number;
  readonly numbersAreWritten: 'plain' | 'padded';
  readonly timesHaveFractions: boolean;
  readonly confirmBody: 'null' | 'empty';
  /** Rows of a full page of the list, whatever was asked for. */
  readonly listPageRows: number;
  /** The list stands in an object, or by itself. */
  readonly listIsWrapped: boolean;
};

/** Probabilities for each message, and moments for each run. */
export type Faults = {
  readonly notSent: number;
  readonly requestLost: number;
  readonly requestLate: number;
  readonly requestTwice: number;
  readonly answerLost: number;
  readonly answerLate: number;
  readonly answerBroken: number;
  readonly answerForged: number;
  readonly serverError: number;
  readonly throttled: number;
  readonly wrongEcho: number;
  /** A document that was taken and is missed all the same. */
  readonly documentLost: number;
  readonly refusedAtRandom: number;
  /** Of confirms and of answers to creates, over what befalls any message. */
  readonly confirmLost: number;
  readonly createUnanswered: number;
  /** One copy of a confirm is refused, and another arrives later. */
  readonly refusedCopy: number;
  readonly lateMsMost: number;
  readonly death: number;
  readonly deathsMost: number;
  readonly freeze: number;
  readonly outages: number;
  readonly keyRefusals: number;
  readonly fundsGaps: number;
  readonly staffChanges: number;
  readonly strangers: number;
  readonly interruptions: number;
  readonly pauses: number;
};

export type Plan = {
  readonly holes: Holes;
  readonly faults: Faults;
  readonly rows: number;
  readonly runners: number;
  readonly concurrency: number;
  /** After this no new fault begins. */
  readonly faultsMs: number;
  readonly waitMs: number;
  readonly restoreShare: number;
  readonly wipeShare: number;
  /** Another machine's claims end by time alone. */
  readonly endsClaims: boolean;
  /** Nobody starts it again before minutes have passed. */
  readonly startsLate: boolean;
  readonly wallWrongMsMost: number;
  readonly isPricedFirst: boolean;
  readonly payoutFails: number;
  readonly networkRefuses: number;
  readonly payoutMsMost: number;
  readonly reversals: number;
  readonly isRebuiltAtEnd: boolean;
  /** So many submitted rows are followed by the list. */
  readonly listLeast: number;
  /** A process whose run has ended for want of funds, key or service goes on by itself, under the same name. */
  readonly isDaemon: boolean;
  /** The first process has registered the rows itself, and takes over nobody's. */
  readonly isOwnFile: boolean;
  /** How often a person decides about held rows; 0 where nobody does. */
  readonly decisions: number;
  /** The rows come in a payment message, and its program is told of them. */
  readonly isMessage: boolean;
};

const MESSAGES_SHARE = 0.08;

export function drawPlan(random: Random): Plan {
  const plan = focused(drawMixture(random), random.fork('focus'));
  return withDecisions(plan, random.fork('decisions'));
}

function drawMixture(random: Random): Plan {
  // A run without any fault is where waste and needless caution show.
  const isCalm = random.chance(0.08);
  const restores = !isCalm && random.chance(0.3);
  return {
    holes: drawHoles(random, isCalm),
    faults: drawFaults(random, isCalm),
    rows: random.between(1, random.chance(0.7) ? 3 : 6),
    runners: !isCalm && random.chance(0.35) ? 2 : 1,
    concurrency: random.pick([1, 2, 4]),
    faultsMs: isCalm ? 0 : random.pick([30 * SECOND, 3 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR]),
    waitMs: random.pick([0, 0, MINUTE, 24 * HOUR]),
    restoreShare: restores ? 0.8 : 0,
    wipeShare: !isCalm && random.chance(0.2) ? 0.5 : 0,
    endsClaims: random.chance(0.7),
    startsLate: false,
    wallWrongMsMost: random.pick([0, 5 * SECOND, 26 * HOUR]),
    isPricedFirst: random.chance(0.4),
    payoutFails: random.pick([0, 0.2, 0.5]),
    networkRefuses: random.pick([0, 0, 0.25]),
    payoutMsMost: random.pick([2 * SECOND, MINUTE, 20 * MINUTE]),
    reversals: random.pick([0, 0, 0.3]),
    isRebuiltAtEnd: random.chance(0.3),
    // A few rows, or as many as outside the simulation, which no schedule has.
    listLeast: random.fork('list least').pick([20, 2]),
    isDaemon: random.fork('daemon').chance(0.3),
    isOwnFile: random.fork('own file').chance(0.6),
    decisions: 0,
    isMessage: random.fork('message').chance(MESSAGES_SHARE),
  };
}

export function isCalm({ faultsMs }: Plan): boolean {
  return faultsMs === 0;
}

/** Claims live for minutes. */
const CLOCKS_APART_MOST_MS = 10 * SECOND;

export function areClocksRight({ wallWrongMsMost }: Plan): boolean {
  return 2 * wallWrongMsMost <= CLOCKS_APART_MOST_MS;
}

/** The service and the way to it tell no lies, reads show the present and its time, and nobody else uses the account. */
export function isHonest({ holes, faults, restoreShare, wipeShare }: Plan): boolean {
  const lies = [
    faults.wrongEcho,
    faults.documentLost,
    faults.answerForged,
    faults.strangers,
    faults.staffChanges,
    faults.refusedAtRandom,
    faults.refusedCopy,
    holes.staleShare,
    restoreShare,
    wipeShare,
  ];
  return holes.dateShare === 1 && lies.every((share) => share === 0);
}

function drawHoles(random: Random, isCalm: boolean): Holes {
  const isStale = !isCalm && random.chance(0.35);
  const list = random.fork('list');
  return {
    confirmChecksExpiryFirst: random.chance(0.5),
    createChecksQuotationFirst: random.chance(0.5),
    idsAreCaseInsensitive: random.chance(0.4),
    afterExpiry: random.pick(['stays-created', 'stays-created', 'fails']),
    fundsRefusedBy: random.pick(['rates', 'create', 'create', 'confirm']),
    refusedConfirm: random.pick(['fails', 'fails', 'stays-created', 'fails-later', 'pays-later']),
    staleMsMost: isStale ? random.pick([2 * SECOND, 30 * SECOND, 9 * MINUTE]) : 0,
    staleShare: isStale ? random.pick([0.1, 0.4, 0.8]) : 0,
    skewMsMost: isCalm ? 0 : random.pick([0, 0, 2 * SECOND, 25 * SECOND]),
    dateShare: isCalm ? 1 : random.pick([1, 1, 1, 0.7]),
    refusalStatus: random.pick(['by-class', 'all-500', 'by-kind']),
    quotationLifeMs: random.pick([8 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE]),
    numbersAreWritten: random.pick(['plain', 'padded']),
    timesHaveFractions: random.chance(0.5),
    confirmBody: random.pick(['null', 'empty']),
    listPageRows: list.pick([1, 2, 3, 100]),
    listIsWrapped: list.chance(0.3),
  };
}

function drawFaults(random: Random, isCalm: boolean): Faults {
  const harsh = isCalm ? 0 : random.pick([0.3, 1, 1, 2]);
  const perhaps = (share: number, most: number): number =>
    random.chance(share) ? Math.min(0.6, harsh * most * (0.2 + 0.8 * random.next())) : 0;
  const some = (share: number, most: number): number =>
    !isCalm && random.chance(share) ? random.between(1, most) : 0;
  return {
    notSent: perhaps(0.3, 0.15),
    requestLost: perhaps(0.4, 0.3),
    requestLate: perhaps(0.5, 0.4),
    requestTwice: perhaps(0.4, 0.4),
    answerLost: perhaps(0.5, 0.4),
    answerLate: perhaps(0.3, 0.35),
    answerBroken: perhaps(0.3, 0.2),
    answerForged: perhaps(0.1, 0.1),
    serverError: perhaps(0.35, 0.35),
    throttled: perhaps(0.25, 0.2),
    wrongEcho: perhaps(0.12, 0.3),
    documentLost: perhaps(0.15, 0.4),
    refusedAtRandom: perhaps(0.12, 0.15),
    confirmLost: 0,
    createUnanswered: 0,
    refusedCopy: 0,
    lateMsMost: random.pick([3 * SECOND, 15 * SECOND, 90 * SECOND, 20 * MINUTE, 2 * HOUR]),
    death: perhaps(0.6, 0.05),
    deathsMost: random.between(1, 6),
    freeze: perhaps(0.15, 0.01),
    outages: some(0.2, 2),
    keyRefusals: some(0.1, 1),
    fundsGaps: some(0.25, 2),
    staffChanges: some(0.2, 3),
    strangers: some(0.12, 2),
    interruptions: some(0.15, 2),
    pauses: some(0.1, 1),
  };
}
