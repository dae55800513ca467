// A service with one transfer, or one that may still arrive, and the runs that look at it: confirms travel for hours, reads lag, clocks differ, runs
// die, and older ledgers are put back. What really happens is known here, so a conclusion can be compared with it.
import {
  canStillPay,
  provableAt,
  silentAfter,
  type Attempt,
  type MayPay,
  type Shown,
} from '../../src/payouts/attempt.ts';
import { isoTime } from '../../src/base/clock.ts';
import { KNOWN } from '../delivery/due-row.ts';

export const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Reads lag by less than the quarter of an hour that the design allows for, and the service's machines differ by less than a minute. */
export const LAG_MOST_MS = 14 * MINUTE_MS;
export const SKEW_MOST_MS = 25_000;

export type Event =
  | { readonly kind: 'time passes'; readonly ms: number }
  | { readonly kind: 'intend' | 'take back' | 'restart' | 'keep a copy' | 'lose the ledger' }
  | {
      readonly kind: 'confirm';
      readonly delayMs: number;
      readonly skewMs: number;
      readonly isAnswered: boolean;
    }
  | { readonly kind: 'put a copy back'; readonly copy: number; readonly isNoticed: boolean }
  | {
      readonly kind: 'look';
      readonly lagMs: number;
      readonly skewMs: number;
      readonly tellsTime: boolean;
    };

const STARTS_AT = Date.parse('2026-11-20T08:00:00Z');

type Ledger = { readonly attempt: Attempt; readonly doubtSince: number | null };

export class AttemptWorld {
  now = STARTS_AT;
  readonly expiry: number;
  ledger: Ledger;
  run = 'run-1';
  /** Moments at which a confirm was taken. */
  readonly taken: number[] = [];
  /** When the transfer came to be; Infinity for one that never arrives. */
  readonly #createdAt: number;
  /** What the runs concluded at their looks. */
  readonly verdicts: { readonly at: number; readonly verdict: MayPay }[] = [];
  readonly #copies: Ledger[] = [];
  #runs = 1;
  /** A confirm of this attempt has left this run. */
  #hasSent = false;

  /** @param arrivesAfterMs when the create that got no answer arrives; 0 for one that was answered, null for one that is lost. */
  constructor(lifeMs: number, arrivesAfterMs: number | null) {
    this.expiry = this.now + lifeMs;
    const isKnown = arrivesAfterMs === 0;
    const arrival = arrivesAfterMs === null ? Infinity : this.now + arrivesAfterMs;
    this.#createdAt = arrival > this.expiry ? Infinity : arrival;
    this.ledger = {
      doubtSince: null,
      attempt: {
        begunBy: this.run,
        lookedBy: this.run,
        transfer: isKnown ? this.#transfer() : null,
        mayArriveUntil: isKnown ? null : this.expiry,
        confirm: 'none',
        silentAt: null,
      },
    };
    this.#copies.push(this.ledger);
  }

  get exists(): boolean {
    return this.#createdAt < Infinity;
  }

  get provableAt(): number {
    return provableAt(this.ledger.attempt, this.run, this.ledger.doubtSince);
  }

  happen(event: Event): void {
    const { attempt } = this.ledger;
    switch (event.kind) {
      case 'time passes':
        this.now += event.ms;
        return;
      case 'intend':
        if (attempt.transfer !== null && attempt.confirm === 'none') this.#learn({ confirm: 'intended' });
        return;
      case 'take back':
        if (attempt.confirm === 'intended' && attempt.begunBy === this.run && !this.#hasSent)
          this.#learn({ confirm: 'none' });
        return;
      case 'confirm':
        this.#confirm(event);
        return;
      case 'restart':
        this.#restart();
        return;
      case 'keep a copy':
        this.#copies.push(this.ledger);
        return;
      case 'put a copy back': {
        const copy = this.#copies[event.copy % this.#copies.length];
        this.#restart();
        // An older copy that nobody notices says nothing of a doubt; its runs are foreign ones all the same.
        if (copy !== undefined)
          this.ledger = { ...copy, doubtSince: event.isNoticed ? this.now : copy.doubtSince };
        return;
      }
      case 'lose the ledger':
        this.#restart();
        this.ledger = {
          doubtSince: this.now,
          attempt: {
            begunBy: null,
            lookedBy: null,
            transfer: null,
            mayArriveUntil: null,
            confirm: 'sent',
            silentAt: null,
          },
        };
        return;
      case 'look':
        this.#look(event);
    }
  }

  #learn(changes: Partial<Attempt>): void {
    this.ledger = { ...this.ledger, attempt: { ...this.ledger.attempt, ...changes } };
  }

  #restart(): void {
    this.run = `run-${String(++this.#runs)}`;
    this.#hasSent = false;
  }

  /** The intent stands on record; the request may arrive much later, when its sender is long dead. */
  #confirm({ delayMs, skewMs, isAnswered }: Extract<Event, { kind: 'confirm' }>): void {
    const { attempt } = this.ledger;
    if (attempt.transfer === null || attempt.confirm === 'none' || this.isGivenUp) return;
    this.#hasSent = true;
    const arrivesAt = this.now + (isAnswered ? 0 : delayMs);
    const isLate = arrivesAt + skewMs > this.expiry;
    if (!isLate) this.taken.push(arrivesAt);
    if (isAnswered && isLate) this.#learn({ confirm: 'refused-late' });
    else if (attempt.confirm === 'intended') this.#learn({ confirm: 'sent' });
  }

  /** Nobody confirms what was concluded to be dead. */
  get isGivenUp(): boolean {
    return this.verdicts.some(({ verdict }) => verdict === 'no');
  }

  #look({ lagMs, skewMs, tellsTime }: Extract<Event, { kind: 'look' }>): void {
    const shownAsOf = this.now - lagMs;
    const isTaken = this.taken.some((at) => at <= shownAsOf);
    const transfer = this.#createdAt <= shownAsOf ? this.#transfer(isTaken ? 'submitted' : 'created') : null;
    // The `Date` header has whole seconds.
    const at = tellsTime ? Math.floor((this.now + skewMs) / 1_000) * 1_000 : null;
    const shown: Shown = { transfer, at };
    const { attempt, doubtSince } = this.ledger;
    this.verdicts.push({ at: this.now, verdict: canStillPay(attempt, shown, this.run, doubtSince) });
    const silentAt = silentAfter(attempt, shown, this.run, doubtSince);
    // A transfer that was found, and not created by a response to this very run, may have been confirmed by its creator.
    const isFound = transfer !== null && attempt.transfer === null && attempt.begunBy !== this.run;
    this.#learn({
      silentAt,
      transfer: attempt.transfer ?? transfer,
      ...(isFound && attempt.confirm === 'none' ? { confirm: 'sent' } : {}),
      lookedBy: this.run,
    });
  }

  #transfer(status = 'created') {
    return { ...KNOWN, status, expiredAt: isoTime(this.expiry) };
  }
}

/** More than any confirm travels. */
export const DELAY_MOST_MS = 3 * HOUR_MS;
