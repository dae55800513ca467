// The log, over pino. Only the fields listed here can be written, so that a name, an account number or the key cannot slip in by accident.
import { pino, type DestinationStream } from 'pino';

/** All fields that a log line may have besides its fixed message: ids, codes, counts, durations, and who decided; never a payee, an account or a secret. */
export type LogFields = {
  readonly batch?: string;
  readonly row?: string;
  readonly stage?: string;
  readonly externalId?: string;
  readonly transferId?: string;
  readonly operation?: string;
  readonly httpStatus?: number;
  readonly errorCode?: number;
  readonly reason?: string;
  /** A sentence of ours. */
  readonly remedy?: string;
  readonly code?: string;
  /** A state of a batch. */
  readonly state?: string;
  /** What is true of a batch's money. */
  readonly standing?: string;
  /** How many rows came to which outcome. */
  readonly outcomes?: Readonly<Record<string, number>>;
  /** Who approved, declined, released, cancelled or paused, as the ledger keeps it. */
  readonly by?: string;
  readonly rows?: number;
  readonly lines?: number;
  /** The letters of columns; a header is the file's own word. */
  readonly columns?: string;
  readonly tries?: number;
  readonly durationMs?: number;
};

const FIELDS: Readonly<Record<keyof LogFields, true>> = {
  batch: true,
  row: true,
  stage: true,
  externalId: true,
  transferId: true,
  operation: true,
  httpStatus: true,
  errorCode: true,
  reason: true,
  remedy: true,
  code: true,
  state: true,
  standing: true,
  outcomes: true,
  by: true,
  rows: true,
  lines: true,
  columns: true,
  tries: true,
  durationMs: true,
};

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** A log that writes JSON lines of `level` and above to `destination`. */
export function createLog(level: LogLevel, destination: DestinationStream): Log {
  const formatters = { level: (name: string) => ({ level: name }) };
  const logger = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters },
    destination,
  );
  const at =
    (write: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields: LogFields = {}): void => {
      if (logger.isLevelEnabled(write)) logger[write](allowed(fields), message);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A log that keeps nothing, for library users who bring none. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

function allowed(fields: LogFields): LogFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(FIELDS, name)));
}
