// One durable commit for all writes that wait at the same moment: it costs the same for one row as for a hundred, plus a way to another machine.
// Writes of rows share one; a write of a batch, which may wait for what others hold, has one for itself. While the database makes one durable the next is
// prepared and sent behind it; the chain of the run lets it stand only where the one before it does.
import { systemClock } from '../../base/clock.ts';
import { LedgerUnusable } from '../ledger-unusable.ts';
import { type Head, type NewEvent, Telling } from '../seals.ts';
import {
  BY_INDEX,
  Connection,
  isAway,
  meetsAnother,
  type PostgresPlace,
  type Query,
  toldFault,
} from './connect.ts';
import { madeTogether } from '../sharing.ts';
import type { History } from './history.ts';

/**
 * What is written, read and told inside one commit. A statement whose result is not needed need not be awaited: the commit waits for it, and a
 * statement that fails fails the commit.
 */
type Tx = { readonly query: Query; readonly tell: (event: NewEvent) => void };

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

/** The most that share one: a larger one holds its locks for longer than it saves, and leaves nothing to send behind it. */
const GROUP_MAX = 64;

/** Commits that are sent and not answered: one that the database makes durable, and one that it finds when that is done. */
const SENT_MAX = 2;

/** For how long a write waits for a database that is away, and how often it looks. */
const AWAY_MS = 5_000;
const LOOK_MS = 50;

/** How often a commit is made again that met another in such a way that only one of them could be made. */
const MEETINGS_MAX = 20;

type Fault = { readonly error: unknown };

/** A commit that was sent, or could not be. */
type Sent = {
  readonly group: readonly Waiting[];
  readonly connection: Connection | null;
  /** What each write gives once it is durable. */
  readonly results: readonly unknown[];
  /** Where it leaves the chain; null where it tells nothing. */
  readonly head: Head | null;
  /** Null once it is durable; else why nothing of it was written, as far as is known. */
  readonly fault: Promise<Fault | null>;
};

type Parts = {
  readonly run: string;
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
  /** In their order, without those that are durable. */
  #sent: Sent[] = [];
  #isFailed = false;
  #working: Promise<void> | null = null;
  #isNews = false;
  #onNews: () => void = () => undefined;
  #isClosed = false;

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
      this.#tellNews();
    });
  }

  #tellNews(): void {
    this.#isNews = true;
    this.#onNews();
  }

  /** Until a write comes, or a commit is answered. */
  async #news(): Promise<void> {
    if (!this.#isNews) await new Promise<void>((resolve) => (this.#onNews = resolve));
    this.#isNews = false;
  }

  async #work(): Promise<void> {
    for (;;) {
      // The end of the event loop's turn collects the writes that wait anyway.
      await new Promise(setImmediate);
      if (this.#isFailed) await this.#again();
      // Nothing may overtake what failed and is made again.
      while (!this.#isFailed && this.#waiting.length > 0 && this.#sent.length < SENT_MAX)
        await this.#send(this.#next());
      if (this.#sent.length === 0) break;
      await this.#news();
    }
    if (this.#isClosed) await this.#drop();
    this.#working = null;
  }

  /** From the front, as many as may share a commit. */
  #next(): readonly Waiting[] {
    const alone = this.#waiting.findIndex(({ kind }) => kind === null);
    if (alone === 0) return this.#waiting.splice(0, 1);
    return this.#waiting.splice(0, Math.min(alone < 0 ? GROUP_MAX : alone, GROUP_MAX));
  }

  async #send(group: readonly Waiting[]): Promise<void> {
    const sent = await this.#try(group);
    this.#sent.push(sent);
    void sent.fault.then((fault) => {
      if (fault === null) this.#settle(sent);
      else this.#isFailed = true;
      this.#tellNews();
    });
  }

  #settle(sent: Sent): void {
    this.#sent = this.#sent.filter((each) => each !== sent);
    if (sent.head !== null) this.#parts.history.acknowledge(sent.head);
    sent.group.forEach(({ settle }, index) => settle(sent.results[index]));
  }

  /** What was sent behind a commit that failed has failed with it: one after the other, they are made again. */
  async #again(): Promise<void> {
    await Promise.all(this.#sent.map(({ fault }) => fault));
    const failed = this.#sent;
    this.#sent = [];
    this.#isFailed = false;
    for (const sent of failed) await this.#commit(sent);
  }

  async #commit(sent: Sent): Promise<void> {
    const fault = await this.#commitTogether(sent);
    if (fault === null) return;
    // A database that is away is no fault of one write, nor is a run that was given up.
    if (sent.group.length === 1 || fault.error instanceof LedgerUnusable)
      for (const { fail } of sent.group) fail(fault.error);
    // One write that fails must not take the others with it: they are made again, each by itself.
    else for (const waiting of sent.group) await this.#commit(await this.#try([waiting]));
  }

  /** @param first the first try. Null when it is durable; else why nothing of it was written, as far as is known. */
  async #commitTogether(first: Sent): Promise<Fault | null> {
    const since = systemClock.monotonic();
    let meetings = 0;
    let unsure = first;
    for (let sent = first; ; sent = await this.#try(sent.group, unsure)) {
      if (sent.head !== null) unsure = sent;
      const fault = await sent.fault;
      if (fault === null) {
        this.#settle(sent);
        return null;
      }
      const { error } = fault;
      const mayCome = isAway(error) && systemClock.monotonic() - since < AWAY_MS;
      const mayGo = meetsAnother(error) && (meetings += 1) <= MEETINGS_MAX;
      // Nobody knows whether the last write through it arrived; the next one asks the chain.
      if (isAway(error) && sent.connection === this.#connection) await this.#drop();
      if (!isAway(error) && sent.head !== null) this.#parts.history.forget(sent.head);
      if (!mayCome && !mayGo) return { error: toldFault(error) };
      if (mayCome) await systemClock.sleep(LOOK_MS);
    }
  }

  /** @param unsure the same, sent before: its answer may have been lost on its way. */
  async #try(group: readonly Waiting[], unsure: Sent | null = null): Promise<Sent> {
    let connection: Connection | null = null;
    try {
      await this.#parts.enter();
      connection = await this.#connected();
      // It is the chain that says so.
      if (unsure !== null && unsure.head !== null && this.#parts.history.isTaken(unsure.head))
        return { ...unsure, head: null, fault: Promise.resolve(null) };
      return await this.#make(group, connection);
    } catch (error) {
      return { group, connection, results: [], head: null, fault: Promise.resolve({ error }) };
    }
  }

  /** Sends a whole commit. Only what its writes have to read first is waited for. */
  async #make(group: readonly Waiting[], connection: Connection): Promise<Sent> {
    const { history, fence, now } = this.#parts;
    const telling = new Telling();
    const sent: Promise<unknown>[] = [];
    const send: Query = (text, values) => {
      const answer = connection.query(text, values);
      answer.catch(() => undefined);
      sent.push(answer);
      return answer;
    };
    // Where one has failed the database has taken nothing of it, and says of all behind it only that.
    const standing = Promise.all([send('BEGIN'), fence(send)]);
    standing.catch(() => undefined);
    try {
      const results = await resultsOf(group, { query: send, tell: (event) => telling.add(event) });
      const head = history.add(send, telling, now());
      void send('COMMIT');
      const fault = standing
        .then(() => Promise.all(sent))
        .then(
          () => null,
          (error: unknown) => ({ error }),
        );
      return { group, connection, results, head, fault };
    } catch (error) {
      await connection.query('ROLLBACK').catch(() => undefined);
      // Behind a statement that failed each other one fails too.
      await standing;
      await Promise.all(sent);
      throw error;
    }
  }

  /** A connection under which the chain of this run stands as it was acknowledged. Throws `LedgerUnusable` where it went back. */
  async #connected(): Promise<Connection> {
    if (this.#connection?.isOpen === true) return this.#connection;
    await this.#drop();
    const { place, run, history } = this.#parts;
    const name = `paydrop writes ${run}`;
    const connection = await Connection.open(place, { name, settings: BY_INDEX });
    try {
      // The session before may still work on what was sent to it: the chain is read once it has ended.
      await connection.query(END_SESSION, [name, END_SESSION_MS]);
      await history.read((text, values) => connection.query(text, values));
      this.#connection = connection;
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }
}

const END_SESSION = `
  SELECT pg_terminate_backend(pid, $2) AS is_ended FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()`;
const END_SESSION_MS = 5_000;

async function resultsOf(group: readonly Waiting[], tx: Tx): Promise<readonly unknown[]> {
  const results = new Map<Waiting, unknown>();
  for (const together of madeTogether(group)) {
    const items = together.map(({ item }) => item);
    const made = (await together[0]?.make(tx, items)) ?? [];
    together.forEach((waiting, index) => results.set(waiting, made[index]));
  }
  return group.map((waiting) => results.get(waiting));
}
