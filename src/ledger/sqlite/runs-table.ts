// The runs of a ledger in their table. A run enters it with its first write, so that a process that only reads leaves no trace; each write first
// checks whether its run is still there.
import { isoTime, systemClock } from '../../base/clock.ts';
import type { Words } from '../../base/language.ts';
import { assertOwnVersion } from './schema-version.ts';
import { sentence } from '../../messages/messages.ts';
import type { RunId } from '../../payouts/progress.ts';
import { asLedgerUnusable, LedgerUnusable } from '../ledger-unusable.ts';
import { assertIsHere } from '../movable-ledger.ts';
import { native, type Plan } from '../plan.ts';
import {
  BEAT_MS,
  isAlive,
  type NewRun,
  type Parted,
  PARTED_MS,
  type ProcessPlace,
  type RunRecord,
  type Runs,
} from '../runs.ts';
import { moveOf } from '../tables/moves.ts';
import { giveBackAll, toRunRecord } from '../tables/run-line.ts';
import type { RunsInPlans } from '../runs.ts';
import { carrier } from './dialect.ts';
import type { GroupCommit, Sql } from './group-commit.ts';

/** Its part of the schema. */
export const RUNS_TABLE = `
  CREATE TABLE runs (
    run TEXT PRIMARY KEY,
    host TEXT NOT NULL,
    boot TEXT,
    namespace TEXT,
    pid INTEGER NOT NULL,
    start TEXT,
    started_at TEXT NOT NULL,
    beat_at INTEGER NOT NULL,
    note TEXT,
    said TEXT,
    ended_at TEXT,
    ended_by TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX runs_open ON runs (started_at, run) WHERE ended_at IS NULL;
`;

const ENTER = `
  INSERT INTO runs (run, host, boot, namespace, pid, start, started_at, beat_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

const ONE = 'SELECT * FROM runs WHERE run = ? AND ended_at IS NULL';

const SAID = 'SELECT * FROM runs WHERE (ended_at IS NULL OR ended_at > ?) AND said IS NOT NULL AND run <> ?';

const OPEN = 'SELECT * FROM runs WHERE ended_at IS NULL ORDER BY started_at, run';

/** Those that have not ended by their own word. */
export function openRuns(sql: Sql): readonly RunRecord[] {
  return sql(OPEN).all().map(toRunRecord);
}

type Parts = NewRun & {
  readonly commits: Pick<GroupCommit, 'run' | 'isWaiting'>;
};

/** By real time throughout: it is told to other processes. */
export class RunsTable implements Runs, RunsInPlans {
  readonly #sql: Sql;
  readonly #parts: Parts;
  readonly #givenUp = new AbortController();
  #stopBeating: (() => void) | null = null;

  constructor(sql: Sql, parts: Parts) {
    this.#sql = sql;
    this.#parts = parts;
    parts.machine.runs.add(parts.run);
  }

  get ended(): AbortSignal {
    return this.#givenUp.signal;
  }

  /**
   * To be called inside every commit, before its first write. Throws `LedgerUnusable` where this run was given up.
   * @param isKnown false where the ledger has lost what was acknowledged to this run.
   */
  assertStands(isKnown = true): void {
    const { run } = this.#parts;
    if (!isKnown) {
      this.#givenUp.abort();
      throw new LedgerUnusable(PUT_BACK);
    }
    const known = this.#sql('SELECT ended_at FROM runs WHERE run = ?').get(run);
    if (known === undefined) this.#enter();
    else if (known['ended_at'] !== null) {
      this.#givenUp.abort();
      throw new LedgerUnusable(GIVEN_UP);
    }
  }

  isElsewhere(run: RunId | null): boolean {
    if (run === null || run === this.#parts.run || this.#parts.machine.runs.has(run)) return false;
    return this.#found(ONE, run).some(this.#isAlive);
  }

  alive(): Promise<readonly RunRecord[]> {
    return Promise.resolve(this.#found(OPEN).filter(this.#isAlive));
  }

  async endDead(): Promise<void> {
    await this.#parts.commits.run(() => {
      for (const known of this.#found(OPEN)) if (!this.#isAlive(known)) this.#end(known.run);
    });
  }

  tell(note: string | null): Promise<void> {
    return this.#parts.commits.run(() => {
      this.#sql('UPDATE runs SET note = ? WHERE run = ?').run(note, this.#parts.run);
    });
  }

  confer(
    say: (others: ReadonlyMap<RunId, string>, parted: ReadonlyMap<RunId, Parted>) => string,
  ): Promise<void> {
    const { run, commits } = this.#parts;
    return commits.run(() => {
      const now = systemClock.now();
      const others = new Map<RunId, string>();
      const parted = new Map<RunId, Parted>();
      for (const found of this.#sql(SAID).all(isoTime(now - PARTED_MS), run)) {
        const [known, said, endedAt] = [toRunRecord(found), String(found['said']), found['ended_at']];
        if (endedAt === null && this.#isAlive(known)) others.set(known.run, said);
        else parted.set(known.run, { said, agoMs: endedAt === null ? 0 : now - Date.parse(String(endedAt)) });
      }
      this.#sql('UPDATE runs SET said = ? WHERE run = ?').run(say(others, parted), run);
    });
  }

  /** Each commit asks whether the run stands; between two of them nothing else than this machine could have given it up. */
  mayCall(): boolean {
    return !this.ended.aborted;
  }

  /** Ends a run that is dead, inside a commit; true where it has ended. */
  endIfDead(run: RunId): Plan<boolean> {
    return native(() => {
      if (this.#found(ONE, run).some(this.#isAlive)) return false;
      this.#end(run);
      return true;
    });
  }

  /** Inside a commit, in which all that the run held is given back. */
  #end(run: RunId): void {
    this.#sql('UPDATE runs SET ended_at = ?, ended_by = ? WHERE run = ? AND ended_at IS NULL').run(
      isoTime(systemClock.now()),
      this.#parts.run,
      run,
    );
    carrier(this.#sql)(giveBackAll(run, this.#parts.run));
  }

  /** Ends this run behind everything that waits, if it ever wrote, and unless another one has: then nothing is left to end. */
  async close(): Promise<void> {
    const { run, machine, commits } = this.#parts;
    this.#stopBeating?.();
    machine.runs.delete(run);
    if (!commits.isWaiting && this.#stopBeating === null) return;
    await commits
      .run(() => this.#end(run))
      .catch((error: unknown) => {
        if (!this.ended.aborted) throw error;
      });
  }

  readonly #isAlive = (known: RunRecord): boolean => isAlive(known, this.#parts.machine, systemClock.now());

  #found(query: string, ...given: readonly string[]): readonly RunRecord[] {
    try {
      return this.#sql(query)
        .all(...given)
        .map(toRunRecord);
    } catch (error) {
      throw asLedgerUnusable(error);
    }
  }

  #enter(): void {
    const { run, machine } = this.#parts;
    const { host, boot, namespace, pid, start } = machine.own;
    const now = systemClock.now();
    assertOwnVersion({ prepare: this.#sql });
    assertIsHere(carrier(this.#sql)(moveOf()));
    const elsewhere = this.#found(OPEN).find(
      (known) => isOtherMachine(known, machine.own) && this.#isAlive(known),
    );
    if (elsewhere !== undefined) throw new LedgerUnusable(secondMachine(elsewhere));
    this.#sql(ENTER).run(run, host, boot, namespace, pid, start, isoTime(now), now);
    // A beat that the disk does not take says nothing that the next write would not say.
    this.#stopBeating ??= machine.repeatEvery(BEAT_MS, () => void this.#beat().catch(() => undefined));
  }

  #beat(): Promise<void> {
    return this.#parts.commits.run(() => {
      this.#sql('UPDATE runs SET beat_at = ? WHERE run = ?').run(systemClock.now(), this.#parts.run);
    });
  }
}

const GIVEN_UP = sentence('ledger.givenUp');

const PUT_BACK = sentence('ledger.putBack');

/** Containers of one machine have names of their own, and share its boot. */
function isOtherMachine({ host, boot }: RunRecord, own: ProcessPlace): boolean {
  return host !== own.host && boot !== null && own.boot !== null && boot !== own.boot;
}

const secondMachine = ({ host }: RunRecord): Words => sentence('ledger.secondMachine', { host });
