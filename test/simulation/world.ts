// One schedule from its first moment to the last: the batch, the processes that carry it, their troubles, and the quiet after it.
import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';

import type { Clock } from '../../src/base/clock.ts';
import type { Machine } from '../../src/ledger/runs.ts';
import { SqliteLedger } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import { SETTLED } from '../../src/payouts/lifecycle.ts';
import { stageOrHeld, type Tenure } from '../../src/payouts/progress.ts';
import type { AskedRow } from '../invariants/asked-row.ts';
import type { Entry, Journal } from '../invariants/journal.ts';
import { processAt } from '../ledger/machines.ts';
import { askingAtOnce } from './asking.ts';
import { Conclusions } from './conclusions.ts';
import { closedList, type ClosedList } from './closed-list.ts';
import {
  copyOf,
  epochIn,
  factsIn,
  idIn,
  openDatabase,
  recordsIn,
  restore,
  wipe,
  type Copy,
} from './ledger-copy.ts';
import { lifeTools } from './life-tools.ts';
import { errorWords } from './error-words.ts';
import { Life } from './life.ts';
import { makeRow, type MadeRow } from './make-rows.ts';
import { MESSAGE, MessageBatch, messageOf } from './message-batch.ts';
import { ModelService } from './model-service.ts';
import { mortalLedger } from './mortal-ledger.ts';
import { Network } from './network.ts';
import { deathAt, scheduleDecisions } from './person.ts';
import { drawPlan, isCalm, type Plan } from './plan.ts';
import { randomOf, type Random } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { BATCH, register, session, type SessionOptions } from './session.ts';
import { ToldStatuses } from './told-statuses.ts';
import { scheduleTroubles } from './troubles.ts';
import { virtualClock, type VirtualClock } from './virtual-clock.ts';
import { witnessOf, type Witness } from './witness.ts';

type LedgerEvent = Extract<Entry, { kind: 'ledger' }>['what'];

/** A moment at which no summer time begins. */
const STARTS_AT = Date.parse('2026-11-20T09:00:00Z');

/** Looks that an owner takes once all is quiet; whatever is open after so many stays open. */
const LAST_SESSIONS = 14;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** More than this and a schedule goes round in circles. */
const TURNS_MOST = 15_000;

/** So long a process that nobody sees is waited for. */
const BEATS_MISSED_MS = 60_000;

/** Between a deed and its record death does most harm. */
const DEATH_BEFORE_RECORD = 4;

/** Commits that a crash of the machine takes with it, or that a backup does not have. */
const LOST_COMMITS = [1, 1, 2, 2, 3, 5, 12] as const;

export type Process = {
  readonly life: Life;
  readonly abort: AbortController;
  readonly clock: VirtualClock;
};

/** The process after the one that registers. */
const FIRST_PROCESS = 'life-2';

export class World {
  readonly seed: string;
  readonly plan: Plan;
  readonly random: Random;
  readonly scheduler = new Scheduler(STARTS_AT);
  readonly witness: Witness = witnessOf(this.scheduler);
  rows: readonly MadeRow[];
  readonly fileName: string;
  readonly fileId: string;
  readonly database: DatabaseSync = openDatabase();
  readonly service: ModelService;
  readonly network: Network;
  readonly processes: Process[] = [];
  /** Null where nobody decides about held rows, and none came in a message. */
  readonly closed: ClosedList | null;
  /** Null where the rows came in no payment message. */
  readonly message: MessageBatch | null;
  /** Errors that no process should ever throw. */
  readonly bugs: string[] = [];
  /** What was concluded, held against what the evidence allows. */
  readonly conclusions: Conclusions;
  /** What the program that wrote a message would have been told. */
  readonly told: ToldStatuses;
  readonly #copies: { readonly copy: Copy; readonly asOf: number }[] = [];
  /** How many rows were reported as rejected, and when the last of them was. */
  #rejected = { rows: 0, at: 0 };
  #lives = 0;
  #starts = 0;
  #deaths = 0;
  #quietSessions = 0;
  #isTroubled: boolean;

  constructor(seed: string) {
    this.seed = seed;
    this.random = randomOf(seed);
    this.plan = drawPlan(this.random.fork('plan'));
    const { plan, scheduler } = this;
    this.#isTroubled = !isCalm(plan);
    const rows = this.random.fork('rows');
    this.rows = Array.from({ length: plan.rows }, (_, index) => makeRow(index, rows, plan.isMessage));
    const text = plan.isMessage ? messageOf(this.rows) : seed;
    this.fileName = plan.isMessage ? MESSAGE : 'payroll.csv';
    this.fileId = createHash('sha256').update(text).digest('hex');
    this.conclusions = new Conclusions(this.witness.journal, this.fileId);
    this.told = new ToldStatuses(this.fileId);
    const common = { scheduler, write: this.witness.write, isTroubled: () => this.#isTroubled };
    this.service = new ModelService({ ...common, plan, random: this.random.fork('service') });
    const faults = plan.faults;
    this.network = new Network({
      ...common,
      faults,
      service: this.service,
      random: this.random.fork('network'),
    });
    const asking = askingAtOnce(this.network, plan);
    const about = { ledger: idIn(this.database), fileName: this.fileName };
    const hasFolder = plan.decisions > 0 || plan.isMessage;
    this.closed = hasFolder ? closedList(scheduler, this.witness.write, asking, about) : null;
    this.message = this.closed !== null && plan.isMessage ? new MessageBatch(this.closed, text) : null;
  }

  get isTroubled(): boolean {
    return this.#isTroubled;
  }

  get asked(): readonly AskedRow[] {
    return this.rows.map(({ asked }) => asked);
  }

  get journal(): Journal {
    return this.witness.journal;
  }

  async run(): Promise<void> {
    for (const currency of ['XAF', 'EUR', 'USD'])
      this.service.books.move(currency, 'world', 'available', 10n ** 26n);
    const registrar = this.#newLife();
    const run = this.plan.isOwnFile ? FIRST_PROCESS : registrar.id;
    const first = new SqliteLedger(this.database, this.startOf(run), this.#clockFor(registrar));
    if (this.message !== null) this.rows = await this.message.rows(this.rows);
    const registered = register(first, this, this.rows);
    await this.scheduler.during(registered);
    this.#keepCopy();
    this.#tellLedger('registered');
    scheduleTroubles(this);
    if (this.closed !== null) scheduleDecisions(this, this.closed);
    if (!isCalm(this.plan)) this.scheduler.after(this.plan.faultsMs, () => this.#endTroubles());
    for (let runner = 0; runner < this.plan.runners; runner++)
      this.scheduler.after(this.random.between(0, 20_000) * runner, () => this.startProcess());
    await this.scheduler.run(() => this.scheduler.turns > TURNS_MOST);
    if (this.scheduler.turns > TURNS_MOST) this.bugs.push('the schedule never comes to rest');
    const isTold = this.message?.isTold(recordsIn(this.database)) ?? true;
    if ((!this.isSettled() || !isTold) && this.bugs.length === 0) await this.#lastLook();
  }

  /** The ledger is deleted once all is over, and a process finds out again how it stands. */
  async rebuildAtEnd(): Promise<void> {
    wipe(this.database);
    this.#tellLedger('restored', 0);
    this.#quietSessions = 0;
    this.startProcess();
    await this.scheduler.run(() => this.scheduler.turns > 2 * TURNS_MOST);
  }

  isSettled(): boolean {
    const records = recordsIn(this.database);
    return (
      records.length === this.rows.length &&
      records.every(({ progress }) => SETTLED.has(stageOrHeld(progress)))
    );
  }

  /** The run of a process, as its ledger begins it. One on a machine of its own counts as alive for a while after its death. */
  startOf(run: string): { readonly run: string; readonly machine: Machine } {
    const latestMs = this.plan.endsClaims ? 0 : BEATS_MISSED_MS;
    const isThere = (name: string): boolean =>
      this.processes.some(
        ({ life }) => life.id === name && (life.diedAt ?? Infinity) > this.scheduler.now - latestMs,
      );
    this.#starts += 1;
    return {
      run,
      machine: processAt({ pid: this.#starts }, ({ run: other }) => isThere(other)),
    };
  }

  /** Starts a process that goes on with the batch. */
  startProcess(): void {
    const life = this.#newLife();
    const abort = new AbortController();
    const clock = this.#clockFor(life);
    const process = { life, abort, clock };
    this.processes.push(process);
    this.witness.write({ kind: 'life', life: life.id, what: 'starts', detail: '' });
    void this.#live(process);
  }

  async #live({ life, abort, clock }: Process): Promise<void> {
    const { plan, scheduler, witness, rows, fileId, fileName } = this;
    const kept = new SqliteLedger(this.database, this.startOf(life.id), clock);
    const tools = lifeTools(life, clock, this.network, plan);
    const onRegistered = () => this.#tellLedger('registered');
    let by: { readonly tenure: Tenure; readonly doubtSince: () => number | null } = {
      tenure: life.id,
      doubtSince: () => null,
    };
    const ledger = mortalLedger(kept, life, scheduler, witness.write, onRegistered, (row, change) => {
      const { tenure, doubtSince } = by;
      this.conclusions.check(row, { life: life.id, tenure, doubtSince: doubtSince() }, change);
    });
    try {
      const end = await this.#sessions(life, kept, clock, {
        ledger,
        tools,
        fileId,
        fileName,
        rows,
        concurrency: plan.concurrency,
        waitMs: plan.waitMs,
        signal: abort.signal,
        isPricedFirst: plan.isPricedFirst,
        closed: this.closed,
        closeAgain: (batch) => this.closed?.closeAgain(kept, batch),
        carryOut: async (batch) => (await this.closed?.carryOut(kept, batch)) ?? false,
        isFirst: true,
        onRebuilt: () => this.#tellLedger('rebuilt'),
        onTenure: (tenure, doubtSince) => {
          by = { tenure, doubtSince };
        },
      });
      // By its own word: what is still in doubt then, nobody else left so.
      await scheduler.during(kept.runs.close());
      this.#ended(life, 'ends', end);
    } catch (error) {
      this.bugs.push(errorWords(error));
      this.#ended(life, 'breaks', errorWords(error));
    }
  }

  /** A daemon goes on by itself after what ends a run for others: it keeps its name, and what it knows of the service's time. */
  async #sessions(
    life: Life,
    kept: SqliteLedger,
    clock: VirtualClock,
    options: SessionOptions,
  ): Promise<string> {
    for (let isFirst = true; ; isFirst = false) {
      const waitMs = this.isTroubled ? this.plan.waitMs : DAY_MS;
      const end = await session({ ...options, waitMs, isFirst });
      await this.#tellStatuses(kept, options.tools.clock);
      const isOver = options.signal.aborted || !this.isTroubled || this.isSettled();
      if (!this.plan.isDaemon || isOver) return end;
      await clock.sleep(this.random.pick([30_000, 3 * MINUTE_MS, 20 * MINUTE_MS]));
      this.witness.write({ kind: 'life', life: life.id, what: 'goes on', detail: end });
    }
  }

  /** As a process does it that closes its batch, or has something new to tell. */
  async #tellStatuses(ledger: SqliteLedger, clock: Clock): Promise<void> {
    const batch = await this.scheduler.during(ledger.batch(BATCH));
    const rows = recordsIn(this.database);
    if (batch === null || rows.length < this.rows.length) return;
    // Nobody stops or kills it in the middle: its files are written while time stands still.
    if (this.message !== null) {
      await this.scheduler.during(this.message.tell({ clock }, ledger, batch, rows));
      const told = (await this.closed?.read())?.rejected.size ?? 0;
      if (told > this.#rejected.rows) this.#rejected = { rows: told, at: this.journal.length };
    }
    // Nothing is told of a batch of which nothing is certain.
    if (batch.state === 'resolving' || batch.doubt !== undefined) return;
    this.told.tell(batch, rows, this.service.transfers);
  }

  #ended(life: Life, what: string, detail: string): void {
    life.die();
    this.witness.write({ kind: 'life', life: life.id, what, detail });
    this.#goOn();
  }

  /** After each end somebody, or a supervisor, starts paydrop again, until there is nothing left to do. */
  #goOn(): void {
    if (this.bugs.length > 0) return;
    const isQuiet = !this.#isTroubled;
    // A process that was stopped for hours keeps its batch on this machine: nobody gives up before it has gone on.
    const isAlone = !this.processes.some(({ life }) => life.isAlive);
    if (isQuiet && isAlone) this.#quietSessions += 1;
    if (isQuiet && (this.isSettled() || this.#quietSessions > LAST_SESSIONS)) return;
    const soon = this.plan.startsLate ? [] : [0, 1_000, 30_000];
    const waits = isQuiet ? [MINUTE_MS, 20 * MINUTE_MS] : [...soon, 5 * MINUTE_MS, 40 * MINUTE_MS];
    this.scheduler.after(this.random.pick(waits), () => this.startProcess());
  }

  /** Whatever was still under way has arrived: one more look, as an owner would take. */
  async #lastLook(): Promise<void> {
    this.startProcess();
    await this.scheduler.run(() => this.scheduler.turns > 2 * TURNS_MOST);
  }

  #endTroubles(): void {
    this.#isTroubled = false;
    this.witness.write({ kind: 'faults', what: 'stopped' });
    if (!this.processes.some(({ life }) => life.isAlive))
      this.scheduler.after(MINUTE_MS, () => this.startProcess());
  }

  /** Somebody has decided what held rows wait for, and runs paydrop again, where nobody does anyway. */
  resume(): void {
    this.#quietSessions = 0;
    if (!this.#isTroubled && !this.processes.some(({ life }) => life.isAlive))
      this.scheduler.after(MINUTE_MS, () => this.startProcess());
  }

  /** A command is over in a moment: it may be killed, and nobody stops it for a while. */
  atPersonsPoint(life: Life, point: string): void {
    if (!this.#isTroubled || !life.isAlive) return;
    if (point === 'after record') this.#keepCopy();
    if (this.#deaths < this.plan.faults.deathsMost && this.random.chance(deathAt(point)))
      this.#kill(life, point);
  }

  #newLife(): Life {
    const id = `life-${String(++this.#lives)}`;
    return new Life(id, this.scheduler, (life, point) => this.#atPoint(life, point));
  }

  #clockFor(life: Life): VirtualClock {
    const { wallWrongMsMost } = this.plan;
    const wrongMs = this.random.between(-wallWrongMsMost, wallWrongMsMost);
    return virtualClock(this.scheduler, life, this.random.fork(life.id), wrongMs);
  }

  /** Everywhere a process waits it may be killed, stopped, or find its clock set. */
  #atPoint(life: Life, point: string): void {
    const { faults } = this.plan;
    if (!this.#isTroubled || !life.isAlive) return;
    if (point === 'after record') this.#keepCopy();
    const death = faults.death * (point === 'before record' ? DEATH_BEFORE_RECORD : 1);
    if (this.#deaths < faults.deathsMost && this.random.chance(death)) {
      this.#kill(life, point);
      this.#goOn();
    } else if (this.random.chance(faults.freeze)) {
      const ms = this.random.pick([20_000, 4 * MINUTE_MS, 3 * 60 * MINUTE_MS]);
      life.freeze(ms);
      this.witness.write({ kind: 'life', life: life.id, what: 'freezes', detail: String(ms) });
    }
  }

  #kill(life: Life, point: string): void {
    this.#deaths += 1;
    life.die();
    this.witness.write({ kind: 'life', life: life.id, what: 'dies', detail: point });
    if (this.random.chance(this.plan.restoreShare)) this.#loseCommits();
    else if (this.random.chance(this.plan.wipeShare)) this.#loseLedger();
  }

  /** Everybody stops, and the ledger that they find again is older than it was. */
  #loseCommits(): void {
    const kept = this.#copies.at(-1 - this.random.pick(LOST_COMMITS));
    if (kept === undefined) return;
    // Recognised as older by what was reported since, and rebuilt as a lost one is.
    if (kept.asOf < this.#rejected.at) {
      this.#loseLedger();
      return;
    }
    this.#killAll();
    this.#beforeAnybodyStarts(() => {
      restore(this.database, kept.copy);
      this.closed?.passForLatest(epochIn(this.database));
      this.#tellLedger('restored', kept.asOf);
    });
  }

  #loseLedger(): void {
    this.#killAll();
    this.#beforeAnybodyStarts(() => {
      wipe(this.database);
      this.#tellLedger('restored', 0);
    });
  }

  /** A commit that is under way would be found in the copy; it reaches the disk before it, and is lost. */
  #beforeAnybodyStarts(change: () => void): void {
    void this.scheduler.during(turn().then(change));
  }

  #killAll(): void {
    for (const { life } of this.processes.filter((process) => process.life.isAlive)) {
      life.die();
      this.witness.write({ kind: 'life', life: life.id, what: 'dies', detail: 'with the machine' });
      this.#goOn();
    }
  }

  #keepCopy(): void {
    if (this.plan.restoreShare > 0)
      this.#copies.push({ copy: copyOf(this.database), asOf: this.journal.length });
  }

  #tellLedger(what: LedgerEvent, asOf: number | null = null): void {
    this.witness.write({ kind: 'ledger', what, asOf, records: factsIn(this.database) });
  }
}
