// One durable commit for all writes that wait at the same moment: it costs the same for one row as for a hundred, plus a way to another machine.
// Writes of rows share one; a write of a batch, which may wait for what others hold, has one for itself.
import { systemClock } from '../../base/clock.ts';
import { LedgerUnusable } from '../ledger-unusable.ts';
import { type NewEvent, Telling } from '../seals.ts';
import { Connection, isAway, meetsAnother, type PostgresPlace, type Query, toldFault } from './connect.ts';
import type { History } from './history.ts';

/**
 * What is written, read and told inside one commit. A statement whose result is not needed need not be awaited: the commit waits for it, and a
 * statement that fails fails the commit.
 */
export type Tx = { readonly query: Query; readonly tell: (event: NewEvent) => void };

/** Writes that share a commit: all that wait are made by one call, and each has its own result. */
type Together<Item, Result> = (tx: Tx, items: readonly Item[]) => Promise<readonly Result[]>;

type Waiting = {
  /** Writes of one kind are made together, those of a lower number first; null for a write that shares with none. */
  readonly kind: number | null;
  readonly item: unknown;
  readonly make: Together<unknown, unknown>;
  readonly settle: (result: unknown) => void;
  readonly fail: (error: unknown) => void;
};

/** The most that share one: a larger one holds its locks for longer than it saves. */
const GROUP_MAX = 256;

/** For how long a write waits for a database that is away, and how often it looks. */
const AWAY_MS = 5_000;
const LOOK_MS = 50;

/** How often a commit is made again that met another in such a way that only one of them could be made. */
const MEETINGS_MAX = 20;

type Parts = {
  readonly place: PostgresPlace;
  readonly history: History;
  /** The first of each commit: fails where this run was given up. */
  readonly fence: (query: Query) => Promise<void>;
  /** Before the first commit of all. */
  readonly enter: () => Promise<void>;
  /** ISO time. */
  readonly now: () => string;
};

export class GroupCommit {
  readonly #parts: Parts;
  #connection: Connection | null = null;
  #waiting: Waiting[] = [];
  #working: Promise<void> | null = null;
  #isClosed = false;
  /** The group whose commit was sent and not answered, with what each of its writes would give. */
  #unsure: { readonly group: readonly Waiting[]; readonly results: readonly unknown[] } | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Runs `write` in a commit of its own, behind all that waits; it may be called again, where the commit met another one or the connection was lost. */
  run<T>(write: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#add<T>(null, null, async (tx) => [await write(tx)]);
  }

  /** A way to write items that share commits with those of all others; of a lower `kind` they are made first. */
  sharing<Item, Result>(kind: number, together: Together<Item, Result>): (item: Item) => Promise<Result> {
    return (item) => this.#add<Result>(kind, item, (tx, items) => together(tx, items as readonly Item[]));
  }

  /** Resolves once nothing waits. */
  async idle(): Promise<void> {
    while (this.#working !== null) await this.#working;
  }

  /** Writes after it do not use its connection: one that stayed open would keep the process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.idle();
    await this.#drop();
  }

  async #drop(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    await connection?.close();
  }

  #add<T>(kind: number | null, item: unknown, make: Together<unknown, unknown>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ kind, item, make, settle: (result) => resolve(result as T), fail: reject });
      this.#working ??= this.#work();
    });
  }

  async #work(): Promise<void> {
    // The end of the event loop's turn collects the writes that wait anyway.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) await this.#commit(this.#next());
    if (this.#isClosed) await this.#drop();
    this.#working = null;
  }

  /** From the front, as many as may share a commit. */
  #next(): readonly Waiting[] {
    const alone = this.#waiting.findIndex(({ kind }) => kind === null);
    if (alone === 0) return this.#waiting.splice(0, 1);
    return this.#waiting.splice(0, Math.min(alone < 0 ? GROUP_MAX : alone, GROUP_MAX));
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    const fault = await this.#commitTogether(group);
    if (fault === null) return;
    // A database that is away is no fault of one write, nor is a run that was given up.
    if (group.length === 1 || fault.error instanceof LedgerUnusable)
      for (const { fail } of group) fail(fault.error);
    // One write that fails must not take the others with it: they are made again, each by itself.
    else for (const waiting of group) await this.#commit([waiting]);
  }

  /** Null when it is durable; else why nothing of it was written, as far as is known. */
  async #commitTogether(group: readonly Waiting[]): Promise<{ readonly error: unknown } | null> {
    const since = systemClock.monotonic();
    for (let meetings = 0; ;) {
      try {
        const results = await this.#try(group);
        group.forEach(({ settle }, index) => settle(results[index]));
        return null;
      } catch (error) {
        const mayCome = isAway(error) && systemClock.monotonic() - since < AWAY_MS;
        const mayGo = meetsAnother(error) && (meetings += 1) <= MEETINGS_MAX;
        // Nobody knows whether the last write through it arrived; the next one asks the chain.
        if (isAway(error)) await this.#drop();
        if (!mayCome && !mayGo) return { error: toldFault(error) };
        if (mayCome) await systemClock.sleep(LOOK_MS);
      }
    }
  }

  async #try(group: readonly Waiting[]): Promise<readonly unknown[]> {
    await this.#parts.enter();
    const { connection, isTaken } = await this.#connected();
    const unsure = this.#unsure;
    this.#unsure = null;
    // It is the chain that says so: the answer was lost on its way.
    if (isTaken && unsure?.group === group) return unsure.results;
    return this.#make(group, (text, values) => connection.query(text, values));
  }

  async #make(group: readonly Waiting[], query: Query): Promise<readonly unknown[]> {
    const { history, fence, now } = this.#parts;
    const telling = new Telling();
    // Statements that are sent together arrive together: only a result that is needed first is awaited.
    const sent: Promise<unknown>[] = [];
    const send: Query = (text, values) => {
      const answer = query(text, values);
      answer.catch(() => undefined);
      sent.push(answer);
      return answer;
    };
    const standing = Promise.all([send('BEGIN'), fence(send)]);
    standing.catch(() => undefined);
    try {
      const results = await resultsOf(group, { query: send, tell: (event) => telling.add(event) });
      const chain = history.next(telling, now());
      void chain.write(send);
      this.#unsure = { group, results };
      chain.attempt();
      void send('COMMIT');
      // Where one has failed the database has taken nothing of it, and says of the end only that it is one.
      await standing;
      await Promise.all(sent);
      history.acknowledge();
      this.#unsure = null;
      return results;
    } catch (error) {
      const first = await standing.then(
        () => error,
        (fault: unknown) => fault,
      );
      if (!isAway(first)) {
        await query('ROLLBACK').catch(() => undefined);
        history.forget();
        this.#unsure = null;
      }
      throw first;
    }
  }

  /** A connection under which the chain of this run stands as it was acknowledged. Throws `LedgerUnusable` where it went back. */
  async #connected(): Promise<{ readonly connection: Connection; readonly isTaken: boolean }> {
    if (this.#connection?.isOpen === true) return { connection: this.#connection, isTaken: false };
    await this.#drop();
    const connection = await Connection.open(this.#parts.place);
    try {
      const isTaken = await this.#parts.history.isTaken((text, values) => connection.query(text, values));
      this.#connection = connection;
      return { connection, isTaken };
    } catch (error) {
      await connection.close();
      throw error;
    }
  }
}

async function resultsOf(group: readonly Waiting[], tx: Tx): Promise<readonly unknown[]> {
  const results = new Map<Waiting, unknown>();
  const kinds = [...new Set(group.map(({ kind }) => kind))].sort((one, two) => (one ?? 0) - (two ?? 0));
  for (const kind of kinds) {
    const ofKind = group.filter((waiting) => waiting.kind === kind);
    const items = ofKind.map(({ item }) => item);
    const made = (await ofKind[0]?.make(tx, items)) ?? [];
    ofKind.forEach((waiting, index) => results.set(waiting, made[index]));
  }
  return group.map((waiting) => results.get(waiting));
}
