// The work on one account, for as long as the daemon runs: looks at its rhythm, delivers answers as soon as they exist, and waits longer and
// longer while the server is away. It runs independently of the payments and cannot delay them.
import { backoffMs, isoTime, type Clock } from '../../../base/clock.ts';
import type { Words } from '../../../base/language.ts';
import { Settling } from '../../../inbox/inbox-entries.ts';
import { LedgerAway } from '../../../ledger/ledger-unusable.ts';
import { endsConnection, type SftpAccount } from '../../../sftp/account.ts';
import { connect } from '../../../sftp/connect.ts';
import type { SftpSession } from '../../../sftp/sftp-session.ts';
import { nextCronTime } from '../../config/accounts.ts';
import type { Paydrop } from '../../parts.ts';
import { describeAccountFault } from '../../parts/describe-error.ts';
import { dueAnswers, type DueAnswer } from '../../parts/due-answers.ts';
import { watchInbox } from '../watch-inbox.ts';
import type { AccountDesk } from './files-to-fetch.ts';
import { bringAnswer } from './bring-answer.ts';
import { pullAccount, type PullLook } from './pull-account.ts';

type AccountWorkOptions = {
  readonly signal: AbortSignal;
  /** Called with each trouble once, until it is over. */
  readonly onTrouble: (account: string, words: Words) => void;
};

/** For the connection with its login, and for each response of the server. */
const TIMEOUT_MS = 20_000;

/** The answers of one batch come together; this pause lets them share a connection. */
const GATHER_MS = 300;

/** The time until the next look if nothing is known to be due, or if another run has the account. */
const IDLE_MS = 30_000;

/** A ledger that is away is reported by the daemon, and asked again after this time. */
const AWAY_MS = 1_000;

const NOTHING: PullLook = { isUnsettled: false, fetched: 0, troubles: [] };

class AccountWork {
  readonly #desk: AccountDesk;
  readonly #options: AccountWorkOptions;
  /** Answers that need no delivery in this version. */
  readonly #settledAnswers = new Map<string, string>();
  /** Faults of the server as a whole, and separately of uploads: a refused upload must not delay the downloads. */
  readonly #reaching: Patience;
  readonly #pushing: Patience;
  #isHeld = false;
  #pullAt: number;
  #told = new Set<string>();
  #look = NOTHING;
  #woken = new AbortController();

  constructor(paydrop: Paydrop, account: SftpAccount, options: AccountWorkOptions) {
    const { rhythm, settleForMs } = account;
    this.#desk = {
      paydrop,
      account,
      settling: new Settling(settleForMs),
      compared: new Set(),
      foreign: new Set(),
    };
    this.#options = options;
    const everyMs = 'everyMs' in rhythm ? rhythm.everyMs : Infinity;
    this.#reaching = new Patience(paydrop.clock, everyMs);
    this.#pushing = new Patience(paydrop.clock, everyMs);
    this.#pullAt = 'cron' in rhythm ? this.#nextPull() : 0;
  }

  /** Something has happened in the outbox. */
  readonly wake = (): void => this.#woken.abort();

  /** Somebody has repaired it. */
  readonly tryNow = (): void => {
    this.#reaching.end();
    this.#pushing.end();
    this.wake();
  };

  async run(): Promise<void> {
    const { paydrop, account } = this.#desk;
    const { exchange } = paydrop.ledger;
    const { signal } = this.#options;
    signal.addEventListener('abort', this.wake);
    if (await this.#hasMissedPull()) this.#pullAt = 0;
    while (!signal.aborted) {
      try {
        this.#isHeld ||= await exchange.hold(account.name, isoTime(paydrop.clock.now()));
        if (this.#isHeld && this.#reaching.isOver()) await this.#round();
      } catch (error) {
        if (!(error instanceof LedgerAway)) throw error;
        await paydrop.clock.sleep(AWAY_MS, signal);
        continue;
      }
      await this.#rest();
    }
    signal.removeEventListener('abort', this.wake);
    await exchange.letGo(account.name);
  }

  async #round(): Promise<void> {
    const { paydrop, account } = this.#desk;
    const isPullDue = account.pull.length > 0 && paydrop.clock.monotonic() >= this.#pullAt;
    try {
      const due = this.#pushing.isOver() ? await dueAnswers(paydrop, account, this.#settledAnswers) : [];
      if (!isPullDue && due.length === 0) return;
      await this.#meet(isPullDue, due);
      this.#reaching.succeeded();
    } catch (error) {
      // The stop breaks off the work in progress, which is no fault.
      if (this.#options.signal.aborted) return;
      this.#reaching.failed(error);
    }
    await this.#tell();
  }

  async #meet(isPullDue: boolean, due: readonly DueAnswer[]): Promise<void> {
    const { account } = this.#desk;
    const session = await connect(account, { timeoutMs: TIMEOUT_MS, signal: this.#options.signal });
    try {
      if (isPullDue) {
        this.#look = await pullAccount(this.#desk, session);
        this.#pullAt = this.#nextPull();
      }
      await this.#push(session, due);
    } finally {
      await session.close();
    }
  }

  /** One after the other: an answer that cannot be delivered keeps back the later ones, so that their order holds. */
  async #push(session: SftpSession, due: readonly DueAnswer[]): Promise<void> {
    const { push } = this.#desk.account;
    if (push === null || due.length === 0) return;
    try {
      for (const answer of due) await bringAnswer(this.#desk, session, push, answer);
      this.#pushing.succeeded();
    } catch (error) {
      if (endsConnection(error)) throw error;
      this.#pushing.failed(error);
    }
  }

  /** A set time has come since the server was last reached, while nothing ran here. */
  async #hasMissedPull(): Promise<boolean> {
    const { paydrop, account } = this.#desk;
    const { rhythm, name } = account;
    if (!('cron' in rhythm)) return false;
    const reachedAt = (await paydrop.ledger.exchange.account(name).catch(() => null))?.reachedAt ?? null;
    if (reachedAt === null) return false;
    const missed = nextCronTime(rhythm.cron, rhythm.timeZone, Date.parse(reachedAt));
    return missed !== null && missed <= paydrop.clock.now();
  }

  /** On the monotonic clock. */
  #nextPull(): number {
    const { paydrop, account } = this.#desk;
    const { clock } = paydrop;
    const { rhythm, settleForMs } = account;
    const ms =
      'everyMs' in rhythm
        ? rhythm.everyMs
        : (nextCronTime(rhythm.cron, rhythm.timeZone, clock.now()) ?? Infinity) - clock.now();
    // A file that is still being written is looked at again as soon as it may have settled.
    return clock.monotonic() + (this.#look.isUnsettled ? Math.min(ms, settleForMs) : ms);
  }

  /** Reports faults to people, once each, and to the ledger, where `status` finds them. */
  async #tell(): Promise<void> {
    const { paydrop, account } = this.#desk;
    const { exchange } = paydrop.ledger;
    const known = await exchange.account(account.name);
    const now = isoTime(paydrop.clock.now());
    const error = this.#reaching.fault ?? this.#pushing.fault;
    const waits = Math.max(this.#reaching.until, this.#pushing.until) - paydrop.clock.monotonic();
    const nextAt = isoTime(paydrop.clock.now() + Math.max(0, waits));
    const fault =
      error === null ? null : { ...describeAccountFault(error), since: known?.fault?.since ?? now, nextAt };
    // A look at a set time is over once the files that it saw have settled: one that is interrupted before is made again.
    const isAtTime = 'cron' in account.rhythm && this.#look.isUnsettled;
    const reachedAt = this.#reaching.fault === null && !isAtTime ? now : (known?.reachedAt ?? null);
    const { troubles } = this.#look;
    await exchange.tell(account.name, { reachedAt, troubles, fault });
    const all = [...(fault === null ? [] : [fault.words]), ...troubles];
    for (const words of all) if (!this.#told.has(words.en)) this.#options.onTrouble(account.name, words);
    this.#told = new Set(all.map(({ en }) => en));
    if (fault !== null)
      paydrop.log.warn('sftp failed', { operation: `sftp ${account.name}`, code: fault.code });
  }

  /** Sleeps until the next look is due, an answer is published, or the daemon stops. */
  async #rest(): Promise<void> {
    const { paydrop, account } = this.#desk;
    const { clock } = paydrop;
    const { signal } = this.#options;
    const pullAt = account.pull.length > 0 ? this.#pullAt : Infinity;
    const pushAt = this.#pushing.fault === null ? Infinity : this.#pushing.until;
    const until = Math.max(this.#reaching.until, Math.min(pullAt, pushAt));
    const ms = this.#isHeld ? Math.min(until - clock.monotonic(), IDLE_MS) : IDLE_MS;
    await clock.sleep(Math.min(GATHER_MS, ms), signal);
    await clock.sleep(ms - GATHER_MS, this.#woken.signal);
    if (!signal.aborted) this.#woken = new AbortController();
  }
}

// The pause after a failure: short at first, because most faults last seconds, and never more than a few minutes.

/** The longest pause: a server that is back is found within it. */
const MOST_MS = 300_000;

/** The first pause, unless the account itself is looked at more often. */
const FIRST_MS = 5_000;

class Patience {
  readonly #clock: Clock;
  readonly #firstMs: number;
  #tries = 0;
  #until = 0;
  #fault: unknown = null;

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock;
    this.#firstMs = Math.min(FIRST_MS, everyMs);
  }

  /** The last fault, until the work succeeds; null when there was none. */
  get fault(): unknown {
    return this.#fault;
  }

  /** When it may be tried again, on the monotonic clock. */
  get until(): number {
    return this.#until;
  }

  isOver(): boolean {
    return this.#clock.monotonic() >= this.#until;
  }

  failed(fault: unknown): void {
    const wait = backoffMs({ firstMs: this.#firstMs, mostMs: MOST_MS }, this.#tries, this.#clock.random());
    this.#until = this.#clock.monotonic() + wait;
    this.#tries += 1;
    this.#fault = fault;
  }

  /** The next try may begin; whether the fault is over shows then. */
  end(): void {
    this.#until = 0;
  }

  succeeded(): void {
    this.#tries = 0;
    this.#until = 0;
    this.#fault = null;
  }
}

// All accounts of the config at once, independently of the daemon's batches: a server that is away delays no other account.

type FileExchange = {
  /** Tries at once what failed. */
  readonly tryNow: () => void;
  readonly close: () => Promise<void>;
};

/** Works until it is closed; calls `onTrouble` with faults that a person has to repair. */
export function exchangeFiles(
  paydrop: Paydrop,
  onTrouble: (account: string, words: Words) => void,
): FileExchange {
  const stop = new AbortController();
  const works = (paydrop.config.sftpAccounts ?? []).map((account) => {
    const work = new AccountWork(paydrop, account, { signal: stop.signal, onTrouble });
    const ended = work.run().catch((error: unknown) => {
      // The ledger cannot be written: then nothing else works either, and every part reports it.
      onTrouble(account.name, describeAccountFault(error).words);
    });
    return { work, ended };
  });
  const wake = (): void => {
    for (const { work } of works) work.wake();
  };
  const unwatch = works.length === 0 ? null : watchInbox(paydrop.workspace.outbox, paydrop.log, wake);
  return {
    tryNow: () => {
      for (const { work } of works) work.tryNow();
    },
    close: async () => {
      stop.abort();
      await Promise.all(works.map(({ ended }) => ended));
      await unwatch?.();
    },
  };
}
