// `watch`: takes what is dropped, carries every batch to its end, several at once, and goes on where an earlier process stopped. Nothing here
// decides about money: each batch is carried by the same code as under `run` and `resume`.
import type { Log } from '../base/log.ts';
import { SETTLED, STAGES } from '../payouts/lifecycle.ts';
import { waitsForAnswer } from '../ledger/approval.ts';
import { isOtherRunHere } from '../ledger/open-ledger.ts';
import type { BatchRecord } from '../ledger/records.ts';
import { takeApprovalFile } from './approval/take-approval-file.ts';
import type { BatchResult } from './batch-result.ts';
import type { Paydrop } from './compose.ts';
import { describeError } from './describe-error.ts';
import { InboxWatch, type ReadyFile, type WaitingFile } from './watch/inbox-watch.ts';
import { resumeBatch } from './resume-batches.ts';
import type { RunControl } from './run-options.ts';
import { takeDropped, takeOrphans, type TakenDrop } from './watch/take-dropped.ts';

export type DaemonOptions = {
  readonly signal: AbortSignal;
  /** Given what to call when something may have changed in the inbox; the next look comes by itself all the same. */
  readonly onStart?: (wake: () => void) => void;
  readonly onResult: (result: BatchResult) => void;
  readonly onWaiting: (file: WaitingFile) => void;
  /** Something that a person has to mend; it is tried again by itself. */
  readonly onTrouble: (words: string) => void;
};

/** Batches that are read, priced and paid at the same time; more would only share the same calls. */
const BATCHES_MOST = 16;

/** Between two looks, whatever happens. */
const LOOK_LEAST_MS = 250;

/** How long one go at a batch waits for final statuses, funds or the service before the next look at it. */
const GO_MS = 60_000;

/** A batch that could not be carried on is tried again after this. */
const AGAIN_MS = 30_000;

/** The look at closed batches among the tasks; no batch is called so. */
const LOOK_BACK = 'closed batches';

/** The first look at what has ended is due after an hour: a minute more is no matter. */
const LOOK_BACK_EVERY_MS = 60_000;

/** What has no more work for now is waited for; everything else goes on. */
const UNSETTLED = STAGES.filter((stage) => !SETTLED.has(stage));

const SILENT_VIEW: RunControl['view'] = {
  start: () => undefined,
  settled: () => undefined,
  end: () => undefined,
};

/** Runs until the signal fires; gives whether anything is left to do. */
export async function watch(paydrop: Paydrop, options: DaemonOptions): Promise<{ readonly isDone: boolean }> {
  return new Daemon(paydrop, options).run();
}

class Daemon {
  readonly #paydrop: Paydrop;
  readonly #options: DaemonOptions;
  readonly #log: Log;
  readonly #inbox: InboxWatch;
  readonly #control: RunControl;
  readonly #tasks = new Map<string, Promise<void>>();
  /** When a batch that could not be carried on is looked at again. */
  readonly #notBefore = new Map<string, number>();
  /** What its owner was told about each file, so that it is told once. */
  readonly #told = new Map<string, string>();
  /** Batches that waited for an approval when they were left: once that is given or refused, by whomever, they are due at once. */
  readonly #unanswered = new Set<string>();
  #drops = 0;
  /** Aborted by whatever may be a reason to look; what happens during a look is so not slept over. */
  #woken = new AbortController();

  constructor(paydrop: Paydrop, options: DaemonOptions) {
    this.#paydrop = paydrop;
    this.#options = options;
    this.#log = paydrop.log;
    this.#inbox = new InboxWatch(paydrop);
    this.#control = { waitMs: GO_MS, signal: options.signal, view: SILENT_VIEW };
  }

  async run(): Promise<{ readonly isDone: boolean }> {
    const { signal } = this.#options;
    const wake = (): void => this.#woken.abort();
    signal.addEventListener('abort', wake);
    this.#options.onStart?.(wake);
    for (const drop of await takeOrphans(this.#paydrop)) this.#carry(drop);
    while (!signal.aborted) {
      await this.#goOn();
      this.#lookBack();
      const isBusy = await this.#takeReady();
      await this.#rest(isBusy);
    }
    signal.removeEventListener('abort', wake);
    await Promise.allSettled(this.#tasks.values());
    return { isDone: (await this.#unfinished()).length === 0 };
  }

  /** Takes every file that is ready; true when others are settling. */
  async #takeReady(): Promise<boolean> {
    const { ready, waiting, approvals } = await this.#inbox.look();
    for (const path of approvals) await this.#orLater(path, () => this.#approve(path));
    this.#tell(waiting);
    for (const [index, file] of ready.entries()) {
      if (this.#options.signal.aborted || this.#tasks.size >= BATCHES_MOST) return true;
      const others = [...ready.slice(index + 1), ...waiting];
      const needed = new Set(others.flatMap(({ documents }) => documents));
      await this.#take(file, needed);
    }
    return waiting.some(({ why }) => why === 'settling' || why === 'unfinished');
  }

  async #take(file: ReadyFile, needed: ReadonlySet<string>): Promise<void> {
    await this.#orLater(file.path, async () => {
      const drop = await takeDropped(this.#paydrop, file, (document) => needed.has(document));
      if (drop !== null) this.#carry(drop);
    });
  }

  /** What it approves is looked at next, and not at the next full look. */
  async #approve(path: string): Promise<void> {
    await takeApprovalFile(this.#paydrop, path);
    this.#woken.abort();
  }

  /** A file that cannot be taken now is tried again after a while. */
  async #orLater(path: string, take: () => Promise<void>): Promise<void> {
    const { clock } = this.#paydrop;
    if ((this.#notBefore.get(path) ?? 0) > clock.monotonic()) return;
    try {
      await take();
    } catch (error) {
      this.#notBefore.set(path, clock.monotonic() + AGAIN_MS);
      this.#options.onTrouble(describeError(error).words);
    }
  }

  #tell(waiting: readonly WaitingFile[]): void {
    for (const file of waiting) {
      const said = `${file.why} ${file.missing.join()}`;
      if (file.why !== 'settling' && this.#told.get(file.name) !== said) this.#options.onWaiting(file);
      this.#told.set(file.name, said);
    }
  }

  /** A batch that waits comes back every minute, and has something to say only when that is new. */
  #tellResult(id: string, result: BatchResult): void {
    const { state, outcomes } = result.summary;
    const said = JSON.stringify([state, outcomes, result.words]);
    if (this.#told.get(id) !== said) this.#options.onResult(result);
    if (state === 'closed') this.#told.delete(id);
    else this.#told.set(id, said);
  }

  #carry({ batch, carry }: TakenDrop): void {
    this.#drops += 1;
    this.#start(batch ?? `drop ${String(this.#drops)}`, () => carry(this.#control));
  }

  /** Every batch that is not finished and that nobody carries. */
  async #goOn(): Promise<void> {
    const now = this.#paydrop.clock.monotonic();
    for (const batch of await this.#unfinished()) {
      const { id } = batch;
      if (this.#tasks.size >= BATCHES_MOST) return;
      const isEarly =
        (this.#notBefore.get(id) ?? 0) > now && !(this.#unanswered.has(id) && !waitsForAnswer(batch));
      if (this.#tasks.has(id) || isEarly || !(await this.#isDue(id))) continue;
      this.#unanswered.delete(id);
      this.#start(id, () => resumeBatch(this.#paydrop, id, this.#control));
    }
  }

  /** What has ended may be reversed for a while yet: one look after the other, so that it never holds up what is to be paid. */
  #lookBack(): void {
    const now = this.#paydrop.clock.monotonic();
    if (this.#tasks.has(LOOK_BACK) || (this.#notBefore.get(LOOK_BACK) ?? 0) > now) return;
    this.#notBefore.set(LOOK_BACK, now + LOOK_BACK_EVERY_MS);
    this.#start(LOOK_BACK, async () => {
      for (const { id, state } of await this.#paydrop.ledger.batches()) {
        if (this.#options.signal.aborted) break;
        const result = state === 'closed' ? await resumeBatch(this.#paydrop, id, this.#control) : null;
        if (result !== null) this.#options.onResult(result);
      }
      return null;
    });
  }

  async #unfinished(): Promise<readonly BatchRecord[]> {
    const { ledger } = this.#paydrop;
    return (await ledger.batches()).filter(
      ({ state, takenBy, paused }) =>
        state !== 'closed' && state !== 'refused' && !paused && !isOtherRunHere(takenBy, ledger.run),
    );
  }

  /** A batch that only waits for a person has nothing due. */
  async #isDue(id: string): Promise<boolean> {
    const { ledger, clock } = this.#paydrop;
    const batch = await ledger.batch(id);
    // One that was told of something else meanwhile is taken up once more, so that its owner reads what it waits for.
    const isAsked = batch?.waitingFor === 'approval' && waitsForAnswer(batch);
    if (batch?.state !== 'paying') return !isAsked;
    // What was sent before is followed while the rest is not approved.
    const dueAt = await ledger.nextDueAt(id, isAsked ? ['confirmed'] : UNSETTLED);
    if (isAsked && dueAt === null) return false;
    if (dueAt !== null) return dueAt <= clock.now() + GO_MS;
    // Everything is final, and only its answers and its archive were missing when it was left.
    return !(await ledger.stageCounts(id)).has('held');
  }

  #start(id: string, work: () => Promise<BatchResult | null>): void {
    const { clock } = this.#paydrop;
    const task = work()
      .then((result) => {
        if (result === null) return;
        this.#tellResult(id, result);
        if (result.summary.waitingFor === 'approval') this.#unanswered.add(id);
        if (result.summary.state !== 'closed') this.#notBefore.set(id, clock.monotonic() + AGAIN_MS);
      })
      .catch((error: unknown) => {
        this.#notBefore.set(id, clock.monotonic() + AGAIN_MS);
        this.#log.error('batch failed', {
          batch: id,
          reason: error instanceof Error ? error.name : 'unknown',
        });
        this.#options.onTrouble(describeError(error).words);
      })
      .finally(() => {
        this.#tasks.delete(id);
        this.#woken.abort();
      });
    this.#tasks.set(id, task);
  }

  /** Until something happens in the inbox, a batch ends, or the next full look is due. */
  async #rest(isBusy: boolean): Promise<void> {
    const { clock, config } = this.#paydrop;
    const { intake } = config;
    const ms = isBusy ? Math.max(LOOK_LEAST_MS, intake.settleFor / 2) : intake.scanEvery;
    // An upload tells of itself with every piece of it.
    await clock.sleep(LOOK_LEAST_MS, this.#options.signal);
    await clock.sleep(ms - LOOK_LEAST_MS, this.#woken.signal);
    this.#woken = new AbortController();
  }
}
