// What the program of a payment message was told stays true after a ledger is lost, or an older copy of it is put back: a payment that was reported as
// rejected is neither sent nor reported otherwise.
import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { LedgerForgetful } from '../../src/app/parts/describe-error.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { assertLedgerKnowsAll } from '../../src/app/workflow/resolve-doubt/known-batches.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { quotationRequestOf, transferRequest } from '../../src/delivery/requests.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { returnsOfOdoo, statusTexts } from '../invariants/status-messages.ts';
import { message, payment } from '../rows/pain001/messages.ts';
import { endsOf, HURRIED, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { calendarClock, type CalendarClock } from './schedule/calendar-clock.ts';

let clock: CalendarClock;
let desk: Desk;
beforeEach(async () => {
  clock = calendarClock('2026-11-28T09:00:00Z');
  desk = await openDesk({ clock, settleMs: 60_000 }, clock);
});
afterEach(() => desk.close());

const CONFIG =
  'policy: { onInvalidRows: skip-rows }\n' +
  'iso20022: { debtors: [{ account: PAYDROP-XAF, currency: XAF }], statusReports: { pause: 1s } }';

const ALIPAY = '<Id><Othr><Id>+8613800138000</Id><SchmeNm><Prtry>ALIPAY</Prtry></SchmeNm></Othr></Id>';

/** One payment in each of two corridors. */
const MESSAGE = message([payment({ account: ALIPAY }), payment({ reference: 'A-2', name: 'Chen, Mei' })]);

const backup = (): string => join(desk.workspace, 'backup');

async function setCorridor(isEnabled: boolean): Promise<void> {
  const { baseUrl, apiKey } = desk.sandbox;
  const response = await fetch(`${baseUrl}/sandbox/corridors/chn-cny-b2c-wechat`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ isEnabled }),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** A go in which the second payment is refused, and reported, while the first is on its way. The ledger is copied as it was before the refusal. */
async function refuseSecond(): Promise<{ readonly id: string; readonly path: string }> {
  const real = await desk.open(CONFIG);
  const createTransfer: Paydrop['service']['createTransfer'] = async (request) => {
    if (request.receiver?.['lastName'] !== 'Chen') return real.service.createTransfer(request);
    const ledger = new DatabaseSync(real.workspace.ledgerPath);
    if (!existsSync(backup())) ledger.prepare('VACUUM INTO ?').run(backup());
    ledger.close();
    await setCorridor(false);
    return real.service.createTransfer(request).finally(() => setCorridor(true));
  };
  const path = await desk.write('salaries.xml', MESSAGE);
  const paydrop = { ...real, service: { ...real.service, createTransfer } };
  const { summary } = await processBatch(paydrop, path, HURRIED);
  expect(await endsOf(paydrop, summary.batch)).toEqual(['confirmed', 'rejected 10003']);
  return { id: summary.batch, path };
}

const returned = (id: string) => returnsOfOdoo(statusTexts(join(desk.workspace, 'outbox'), id));

/** Somebody else uses the id of the second payment for one of another amount, and does not confirm it. */
async function useItsId(id: string): Promise<void> {
  const { ledger, service } = await desk.open(CONFIG);
  const [, row] = await ledger.rows(id, 0, 2);
  const fileId = (await ledger.batch(id))?.fileId;
  if (row === undefined || row.payout === null || fileId === undefined) throw new Error('It is there.');
  const payout: Payout = { ...row.payout, requested: { side: 'destination', amount: '999' } };
  const quoted = await service.createQuotation(quotationRequestOf(payout, crypto.randomUUID()));
  const due = { fileId, row: { ...row, payout }, run: ledger.run, doubtSince: null };
  await service.createTransfer(transferRequest(due, quoted.value.id, null));
}

/** Once no read can hide what was sent. */
async function resumeLater(paydrop: Paydrop): Promise<void> {
  for (const time of ['11:00', '12:00']) {
    clock.goTo(`2026-11-28T${time}:00Z`);
    await resumeBatches(paydrop, null, PATIENT);
  }
}

it('in a rebuilt ledger', async () => {
  const { id, path } = await refuseSecond();
  await desk.loseLedger();
  const paydrop = await desk.open(CONFIG);
  await rebuildFile(paydrop, path, PATIENT);
  await resumeLater(paydrop);
  expect(await endsOf(paydrop, id)).toEqual(['paid', 'rejected ']);
  expect(returned(id)).toEqual(['A-2']);
});

it('in a rebuilt ledger, although a transfer of somebody else has its id', async () => {
  const { id, path } = await refuseSecond();
  await useItsId(id);
  await desk.loseLedger();
  const paydrop = await desk.open(CONFIG);
  await rebuildFile(paydrop, path, PATIENT);
  await resumeLater(paydrop);
  expect(await endsOf(paydrop, id)).toEqual(['paid', 'rejected ']);
  expect(returned(id)).toEqual(['A-2']);
  expect((await transfersOf(paydrop)).map(({ status }) => status).sort()).toEqual(['created', 'paid']);
});

it('in a copy of the ledger from within that go: it is recognised as older', async () => {
  const { id, path } = await refuseSecond();
  await desk.loseLedger();
  await copyFile(backup(), join(desk.workspace, 'ledger.sqlite'));
  const paydrop = await desk.open(CONFIG);
  await expect(assertLedgerKnowsAll(paydrop)).rejects.toThrow(LedgerForgetful);
  await rebuildFile(paydrop, path, PATIENT);
  await resumeLater(paydrop);
  expect(await endsOf(paydrop, id)).toEqual(['paid', 'rejected ']);
  expect(returned(id)).toEqual(['A-2']);
});
