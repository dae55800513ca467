// Rate limits (token buckets): how much one program may ask, and what it is told when it asks the same thing twice (idempotency keys).
import { createHash } from 'node:crypto';

import type { KeptResponse, ProgramKeys } from '../app/people/program-keys.ts';
import type { WebParts } from '../app/daemon/run-daemon.ts';
import { Problem } from './problems.ts';

type Clock = WebParts['paydrop']['clock'];

/** A program that polls a hundred files stays far below; one in a loop does not. */
const CALLS = { perSecond: 50, atOnce: 200 };

/** A key cannot be guessed; that it is tried all the same must cost nobody anything. */
const KEY_TRIALS = { perSecond: 10, atOnce: 10 };
const STREAMS_MOST = 4;

/** Sign-ins of all who are not known yet: each costs a write that is brought to the disk. One address alone takes a part of them. */
const UNAUTHENTICATED = { perSecond: 20, atOnce: 200 };
const OWN_UNAUTHENTICATED = { perSecond: 10, atOnce: 100 };

/** As many again are kept for addresses that come seldom, whatever a few others do: a person who signs in comes twice. */
const SELDOM_UNAUTHENTICATED = { perSecond: 0.1, atOnce: 10 };

/** A browser that has signed in before is no stranger: it passes while strangers are many. */
const BROWSER_UNAUTHENTICATED = { perSecond: 1, atOnce: 20 };

/** Of more callers, those are forgotten who have asked nothing lately. */
const KNOWN_MOST = 1_000;

type Rate = { readonly perSecond: number; readonly atOnce: number };

/** Token bucket: refilled with time, up to its size. */
class TokenBucket {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #most: number;
  #left: number;
  #at: number;

  constructor(clock: Clock, { perSecond, atOnce }: Rate) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#most = atOnce;
    this.#left = atOnce;
    this.#at = clock.monotonic();
  }

  get isEmpty(): boolean {
    this.#refill();
    return this.#left < 1;
  }

  get isFull(): boolean {
    this.#refill();
    return this.#left >= this.#most;
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    this.#left = Math.min(this.#most, this.#left + ((now - this.#at) / 1_000) * this.#perSecond);
    this.#at = now;
  }

  take(): void {
    this.#left -= 1;
  }
}

export class Limiter {
  readonly #clock: Clock;
  readonly #calls = new Map<string, TokenBucket>();
  readonly #keyTrials: TokenBucket;
  readonly #unauthenticated: TokenBucket;
  readonly #seldomUnauthenticated: TokenBucket;
  readonly #streams = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#keyTrials = new TokenBucket(clock, KEY_TRIALS);
    this.#unauthenticated = new TokenBucket(clock, UNAUTHENTICATED);
    this.#seldomUnauthenticated = new TokenBucket(clock, UNAUTHENTICATED);
  }

  mayCall(caller: string): boolean {
    return takeFrom(this.#bucket(caller, CALLS));
  }

  /** An order of somebody who is not known. @param browser one that has signed in before; null for any other. */
  mayCallUnauthenticated(address: string, browser: string | null): boolean {
    if (browser !== null && takeFrom(this.#bucket(`browser ${browser}`, BROWSER_UNAUTHENTICATED)))
      return true;
    const own = this.#bucket(`unauthenticated ${address}`, OWN_UNAUTHENTICATED);
    const seldom = this.#bucket(`seldom unauthenticated ${address}`, SELDOM_UNAUTHENTICATED);
    return takeFrom(own, seldom, this.#seldomUnauthenticated) || takeFrom(own, this.#unauthenticated);
  }

  #bucket(name: string, rate: Rate): TokenBucket {
    if (this.#calls.size > KNOWN_MOST)
      for (const [known, { isFull }] of this.#calls) if (isFull) this.#calls.delete(known);
    const bucket = this.#calls.get(name) ?? new TokenBucket(this.#clock, rate);
    this.#calls.set(name, bucket);
    return bucket;
  }

  mayTryKey(): boolean {
    return !this.#keyTrials.isEmpty;
  }

  keyTried(): void {
    this.#keyTrials.take();
  }

  /** Null where the program follows as much as it may; else what ends it. */
  openStream(name: string): (() => void) | null {
    const open = this.#streams.get(name) ?? 0;
    if (open >= STREAMS_MOST) return null;
    this.#streams.set(name, open + 1);
    return () => this.#streams.set(name, (this.#streams.get(name) ?? 1) - 1);
  }
}

/** From all of them, or from none. */
function takeFrom(...buckets: readonly TokenBucket[]): boolean {
  if (buckets.some(({ isEmpty }) => isEmpty)) return false;
  for (const bucket of buckets) bucket.take();
  return true;
}

/** Long enough for any name of an order, and short enough for a row. */
const ORDER_MOST = 200;

/** Requests that name themselves (`Idempotency-Key`): done once, and told again. What failed is not kept: it may be asked once more. */
export class Replays {
  readonly #keys: ProgramKeys;
  readonly #underWay = new Set<string>();

  constructor(keys: ProgramKeys) {
    this.#keys = keys;
  }

  /** @param work is given the octets, which are counted into what the request was on their way. */
  async once(
    name: string,
    order: string,
    request: string,
    octets: AsyncIterable<Uint8Array>,
    work: (octets: AsyncIterable<Uint8Array>) => Promise<Omit<KeptResponse, 'digest'>>,
  ): Promise<KeptResponse> {
    if (order === '' || order.length > ORDER_MOST) throw new Problem('query_wrong');
    const hash = createHash('sha256').update(request);
    const known = this.#keys.response(name, order);
    if (known !== null) {
      for await (const chunk of octets) hash.update(chunk);
      if (hash.digest('hex') !== known.digest) throw new Problem('idempotency_other_request');
      return known;
    }
    const id = JSON.stringify([name, order]);
    if (this.#underWay.has(id)) throw new Problem('idempotency_under_way');
    this.#underWay.add(id);
    try {
      const done = await work(counted(octets, (chunk) => hash.update(chunk)));
      const response = { ...done, digest: hash.digest('hex') };
      this.#keys.keepResponse(name, order, response);
      return response;
    } finally {
      this.#underWay.delete(id);
    }
  }
}

async function* counted(
  octets: AsyncIterable<Uint8Array>,
  count: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of octets) {
    count(chunk);
    yield chunk;
  }
}
