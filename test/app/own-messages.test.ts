// The three example messages through every command: approved, at their day, from a watched folder, as a spreadsheet before and
// after, and once more after the ledger is lost. Check, preview, run and reconcile are in `payment-messages.test.ts`, a proposal in `message-rules.test.ts`.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { stringify } from 'csv-stringify/sync';
import { parse } from 'csv-parse/sync';
import { v5 as uuid } from 'uuid';
import { afterEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { readRows } from '../../src/rows/formats.ts';
import { CANONICAL } from '../../src/rows/pain001/map-payment.ts';
import { readStatus, statusTexts } from '../invariants/status-messages.ts';
import { ownMessage } from '../rows/pain001/messages.ts';
import { OPTIONS } from '../rows/read-table.ts';
import { approve, resume } from './approval/two-people.ts';
import { endsOf, HURRIED, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { calendarClock, type CalendarClock } from './schedule/calendar-clock.ts';
import { startWatching } from './schedule/watching.ts';

const VERSIONS = ['03', '09', '12'] as const;
const DEBTORS = 'debtors: [{ account: PAYDROP-XAF, currency: XAF }]';
const DOCUMENTS = ['YHD-260914.pdf', 'LF-2026-3307.pdf', 'F-778.pdf'];
const PDF = '%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n';
const NAMESPACE = '5b7c2a1e-94d3-4f0a-8e61-2f9d3c7b6a10';
/** One payment is to a bank that the example leaves unnamed, and its corridor asks for it. */
const ENDED = { paid: 6, rejected: 1 };

const config = (policy: string, more = '') =>
  `policy: { onInvalidRows: skip-rows${policy} }\niso20022: { ${DEBTORS}${more} }\nintake: { settleFor: 20ms, scanEvery: 60ms }\n`;

let clock: CalendarClock;
let desk: Desk;
async function open(policy = ''): Promise<Paydrop> {
  clock = calendarClock('2026-11-28T09:00:00Z');
  desk = await openDesk({ clock }, clock);
  return desk.open(config(policy));
}

async function layInto(folder: string, version: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const name of DOCUMENTS) await writeFile(join(folder, name), PDF);
  const path = join(folder, `own-${version}.xml`);
  await writeFile(path, ownMessage(version));
  return path;
}

const drop = async (version: string) =>
  layInto(join(desk.workspace, '..', `${desk.workspace}-drop`), version);

async function resultOf(batch: string): Promise<readonly Record<string, string>[]> {
  const outbox = join(desk.workspace, 'outbox');
  const name = (await readdir(outbox)).find((each) => each.endsWith(`${batch}.result.csv`)) ?? '';
  return parse(await readFile(join(outbox, name)), { columns: true });
}

/** The same payments as a spreadsheet beside its documents. */
async function asTable(path: string): Promise<string> {
  const { rows } = await readRows(path, { ...OPTIONS, isAnyDebtor: true });
  const read = await Array.fromAsync(rows());
  const table = join(path, '..', 'own.csv');
  await writeFile(
    table,
    stringify([CANONICAL, ...read.map(({ cells }) => cells.slice(0, CANONICAL.length))]),
  );
  return table;
}

const statusesOf = (batch: string) =>
  statusTexts(join(desk.workspace, 'outbox'), batch).map((text) => readStatus(text).perStatus);

describe.each(VERSIONS)('the example of version %s', (version) => {
  afterEach(() => desk.close());

  it('is paid once from a watched folder, with its documents', async () => {
    const paydrop = await open();
    const watching = startWatching(paydrop);
    await layInto(paydrop.workspace.inbox, version);
    const { summary } = await watching.until(({ state }) => state === 'closed');
    await watching.stop();
    expect(summary.outcomes).toMatchObject(ENDED);
    expect(statusesOf(summary.batch)).toEqual([
      { ACCP: 6, RJCT: 1 },
      { ACSC: 6, RJCT: 1 },
    ]);
    expect(await transfersOf(paydrop)).toHaveLength(6);
  });

  it('waits for its approval, and is told so', async () => {
    const paydrop = await open(', approval: required');
    const { summary } = await processBatch(paydrop, await drop(version), HURRIED);
    expect([summary.state, statusesOf(summary.batch)]).toEqual(['awaiting-approval', [{ PDNG: 6, RJCT: 1 }]]);
    expect(await transfersOf(paydrop)).toEqual([]);
    await approve(paydrop, summary.batch);
    const { summary: paid } = await resume(paydrop, summary.batch);
    expect(paid.outcomes).toMatchObject(ENDED);
  });

  it('waits for its day', async () => {
    const paydrop = await open();
    clock.goTo('2026-11-26T09:00:00Z');
    const { summary } = await processBatch(paydrop, await drop(version), HURRIED);
    expect([summary.state, statusesOf(summary.batch)]).toEqual(['scheduled', [{ PDNG: 6, RJCT: 1 }]]);
    expect(await transfersOf(paydrop)).toEqual([]);
    clock.goTo('2026-11-28T09:00:00Z');
    expect((await resume(paydrop, summary.batch)).summary.outcomes).toMatchObject(ENDED);
  });

  it('has ids that anybody can compute, and is found by them when the ledger is lost', async () => {
    const paydrop = await open();
    const path = await drop(version);
    const { batch } = (await processBatch(paydrop, path, PATIENT)).summary;
    const sha256 = createHash('sha256').update(ownMessage(version)).digest('hex');
    const idOf = (row: string) => uuid(`${sha256}/${row}/transfer/1`, NAMESPACE);
    const sent = (await resultOf(batch)).filter((row) => row['payout.outcome'] === 'paid');
    const known = sent.map((row) => row['payout.row'] ?? '');
    expect(sent.map((row) => row['payout.externalId'])).toEqual(known.map(idOf));
    const before = (await transfersOf(paydrop)).map(({ externalId }) => externalId).sort();
    expect(before).toEqual(known.map(idOf).sort());
    await desk.loseLedger();
    const again = await desk.open(config(''));
    await rebuildFile(again, path, PATIENT);
    await resumeBatches(again, null, PATIENT);
    const ends = await endsOf(again, batch);
    expect(ends.filter((end) => end === 'paid')).toHaveLength(6);
    expect((await transfersOf(again)).map(({ externalId }) => externalId).sort()).toEqual(before);
  });

  it.each(['as a spreadsheet, then as a message', 'as a message, then as a spreadsheet'])(
    'twice, %s, is all duplicate the second time',
    async (order) => {
      const paydrop = await open();
      const message = await drop(version);
      const both = [message, await asTable(message)];
      const [first = '', second = ''] = order.startsWith('as a message') ? both : both.toReversed();
      expect((await processBatch(paydrop, first, PATIENT)).summary.outcomes).toMatchObject(ENDED);
      const { summary } = await processBatch(paydrop, second, PATIENT);
      expect(summary.outcomes).toMatchObject({ paid: 0, duplicate: 6, rejected: 1 });
      expect(await transfersOf(paydrop)).toHaveLength(6);
    },
  );
});
