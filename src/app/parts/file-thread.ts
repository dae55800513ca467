// A worker thread that reads large files, or looks into one that may be slow: what others ask meanwhile must not wait for it.
import { extname } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** Work on one file. Its jobs, what it tells on the way and what it finds are values that may go to another thread. Null bytes: it always goes there. */
export type FileWork<Job extends { readonly bytes: number | null }, Found, Progress = never> = {
  /** The module that exports this as `WORK`, as `import.meta.url` names it. */
  readonly module: string;
  readonly does: (job: Job, tell: (progress: Progress) => void, signal: AbortSignal) => Promise<Found>;
};

/** A smaller file is read before a thread has started. */
const THREAD_BYTES = 256 * 1024;

type Running = { readonly tell: (progress: unknown) => void } & Pick<
  PromiseWithResolvers<unknown>,
  'resolve' | 'reject'
>;

type ThreadOrder = { readonly number: number } & (
  { readonly module: string; readonly job: unknown } | { readonly isStopped: true }
);
type ThreadMessage = { readonly number: number } & (
  { readonly progress: unknown } | { readonly found: unknown } | { readonly fault: string }
);

/** One thread for all large files, from the first of them on: what has run before runs faster. */
export class FileThread {
  readonly #running = new Map<number, Running>();
  readonly #stop = new AbortController();
  #thread: Worker | null = null;
  #count = 0;

  /** Rejects once it is closed, or when the signal fires. */
  run<Job extends { readonly bytes: number | null }, Found, Progress>(
    { module, does }: FileWork<Job, Found, Progress>,
    job: Job,
    signal: AbortSignal,
    tell: (progress: Progress) => void = () => undefined,
  ): Promise<Found> {
    const ended = AbortSignal.any([this.#stop.signal, signal]);
    if (job.bytes !== null && job.bytes < THREAD_BYTES) return does(job, tell, ended);
    return this.#runThere({ module, job }, tell as Running['tell'], ended) as Promise<Found>;
  }

  /** Passes on what is being sent; once it is a large file, the thread starts while the rest is on its way. */
  async *whileSent(sent: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const chunk of sent) {
      bytes += chunk.byteLength;
      if (bytes >= THREAD_BYTES && !this.#stop.signal.aborted) this.#thread ??= this.#start();
      yield chunk;
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#thread?.terminate();
  }

  async #runThere(
    order: { readonly module: string; readonly job: unknown },
    tell: Running['tell'],
    signal: AbortSignal,
  ): Promise<unknown> {
    signal.throwIfAborted();
    const { promise, ...ends } = Promise.withResolvers<unknown>();
    const number = this.#count++;
    this.#running.set(number, { tell, ...ends });
    this.#thread ??= this.#start();
    this.#thread.postMessage({ number, ...order } satisfies ThreadOrder);
    const stop = (): void => {
      this.#thread?.postMessage({ number, isStopped: true } satisfies ThreadOrder);
      ends.reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
    return promise.finally(() => {
      signal.removeEventListener('abort', stop);
      this.#running.delete(number);
    });
  }

  #start(): Worker {
    const thread = new Worker(PROGRAM, { workerData: { readsFiles: true }, execArgv: [] });
    thread.on('message', (told: ThreadMessage) => {
      const running = this.#running.get(told.number);
      if ('progress' in told) running?.tell(told.progress);
      else if ('found' in told) running?.resolve(told.found);
      else running?.reject(new Error(told.fault));
    });
    const end = (error: unknown): void => {
      this.#thread = null;
      for (const { reject } of this.#running.values()) reject(error);
    };
    thread.on('error', end);
    thread.on('exit', () => end(new Error('The thread has ended.')));
    return thread;
  }
}

/** The same file, as it is run: TypeScript from a clone, JavaScript from a package. */
const PROGRAM = new URL(`./file-thread${extname(import.meta.url)}`, import.meta.url);

// In the thread.
if (!isMainThread && (workerData as { readonly readsFiles?: true } | null)?.readsFiles === true) {
  const running = new Map<number, AbortController>();
  parentPort?.on('message', (order: ThreadOrder) => {
    if ('isStopped' in order) running.get(order.number)?.abort();
    else void runHere(order, running);
  });
}

async function runHere(
  { number, module, job }: Exclude<ThreadOrder, { readonly isStopped: true }>,
  running: Map<number, AbortController>,
): Promise<void> {
  const tell = (told: object): void => parentPort?.postMessage({ number, ...told });
  const stop = new AbortController();
  running.set(number, stop);
  try {
    const { WORK } = (await import(module)) as { readonly WORK: FileWork<never, unknown, unknown> };
    tell({ found: await WORK.does(job as never, (progress) => tell({ progress }), stop.signal) });
  } catch (error) {
    tell({ fault: error instanceof Error ? error.name : 'unknown' });
  } finally {
    running.delete(number);
  }
}
