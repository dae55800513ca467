// Asks a process of its own to read a workbook, and outlives whatever becomes of it: a workbook is made by others, and may be made to hurt.
import { fork, type ChildProcess } from 'node:child_process';
import { extname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { sameWords, type Words } from '../../base/language.ts';
import { startDeadline, systemClock } from '../../base/clock.ts';
import { FileRefused } from '../file-refused.ts';
import { checkSame, openSame, type SourceFile } from '../source-file.ts';
import { READER_BOUNDS, type ReaderBounds } from './limits.ts';
import { MORE, type ReaderMessage, type ReadJob } from './messages.ts';
import type { WORKBOOK_DESCRIPTOR } from './reader-process.ts';
import { sentence } from '../../messages/messages.ts';

/** The same file, as it is run: TypeScript from a clone, JavaScript from a package. */
const PROGRAM = fileURLToPath(new URL(`./reader-process${extname(import.meta.url)}`, import.meta.url));

/** Whatever a workbook might make the process do, it can only read. */
const FLAGS = ['--permission', '--allow-fs-read=*'];

/** Standard streams, the channel, and at `WORKBOOK_DESCRIPTOR` the file. */
type Streams = ['ignore', 'ignore', 'ignore', 'ipc', number] & { readonly [WORKBOOK_DESCRIPTOR]: number };

/** The messages up to and with `end`, signs of life left out. Throws `FileRefused`. */
export async function* askReader(
  source: SourceFile,
  job: ReadJob,
  bounds: ReaderBounds = READER_BOUNDS,
): AsyncGenerator<ReaderMessage> {
  const file = await openSame(source);
  const child = start(file.fd, bounds.heapMbMax);
  try {
    const next = listen(child, bounds);
    child.send(job, toldByItsEnd);
    for (;;) {
      const message = await next();
      if (message.kind === 'alive') continue;
      if (message.kind === 'refused') throw new FileRefused(message.code, message.fault);
      yield message;
      if (message.kind === 'end') break;
      if (message.kind === 'rows') child.send(MORE, toldByItsEnd);
    }
    await checkSame(source, file);
  } finally {
    child.kill('SIGKILL');
    await file.close();
  }
}

/** A message that does not arrive finds nobody there any more, and `listen` hears of that end. */
function toldByItsEnd(): void {
  return;
}

function start(descriptor: number, heapMbMax: number): ChildProcess {
  const stdio: Streams = ['ignore', 'ignore', 'ignore', 'ipc', descriptor];
  return fork(PROGRAM, [], {
    execArgv: [`--max-old-space-size=${heapMbMax}`, ...FLAGS],
    // Without the environment it does not know the key either.
    env: {},
    stdio,
    // A group of its own, so that Ctrl-C does not end it before us.
    detached: true,
  });
}

type Ended = { readonly kind: 'ended'; readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** Gives the next message, each time it is asked. */
function listen(
  child: ChildProcess,
  { silenceMsMax, waitMsMax }: ReaderBounds,
): () => Promise<ReaderMessage> {
  const waiting: (ReaderMessage | Ended | Error)[] = [];
  let wake = (): void => undefined;
  const arrive = (message: ReaderMessage | Ended | Error) => {
    waiting.push(message);
    wake();
  };
  child.on('message', (message: ReaderMessage) => arrive(message));
  child.on('error', arrive);
  child.on('exit', (code, signal) => arrive({ kind: 'ended', code, signal }));
  let leftMs = waitMsMax;
  return async () => {
    const limitMs = Math.min(silenceMsMax, leftMs);
    if (waiting.length === 0) leftMs -= await arrival(limitMs, (resolve) => (wake = resolve));
    const message = waiting.shift();
    if (message === undefined) throw died(sentence('askReader.listen', { limitMs }));
    if (message instanceof Error) throw message;
    if (message.kind === 'ended') throw endOf(message);
    return message;
  };
}

/** How long it took until something arrived: not much more than `limitMs`. */
async function arrival(limitMs: number, listenFor: (resolve: () => void) => void): Promise<number> {
  const started = systemClock.monotonic();
  const deadline = startDeadline(limitMs);
  await new Promise<void>((resolve) => {
    deadline.signal.addEventListener('abort', () => resolve(), { once: true });
    listenFor(resolve);
  });
  deadline.clear();
  // After a stop of this very process (Ctrl-Z, a machine that slept) the deadline is met first, and what has arrived meanwhile comes next.
  if (deadline.signal.aborted) await setImmediate();
  return systemClock.monotonic() - started;
}

/** Signals by which somebody ends a process, whatever it reads. */
const FROM_OUTSIDE: readonly unknown[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function endOf({ code, signal }: Ended): Error {
  // That says nothing of the file, which must not be refused for it.
  if (FROM_OUTSIDE.includes(signal))
    return new Error(`The reader of workbooks was ended by ${String(signal)}.`);
  const end = signal ?? `code ${String(code)}`;
  const memory = OUT_OF_MEMORY.includes(signal) ? sentence('askReader.endOf.doesWhenMemory') : sameWords('');
  return died(sentence('askReader.endOf.itEndedWith', { end, memory }));
}

/** How the engine ends when its heap is full, and how the system ends who takes too much. */
const OUT_OF_MEMORY: readonly unknown[] = ['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGKILL'];

function died(how: Words): FileRefused {
  return new FileRefused('workbook_reader_died', sentence('askReader.died', { how }));
}
