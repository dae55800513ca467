// Where the log goes: to the file of the config, else to stderr, where only warnings stand beside what the command itself says. A log that
// cannot be written holds up no payment: a part of it is kept in memory until it can, and what is more than that is counted and lost.
import { stderr } from 'node:process';

import { pino } from 'pino';

import { createLog, type Log } from '../../base/log.ts';
import type { Config } from '../config/config.ts';

export type OpenedLog = Log & {
  /** Goes on in a new file of the same name, where a program for old logs has taken the one before away. */
  readonly reopen?: () => void;
};

/** Some thousands of lines. */
const KEPT_BYTES_MOST = 1024 * 1024;

export function openLog({ log }: Config, tell: (words: string) => void = tellOnStderr): OpenedLog {
  if (log.file !== null) {
    const { file: path } = log;
    const file = pino.destination({
      dest: path,
      mkdir: true,
      mode: 0o600,
      sync: true,
      maxLength: KEPT_BYTES_MOST,
    });
    const opened = createLog(log.level, file);
    survive(file, opened, (code) => {
      tell(`The log ${path} cannot be written (${code}). Nothing else waits for it.\n`);
    });
    return { ...opened, reopen: () => file.reopen() };
  }
  const isChatty = log.level === 'trace' || log.level === 'debug' || log.level === 'info';
  const terminal = pino.destination({ fd: 2, sync: true, maxLength: KEPT_BYTES_MOST });
  const opened = createLog(isChatty ? 'warn' : log.level, terminal);
  // Nobody is left to be told.
  survive(terminal, opened, () => undefined);
  return opened;
}

type Destination = ReturnType<typeof pino.destination>;

function survive(destination: Destination, log: Log, onBroken: (code: string) => void): void {
  let isBroken = false;
  let lost = 0;
  destination.on('error', (error: unknown) => {
    if (!isBroken) onBroken(error instanceof Error && 'code' in error ? String(error.code) : 'unknown');
    isBroken = true;
  });
  destination.on('drop', () => {
    lost += 1;
  });
  destination.on('write', () => {
    isBroken = false;
    if (lost === 0) return;
    const lines = lost;
    lost = 0;
    // Not from within the writing of another line.
    setImmediate(() => log.warn('lines of the log were lost', { lines }));
  });
}

function tellOnStderr(words: string): void {
  stderr.write(words);
}
