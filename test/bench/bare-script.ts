// The first opponent: what an engineer writes in an afternoon. A file is read with csv-parse, each row is three calls with `fetch` under
// p-limit. No ledger, no validation, no answers; a crash in the middle of it leaves nobody knowing what was paid.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { parse } from 'csv-parse/sync';
import pLimit from 'p-limit';

import { readArguments, type Cells } from './opponent-arguments.ts';
import { quotationBody, transferBody } from './opponent-bodies.ts';

const { baseUrl, path, concurrency } = readArguments();

async function call(method: string, target: string, body?: string): Promise<unknown> {
  const response = await fetch(baseUrl + target, {
    method,
    headers: { 'x-api-key': 'key', accept: 'application/json', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  });
  if (!response.ok) throw new Error(`${target}: ${String(response.status)}`);
  return response.json();
}

async function pay(row: Cells): Promise<void> {
  const quotation = (await call('POST', '/rates', JSON.stringify(quotationBody(row, randomUUID())))) as {
    id: string;
  };
  const body = JSON.stringify(transferBody(row, quotation.id, randomUUID()));
  const transfer = (await call('POST', '/transfers', body)) as { id: string };
  await call('POST', `/transfers/${transfer.id}/confirm`);
}

const rows: Cells[] = parse(readFileSync(path), { columns: true });
const limit = pLimit(concurrency);
await Promise.all(rows.map((row) => limit(pay, row)));
