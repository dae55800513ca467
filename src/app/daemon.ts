// `watch`: takes what is dropped, carries every batch to its end, several at once, and goes on where an earlier process stopped. Nothing here
// decides about money: each batch is carried by the same code as under `run` and `resume`.
import { isoTime } from '../base/clock.ts';
import type { Words } from '../base/language.ts';
import type { Log } from '../base/log.ts';
import type { BatchResult } from './batch-result.ts';
import type { Paydrop } from './compose.ts';
import { describeError } from './describe-error.ts';
import { OwnNote, removeDeadNotes } from './status/watch-note.ts';
import { InboxWatch, type ReadyFile, type WaitingFile } from './watch/inbox-watch.ts';
import { removeOld } from './retention/remove-old.ts';
import { resumeBatch } from './resume-batches.ts';
import type { RunControl } from './run-options.ts';
import { asideTask, isTakenAside, mayBeTakenAside } from './watch/aside.ts';
import type { ConfigReload } from './watch/config-reload.ts';
import { InboxPresence } from './watch/inbox-presence.ts';
import { obeyConfig, refusedWords, restartWords } from './watch/obey-config.ts';
import { Slots } from './watch/slots.ts';
import { isOver, Told, type Listener } from './watch/told.ts';
import { hasWork, unfinishedBatches } from './watch/unfinished.ts';
import { takeDropped, takeOrphans, type TakenDrop } from './watch/take-dropped.ts';

export type DaemonOptions = Listener & {
  readonly signal: AbortSignal;
  /** Given what to call when something may have changed in the inbox; the next look comes by itself all the same. */
  readonly onStart?: (wake: () => void) => void;
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
  #paydrop: Paydrop;
  readonly #options: DaemonOptions;
  readonly #log: Log;
  readonly #inbox: InboxWatch;
  readonly #presence: InboxPresence;
  readonly #note: OwnNote;
  readonly #since: string;
  readonly #slots = new Slots();
  readonly #tasks = new Map<string, Promise<void>>();
  /** When a batch that could not be carried on is looked at again. */
  readonly #notBefore = new Map<string, number>();
  readonly #told: Told;
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
    this.#note = new OwnNote(workspace.root, ledger.run);
    this.#since = isoTime(clock.now());
    this.#told = new Told(options);
    this.#inbox = new InboxWatch(paydrop);
    this.#presence = new InboxPresence(workspace.inbox);
  }

  async run(): Promise<{ readonly isDone: boolean }> {
    const { signal } = this.#options;
    const wake = (): void => this.#woken.abort();
    signal.addEventListener('abort', wake);
    this.#options.onStart?.(wake);
    await removeDeadNotes(this.#paydrop.workspace.root, this.#paydrop.ledger.run);
    while (!signal.aborted) {
      this.#obeyChangedConfig();
      this.#forgetPast();
      await this.#takeOrphans();
      await this.#goOn();
      this.#lookBack();
      this.#tidyUp();
      const isBusy = await this.#takeReady();
      await this.#rest(isBusy);
    }
    signal.removeEventListener('abort', wake);
    await Promise.allSettled(this.#tasks.values());
    await this.#note.remove();
    return { isDone: (await unfinishedBatches(this.#paydrop)).length === 0 };
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
    // Whatever waited may have waited for this.
    this.#notBefore.clear();
    this.#configs += 1;
    if (obeyed.length > 0) this.#log.info('config reloaded', { reason: obeyed.join(' ') });
    this.#tellOfOwn('config', afterRestart.length === 0 ? null : restartWords(afterRestart));
  }

  /** The log has no word of anybody's file. */
  #tellOfOwn(what: 'config' | 'inbox', words: Words | null): void {
    if (this.#told.own(what, words, this.#paydrop.config.language)) this.#log.warn(`${what} needs somebody`);
  }

  /** Takes every file that is ready; true when others are settling. */
  async #takeReady(): Promise<boolean> {
    const fault = await this.#presence.fault();
    this.#tellOfOwn('inbox', fault);
    if (fault !== null) return false;
    const { ready, waiting } = await this.#inbox.look();
    this.#told.files(waiting);
    const left = new Set(ready);
    for (const file of ready) {
      if (this.#options.signal.aborted) break;
      if (!this.#slots.isFree(file.rows)) continue;
      left.delete(file);
      const needed = new Set([...left, ...waiting].flatMap(({ documents }) => documents));
      if (isTakenAside(file)) this.#takeAside(file);
      else await this.#take(file, needed);
    }
    await this.#writeNote(left, waiting);
    return waiting.some(({ why }) => why === 'settling' || why === 'unfinished');
  }

  /** For `status`, which could only guess. */
  async #writeNote(left: ReadonlySet<ReadyFile>, waiting: readonly WaitingFile[]): Promise<void> {
    const inbox = [
      ...waiting.filter(({ why }) => why !== 'settling'),
      ...[...left].map(({ name }) => ({ name, why: 'turn' as const, missing: [], until: null })),
    ].map(({ name, why, missing, until }) => ({ name, why, missing, until }));
    const config = this.#told.said('config');
    await this.#note.write({ run: this.#paydrop.ledger.run, since: this.#since, config, inbox });
  }

  #takeAside(file: ReadyFile): void {
    const id = asideTask(file);
    if (this.#tasks.has(id)) return;
    this.#slots.take(id, file.rows);
    this.#start(id, async () => {
      await this.#take(file, new Set());
      return null;
    });
  }

  async #take(file: ReadyFile, needed: ReadonlySet<string>): Promise<void> {
    const { clock } = this.#paydrop;
    if ((this.#notBefore.get(file.path) ?? 0) > clock.monotonic()) return;
    try {
      const drop = await takeDropped(this.#paydrop, file, (document) => needed.has(document));
      if (drop !== null) this.#carry(drop, file.rows);
    } catch (error) {
      this.#notBefore.set(file.path, clock.monotonic() + AGAIN_MS);
      this.#options.onTrouble(describeError(error).words);
    }
  }

  #carry({ batch, carry }: TakenDrop, rows: number): void {
    this.#drops += 1;
    this.#startSending(batch ?? `drop ${String(this.#drops)}`, rows, carry);
  }

  /** What a kill has left behind, of this process' predecessor or of another one. */
  async #takeOrphans(): Promise<void> {
    if (!this.#isTime(ORPHANS, LOOK_BACK_EVERY_MS)) return;
    for (const drop of await takeOrphans(this.#paydrop)) this.#carry(drop, 0);
  }

  /** Every batch that is not finished and that nobody carries. */
  async #goOn(): Promise<void> {
    const now = this.#paydrop.clock.monotonic();
    for (const batch of await unfinishedBatches(this.#paydrop)) {
      const { id, rows } = batch;
      if (mayBeTakenAside(batch, this.#paydrop.ledger.run, this.#tasks.keys())) continue;
      if (!this.#slots.isFree(rows) || this.#tasks.has(id) || (this.#notBefore.get(id) ?? 0) > now) continue;
      if (!(await hasWork(this.#paydrop, id, GO_MS))) continue;
      this.#startSending(id, rows, (control) => resumeBatch(this.#paydrop, id, control));
    }
  }

  /** What has ended may be reversed for a while yet: one look after the other, so that it never holds up what is to be paid. */
  #lookBack(): void {
    if (this.#tasks.has(LOOK_BACK) || !this.#isTime(LOOK_BACK, LOOK_BACK_EVERY_MS)) return;
    const { ledger, clock } = this.#paydrop;
    this.#start(LOOK_BACK, async () => {
      for (const { id, state } of await ledger.batchesToLookAt(clock.now())) {
        if (this.#options.signal.aborted) break;
        const control = this.#control();
        const result = state === 'closed' ? await resumeBatch(this.#paydrop, id, control) : null;
        if (result !== null) this.#told.batch(id, result);
      }
      return null;
    });
  }

  #tidyUp(): void {
    if (this.#tasks.has(TIDY_UP) || !this.#isTime(TIDY_UP, TIDY_UP_EVERY_MS)) return;
    this.#start(TIDY_UP, async () => {
      await removeOld(this.#paydrop);
      return null;
    });
  }

  /** True once in so long a time. */
  #isTime(what: string, everyMs: number): boolean {
    const now = this.#paydrop.clock.monotonic();
    if ((this.#notBefore.get(what) ?? 0) > now) return false;
    this.#notBefore.set(what, now + everyMs);
    return true;
  }

  /** Times that have come stand for nothing any more; for months they would add up. */
  #forgetPast(): void {
    const now = this.#paydrop.clock.monotonic();
    for (const [what, at] of this.#notBefore) if (at <= now) this.#notBefore.delete(what);
  }

  #control(onSent: () => void = () => undefined): RunControl {
    const waitMs = this.#tasks.size > FOLLOWED_MOST ? 0 : GO_MS;
    return { waitMs, signal: this.#options.signal, view: SILENT_VIEW, onSent };
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

  #start(id: string, work: () => Promise<BatchResult | null>): void {
    const { clock } = this.#paydrop;
    const configs = this.#configs;
    const again = (): void => {
      if (configs === this.#configs) this.#notBefore.set(id, clock.monotonic() + AGAIN_MS);
    };
    const task = work()
      .then((result) => {
        if (result === null) return;
        this.#told.batch(id, result);
        if (!isOver(result)) again();
      })
      .catch((error: unknown) => {
        again();
        this.#log.error('batch failed', {
          batch: id,
          reason: error instanceof Error ? error.name : 'unknown',
        });
        this.#options.onTrouble(describeError(error).words);
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
    const { intake } = config;
    const ms = isBusy ? Math.max(LOOK_LEAST_MS, intake.settleFor / 2) : intake.scanEvery;
    // An upload tells of itself with every piece of it.
    await clock.sleep(LOOK_LEAST_MS, this.#options.signal);
    await clock.sleep(ms - LOOK_LEAST_MS, this.#woken.signal);
    this.#woken = new AbortController();
  }
}
