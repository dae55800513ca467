// Where the log goes: to the file of the config, else to stderr, which then gets warnings only. A log that cannot be written delays no payment:
// part of it is kept in memory until it can be written; further lines are lost, and counted.
import { stderr } from 'node:process';

import { pino } from 'pino';

import { createLog, type Log } from '../../base/log.ts';
import type { Config } from '../config/config.ts';

export type OpenedLog = Log & {
  /** Continues in a new file of the same name, after a log rotation program has moved the old one. */
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
  // Nobody is left to tell.
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
    // Not while another line is being written.
    setImmediate(() => log.warn('lines of the log were lost', { lines }));
  });
}

function tellOnStderr(words: string): void {
  stderr.write(words);
}
