// A listener on the real ledger, with one payout in the state that a test needs, and requests as the service, or a stranger, would send them.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  startWebhookServer,
  type WebhookServer,
  type WebhookServerOptions,
} from '../../../src/app/daemon/webhook-server.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { createLog, type Log } from '../../../src/base/log.ts';
import { exactNumber } from '../../../src/base/exact-json.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';
import { openSqlite } from '../../../src/ledger/open-ledger.ts';
import type { RowRecord } from '../../../src/ledger/records.ts';
import type { Stage } from '../../../src/payouts/lifecycle.ts';
import { externalId } from '../../../src/payouts/payout.ts';
import { FRESH, type Progress } from '../../../src/payouts/progress.ts';
import {
  callbacks,
  type Callbacks,
  SIGNATURE_HEADER,
  signedPath,
  signWebhook,
} from '../../../src/service/webhooks.ts';
import type { Transfer } from '../../../src/service/wire.ts';
import { atEnd } from '../../at-end.ts';
import { KNOWN, TRANSFER } from '../../delivery/due-row.ts';
import { BATCH, newRow, readBy } from '../../ledger/records.ts';
import { EVERYTHING } from '../../ledger/two-ledgers.ts';
import { dueRows, own, record } from '../../ledger/own.ts';

export const API_KEY = 'the-key-of-this-test';
/** The base that the service knows; the listener stands behind a proxy. */
const BASE = 'https://hooks.example.com/paydrop';

export const ID = externalId(BATCH.fileId, '2', 'transfer', 1);

export type LogLine = {
  readonly level: string;
  readonly msg: string;
  readonly reason?: string;
  readonly tries?: number;
  readonly operation?: string;
};

export function heardLog(): { readonly log: Log; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const write = (line: string): void => {
    lines.push(JSON.parse(line) as LogLine);
  };
  return { log: createLog('debug', { write }), lines };
}

export type Listening = {
  readonly server: WebhookServer;
  readonly ledger: Ledger;
  readonly callbacks: Callbacks;
  readonly lines: LogLine[];
  /** Rows whose hint has become durable. */
  readonly hinted: string[];
  /** The row as everybody sees it. */
  row(): Promise<RowRecord>;
  /** Whether it would be looked at now. */
  isDue(): Promise<boolean>;
};

const FAR_MS = 3_600_000;

/** A row that has come to `stage` and is due in an hour. */
export async function listening(
  stage: Stage = 'confirmed',
  options: Partial<WebhookServerOptions> & { readonly progress?: Partial<Progress> } = {},
): Promise<Listening> {
  const folder = mkdtempSync(join(tmpdir(), 'listening-'));
  atEnd(() => rmSync(folder, { recursive: true }));
  const ledger = openSqlite(join(folder, 'ledger.sqlite'), systemClock);
  atEnd(() => ledger.close());
  await ledger.addBatch(readBy(ledger));
  await ledger.addRows(await own(ledger, BATCH.id), [newRow(0)]);
  const [fresh] = await dueRows(ledger, EVERYTHING);
  if (fresh === undefined) throw new Error('The row was due.');
  const { progress = { transfer: { ...KNOWN, externalId: ID } }, ...rest } = options;
  await record(ledger, fresh, {
    progress: { ...FRESH, ...progress, stage },
    dueAt: Date.now() + FAR_MS,
    event: stage,
    transferExternalId: ID,
  });
  return { ledger, ...(await listenOn(ledger, rest)) };
}

async function listenOn(ledger: Ledger, options: Partial<WebhookServerOptions>) {
  const { log, lines } = heardLog();
  const hinted: string[] = [];
  const own = callbacks(BASE, randomBytes(32));
  const server = await startWebhookServer({
    listen: '127.0.0.1:0',
    callbacks: own,
    apiKey: API_KEY,
    ledger,
    log,
    clock: systemClock,
    onHint: ({ row }) => hinted.push(row),
    ...options,
  });
  atEnd(() => server.close());
  const row = async (): Promise<RowRecord> => {
    const [found] = await ledger.rows(BATCH.id, 0, 1);
    if (found === undefined) throw new Error('The row is gone.');
    return found;
  };
  const isDue = async (): Promise<boolean> => {
    const { stage } = (await row()).progress;
    return (await ledger.nextDueAt(BATCH.id, [stage])) === 0;
  };
  return { server, callbacks: own, lines, hinted, row, isDue };
}

/** The body of a notification, as the service writes it. */
export function bodyOf(changes: Partial<Record<keyof Transfer, unknown>> = {}): Buffer {
  const transfer = { ...TRANSFER, externalId: ID, status: 'paid', statusCode: '20000', ...changes };
  const amounts = ['sendAmount', 'receiveAmount', 'feeAmount', 'variableFeeAmount', 'fixedFeeAmount'];
  const written = Object.entries(transfer).map(([name, value]: [string, unknown]) =>
    amounts.includes(name) && typeof value === 'string' ? [name, exactNumber(value)] : [name, value],
  );
  return Buffer.from(JSON.stringify(Object.fromEntries(written)));
}

export type Sent = {
  readonly id?: string;
  readonly body?: Buffer;
  readonly apiKey?: string;
  /** In place of the right one. */
  readonly signature?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the request asks for, where that is not what was stored. */
  readonly target?: (stored: string) => string;
  readonly method?: string;
};

/** Posts a notification, signed over the stored path; gives the status of the answer. */
export async function send({ server, callbacks }: Listening, sent: Sent = {}): Promise<number> {
  const { body = bodyOf(), apiKey = API_KEY, method = 'POST', headers = {} } = sent;
  const path = signedPath(callbacks.urlOf(sent.id ?? ID));
  const { signature = signWebhook(apiKey, path, body) } = sent;
  const signed = signature === null ? {} : { [SIGNATURE_HEADER]: signature };
  const response = await fetch(server.url + (sent.target?.(path) ?? path), {
    method,
    headers: { 'content-type': 'application/json', ...signed, ...headers },
    ...(method === 'POST' ? { body: Uint8Array.from(body) } : {}),
  });
  await response.arrayBuffer();
  return response.status;
}
