// A row that cannot be read as a payment may have been paid all the same: before its settings changed, or by another paydrop that can read it. Its
// money is in every sum, and in every reconciliation.
import { attemptNumberOf } from '../../src/payouts/progress.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { Findings, reconcileBatch } from '../../src/app/desk/reconcile-batch.ts';
import { periodOf, reconcilePeriod } from '../../src/app/desk/reconcile-period.ts';
import { quotationRequestOf, transferExternalId, transferRequest } from '../../src/delivery/requests.ts';
import type { DueRow } from '../../src/delivery/tools.ts';
import { leapClock, type LeapClock } from './leap-clock.ts';
import { endsOf, HURRIED, line, magic, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let clock: LeapClock;
let desk: Desk;

beforeEach(async () => {
  clock = leapClock();
  desk = await openDesk({ clock, settleMs: 2 * HOUR_MS, reversalMs: DAY_MS }, clock);
});
afterEach(() => desk.close());

async function reconcile(paydrop: Paydrop, id: string): Promise<Findings> {
  const findings = new Findings();
  const batch = await paydrop.ledger.batch(id);
  if (batch === null) throw new Error('The batch is there.');
  await reconcileBatch(paydrop, batch, findings, PATIENT);
  return findings;
}

async function reconcileLately(paydrop: Paydrop): Promise<Findings> {
  const findings = new Findings();
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const days = { from: dayOf(clock.now() - DAY_MS), to: dayOf(clock.now()) };
  const period = periodOf(days);
  if (period === null) throw new Error('These are days.');
  await reconcilePeriod(paydrop, days, period, findings, PATIENT);
  return findings;
}

const kindsOf = ({ differences }: Findings) => differences.map(({ kind, row }) => `${row ?? '-'} ${kind}`);

/** A row that was sent, and that a rebuilt ledger can no longer read. */
async function unread(): Promise<{ readonly paydrop: Paydrop; readonly batch: string }> {
  const path = await desk.file('a.csv', [magic('A-1', '0100001')]);
  const { batch } = (await processBatch(await desk.open(), path, HURRIED)).summary;
  await desk.loseLedger();
  const paydrop = await desk.open('sender: { registeredName: Wouri SARL }');
  await rebuildFile(paydrop, path, HURRIED);
  await resumeBatches(paydrop, null, HURRIED);
  expect(await endsOf(paydrop, batch)).toEqual(['held in_doubt_unreadable']);
  return { paydrop, batch };
}

it('a row that can no longer be read, and is paid, is in the sums of its batch, in its result and in all three books', async () => {
  const { paydrop, batch } = await unread();
  clock.leap(3 * HOUR_MS);
  const [result] = (await resumeBatches(paydrop, null, HURRIED)) ?? [];
  const [transfer] = await transfersOf(paydrop);
  const debited = String(Number(transfer?.sendAmount) + Number(transfer?.feeAmount));
  expect(result?.summary).toMatchObject({
    state: 'closed',
    outcomes: { paid: 1 },
    totals: [{ sourceCurrency: 'XAF', debited, reserved: '0' }],
    received: [{ destinationCurrency: 'CNY', receiveAmount: '100.00' }],
  });
  const text = await readFile(join(desk.workspace, 'outbox', `a.${batch}.result.csv`), 'utf8');
  expect(text).toContain(`,XAF,${transfer?.sendAmount ?? '-'},`);
  const agreed = await reconcile(paydrop, batch);
  expect(agreed.agrees).toBe(true);
  expect(agreed.money.lines()).toMatchObject([
    { sourceCurrency: 'XAF', ledger: { debited }, service: { debited }, differences: { debited: '0' } },
  ]);
  expect((await reconcileLately(paydrop)).agrees).toBe(true);
});

it('its reversal is a difference', async () => {
  const { paydrop, batch } = await unread();
  clock.leap(3 * HOUR_MS);
  await resumeBatches(paydrop, null, HURRIED);
  clock.leap(3 * DAY_MS);
  expect((await transfersOf(paydrop))[0]?.statusCode).toBe('100001');
  const reversed = await reconcile(paydrop, batch);
  expect(kindsOf(reversed)).toEqual(['2 status']);
  expect(reversed.dueAgain).toBe(0);
  await resumeBatches(paydrop, null, HURRIED);
});

it('a transfer under the id of a row that is rejected here is unknown to the ledger, by batch and by period', async () => {
  const paydrop = await desk.open('policy: { onInvalidRows: skip-rows }');
  const path = await desk.file('a.csv', [line('A-1', '100'), line('A-2', 'x'), line('A-3', 'x')]);
  const { batch } = (await processBatch(paydrop, path, HURRIED)).summary;
  await payRejected(paydrop, batch);
  clock.leap(3 * HOUR_MS);
  await resumeBatches(paydrop, null, PATIENT);
  for (const findings of [await reconcile(paydrop, batch), await reconcileLately(paydrop)]) {
    expect(kindsOf(findings)).toEqual(['3 unknown-to-the-ledger']);
    const [sums] = findings.money.lines();
    expect(Number(sums?.differences.debited)).toBeGreaterThan(0);
    expect(Number(sums?.ledger.debited) + Number(sums?.differences.debited)).toBe(
      Number(sums?.service.debited),
    );
  }
});

/** As another paydrop on the same account does, whose settings can read the second row. */
async function payRejected({ ledger, service }: Paydrop, id: string): Promise<void> {
  const [paid, rejected] = await ledger.rows(id, 0, 2);
  const fileId = (await ledger.batch(id))?.fileId;
  if (paid === undefined || paid.payout === null || rejected?.payout !== null || fileId === undefined)
    throw new Error('The first can be read, and the second cannot.');
  const quoted = await service.createQuotation(quotationRequestOf(paid.payout, crypto.randomUUID()));
  const row = { ...paid, payout: paid.payout, row: rejected.row };
  const due: DueRow = { fileId, row };
  const made = await service.createTransfer(
    transferRequest(
      due,
      { id: transferExternalId(due, attemptNumberOf(due.row.progress)), quotationId: quoted.value.id },
      null,
    ),
  );
  await service.confirmTransfer(made.value.id);
}
