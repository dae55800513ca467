// The second opponent, tuned to the limit: it splits lines as they come, undici's pool sends and receives bytes, and of a response it reads only
// the id. It stores, checks and answers as little as the bare script.
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

import { Pool } from 'undici';

import { readArguments, type Cells } from './opponent-arguments.ts';
import { quotationBody, transferBody } from './opponent-bodies.ts';

const { baseUrl, path, concurrency } = readArguments();
const pool = new Pool(baseUrl, { connections: concurrency, pipelining: 1 });
const headers = ['x-api-key', 'key', 'accept', 'application/json', 'content-type', 'application/json'];
const ID = /"id":"([^"]+)"/;

async function call(target: string, body: string | null): Promise<string> {
  const response = await pool.request({ method: 'POST', path: target, headers, body });
  const text = await response.body.text();
  if (response.statusCode !== 200) throw new Error(`${target}: ${text}`);
  return ID.exec(text)?.[1] ?? '';
}

async function pay(row: Cells): Promise<void> {
  const quotation = await call('/rates', JSON.stringify(quotationBody(row, randomUUID())));
  const transfer = await call('/transfers', JSON.stringify(transferBody(row, quotation, randomUUID())));
  await call(`/transfers/${transfer}/confirm`, null);
}

async function* rowsOf(): AsyncGenerator<Cells> {
  let header: readonly string[] | null = null;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const cells = line.split(',');
    if (header === null) header = cells;
    else yield Object.fromEntries(header.map((name, index) => [name, cells[index] ?? '']));
  }
}

const rows = rowsOf();
const worker = async (): Promise<void> => {
  for (;;) {
    const next = await rows.next();
    if (next.done === true) return;
    await pay(next.value);
  }
};
await Promise.all(Array.from({ length: concurrency }, worker));
await pool.destroy();
