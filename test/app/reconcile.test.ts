// Three books that must agree: what the file asked for, what the ledger remembers, what the service says. Each difference has a name, and together
// the differences explain the money to the minor unit.
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { Findings, reconcileBatch } from '../../src/app/desk/reconcile-batch.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { periodOf, reconcilePeriod } from '../../src/app/desk/reconcile-period.ts';
import { ReconciliationStopped } from '../../src/app/parts/describe-error.ts';
import { addDecimals } from '../../src/base/decimal.ts';
import { toKnownTransfer } from '../../src/delivery/known-transfer.ts';
import type { DeadAttempt } from '../../src/payouts/progress.ts';
import { Unanswered } from '../../src/service/errors.ts';
import type { Transfer } from '../../src/service/wire.ts';
import { leapClock, type LeapClock } from './leap-clock.ts';
import { HURRIED, line, magic, openDesk, PATIENT, type Desk } from './desk.ts';
import { record } from '../ledger/own.ts';

const DAY_MS = 86_400_000;

let clock: LeapClock;
let desk: Desk;

beforeEach(async () => {
  clock = leapClock();
  desk = await openDesk({ clock, reversalMs: DAY_MS }, clock);
});
afterEach(() => desk.close());

async function reconcile(paydrop: Paydrop, id: string, control = PATIENT) {
  const findings = new Findings();
  const batch = await paydrop.ledger.batch(id);
  if (batch === null) throw new Error('The batch is there.');
  const answers = await reconcileBatch(paydrop, batch, findings, control);
  expectExplained(findings);
  return { findings, answers };
}

async function reconcileDays(paydrop: Paydrop, from: string, to: string, control = PATIENT) {
  const findings = new Findings();
  const period = periodOf({ from, to });
  if (period === null) throw new Error('These are days.');
  const answers = await reconcilePeriod(paydrop, { from, to }, period, findings, control);
  expectExplained(findings);
  return { findings, answers };
}

/** What the service has is what the file asked for and the differences. */
function expectExplained({ money }: Findings): void {
  for (const { file, service, differences } of money.lines())
    for (const side of ['debited', 'reserved'] as const)
      expect(Number(addDecimals(file[side], differences[side]))).toBe(Number(service[side]));
}

function kindsOf({ differences }: Findings): readonly string[] {
  return differences.map(({ kind, row }) => `${row ?? '-'} ${kind}`);
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const outbox = (name: string) => readFile(join(desk.workspace, 'outbox', name), 'utf8');

describe('a batch', () => {
  it('agrees when it is paid, and its money is the same in all three books', async () => {
    const paydrop = await desk.open();
    const file = await desk.file('payroll.csv', [line('A-1', '100'), magic('A-2', '0100002')]);
    const { batch, totals } = (await processBatch(paydrop, file, PATIENT)).summary;
    const { findings, answers } = await reconcile(paydrop, batch);
    expect(findings.agrees).toBe(true);
    expect(answers).toEqual([]);
    const debited = totals[0]?.debited;
    expect(findings.money.lines()).toMatchObject([
      { sourceCurrency: 'XAF', file: { debited }, ledger: { debited }, service: { debited, reserved: '0' } },
    ]);
  });

  it('that was not followed differs by the statuses that moved, which become due and are taken over by resume', async () => {
    const paydrop = await desk.open();
    const file = await desk.file('payroll.csv', [
      line('A-1', '100'),
      magic('A-2', '0077002'),
      magic('A-3', '0060000'),
    ]);
    const { batch } = (await processBatch(paydrop, file, HURRIED)).summary;
    clock.leap(5_000);
    const { findings, answers } = await reconcile(paydrop, batch);
    expect(kindsOf(findings)).toEqual(['2 status', '3 status']);
    expect(findings.dueAgain).toBe(2);
    expect(answers).toEqual([`payroll.${batch}.reconciliation.csv`]);
    const text = await outbox(answers[0] ?? '');
    expect(text).toContain(
      'In the ledger: submitted to the payout network. At the service: paid to the recipient.',
    );
    expect(text).toMatch(/^,total-of-differences,.*,XAF,,,8842,-17684,/m);
    const [row] = await paydrop.ledger.rows(batch, 0, 1);
    expect(row?.progress.stage).toBe('confirmed');
    await resumeBatches(paydrop, batch, { ...PATIENT, waitMs: 1 });
    expect((await reconcile(paydrop, batch)).findings.agrees).toBe(true);
  });

  it('that is closed keeps its answers as they are, whatever is found', async () => {
    const paydrop = await desk.open();
    const file = await desk.file('payroll.csv', [magic('A-1', '0100001')]);
    const { batch } = (await processBatch(paydrop, file, PATIENT)).summary;
    const before = await outbox(`payroll.${batch}.reconciliation.csv`);
    const names = await readdir(join(desk.workspace, 'outbox'));
    clock.leap(2 * DAY_MS);
    const { findings, answers } = await reconcile(paydrop, batch);
    expect(kindsOf(findings)).toEqual(['2 status']);
    // The code helps to ask the service about a failure; what is paid needs none.
    expect(findings.differences[0]?.words).toEqual({
      en: 'In the ledger: paid to the recipient. At the service: reversed after payout; the funds were returned (100001).',
      fr: 'Au registre : payé au bénéficiaire. Au service : annulé après paiement ; les fonds ont été restitués (100001).',
      es: 'En el registro: pagado al beneficiario. En el servicio: devuelto después del pago; los fondos se han restituido (100001).',
    });
    expect(answers).toEqual([]);
    expect(await outbox(`payroll.${batch}.reconciliation.csv`)).toBe(before);
    expect(await readdir(join(desk.workspace, 'outbox'))).toEqual(names);
  });

  it('names a transfer that the service has under the id of a row that has none on record', async () => {
    const paydrop = await desk.open();
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const { batch } = (await processBatch(paydrop, file, PATIENT)).summary;
    await forgetTransfer(paydrop, batch);
    const { findings } = await reconcile(paydrop, batch);
    expect(kindsOf(findings)).toEqual(['2 unknown-to-the-ledger']);
  });

  it('names a transfer that the service no longer has', async () => {
    const paydrop = await desk.open();
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const { batch } = (await processBatch(paydrop, file, PATIENT)).summary;
    await changeTransfer(paydrop, batch, { transferId: 'gone' });
    const { findings } = await reconcile(paydrop, batch);
    expect(kindsOf(findings)).toEqual(['2 missing-at-the-service']);
  });

  it('names amounts that the service has otherwise, apart from the status', async () => {
    const paydrop = await desk.open();
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const { batch } = (await processBatch(paydrop, file, PATIENT)).summary;
    await changeTransfer(paydrop, batch, { feeAmount: '1', status: 'submitted', statusCode: '10001' });
    const { findings } = await reconcile(paydrop, batch);
    expect(kindsOf(findings)).toEqual(['2 amount', '2 status', '2 amount']);
  });

  it('names what an expired attempt still reserves, and cries out when it is paid after all', async () => {
    const paydrop = await desk.open();
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const { batch } = (await processBatch(paydrop, file, PATIENT)).summary;
    const stray = await strayTransfer(paydrop);
    await addDeadAttempt(paydrop, batch, stray);
    const dead = (await reconcile(paydrop, batch)).findings;
    expect(kindsOf(dead)).toEqual(['2 reserved-but-dead']);
    expect(dead.differences[0]?.effect).toEqual({
      debited: '0',
      reserved: addDecimals(stray.sendAmount, stray.feeAmount),
    });
    await paydrop.service.confirmTransfer(stray.id);
    clock.leap(5_000);
    const alive = (await reconcile(paydrop, batch)).findings;
    expect(kindsOf(alive)).toEqual(['2 status']);
    expect(alive.differences[0]?.words.en).toContain('may be paid twice');
    expect(alive.dueAgain).toBe(0);
  });

  it('whose file is no longer the one that was paid is compared without it, and says so', async () => {
    const paydrop = await desk.open();
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const { batch } = (await processBatch(paydrop, file, PATIENT)).summary;
    await writeFile(
      join(desk.workspace, 'archive', batch.slice(0, 4), batch.slice(4, 6), batch, 'payroll.csv'),
      'x',
    );
    const { findings } = await reconcile(paydrop, batch);
    expect(findings.agrees).toBe(false);
    expect(findings.differences).toEqual([]);
    expect(findings.astray[0]?.en).toContain('has changed since it was paid');
  });
});

describe('a period', () => {
  it('longer than the windows of the service lists every transfer once, also across their borders', async () => {
    const paydrop = await desk.open();
    const start = clock.now();
    for (let day = 0; day <= 21; day += 7) {
      const file = await desk.file(`day-${String(day)}.csv`, [line(`A-${String(day)}`, '100')]);
      await processBatch(paydrop, file, PATIENT);
      clock.leap(7 * DAY_MS);
    }
    const days = [dayOf(start - DAY_MS), dayOf(clock.now())] as const;
    const { findings, answers } = await reconcileDays(paydrop, ...days);
    expect(findings.rows).toBe(4);
    expect(findings.agrees).toBe(true);
    expect(answers).toEqual([`reconciliation.${days[0]}_${days[1]}.csv`]);
    const lines = (await outbox(answers[0] ?? '')).trim().split('\n');
    expect(lines.filter((text) => text.includes(',payout,'))).toHaveLength(4);
    expect(lines.slice(-4).map((text) => text.split(',')[1])).toEqual([
      'total-by-file',
      'total-by-ledger',
      'total-by-service',
      'total-of-differences',
    ]);
  });

  it('of more than a page is read to its end', async () => {
    const paydrop = await desk.open();
    const rows = Array.from({ length: 120 }, (_, index) => line(`A-${String(index)}`, String(100 + index)));
    await processBatch(paydrop, await desk.file('payroll.csv', rows), PATIENT);
    const today = dayOf(clock.now());
    const { findings } = await reconcileDays(paydrop, today, today);
    expect(findings.rows).toBe(120);
    expect(findings.agrees).toBe(true);
  });

  it('names a transfer that no batch knows, and says that others may use the account', async () => {
    const paydrop = await desk.open();
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    await processBatch(paydrop, file, PATIENT);
    await desk.loseLedger();
    const today = dayOf(clock.now());
    const { findings } = await reconcileDays(await desk.open(), today, today);
    expect(kindsOf(findings)).toEqual(['- unknown-to-the-ledger']);
    expect(findings.differences[0]?.words.en).toContain(
      'Another tool or another ledger may use the same account',
    );
    expect(findings.differences[0]?.effect.debited).not.toBe('0');
  });

  it('is not reconciled by half when the pages of the list have no end', async () => {
    const paydrop = await desk.open();
    const service: Paydrop['service'] = {
      ...paydrop.service,
      transfers: () => Promise.resolve({ value: { transfers: [], nextKey: 'again' }, serverTime: null }),
    };
    const today = dayOf(clock.now());
    await expect(reconcileDays({ ...paydrop, service }, today, today)).rejects.toThrow(Unanswered);
    expect(await readdir(join(desk.workspace, 'outbox'))).toEqual([]);
  });

  it('names the reservation of a transfer that somebody else made and never confirmed', async () => {
    const paydrop = await desk.open();
    const stray = await strayTransfer(paydrop);
    const today = dayOf(clock.now());
    clock.leap(2 * DAY_MS);
    const { findings } = await reconcileDays(paydrop, today, today);
    expect(kindsOf(findings)).toEqual(['- unknown-to-the-ledger']);
    expect(findings.differences[0]?.transfer.transferId).toBe(stray.id);
    expect(findings.differences[0]?.words.en).toContain('still reserves funds');
  });

  it('that was stopped leaves no answer', async () => {
    const paydrop = await desk.open();
    const today = dayOf(clock.now());
    const stopped = { ...PATIENT, signal: AbortSignal.abort() };
    await expect(reconcileDays(paydrop, today, today, stopped)).rejects.toThrow(ReconciliationStopped);
    expect(await readdir(join(desk.workspace, 'outbox'))).toEqual([]);
  });

  it('of other days has none of it', async () => {
    const paydrop = await desk.open();
    await processBatch(paydrop, await desk.file('payroll.csv', [line('A-1', '100')]), PATIENT);
    const { findings } = await reconcileDays(paydrop, '2026-01-01', '2026-01-31');
    expect(findings.rows).toBe(0);
    expect(findings.agrees).toBe(true);
  });

  it.each([
    ['2026-11-31', '2026-12-01'],
    ['2026-11-02', '2026-11-01'],
    ['1.11.2026', '2.11.2026'],
  ])('from %s to %s is none', (from, to) => {
    expect(periodOf({ from, to })).toBeNull();
  });
});

async function firstRow({ ledger }: Paydrop, batch: string) {
  const [row] = await ledger.rows(batch, 0, 1);
  if (row === undefined || row.progress.transfer === null)
    throw new Error('The row is there, and has a transfer.');
  return { ...row, transfer: row.progress.transfer };
}

/** A transfer that no row of ours asked for. */
async function strayTransfer({ service }: Paydrop): Promise<Transfer> {
  const transactionMode = 'B2C';
  const filter = { currency: 'CNY', deliveryMethod: 'wechat', transactionMode };
  const [corridor] = (await service.payoutCorridors(filter)).value;
  const quotation = await service.createQuotation({
    externalId: 'stray-1',
    sourceCurrency: 'XAF',
    targetCurrency: 'CNY',
    transactionMode,
    payoutCorridorId: corridor?.id ?? '',
    mode: 'DESTINATION_AMOUNT',
    destinationAmount: '70',
  });
  const transfer = await service.createTransfer({
    quotationId: quotation.value.id,
    externalId: 'stray-1',
    purposeOfRemittance: 'OTHER',
    sendingBusiness: {
      registeredName: 'Wouri SARL',
      registrationNumber: 'RC1',
      address: 'Rue Joss',
      city: 'Douala',
      countryIsoCode: 'CMR',
    },
    receiver: { firstName: 'Li', lastName: 'Wei', countryIsoCode: 'CHN' },
    deliveryMethodInfo: { msisdn: '+8613800138000' },
  });
  return transfer.value;
}

async function addDeadAttempt(paydrop: Paydrop, batch: string, transfer: Transfer): Promise<void> {
  const row = await firstRow(paydrop, batch);
  const dead: DeadAttempt = {
    attempt: 1,
    transfer: toKnownTransfer(transfer),
    proof: 'expired-unconfirmed',
  };
  const progress = { ...row.progress, deadAttempts: [dead] };
  await record(paydrop.ledger, row, { progress, dueAt: null, event: 'test' });
}

/** As an older copy of the ledger would have it. */
async function forgetTransfer(paydrop: Paydrop, batch: string): Promise<void> {
  const row = await firstRow(paydrop, batch);
  const progress = { ...row.progress, stage: 'ready', transfer: null } as const;
  await record(paydrop.ledger, row, { progress, dueAt: null, event: 'test' });
}

async function changeTransfer(
  paydrop: Paydrop,
  batch: string,
  change: Partial<Awaited<ReturnType<typeof firstRow>>['transfer']>,
): Promise<void> {
  const row = await firstRow(paydrop, batch);
  const progress = { ...row.progress, transfer: { ...row.transfer, ...change } };
  await record(paydrop.ledger, row, { progress, dueAt: null, event: 'test' });
}
