// Where the log goes: to the file of the config, else to stderr, where only warnings stand beside what the command itself says.
import { pino } from 'pino';

import { createLog, type Log } from '../base/log.ts';
import type { Config } from './config.ts';

export type OpenedLog = Log & {
  /** Goes on in a new file of the same name, where a program for old logs has taken the one before away. */
  readonly reopen?: () => void;
};

export function openLog({ log }: Config): OpenedLog {
  if (log.file !== null) {
    const file = pino.destination({ dest: log.file, mkdir: true, mode: 0o600, sync: true });
    return { ...createLog(log.level, file), reopen: () => file.reopen() };
  }
  const isChatty = log.level === 'trace' || log.level === 'debug' || log.level === 'info';
  return createLog(isChatty ? 'warn' : log.level, pino.destination({ fd: 2, sync: true }));
}
