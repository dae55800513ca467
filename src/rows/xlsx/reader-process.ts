// The process that reads workbooks. Its memory and its death are its own, it knows no key and no setting, and it can write nothing.
import { FileRefused } from '../file-refused.ts';
import { readWorkbookFile } from './read-workbook.ts';
import { MORE, type ReaderMessage, type ReadJob } from './messages.ts';

/** The workbook, opened by the parent: the first number behind standard streams and the channel. */
export const WORKBOOK_DESCRIPTOR = 4;

/** How many batches of rows may wait to be used: one is being used, one is under way, one is being made. */
const BATCHES_AHEAD = 3;

/** A tenth of a second's work. */
const ALIVE_BYTES = 4 * 1024 * 1024;

/** A signal for the whole group (Ctrl-C, the stop of a service) is the parent's to answer; it ends this process when it is done. */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => signal);

let credit = BATCHES_AHEAD;
let wake = (): void => undefined;

process.on('message', (message: ReadJob | typeof MORE) => {
  if (message !== MORE) {
    void read(message);
    return;
  }
  credit += 1;
  wake();
});

async function read(job: ReadJob): Promise<void> {
  try {
    for await (const message of readWorkbookFile(WORKBOOK_DESCRIPTOR, job, startPulse())) {
      if (message.kind === 'rows') await spend();
      send(message);
    }
  } catch (error) {
    // Anything else ends the process, which is an answer too.
    if (!(error instanceof FileRefused)) throw error;
    send({ kind: 'refused', code: error.code, fault: error.fault });
  }
}

async function spend(): Promise<void> {
  while (credit === 0) await new Promise<void>((resolve) => (wake = resolve));
  credit -= 1;
}

function startPulse(): (count: number) => void {
  let bytes = 0;
  return (count) => {
    bytes += count;
    if (bytes < ALIVE_BYTES) return;
    bytes = 0;
    send({ kind: 'alive' });
  };
}

function send(message: ReaderMessage): void {
  process.send?.(message);
}

// Without a parent there is nobody to read for.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
