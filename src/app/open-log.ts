// Where the log goes: to the file of the config, else to stderr, where only warnings stand beside what the command itself says.
import { pino } from 'pino';

import { createLog, type Log } from '../base/log.ts';
import type { Config } from './config.ts';

export function openLog({ log }: Config): Log {
  if (log.file !== null)
    return createLog(log.level, pino.destination({ dest: log.file, mkdir: true, mode: 0o600, sync: true }));
  const isChatty = log.level === 'trace' || log.level === 'debug' || log.level === 'info';
  return createLog(isChatty ? 'warn' : log.level, pino.destination({ fd: 2, sync: true }));
}
