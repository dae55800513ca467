// The runs of a ledger. A run enters with its first write: it locks its number on its own connection, which ends with the process, and it beats, because a
// frozen process keeps its lock. A run that finds another dead ends it for good, in one commit with all that it held.
import { isoTime, systemClock } from '../../base/clock.ts';
import type { RunId } from '../../payouts/progress.ts';
import { LedgerUnusable } from '../ledger-unusable.ts';
import { type NewRun, type Parted, PARTED_MS, type RunRecord, type Runs } from '../runs.ts';
import type { Found } from '../seals.ts';
import { find, findOne, type Plan, send } from '../plan.ts';
import { giveBackAll, toRunRecord } from '../tables/run-line.ts';
import type { RunsInPlans } from '../runs.ts';
import { codeOf, Connection, type PostgresPlace, type Query } from './connect.ts';
import { carryOutBy } from './plans.ts';
import {
  DIVISION_BY_ZERO,
  END,
  END_BEATS,
  ENTER,
  RUN_STANDS,
  GIVEN_UP,
  LOCK_AGAIN,
  OPEN,
  PARTED,
  partedOf,
} from './runs-lines.ts';
import { assertUsable } from './schema.ts';
import type { LedgerWays } from './shared-connections.ts';

/** So many beats in the time after which a run is given up. */
const BEATS = 10;

type Parts = NewRun & {
  readonly place: PostgresPlace;
  readonly ways: Pick<LedgerWays, 'read' | 'write'>;
  readonly givenUp: AbortController;
};

/** What this process knows of it. A run that has ended stays so. */
type Standing = 'open' | 'ended';

export class RunsTable implements Runs, RunsInPlans {
  readonly #parts: Parts;
  readonly #known = new Map<RunId, Standing>();
  /** Asked for, and not known. */
  readonly #asked = new Set<RunId>();
  /** Holds the lock of this run. */
  #life: Connection | null = null;
  #lifeSince = 0;
  /** By the clock that only grows, and by the other one: the first stands still while a machine sleeps. */
  #beatAt: { readonly monotonic: number; readonly wall: number } | null = null;
  #isEntered = false;
  #beating: Promise<void> | null = null;
  #stopBeating: (() => void) | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.machine.runs.add(parts.run);
  }

  get ended(): AbortSignal {
    return this.#parts.givenUp.signal;
  }

  /** Whether this run ever wrote. */
  get isEntered(): boolean {
    return this.#isEntered;
  }

  isElsewhere(run: RunId | null): boolean {
    if (run === null || run === this.#parts.run || this.#parts.machine.runs.has(run)) return false;
    const known = this.#known.get(run);
    // Of one that was never heard of it is asked with the next beat; until then it may have begun a moment ago.
    if (known === undefined) this.#asked.add(run);
    return known !== 'ended';
  }

  /** What a read has shown about the owner of a batch. */
  learn(run: RunId, isOpen: boolean): void {
    this.#known.set(run, isOpen ? 'open' : 'ended');
  }

  async alive(): Promise<readonly RunRecord[]> {
    const found = await this.#parts.ways.read((query) => carryOutBy(query, this.#look()));
    return found.filter((each) => !this.#isDead(each)).map(toRunRecord);
  }

  async endDead(): Promise<void> {
    // A run that enters because of it judges no others yet, except those whose process is gone from this very machine.
    await this.#parts.ways.write((query) => carryOutBy(query, this.#endDead()));
  }

  *#endDead(): Plan<void> {
    for (const found of yield* this.#look()) if (this.#isDead(found)) yield* this.#end(String(found['run']));
  }

  /** Ends a run that is dead, inside a commit; true where it has ended. */
  *endIfDead(run: RunId): Plan<boolean> {
    if (this.#parts.machine.runs.has(run)) return false;
    const found = (yield* this.#look()).find((each) => each['run'] === run);
    if (found === undefined) return true;
    if (!this.#isDead(found)) return false;
    yield* this.#end(run);
    return true;
  }

  tell(note: string | null): Promise<void> {
    return this.#parts.ways.write(async (query) => {
      await query('UPDATE beats SET note = $2 WHERE run = $1', [this.#parts.run, note]);
    });
  }

  confer(
    say: (others: ReadonlyMap<RunId, string>, parted: ReadonlyMap<RunId, Parted>) => string,
  ): Promise<void> {
    const { run, ways } = this.#parts;
    return ways.write(async (query) => {
      await query(`SELECT pg_advisory_xact_lock(hashtext('paydrop confers in ' || current_schema()))`);
      const [found, ended] = await Promise.all([carryOutBy(query, this.#look()), query(PARTED, [PARTED_MS])]);
      const others = new Map<RunId, string>();
      const parted = new Map(ended.map((each) => [String(each['run']), partedOf(each)]));
      for (const each of found) {
        const name = String(each['run']);
        if (name === run || typeof each['said'] !== 'string') continue;
        if (this.#isDead(each)) parted.set(name, partedOf(each));
        else others.set(name, each['said']);
      }
      await query('UPDATE beats SET said = $2 WHERE run = $1', [run, say(others, parted)]);
    });
  }

  mayCall(): boolean {
    const { givenUp, place } = this.#parts;
    if (givenUp.signal.aborted || this.#beatAt === null) return false;
    const leftMs = place.giveUpAfterMs * (1 - 1 / BEATS);
    return (
      systemClock.monotonic() - this.#beatAt.monotonic < leftMs &&
      systemClock.now() - this.#beatAt.wall < leftMs
    );
  }

  /** The first of each commit. Throws `LedgerUnusable` where this run was given up. */
  async fence(query: Query): Promise<void> {
    try {
      await query(RUN_STANDS, [this.#parts.run]);
    } catch (error) {
      if (codeOf(error) !== DIVISION_BY_ZERO) throw error;
      this.#parts.givenUp.abort();
      throw new LedgerUnusable(GIVEN_UP, { cause: error });
    }
  }

  /** Before the first write of all. */
  async enter(): Promise<void> {
    if (this.#isEntered) return;
    await (this.#entering ??= this.#enter().finally(() => (this.#entering = null)));
  }

  #entering: Promise<void> | null = null;

  async #enter(): Promise<void> {
    const { run, machine, place } = this.#parts;
    const { host, boot, namespace, pid, start } = machine.own;
    const life = await this.#connect();
    await life.query(ENTER, [run, host, boot, namespace, pid, start, isoTime(systemClock.now())]);
    await assertStays(life, run);
    this.#standsUp(life);
    this.#isEntered = true;
    await this.#beat();
    this.#stopBeating ??= machine.repeatEvery(place.giveUpAfterMs / BEATS, () => void this.#beat());
  }

  #connect(): Promise<Connection> {
    const { place, run } = this.#parts;
    return Connection.open(place, { name: `paydrop ${run}`, answersWithinMs: place.giveUpAfterMs });
  }

  #standsUp(life: Connection): void {
    this.#life = life;
    this.#lifeSince = systemClock.monotonic();
  }

  /** One at a time; a failure is repeated with the next. */
  #beat(): Promise<void> {
    return (this.#beating ??= this.#beatNow()
      .catch(() => {
        this.#beatAt = null;
      })
      .finally(() => {
        this.#beating = null;
      }));
  }

  async #beatNow(): Promise<void> {
    const { run, ways, givenUp } = this.#parts;
    if (givenUp.signal.aborted) return;
    if (this.#life?.isOpen !== true) await this.#returnToLife();
    const query = this.#queryLife();
    const at = { monotonic: systemClock.monotonic(), wall: systemClock.now() };
    const [, found] = await Promise.all([
      query('UPDATE beats SET beat_at = clock_timestamp() WHERE run = $1', [run]),
      carryOutBy(query, this.#look()),
    ]);
    if (!found.some((each) => each['run'] === run)) {
      givenUp.abort();
      return;
    }
    this.#beatAt = at;
    const dead = found.filter((each) => this.#isDead(each)).map((each) => String(each['run']));
    if (dead.length === 0) return;
    await ways.write(async (inCommit) => {
      for (const each of dead) await carryOutBy(inCommit, this.#end(each));
    });
  }

  /** The database was away, or the way to it: the lock is taken and a beat told before anybody is judged. */
  async #returnToLife(): Promise<void> {
    this.#beatAt = null;
    await this.#life?.close();
    const life = await this.#connect();
    try {
      // The session that held it may not know yet that nobody is at its other end.
      await life.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()`,
        [`paydrop ${this.#parts.run}`],
      );
      await life.query(LOCK_AGAIN, [this.#parts.run]);
    } catch (error) {
      await life.close();
      throw error;
    }
    this.#standsUp(life);
  }

  #queryLife(): Query {
    const life = this.#life;
    if (life === null) throw new Error('A run that has not entered does not beat.');
    return (text, values) => life.query(text, values);
  }

  /** The open runs as they stand, which is remembered; also whether those are open that were asked for. */
  *#look(): Plan<readonly Found[]> {
    const asked = [...this.#asked];
    const found = yield* find(OPEN);
    for (const each of found) this.#known.set(String(each['run']), 'open');
    const open = new Set(found.map((each) => String(each['run'])));
    // One that has no line yet has never written, and may still do so.
    for (const run of asked) this.#asked.delete(run);
    for (const run of [...this.#known.keys(), ...asked]) if (!open.has(run)) this.#known.set(run, 'ended');
    return found;
  }

  /**
   * A lock that is gone or a beat that is late counts only for whom the database was there all the while: after a restart all are late. Of a process of this
   * very machine that has gone nothing is to be waited for.
   */
  #isDead(found: Found): boolean {
    const { run, machine, place } = this.#parts;
    const known = toRunRecord(found);
    if (known.run === run || machine.runs.has(known.run)) return false;
    const isLocked = found['is_locked'] === true;
    const { own } = machine;
    const isSeen = known.host === own.host && known.boot === own.boot && known.namespace === own.namespace;
    if (!isLocked && isSeen && (known.pid === own.pid || !machine.isThere(known))) return true;
    const isJudge =
      this.#life?.isOpen === true && systemClock.monotonic() - this.#lifeSince > place.giveUpAfterMs;
    return isJudge && (!isLocked || Number(found['silent_ms']) > place.giveUpAfterMs);
  }

  /** Inside a commit, in which all that the run held is given back. */
  *#end(run: RunId): Plan<void> {
    const at = isoTime(systemClock.now());
    if ((yield* findOne(END, [run, at, this.#parts.run])) === null) return;
    yield* send(END_BEATS, [run]);
    yield* giveBackAll(run, this.#parts.run);
    this.#known.set(run, 'ended');
  }

  /** Ends this run, if it ever wrote, and unless another one has: then nothing is left to end. */
  async close(): Promise<void> {
    const { run, machine, ways } = this.#parts;
    this.#stopBeating?.();
    await this.#beating;
    machine.runs.delete(run);
    try {
      if (this.#isEntered && !this.ended.aborted)
        await ways.write((query) => carryOutBy(query, this.#end(run)));
    } catch (error) {
      if (!this.ended.aborted) throw error;
    } finally {
      await this.#life?.close();
    }
  }
}

/** Asked after the line was written: a process that moves or upgrades the ledger sees that line, or is seen here. A run that does not enter leaves none. */
async function assertStays(life: Connection, run: RunId): Promise<void> {
  try {
    await assertUsable(life);
  } catch (error) {
    await life.query('WITH silenced AS (DELETE FROM beats WHERE run = $1) DELETE FROM runs WHERE run = $1', [
      run,
    ]);
    await life.close();
    throw error;
  }
}
