// Long work for which a person waits at a page: the cost of a file, and reconciliation. A job goes on after the page is closed and is found again by its
// id. It ends with the process, because it changes nothing.
import { randomUUID } from 'node:crypto';

import { type Clock, isoTime } from '../../base/clock.ts';
import type { Words } from '../../base/language.ts';
import type { Job as ShownJob } from '../../contract/jobs.ts';
import type { ProgressView } from '../parts/run-options.ts';
import { describeError } from '../parts/describe-error.ts';

export type Job = Omit<ShownJob, 'reason'> & { readonly words: Words | null };
type JobWork = (signal: AbortSignal, view: ProgressView) => Promise<NonNullable<Job['result']>>;

/** What a job is about. The result of one on the same version holds so long (ms): whoever asks meanwhile gets it. */
type Subject = { readonly of: string; readonly version?: string; readonly holdsMs?: number };

type Running = {
  job: Job;
  readonly owner: string;
  readonly version: string | undefined;
  readonly stop: AbortController;
};

/** For one caller at the same time; finished jobs are kept for a while too. */
const AT_ONCE_MOST = 2;
const KEPT_MOST = 200;

export class Jobs {
  readonly #clock: Clock;
  readonly #jobs = new Map<string, Running>();
  readonly #work = new Set<Promise<void>>();
  readonly #listeners = new Set<(id: string) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls the listener when a job begins, proceeds or ends; returns the function that stops that. */
  onChange(listener: (id: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The job on the same subject that runs or whose result holds, or a new one; null if the caller has enough of them. */
  begin(owner: string, kind: Job['kind'], { of, version, holdsMs = 0 }: Subject, work: JobWork): Job | null {
    const own = [...this.#jobs.values()].filter((each) => each.owner === owner);
    const same = own.findLast((each) => {
      const { kind: known, of: about, state, endedAt, result } = each.job;
      const isWhole = state === 'done' && !(result !== null && 'isStopped' in result && result.isStopped);
      const holds = isWhole && this.#clock.now() < Date.parse(endedAt ?? '') + holdsMs;
      return known === kind && about === of && each.version === version && (state === 'running' || holds);
    });
    if (same !== undefined) return same.job;
    if (own.filter(({ job }) => job.state === 'running').length >= AT_ONCE_MOST) return null;
    const startedAt = isoTime(this.#clock.now());
    const job: Job = {
      ...{ id: randomUUID(), kind, of, state: 'running', done: 0, total: null, startedAt },
      ...{ endedAt: null, result: null, words: null },
    };
    const running: Running = { job, owner, version, stop: new AbortController() };
    this.#forgetOldest();
    this.#jobs.set(job.id, running);
    const ended = this.#carry(running, work).finally(() => this.#work.delete(ended));
    this.#work.add(ended);
    return running.job;
  }

  /** Null if this caller has no such job. */
  find(id: string, owner: string): Job | null {
    const found = this.#jobs.get(id);
    return found?.owner === owner ? found.job : null;
  }

  /** Newest first. */
  of(owner: string): readonly Job[] {
    const own = [...this.#jobs.values()].filter((each) => each.owner === owner);
    return own.map(({ job }) => job).reverse();
  }

  /** Null if this caller has no such job. */
  cancel(id: string, owner: string): Job | null {
    const found = this.#jobs.get(id);
    if (found?.owner !== owner) return null;
    if (found.job.state === 'running') {
      this.#set(found, { state: 'cancelled', endedAt: isoTime(this.#clock.now()) });
      found.stop.abort();
    }
    return found.job;
  }

  async close(): Promise<void> {
    for (const { stop } of this.#jobs.values()) stop.abort();
    await Promise.allSettled(this.#work);
  }

  async #carry(running: Running, work: JobWork): Promise<void> {
    const view: ProgressView = {
      start: (_batch, rows, done) =>
        this.#set(running, { total: (running.job.total ?? 0) + rows, done: running.job.done + done }),
      settled: () => this.#set(running, { done: running.job.done + 1 }),
      end: () => undefined,
    };
    let end: Partial<Job>;
    try {
      end = { state: 'done', result: await work(running.stop.signal, view) };
    } catch (error) {
      end = { state: 'failed', words: describeError(error).words };
    }
    // A cancelled job has its end already.
    if (running.job.state === 'running') this.#set(running, { ...end, endedAt: isoTime(this.#clock.now()) });
  }

  #set(running: Running, change: Partial<Job>): void {
    running.job = { ...running.job, ...change };
    for (const listener of this.#listeners) listener(running.job.id);
  }

  #forgetOldest(): void {
    const ended = [...this.#jobs.values()].filter(({ job }) => job.state !== 'running');
    for (const { job } of ended.slice(0, Math.max(0, ended.length - KEPT_MOST))) this.#jobs.delete(job.id);
  }
}
