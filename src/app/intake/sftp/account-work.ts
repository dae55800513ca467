// The work on one account, for as long as the daemon runs: looks at its rhythm, brings answers as soon as they are there, and waits longer and
// longer while the server is away. It stands beside the payments, and nothing of it can delay them.
import { backoffMs, isoTime, type Clock } from '../../../base/clock.ts';
import type { Words } from '../../../base/language.ts';
import { Settling } from '../../../inbox/inbox-entries.ts';
import { LedgerAway } from '../../../ledger/ledger-unusable.ts';
import { connect, type SftpAccount } from '../../../sftp/connect.ts';
import { endsConnection } from '../../../sftp/sftp-fault.ts';
import type { SftpSession } from '../../../sftp/sftp-session.ts';
import { nextCronTime } from '../../config/accounts.ts';
import type { Paydrop } from '../../parts.ts';
import { describeAccountFault } from '../../parts/describe-error.ts';
import { dueAnswers, type DueAnswer } from '../../workflow/close/remove-old.ts';
import { watchInbox } from '../watch-inbox.ts';
import type { AccountDesk } from './files-to-fetch.ts';
import { bringAnswer } from './bring-answer.ts';
import { pullAccount, type PullLook } from './pull-account.ts';

type AccountWorkOptions = {
  readonly signal: AbortSignal;
  /** Told of each trouble once, until it is over. */
  readonly onTrouble: (account: string, words: Words) => void;
};

/** For the connection with its login, and for each answer of the server. */
const TIMEOUT_MS = 20_000;

/** Answers of one batch come together; this lets them share a connection. */
const GATHER_MS = 300;

/** Where nothing is known to be due, and where another run has the account: how long until the next look. */
const IDLE_MS = 30_000;

/** A ledger that is away is told by the daemon, and asked again after this. */
const AWAY_MS = 1_000;

const NOTHING: PullLook = { isUnsettled: false, fetched: 0, troubles: [] };

class AccountWork {
  readonly #desk: AccountDesk;
  readonly #options: AccountWorkOptions;
  /** Answers of which this version needs nothing. */
  readonly #settledAnswers = new Map<string, string>();
  /** With the server as a whole, and with what it does not let be laid down: that must not keep what is to be fetched waiting. */
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

  async run(): Promise<void> {
    const { paydrop, account } = this.#desk;
    const { exchange } = paydrop.ledger;
    const { signal } = this.#options;
    signal.addEventListener('abort', this.wake);
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
    const due = this.#pushing.isOver() ? await dueAnswers(paydrop, account, this.#settledAnswers) : [];
    if (!isPullDue && due.length === 0) return;
    try {
      await this.#meet(isPullDue, due);
      this.#reaching.succeeded();
    } catch (error) {
      // Stopping breaks whatever is under way, and that is no fault of anybody.
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

  /** One after the other: one that cannot be delivered keeps the later ones back, so that their order holds. */
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

  /** On the clock that only grows. */
  #nextPull(): number {
    const { paydrop, account } = this.#desk;
    const { clock } = paydrop;
    const { rhythm, settleForMs } = account;
    const ms =
      'everyMs' in rhythm
        ? rhythm.everyMs
        : (nextCronTime(rhythm.cron, rhythm.timeZone, clock.now()) ?? Infinity) - clock.now();
    // What is still being written is looked at again as soon as it may have settled.
    return clock.monotonic() + (this.#look.isUnsettled ? Math.min(ms, settleForMs) : ms);
  }

  /** To people, once each; and to the ledger, where `status` finds it. */
  async #tell(): Promise<void> {
    const { paydrop, account } = this.#desk;
    const { exchange } = paydrop.ledger;
    const known = await exchange.account(account.name);
    const now = isoTime(paydrop.clock.now());
    const error = this.#reaching.fault ?? this.#pushing.fault;
    const fault =
      error === null ? null : { ...describeAccountFault(error), since: known?.fault?.since ?? now };
    const reachedAt = this.#reaching.fault === null ? now : (known?.reachedAt ?? null);
    const { troubles } = this.#look;
    await exchange.tell(account.name, { reachedAt, troubles, fault });
    const all = [...(fault === null ? [] : [fault.words]), ...troubles];
    for (const words of all) if (!this.#told.has(words.en)) this.#options.onTrouble(account.name, words);
    this.#told = new Set(all.map(({ en }) => en));
    if (fault !== null)
      paydrop.log.warn('sftp failed', { operation: `sftp ${account.name}`, code: fault.code });
  }

  /** Until the next look is due, an answer is published, or the daemon stops. */
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

// How long nothing is tried again after it has failed: soon at first, because most faults last seconds, and never less often than every few minutes.

/** The longest: a server that is back is found within it. */
const MOST_MS = 300_000;

/** The first wait where the account itself is not looked at more often. */
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

  /** What failed last, until it has succeeded; null when nothing did. */
  get fault(): unknown {
    return this.#fault;
  }

  /** When it may be tried again, on the clock that only grows. */
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

  succeeded(): void {
    this.#tries = 0;
    this.#until = 0;
    this.#fault = null;
  }
}

// All accounts of the config at once, beside the daemon: each works by itself, so that a server that is away holds up no other.

type FileExchange = { readonly close: () => Promise<void> };

/** Works until it is closed; `onTrouble` is told what a person has to mend. */
export function exchangeFiles(
  paydrop: Paydrop,
  onTrouble: (account: string, words: Words) => void,
): FileExchange {
  const stop = new AbortController();
  const works = (paydrop.config.sftpAccounts ?? []).map((account) => {
    const work = new AccountWork(paydrop, account, { signal: stop.signal, onTrouble });
    const ended = work.run().catch((error: unknown) => {
      // The ledger cannot be written: then nothing else goes on either, and that is told by everybody.
      onTrouble(account.name, describeAccountFault(error).words);
    });
    return { work, ended };
  });
  const wake = (): void => {
    for (const { work } of works) work.wake();
  };
  const unwatch = works.length === 0 ? null : watchInbox(paydrop.workspace.outbox, paydrop.log, wake);
  return {
    close: async () => {
      stop.abort();
      await Promise.all(works.map(({ ended }) => ended));
      await unwatch?.();
    },
  };
}
