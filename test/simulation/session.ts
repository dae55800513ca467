// What one process does with the batch, in the order of the application: rebuild what is lost, price, look at held rows, send, follow.
import { startRebuilt } from '../../src/app/workflow/carry/unseen-rows.ts';
import type { CheckedRow } from '../../src/app/workflow/validate/validate-file.ts';
import { silentLog } from '../../src/base/log.ts';
import { doubtFloor, doubtIn, doubtOf } from '../../src/app/workflow/carry/unseen-rows.ts';
import type { Goal } from '../../src/delivery/goal.ts';
import { lookAtHeldRows } from '../../src/delivery/reconcile.ts';
import { probeAttempts, type ProbedAttempts } from '../../src/delivery/observe.ts';
import { runBatch, type RunEnd } from '../../src/delivery/runner.ts';
import type { DeliveryTools } from '../../src/delivery/tools.ts';
import { type Ledger, changeBatch, moveOn } from '../../src/ledger/ledger.ts';
import { LeaseLost } from '../../src/ledger/ledger-unusable.ts';
import { type BatchRecord, type LeasedBatch, type NewRow, tenureOf } from '../../src/ledger/records.ts';
import { keysOf } from '../../src/payouts/payment-keys.ts';
import { begunBy, type Progress, type Tenure } from '../../src/payouts/progress.ts';
import { isFault } from '../../src/service/errors.ts';
import type { ClosedList } from './closed-list.ts';
import type { MadeRow } from './make-rows.ts';
import { pauseOf } from '../../src/ledger/batch-rules.ts';
import { isBeingRebuilt } from '../../src/ledger/batch-states.ts';

export const BATCH = 'b-1';
/** The file of the batch: its name, which says what it is, and its id. */
export type SimulatedFile = { readonly fileName: string; readonly fileId: string };

export type SessionOptions = {
  readonly ledger: Ledger;
  readonly tools: DeliveryTools;
  readonly fileId: string;
  readonly fileName: string;
  readonly rows: readonly MadeRow[];
  readonly concurrency: number;
  readonly waitMs: number;
  readonly signal: AbortSignal;
  readonly isPricedFirst: boolean;
  readonly onRebuilt: () => void;
  /** Called with what it signs with from then on, and since when the batch is in doubt. */
  readonly onTenure: (tenure: Tenure, doubtSince: () => number | null) => void;
  readonly closed: Pick<ClosedList, 'read' | 'nextEpoch'> | null;
  /** Closes what a person has closed before. */
  readonly closeAgain: (batch: BatchRecord) => Promise<void> | undefined;
  /** Carries out what people have ordered meanwhile. */
  readonly carryOut: (batch: BatchRecord) => Promise<boolean>;
  /** The process has only just begun. */
  readonly isFirst: boolean;
};

export const CALL_TIMEOUT_MS = 10_000;

/** Why a session ended, in a word. */
export async function session(options: SessionOptions): Promise<string> {
  return oneSession(options).catch((error: unknown) => {
    // Another one has taken it over meanwhile.
    if (error instanceof LeaseLost) return 'elsewhere';
    throw error;
  });
}

async function oneSession(options: SessionOptions): Promise<string> {
  const { ledger } = options;
  await ledger.runs.endDead();
  const known = await ledger.batch(BATCH);
  const isRebuilt = known === null || isBeingRebuilt(known);
  if (isRebuilt) {
    const rebuilt = await rebuild(options, known);
    if (rebuilt !== null) return rebuilt;
  }
  const seen = await ledger.batch(BATCH);
  if (seen !== null && pauseOf(seen) !== null)
    await ledger.revise(BATCH, () => ({ change: { decisions: [] }, event: 'pause lifted' }));
  const batch = seen === null ? null : await ledger.takeOver({ ...seen, decisions: [] });
  if (batch === null) return 'elsewhere';
  if (options.isFirst || isRebuilt) await options.closeAgain(batch);
  await options.carryOut(batch);
  const tools = await toolsOf(options, batch);
  if (tools === null) return 'service';
  const held = { ...options, leased: batch, tenure: tenureOf(batch, ledger.run), tools };
  options.onTenure(held.tenure, tools.doubtSince);
  if (batch.state === 'resolving') await moveOn(ledger, batch, 'resolving', 'accepted');
  if (batch.state === 'pricing') {
    const end = options.isPricedFirst ? await carry(held, 'priced') : null;
    if (end !== null && end.kind !== 'done') return `priced: ${end.kind}`;
    await moveOn(ledger, batch, 'pricing', 'accepted');
  }
  await moveOn(ledger, batch, 'accepted', 'sending');
  return pay(held);
}

/** As the gate of each state does it: since when it is in doubt, the service tells. Null where that is out of reach. */
async function toolsOf({ ledger, tools }: SessionOptions, batch: BatchRecord): Promise<DeliveryTools | null> {
  const { doubt } = batch;
  if (doubt === undefined) return { ...tools, doubtSince: () => null };
  if (doubt.since !== null && doubt.isOwnTime !== true) return { ...tools, doubtSince: () => doubt.since };
  const isAnswered = await tools.serviceClock
    .ask(() => tools.service.payoutCorridors({ limit: 1 }))
    .then(() => true)
    .catch((error: unknown) => {
      if (!isFault(error)) throw error;
      return false;
    });
  if (!isAnswered && doubtOf(batch, tools) === null) return null;
  const isOwnTime = tools.serviceClock.latestNow() === null;
  const since = doubtFloor(batch, tools);
  const begun = isOwnTime ? { since, isOwnTime } : { since };
  await changeBatch(ledger, batch, { doubt: begun });
  return { ...tools, doubtSince: doubtIn({ ...batch, doubt: begun }, tools) };
}

type Leased = { readonly leased: LeasedBatch; readonly tenure: Tenure };

/** What ended because of an order is repeated once that is carried out. */
async function pay(options: SessionOptions & Leased): Promise<string> {
  for (;;) {
    const end = await payOnce(options);
    const batch = await options.ledger.batch(BATCH);
    if (batch === null || !(await options.carryOut(batch))) return end;
  }
}

async function payOnce(options: SessionOptions & Leased): Promise<string> {
  const { ledger, leased, fileId, tools } = options;
  const looked = await lookAtHeldRows(ledger, { ...leased, fileId }, tools);
  if (looked.kind !== 'done') return looked.kind;
  const sent = await carry(options, 'submitted');
  if (['interrupted', 'paused', 'credentials'].includes(sent.kind)) return sent.kind;
  const waitMs = sent.kind === 'done' ? options.waitMs : 0;
  const followed = await carry({ ...options, waitMs }, 'tracked');
  return `${sent.kind}, ${followed.kind}`;
}

async function carry(options: SessionOptions & Leased, goal: Goal): Promise<RunEnd> {
  const { ledger, leased, tools, fileId, tenure, concurrency, waitMs, signal } = options;
  await ledger.makeDue(BATCH, goal === 'priced' ? 'waiting' : 'all');
  return runBatch({
    ledger,
    leased,
    tools,
    log: silentLog,
    batch: BATCH,
    folder: '',
    fileId,
    tenure,
    goal,
    concurrency,
    waitMs,
    signal,
    stop: () => null,
    onMoved: () => undefined,
  });
}

/** Null when it is rebuilt; else why not. */
async function rebuild(options: SessionOptions, known: BatchRecord | null): Promise<string | null> {
  const { ledger, rows, fileId, tools } = options;
  if (known !== null && ledger.runs.isElsewhere(known.owner)) return 'elsewhere';
  const attempts = new Map<string, ProbedAttempts>();
  try {
    for (const { row } of rows) attempts.set(row, await probeAttempts(fileId, row, tools));
  } catch (error) {
    if (isFault(error)) return 'rebuild: unreachable';
    throw error;
  }
  const epoch = options.closed?.nextEpoch() ?? 1;
  const batch = { ...batchRecord(options, rows.length), state: 'resolving', epoch } as const;
  const replaces = known !== null && isBeingRebuilt(known) ? known : undefined;
  const announced = await ledger.addBatch(batch, replaces);
  if ('earlier' in announced) return 'elsewhere';
  const held = announced.added;
  const told = (await options.closed?.read()) ?? { closed: [], rejected: new Map(), stopped: new Set() };
  const start = startRebuilt(attempts, told, tools.serviceClock.latestNow() ?? tools.clock.now());
  await ledger.addRows(
    held,
    rows.map((made, index) => newRow(made, index, start(checkedRow(made, index)))),
  );
  const tenure = tenureOf(held, ledger.run);
  options.onTenure(tenure, tools.doubtSince);
  const end = await carry({ ...options, leased: held, tenure, waitMs: 0 }, 'found');
  if (end.kind !== 'done') return `rebuild: ${end.kind}`;
  await changeBatch(ledger, held, { doubt: { since: tools.serviceClock.latestNow() } });
  options.onRebuilt();
  return null;
}

/** As much of a checked row as a rebuilt start looks at. */
function checkedRow({ row, payout }: MadeRow, index: number): CheckedRow {
  return { row: { place: row, position: index + 1 }, payout, rejections: [] } as unknown as CheckedRow;
}

/** The batch as it is registered before anything is sent. */
export async function register(ledger: Ledger, file: SimulatedFile, rows: readonly MadeRow[]): Promise<void> {
  const announced = await ledger.addBatch(batchRecord(file, rows.length));
  if ('earlier' in announced) throw new Error('The ledger is new.');
  await ledger.addRows(
    announced.added,
    rows.map((made, index) => newRow(made, index, begunBy(tenureOf(announced.added, ledger.run)))),
  );
  await changeBatch(ledger, announced.added, { state: 'pricing' });
}

function newRow({ row, payout }: MadeRow, index: number, progress: Progress): NewRow {
  return {
    position: index + 1,
    row,
    payout,
    rejections: [],
    reference: payout.reference,
    lineage: null,
    keys: { ...keysOf(payout), fingerprint: null, payment: null },
    progress,
    isDue: true,
  };
}

function batchRecord({ fileId, fileName }: SimulatedFile, rows: number): BatchRecord {
  return {
    id: BATCH,
    fileId,
    sha256: fileId,
    fileName,
    state: 'checking',
    owner: null,
    token: 0,
    wait: null,
    decisions: [],
    onInvalidRows: 'refuse-file',
    whole: null,
    sandbox: true,
    rows,
    content: null,
    acceptedAt: '2026-11-20T08:30:00.000Z',
    finished: null,
    epoch: 1,
  };
}
