// How much one program may ask, and what it is told when it asks the same thing twice.
import { createHash } from 'node:crypto';

import type { KeptResponse, ProgramKeys } from '../app/people/program-keys.ts';
import type { WebParts } from '../app/daemon/run-daemon.ts';
import { Problem } from './problems.ts';

type Clock = WebParts['paydrop']['clock'];

/** A program that polls a hundred files stays far below; one in a loop does not. */
const CALLS_PER_SECOND = 50;
const CALLS_AT_ONCE = 200;

/** A key cannot be guessed; that it is tried all the same must cost nobody anything. */
const GUESSES_PER_SECOND = 10;
const STREAMS_MOST = 4;

/** Sign-ins of all who are not known yet: each costs a write that is brought to the disk. One address alone takes a part of them, and locks nobody out. */
const KNOCKS_PER_SECOND = 20;
const KNOCKS_AT_ONCE = 200;
const OWN_KNOCKS_PER_SECOND = 10;
const OWN_KNOCKS_AT_ONCE = 100;

/** Of more callers, those are forgotten who have asked nothing lately. */
const KNOWN_MOST = 1_000;

/** Refilled with time, up to its size. */
class Bucket {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #most: number;
  #left: number;
  #at: number;

  constructor(clock: Clock, perSecond: number, most: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#most = most;
    this.#left = most;
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
  readonly #calls = new Map<string, Bucket>();
  readonly #guesses: Bucket;
  readonly #knocks: Bucket;
  readonly #streams = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#guesses = new Bucket(clock, GUESSES_PER_SECOND, GUESSES_PER_SECOND);
    this.#knocks = new Bucket(clock, KNOCKS_PER_SECOND, KNOCKS_AT_ONCE);
  }

  /** @param isKnock an order of somebody who is not known. */
  mayCall(caller: string, isKnock = false): boolean {
    if (this.#calls.size > KNOWN_MOST)
      for (const [known, { isFull }] of this.#calls) if (isFull) this.#calls.delete(known);
    const name = isKnock ? `knock of ${caller}` : caller;
    const bucket = this.#calls.get(name) ?? this.#bucketFor(isKnock);
    this.#calls.set(name, bucket);
    if (bucket.isEmpty || (isKnock && this.#knocks.isEmpty)) return false;
    bucket.take();
    if (isKnock) this.#knocks.take();
    return true;
  }

  #bucketFor(isKnock: boolean): Bucket {
    return isKnock
      ? new Bucket(this.#clock, OWN_KNOCKS_PER_SECOND, OWN_KNOCKS_AT_ONCE)
      : new Bucket(this.#clock, CALLS_PER_SECOND, CALLS_AT_ONCE);
  }

  mayGuess(): boolean {
    return !this.#guesses.isEmpty;
  }

  guessed(): void {
    this.#guesses.take();
  }

  /** Null where the program follows as much as it may; else what ends it. */
  openStream(name: string): (() => void) | null {
    const open = this.#streams.get(name) ?? 0;
    if (open >= STREAMS_MOST) return null;
    this.#streams.set(name, open + 1);
    return () => this.#streams.set(name, (this.#streams.get(name) ?? 1) - 1);
  }
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
