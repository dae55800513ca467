// `watch`: takes dropped files, carries every batch to its end, several at once, and goes on where an earlier process stopped. Nothing here
// decides about money: the same code as under `run` and `resume` carries each batch.
import { isoTime } from '../../base/clock.ts';
import { type Words, say } from '../../base/language.ts';
import type { Log } from '../../base/log.ts';
import { waitsForAnswer } from '../../ledger/approval.ts';
import { takeApprovalFile } from '../workflow/approval/take-approval-file.ts';
import type { BatchResult } from '../workflow/batch/work.ts';
import { sentence } from '../../messages/messages.ts';
import type { Paydrop } from '../parts.ts';
import { describeError } from '../parts/describe-error.ts';
import { DaemonNotes, waitingInbox } from '../parts/daemon-note.ts';
import { InboxWatch, type ReadyFile } from '../workflow/ready-files.ts';
import { removeOld } from '../parts/remove-old.ts';
import { resumeBatch } from '../workflow/process-batch.ts';
import { SILENT_VIEW, type RunControl } from '../parts/run-options.ts';
import { StandingFiles } from '../intake/standing-files.ts';
import { askedDifference } from '../parts/wait-for-service.ts';
import { nextTimeIn } from '../workflow/batch/await-time.ts';
import { notifyFault, WatchedTrouble } from '../notify/notify.ts';
import { asideTask, isTakenAside, LookTime, mayBeTakenAside, type Sized, Slots } from '../intake/slots.ts';
import { type ConfigReload, obeyConfig, refusedWords, restartWords } from './config-reload.ts';
import { InboxPresence } from '../intake/watch-inbox.ts';
import { isOver, Later, type Listener, ReportedOnce } from '../intake/reported-once.ts';
import { type DaemonCalls, hasWork, LedgerPatience, lookBack, unfinishedBatches } from './unfinished.ts';
import { type TakeBeside, takeDropped, type TakenDrop, takeOrphans } from '../intake/take-dropped.ts';

export type DaemonOptions = Listener & {
  readonly signal: AbortSignal;
  /** Receives functions to call when something may have changed in the inbox; the next look comes by itself all the same. */
  readonly onStart?: (calls: DaemonCalls) => void;
  /** Checks whether the config has changed on disk; without it, the config of the start stays. */
  readonly reload?: Pick<ConfigReload, 'look'>;
};

/** Batches that wait for final statuses cost little. Beyond this many, they are looked at now and then instead of being followed. */
const FOLLOWED_MOST = 100;

/** The least time between two looks. */
const LOOK_LEAST_MS = 250;

/** How long one go at a batch waits for final statuses, funds or the service before the next look at it. */
const GO_MS = 60_000;

/** The pause before a batch that failed to go on is tried again. */
const AGAIN_MS = 30_000;

/** The name of the look at closed batches among the tasks; no batch has this name. */
const LOOK_BACK = 'closed batches';

/** The name of the look for claims that a kill left behind. */
const ORPHANS = 'orphaned claims';

/** The name of the removal of old batches, and its interval: ages are counted in days. */
const TIDY_UP = 'old batches';
const TIDY_UP_EVERY_MS = 3_600_000;

/** The first look at a closed batch is due after an hour, so a minute more does not matter. */
const LOOK_BACK_EVERY_MS = 60_000;

/** Runs until the signal fires; returns whether any work is left. */
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
  readonly #inboxTrouble: WatchedTrouble;
  readonly #patience: LedgerPatience;
  readonly #note: DaemonNotes;
  readonly #slots = new Slots();
  readonly #tasks = new Map<string, Promise<void>>();
  readonly #later: Later;
  readonly #told: ReportedOnce;
  /** The time until the first scheduled batch is to be paid, as of this look. */
  #nextTimeInMs = Infinity;
  /** Batches that waited for an approval when this process left them: once anybody approves or declines, they are due at once. */
  readonly #unanswered = new Set<string>();
  #drops = 0;
  /** How many configs have been in use so far: work that was put off under an earlier one is tried at once under the next. */
  #configs = 0;
  /** Aborted by every reason to look, so that the daemon does not sleep through an event that came during a look. */
  #woken = new AbortController();

  constructor(paydrop: Paydrop, options: DaemonOptions) {
    this.#paydrop = paydrop;
    this.#options = options;
    this.#log = paydrop.log;
    const { workspace, ledger, clock } = paydrop;
    this.#signal = AbortSignal.any([options.signal, ledger.runs.ended]);
    this.#told = new ReportedOnce(options);
    this.#note = new DaemonNotes(ledger, isoTime(clock.now()));
    this.#later = new Later(clock);
    this.#inbox = new InboxWatch(paydrop);
    this.#presence = new InboxPresence(workspace);
    this.#inboxTrouble = new WatchedTrouble('inbox', {
      headline: sentence('notifyTrouble.inboxBack'),
      line: sentence('inboxPresence.back', { inbox: workspace.inbox }),
    });
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

  /** The log gets no words about anybody's file. */
  #tellOfOwn(what: Parameters<ReportedOnce['own']>[0], words: Words | null): void {
    if (this.#told.own(what, words, this.#paydrop.config.language)) this.#log.warn(`${what} needs somebody`);
  }

  /** Takes files that are ready; true when some are left, or others are still settling. */
  async #takeReady(): Promise<boolean> {
    const time = new LookTime(this.#paydrop.clock);
    const inboxLook = await this.#presence.look(() => this.#inbox.look());
    this.#tellOfOwn('inbox', inboxLook.fault);
    this.#paydrop.meter.inbox(inboxLook.fault);
    await this.#inboxTrouble.look(this.#paydrop, inboxLook.fault);
    if (inboxLook.fault !== null) {
      await this.#note.write(this.#paydrop.config, this.#told.said('config'), [], this.#told.said('inbox'));
      return false;
    }
    const { ready, waiting, standing, approvals, later } = inboxLook.seen;
    for (const path of approvals) await this.#orLater(path, () => this.#approve(path));
    this.#told.files(waiting);
    this.#paydrop.meter.looked(ready.length + waiting.length + later);
    this.#tellOfOwn('clock', await askedDifference(this.#paydrop));
    for (const drop of await this.#standing.look(standing, this.#options.onTrouble)) this.#carry(drop);
    const left = new Set(ready);
    for (const file of ready) {
      if (this.#signal.aborted) break;
      if (!this.#slots.isFree(file)) continue;
      if (time.isUpFor(file)) break;
      left.delete(file);
      const needed = new Set([...left, ...waiting, ...standing].flatMap(({ documents }) => documents));
      if (isTakenAside(file)) this.#takeAside(file);
      else await this.#take(file, needed);
    }
    const inbox = waitingInbox(waiting, left);
    await this.#note.write(this.#paydrop.config, this.#told.said('config'), inbox);
    const isSettling = waiting.some(({ why }) => why === 'settling' || why === 'unfinished');
    return time.isUp || later > 0 || isSettling;
  }

  readonly #takeBeside: TakeBeside = (name, take) => {
    this.#startAside(asideTask({ path: name }), async () => {
      const drop = await take();
      if (drop !== null) this.#carry(drop);
    });
  };

  #takeAside(file: ReadyFile): void {
    const id = asideTask(file);
    if (this.#tasks.has(id)) return;
    this.#slots.take(id, file);
    this.#startAside(id, () => this.#take(file, new Set()));
  }

  async #take(file: ReadyFile, needed: ReadonlySet<string>): Promise<void> {
    await this.#orLater(file.path, async () => {
      const drop = await takeDropped(this.#paydrop, file, (document) => needed.has(document));
      if (drop !== null) this.#carry(drop, file);
    });
  }

  /** The batch that it approves is looked at next, not only at the next full look. */
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

  #carry({ batch, carry }: TakenDrop, sized: Sized = { rows: 0 }): void {
    this.#startSending(batch ?? `drop ${String(++this.#drops)}`, sized, carry);
  }

  /** Takes over what a kill has left behind, whether of this process's predecessor or of another. */
  async #takeOrphans(): Promise<void> {
    if (!this.#later.isTime(ORPHANS, LOOK_BACK_EVERY_MS)) return;
    for (const drop of await takeOrphans(this.#paydrop, this.#trouble)) this.#carry(drop);
  }

  /** Goes on with every unfinished batch that nobody carries. */
  async #goOn(): Promise<void> {
    const batches = await unfinishedBatches(this.#paydrop);
    this.#nextTimeInMs = nextTimeIn(batches, this.#paydrop.clock.now());
    for (const batch of batches) {
      const { id } = batch;
      if (mayBeTakenAside(batch, this.#paydrop.ledger.run, this.#tasks.keys())) continue;
      const isAnswered = this.#unanswered.has(id) && !waitsForAnswer(batch);
      const isEarly = this.#later.isEarly(id) && !isAnswered;
      if (!this.#slots.isFree(batch) || this.#tasks.has(id) || isEarly) continue;
      if (!(await hasWork(this.#paydrop, batch, GO_MS, this.#standing))) continue;
      this.#unanswered.delete(id);
      this.#startSending(id, { rows: batch.rows }, (control) => resumeBatch(this.#paydrop, id, control));
    }
  }

  /** Repeats the work at intervals, one run after the other, in parallel with the payments. */
  #inRounds(task: string, everyMs: number, work: () => Promise<unknown>): void {
    if (!this.#tasks.has(task) && this.#later.isTime(task, everyMs)) this.#startAside(task, work);
  }

  #control(onSent: () => void = () => undefined): RunControl {
    const waitMs = this.#tasks.size > FOLLOWED_MOST ? 0 : GO_MS;
    return { waitMs, signal: this.#signal, view: SILENT_VIEW, onSent, isRound: true };
  }

  /** A batch that is only followed delays nobody: its slot goes to the next one. */
  #startSending(id: string, sized: Sized, work: (control: RunControl) => Promise<BatchResult | null>): void {
    const onSent = (): void => {
      this.#slots.giveBack(id);
      this.#woken.abort();
    };
    this.#slots.take(id, sized);
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

  /** Sleeps until something happens in the inbox, a batch ends, or the next full look is due. */
  async #rest(isBusy: boolean): Promise<void> {
    const { clock, config } = this.#paydrop;
    const atRest = Math.min(config.intake.scanEvery, this.#nextTimeInMs);
    const ms = Math.max(LOOK_LEAST_MS, isBusy ? config.intake.settleFor / 2 : atRest);
    // An upload wakes the daemon with every piece that is written.
    await clock.sleep(LOOK_LEAST_MS, this.#signal);
    await clock.sleep(ms - LOOK_LEAST_MS, this.#woken.signal);
    this.#woken = new AbortController();
  }
}
