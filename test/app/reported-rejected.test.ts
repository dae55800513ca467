// What an answer reported as rejected stays so: whoever was told may have made the payment again. No ledger that was lost and rebuilt, and no older copy
// of one, sends it; nor is it sent where its file comes again after its corrected row was paid.
import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { LedgerForgetful } from '../../src/app/parts/describe-error.ts';
import { releaseRows } from './release.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { assertLedgerKnowsAll } from '../../src/app/workflow/resolve-doubt/known-batches.ts';
import { rebuildFile } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { quotationRequestOf, transferExternalId, transferRequest } from '../../src/delivery/requests.ts';
import { attemptNumberOf } from '../../src/payouts/progress.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { returnsOfOdoo, statusTexts } from '../invariants/status-messages.ts';
import { blocks, message, payment } from '../rows/pain001/messages.ts';
import { type Desk, endsOf, HURRIED, line, openDesk, PATIENT, switchCorridor, transfersOf } from './desk.ts';
import { calendarClock, type CalendarClock } from './schedule/calendar-clock.ts';

let clock: CalendarClock;
let desk: Desk;
beforeEach(async () => {
  clock = calendarClock('2026-11-28T09:00:00Z');
  desk = await openDesk({ clock, settleMs: 60_000 }, clock);
});
afterEach(() => desk.close());

const SKIP_ROWS = 'policy: { onInvalidRows: skip-rows }';
const REPORTS =
  'iso20022: { debtors: [{ account: PAYDROP-XAF, currency: XAF }], statusReports: { pause: 1s } }';
const CONFIG = `${SKIP_ROWS}\n${REPORTS}`;

const amount = (value: number) => `<InstdAmt Ccy="CNY">${String(value)}</InstdAmt>`;
const ALIPAY = '<Id><Othr><Id>+8613800138000</Id><SchmeNm><Prtry>ALIPAY</Prtry></SchmeNm></Othr></Id>';
const toAlipay = (reference: string, value: number) =>
  payment({ reference, account: ALIPAY, amount: amount(value) });
/** To a wallet of WeChat, whose corridor is switched off when its transfer is made. */
const REFUSED = payment({ reference: 'B-1', name: 'Chen, Mei', amount: amount(102) });

const backup = (): string => join(desk.workspace, 'backup');
const outbox = (): string => join(desk.workspace, 'outbox');

const setCorridor = (isEnabled: boolean) => switchCorridor(desk, 'chn-cny-b2c-wechat', isEnabled);

/** The service refuses what is paid to Chen. Before that the ledger is copied, in the middle of the go. */
async function refusing(config = CONFIG): Promise<Paydrop> {
  const real = await desk.open(config);
  const createTransfer: Paydrop['service']['createTransfer'] = async (request) => {
    if (request.receiver?.['lastName'] !== 'Chen') return real.service.createTransfer(request);
    const ledger = new DatabaseSync(real.workspace.ledgerPath);
    if (!existsSync(backup())) ledger.prepare('VACUUM INTO ?').run(backup());
    ledger.close();
    await setCorridor(false);
    return real.service.createTransfer(request).finally(() => setCorridor(true));
  };
  return { ...real, service: { ...real.service, createTransfer } };
}

async function putCopyBack(config = CONFIG): Promise<Paydrop> {
  await desk.loseLedger();
  await copyFile(backup(), join(desk.workspace, 'ledger.sqlite'));
  return desk.open(config);
}

/** Once no read can hide what was sent. */
async function resumeLater(paydrop: Paydrop): Promise<void> {
  for (const time of ['11:00', '12:00']) {
    clock.goTo(`2026-11-28T${time}:00Z`);
    await resumeBatches(paydrop, null, PATIENT);
  }
}

async function rebuilt(...paths: readonly string[]): Promise<Paydrop> {
  await desk.loseLedger();
  const paydrop = await desk.open(CONFIG);
  for (const path of paths) await rebuildFile(paydrop, path, PATIENT);
  await resumeLater(paydrop);
  return paydrop;
}

async function sent(paydrop: Paydrop): Promise<readonly string[]> {
  const transfers = await transfersOf(paydrop);
  return transfers.map(({ receiveAmount, status }) => `${receiveAmount} ${status}`).sort();
}

describe('to the program of a payment message', () => {
  async function refuseSecond() {
    const path = await desk.write('salaries.xml', message([toAlipay('A-1', 101), REFUSED]));
    const paydrop = await refusing();
    const id = (await processBatch(paydrop, path, HURRIED)).summary.batch;
    expect(await endsOf(paydrop, id)).toEqual(['confirmed', 'rejected 10003']);
    return { id, path };
  }

  async function expectStillSo(paydrop: Paydrop, id: string): Promise<void> {
    expect(await endsOf(paydrop, id)).toEqual(['paid', 'rejected 10003']);
    expect(returnsOfOdoo(statusTexts(outbox(), id))).toEqual(['B-1']);
  }

  /** Somebody else uses the id of the second payment for one of another amount, and does not confirm it. */
  async function useItsId(id: string): Promise<void> {
    const { ledger, service } = await desk.open(CONFIG);
    const [, row] = await ledger.rows(id, 0, 2);
    const fileId = (await ledger.batch(id))?.fileId;
    if (row === undefined || row.payout === null || fileId === undefined) throw new Error('It is there.');
    const payout: Payout = { ...row.payout, requested: { side: 'destination', amount: '999' } };
    const quoted = await service.createQuotation(quotationRequestOf(payout, crypto.randomUUID()));
    const due = { fileId, row: { ...row, payout } };
    await service.createTransfer(
      transferRequest(
        due,
        { id: transferExternalId(due, attemptNumberOf(due.row.progress)), quotationId: quoted.value.id },
        null,
      ),
    );
  }

  it('by a ledger that was rebuilt', async () => {
    const { id, path } = await refuseSecond();
    await expectStillSo(await rebuilt(path), id);
  });

  it('although a transfer of somebody else has its id', async () => {
    const { id, path } = await refuseSecond();
    await useItsId(id);
    const paydrop = await rebuilt(path);
    await expectStillSo(paydrop, id);
    expect(await sent(paydrop)).toEqual(['101 paid', '999 created']);
  });

  it('by a copy of the ledger from within that go, which is recognised as older', async () => {
    const { id } = await refuseSecond();
    const paydrop = await putCopyBack();
    await expect(assertLedgerKnowsAll(paydrop)).rejects.toThrow(LedgerForgetful);
    await resumeLater(paydrop);
    await expectStillSo(paydrop, id);
  });
});

describe('of a message that names several days', () => {
  const [EARLIER, LATER] = ['2026-11-27', '2026-11-28'];

  it.each([
    ['behind', [EARLIER, LATER]],
    ['before', [LATER, EARLIER]],
  ] as const)('with the refused one %s the others, also while reads lag', async (_, days) => {
    const parts = days.map((day): [string, readonly string[]] => [
      day,
      day === LATER ? [REFUSED, toAlipay('B-2', 103)] : [toAlipay('A-1', 101)],
    ]);
    const path = await desk.write('salaries.xml', blocks(parts));
    await processBatch(await refusing(), path, HURRIED);
    await desk.loseLedger();
    const opened = await desk.open(CONFIG);
    const lag = { isOn: true };
    const stale = <Answer extends { readonly value: { readonly status: string } }>(answer: Answer): Answer =>
      lag.isOn ? { ...answer, value: { ...answer.value, status: 'created', statusCode: '10000' } } : answer;
    const service: Paydrop['service'] = {
      ...opened.service,
      transferByExternalId: async (id) => stale(await opened.service.transferByExternalId(id)),
      transfer: async (id) => stale(await opened.service.transfer(id)),
    };
    const paydrop = { ...opened, service };
    await rebuildFile(paydrop, path, HURRIED);
    lag.isOn = false;
    await resumeLater(paydrop);
    const [batch] = await paydrop.ledger.batches();
    const ends = days.flatMap((day) => (day === LATER ? ['rejected 10003', 'paid'] : ['paid']));
    expect(await endsOf(paydrop, batch?.id ?? '')).toEqual(ends);
    expect(await sent(paydrop)).toEqual(['101 paid', '103 paid']);
  });
});

describe('to the owner of a spreadsheet', () => {
  const unnamed = (value: string) => line('', value).replace('wechat', 'alipay');

  it('by a copy of the ledger from within that go', async () => {
    const chen = line('A-2', '200').replace('Li,Wei', 'Mei,Chen');
    const path = await desk.file('a.csv', [line('A-1', '100').replace('wechat', 'alipay'), chen]);
    const paydrop = await refusing();
    const id = (await processBatch(paydrop, path, HURRIED)).summary.batch;
    expect(await endsOf(paydrop, id)).toEqual(['confirmed', 'rejected 10003']);
    const older = await putCopyBack();
    await resumeLater(older);
    expect(await endsOf(older, id)).toEqual(['paid', 'rejected 10003']);
  });

  /** The row that was rejected, to another wallet. */
  async function corrected(): Promise<string> {
    const name = (await readdir(outbox())).find((each) => each.includes('.rejected.')) ?? '';
    const text = await readFile(join(outbox(), name), 'utf8');
    return desk.write(name, text.replace(',wechat,', ',alipay,').replace('8613800138000', '8613900139000'));
  }

  it('nor is it sent besides its corrected row, after both files were lost', async () => {
    const path = await desk.file('a.csv', [line('', '100'), unnamed('300'), unnamed('300')]);
    await setCorridor(false);
    await processBatch(await desk.open(CONFIG), path, HURRIED);
    await setCorridor(true);
    const again = await corrected();
    await processBatch(await desk.open(CONFIG), again, PATIENT);
    expect(await sent(await rebuilt(path, again))).toEqual(['100 paid']);
  });

  it.each(['2026-11-28T10:00:00Z', '2026-11-30T10:00:00Z'])(
    'nor besides it where the file, refused as a whole, comes again at %s',
    async (time) => {
      const paydrop = await desk.open('policy: { onInvalidRows: refuse-file }');
      const path = await desk.file('a.csv', [line('', '100')]);
      await setCorridor(false);
      expect((await processBatch(paydrop, path, PATIENT)).summary.state).toBe('refused');
      await setCorridor(true);
      await processBatch(paydrop, await corrected(), HURRIED);
      clock.goTo(time);
      const { batch } = (await processBatch(paydrop, path, HURRIED)).summary;
      expect(await endsOf(paydrop, batch)).toEqual(['held earlier_row_paid']);
      expect(await transfersOf(paydrop)).toHaveLength(1);
    },
  );
});

it('a row that a person cancelled stops no file whose rows are paid all or none, after a loss either', async () => {
  const whole = `policy: { strategy: reserve-then-confirm }\nlimits: { perRow: 50000 XAF }\n${REPORTS}`;
  const path = await desk.write('all.xml', message([toAlipay('A-1', 101), toAlipay('A-2', 1002)]));
  const before = await desk.open(whole);
  const id = (await processBatch(before, path, HURRIED)).summary.batch;
  const batch = await before.ledger.batch(id);
  if (batch === null) throw new Error('It is there.');
  await releaseRows(before, batch, { by: 'Ama', reason: 'typed twice', rows: null, skip: true });
  clock.goTo('2026-11-28T09:00:30Z');
  await resumeBatches(before, null, HURRIED);
  expect(returnsOfOdoo(statusTexts(outbox(), id))).toEqual(['A-2']);
  await desk.loseLedger();
  const paydrop = await desk.open(whole);
  await rebuildFile(paydrop, path, HURRIED);
  await resumeLater(paydrop);
  expect((await endsOf(paydrop, id))[1]).toBe('rejected cancelled');
  expect((await paydrop.ledger.batch(id))?.whole).not.toBe('stopped');
});
