// `watch`: takes what is dropped, carries every batch to its end, several at once, and goes on where an earlier process stopped. Nothing here
// decides about money: each batch is carried by the same code as under `run` and `resume`.
import { isoTime } from '../../base/clock.ts';
import { type Words, say } from '../../base/language.ts';
import type { Log } from '../../base/log.ts';
import { waitsForAnswer } from '../../ledger/approval.ts';
import { takeApprovalFile } from '../workflow/approval/take-approval-file.ts';
import type { BatchResult } from '../workflow/work.ts';
import type { Paydrop } from '../parts.ts';
import { describeError } from '../parts/describe-error.ts';
import { DaemonNotes, waitingInbox } from '../parts/daemon-note.ts';
import { InboxWatch, type ReadyFile } from '../workflow/take/ready-files.ts';
import { removeOld } from '../workflow/close/remove-old.ts';
import { resumeBatch } from '../workflow/process-batch.ts';
import { SILENT_VIEW, type RunControl } from '../parts/run-options.ts';
import { StandingFiles } from '../intake/standing-files.ts';
import { askedDifference } from '../parts/wait-for-service.ts';
import { nextTimeIn } from '../workflow/await-time.ts';
import { notifyFault } from '../notify/notify.ts';
import { asideTask, isTakenAside, mayBeTakenAside, Slots } from '../intake/slots.ts';
import { type ConfigReload, obeyConfig, refusedWords, restartWords } from './config-reload.ts';
import { InboxPresence } from '../intake/watch-inbox.ts';
import { isOver, Later, type Listener, Told } from '../intake/reported-once.ts';
import { type DaemonCalls, hasWork, LedgerPatience, lookBack, unfinishedBatches } from './unfinished.ts';
import { takeDropped, takeOrphans, type TakenDrop } from '../intake/take-dropped.ts';
import type { TakeBeside } from '../intake/uploads.ts';

export type DaemonOptions = Listener & {
  readonly signal: AbortSignal;
  /** Given what to call when something may have changed in the inbox; the next look comes by itself all the same. */
  readonly onStart?: (calls: DaemonCalls) => void;
  /** Looks whether the config was changed on disk; without it the config of the start holds. */
  readonly reload?: Pick<ConfigReload, 'look'>;
};

/** Batches that wait for their final statuses cost little; beyond so many they are looked at now and then instead of waited for. */
const FOLLOWED_MOST = 100;

/** Between two looks, whatever happens. */
const LOOK_LEAST_MS = 250;

/** How long one go at a batch waits for final statuses, funds or the service before the next look at it. */
const GO_MS = 60_000;

/** A batch that could not be carried on is tried again after this. */
const AGAIN_MS = 30_000;

/** The look at closed batches among the tasks; no batch is called so. */
const LOOK_BACK = 'closed batches';

/** The look for claims that a kill left behind. */
const ORPHANS = 'orphaned claims';

/** The removal of what is old, and how often: ages are counted in days. */
const TIDY_UP = 'old batches';
const TIDY_UP_EVERY_MS = 3_600_000;

/** The first look at what has ended is due after an hour: a minute more is no matter. */
const LOOK_BACK_EVERY_MS = 60_000;

/** Runs until the signal fires; gives whether anything is left to do. */
export async function watch(paydrop: Paydrop, options: DaemonOptions): Promise<{ readonly isDone: boolean }> {
  return new Daemon(paydrop, options).run();
}

class Daemon {
  #paydrop: Paydrop;
  readonly #options: DaemonOptions;
  readonly #signal: AbortSignal;
  readonly #log: Log;
  readonly #inbox: InboxWatch;
  readonly #standing: StandingFiles;
  readonly #presence: InboxPresence;
  readonly #patience: LedgerPatience;
  readonly #note: DaemonNotes;
  readonly #slots = new Slots();
  readonly #tasks = new Map<string, Promise<void>>();
  readonly #later: Later;
  readonly #told: Told;
  /** Until the first of the batches that wait for their time is to be paid, as of this look. */
  #nextTimeInMs = Infinity;
  /** Batches that waited for an approval when they were left: once that is given or refused, by whomever, they are due at once. */
  readonly #unanswered = new Set<string>();
  #drops = 0;
  /** Configs that were obeyed so far: what began under one of before is tried at once under the next. */
  #configs = 0;
  /** Aborted by whatever may be a reason to look; what happens during a look is so not slept over. */
  #woken = new AbortController();

  constructor(paydrop: Paydrop, options: DaemonOptions) {
    this.#paydrop = paydrop;
    this.#options = options;
    this.#log = paydrop.log;
    const { workspace, ledger, clock } = paydrop;
    this.#signal = AbortSignal.any([options.signal, ledger.runs.ended]);
    this.#told = new Told(options);
    this.#note = new DaemonNotes(ledger, isoTime(clock.now()));
    this.#later = new Later(clock);
    this.#inbox = new InboxWatch(paydrop);
    this.#presence = new InboxPresence(workspace);
    this.#standing = new StandingFiles(paydrop);
    this.#patience = new LedgerPatience(paydrop, this.#signal, (words) => this.#tellOfOwn('ledger', words));
  }

  async run(): Promise<{ readonly isDone: boolean }> {
    const signal = this.#signal;
    const wake = (): void => this.#woken.abort();
    signal.addEventListener('abort', wake);
    const afterwards = (forget: () => void) => (): void => {
      forget();
      wake();
    };
    const lookBackNow = afterwards(() => this.#later.forget(LOOK_BACK));
    const lookNow = afterwards(() => this.#later.forgetAll());
    this.#paydrop.cluster?.onEnded(afterwards(() => this.#later.forget(ORPHANS)));
    this.#options.onStart?.({ wake, lookNow, takeBeside: this.#takeBeside, lookBackNow });
    while (!signal.aborted) await this.#patience.outlive(() => this.#look());
    signal.removeEventListener('abort', wake);
    await Promise.allSettled(this.#tasks.values());
    if (this.#paydrop.ledger.runs.ended.aborted) return { isDone: false };
    const isDone = await this.#patience.outlive(async () => {
      await this.#paydrop.ledger.runs.tell(null);
      return (await unfinishedBatches(this.#paydrop)).length === 0;
    });
    return { isDone: isDone ?? false };
  }

  async #look(): Promise<void> {
    this.#obeyChangedConfig();
    this.#later.forgetPast();
    await this.#takeOrphans();
    await this.#goOn();
    this.#inRounds(LOOK_BACK, LOOK_BACK_EVERY_MS, () => lookBack(this.#paydrop, this.#control(), this.#told));
    this.#inRounds(TIDY_UP, TIDY_UP_EVERY_MS, () => removeOld(this.#paydrop));
    const isBusy = await this.#takeReady();
    await this.#rest(isBusy);
  }

  #obeyChangedConfig(): void {
    const reload = this.#options.reload?.look() ?? null;
    if (reload === null) return;
    if ('refused' in reload) {
      this.#tellOfOwn('config', refusedWords(reload.refused));
      return;
    }
    const { config, obeyed, afterRestart } = reload;
    this.#paydrop = obeyConfig(this.#paydrop, config);
    this.#inbox.use(this.#paydrop);
    this.#standing.use(this.#paydrop);
    this.#later.forgetAll();
    this.#configs += 1;
    if (obeyed.length > 0) this.#log.info('config reloaded', { reason: obeyed.join(' ') });
    this.#tellOfOwn('config', afterRestart.length === 0 ? null : restartWords(afterRestart));
  }

  /** The log has no word of anybody's file. */
  #tellOfOwn(what: Parameters<Told['own']>[0], words: Words | null): void {
    if (this.#told.own(what, words, this.#paydrop.config.language)) this.#log.warn(`${what} needs somebody`);
  }

  /** Takes every file that is ready; true when others are settling. */
  async #takeReady(): Promise<boolean> {
    const inboxLook = await this.#presence.look(() => this.#inbox.look());
    this.#tellOfOwn('inbox', inboxLook.fault);
    if (inboxLook.fault !== null) return false;
    const { ready, waiting, standing, approvals, later } = inboxLook.seen;
    for (const path of approvals) await this.#orLater(path, () => this.#approve(path));
    this.#told.files(waiting);
    this.#paydrop.meter.looked(ready.length + waiting.length + later);
    this.#tellOfOwn('clock', await askedDifference(this.#paydrop));
    for (const drop of await this.#standing.look(standing, this.#options.onTrouble)) this.#carry(drop, 0);
    const left = new Set(ready);
    for (const file of ready) {
      if (this.#signal.aborted) break;
      if (!this.#slots.isFree(file.rows)) continue;
      left.delete(file);
      const needed = new Set([...left, ...waiting, ...standing].flatMap(({ documents }) => documents));
      if (isTakenAside(file)) this.#takeAside(file);
      else await this.#take(file, needed);
    }
    const inbox = waitingInbox(waiting, left);
    await this.#note.write(this.#paydrop.config, this.#told.said('config'), inbox);
    return later > 0 || waiting.some(({ why }) => why === 'settling' || why === 'unfinished');
  }

  readonly #takeBeside: TakeBeside = (name, take) => {
    this.#startAside(asideTask({ path: name }), async () => {
      const drop = await take();
      if (drop !== null) this.#carry(drop, 0);
    });
  };

  #takeAside(file: ReadyFile): void {
    const id = asideTask(file);
    if (this.#tasks.has(id)) return;
    this.#slots.take(id, file.rows);
    this.#startAside(id, () => this.#take(file, new Set()));
  }

  async #take(file: ReadyFile, needed: ReadonlySet<string>): Promise<void> {
    await this.#orLater(file.path, async () => {
      const drop = await takeDropped(this.#paydrop, file, (document) => needed.has(document));
      if (drop !== null) this.#carry(drop, file.rows);
    });
  }

  /** What it approves is looked at next, and not at the next full look. */
  async #approve(path: string): Promise<void> {
    await takeApprovalFile(this.#paydrop, path);
    this.#woken.abort();
  }

  /** A file that cannot be taken now is tried again after a while. */
  async #orLater(path: string, take: () => Promise<void>): Promise<void> {
    if (this.#later.isEarly(path)) return;
    try {
      await take();
    } catch (error) {
      if (this.#patience.mustWait(error)) throw error;
      this.#later.after(path, AGAIN_MS);
      this.#trouble(error);
    }
  }

  readonly #trouble = (error: unknown): void => {
    this.#options.onTrouble(say(describeError(error).words, this.#paydrop.config.language));
    void notifyFault(this.#paydrop, error);
  };

  #carry({ batch, carry }: TakenDrop, rows: number): void {
    this.#startSending(batch ?? `drop ${String(++this.#drops)}`, rows, carry);
  }

  /** What a kill has left behind, of this process' predecessor or of another one. */
  async #takeOrphans(): Promise<void> {
    if (!this.#later.isTime(ORPHANS, LOOK_BACK_EVERY_MS)) return;
    for (const drop of await takeOrphans(this.#paydrop, this.#trouble)) this.#carry(drop, 0);
  }

  /** Every batch that is not finished and that nobody carries. */
  async #goOn(): Promise<void> {
    const batches = await unfinishedBatches(this.#paydrop);
    this.#nextTimeInMs = nextTimeIn(batches, this.#paydrop.clock.now());
    for (const batch of batches) {
      const { id, rows } = batch;
      if (mayBeTakenAside(batch, this.#paydrop.ledger.run, this.#tasks.keys())) continue;
      const isAnswered = this.#unanswered.has(id) && !waitsForAnswer(batch);
      const isEarly = this.#later.isEarly(id) && !isAnswered;
      if (!this.#slots.isFree(rows) || this.#tasks.has(id) || isEarly) continue;
      if (!(await hasWork(this.#paydrop, batch, GO_MS, this.#standing))) continue;
      this.#unanswered.delete(id);
      this.#startSending(id, rows, (control) => resumeBatch(this.#paydrop, id, control));
    }
  }

  /** One after the other, and beside what is to be paid. */
  #inRounds(task: string, everyMs: number, work: () => Promise<unknown>): void {
    if (!this.#tasks.has(task) && this.#later.isTime(task, everyMs)) this.#startAside(task, work);
  }

  #control(onSent: () => void = () => undefined): RunControl {
    const waitMs = this.#tasks.size > FOLLOWED_MOST ? 0 : GO_MS;
    return { waitMs, signal: this.#signal, view: SILENT_VIEW, onSent };
  }

  /** A batch that is only followed holds up nobody: its slot is the next one's. */
  #startSending(id: string, rows: number, work: (control: RunControl) => Promise<BatchResult | null>): void {
    const onSent = (): void => {
      this.#slots.giveBack(id);
      this.#woken.abort();
    };
    this.#slots.take(id, rows);
    this.#start(id, () => work(this.#control(onSent)));
  }

  #startAside(id: string, work: () => Promise<unknown>): void {
    this.#start(id, () => work().then(() => null));
  }

  #start(id: string, work: () => Promise<BatchResult | null>): void {
    const configs = this.#configs;
    const again = (): void => {
      if (configs === this.#configs) this.#later.after(id, AGAIN_MS);
    };
    const task = work()
      .then((result) => {
        if (result === null) return;
        this.#told.batch(id, result);
        if (result.summary.waitingFor === 'approval') this.#unanswered.add(id);
        if (!isOver(result)) again();
      })
      .catch((error: unknown) => {
        if (this.#patience.mustWait(error)) return;
        again();
        const reason = error instanceof Error ? error.name : 'unknown';
        this.#log.error('batch failed', { batch: id, reason });
        this.#trouble(error);
      })
      .finally(() => {
        this.#tasks.delete(id);
        this.#slots.giveBack(id);
        this.#woken.abort();
      });
    this.#tasks.set(id, task);
  }

  /** Until something happens in the inbox, a batch ends, or the next full look is due. */
  async #rest(isBusy: boolean): Promise<void> {
    const { clock, config } = this.#paydrop;
    const atRest = Math.min(config.intake.scanEvery, this.#nextTimeInMs);
    const ms = Math.max(LOOK_LEAST_MS, isBusy ? config.intake.settleFor / 2 : atRest);
    // An upload tells of itself with every piece of it.
    await clock.sleep(LOOK_LEAST_MS, this.#signal);
    await clock.sleep(ms - LOOK_LEAST_MS, this.#woken.signal);
    this.#woken = new AbortController();
  }
}
