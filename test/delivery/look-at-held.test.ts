// Before a batch goes on, rows that wait for a person are looked up once: some of them have ended by themselves.
import { describe, expect, it } from 'vitest';

import { count, deliver, stagesOf, type Delivery } from './deliver.ts';
import { dueRow, EXPIRY_MS, FILE_ID, KNOWN, TRANSFER } from './due-row.ts';
import { isRead } from './meddling-proxy.ts';
import { observe } from '../../src/delivery/observe.ts';
import { ServiceClock } from '../../src/delivery/service-clock.ts';
import { newHold } from '../../src/payouts/hold.ts';
import type { PayoutService } from '../../src/service/payout-service.ts';
import { manualClock } from '../sandbox/manual-clock.ts';
import { record } from '../ledger/own.ts';

/** Three rows that were paid, as records that hold them in doubt. */
async function heldThoughPaid(answerOf: () => { status: number; body: string } | null): Promise<Delivery> {
  let isAsked = false;
  const delivery = await deliver({
    payouts: [{}, {}, {}],
    meddling: { instead: (asked) => (isAsked && isRead(asked) ? answerOf() : null) },
  });
  expect(await delivery.run()).toEqual({ kind: 'done' });
  for (const row of await delivery.rows()) {
    const progress = {
      ...row.progress,
      hold: newHold('confirm_uncertain', 0),
      finalAt: null,
    } as const;
    await record(delivery.ledger, row, { progress, dueAt: null, event: 'held' });
  }
  isAsked = true;
  return delivery;
}

const reads = (delivery: Delivery): number =>
  delivery.calls.filter(({ call }) => /^GET \/transfers\//.test(call)).length;

describe('held rows', () => {
  it('that have ended meanwhile are told with their end', async () => {
    const delivery = await heldThoughPaid(() => null);
    expect(await delivery.lookAtHeld()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['paid', 'paid', 'paid']);
  });

  it('are asked for no more once the service refuses the key', async () => {
    const delivery = await heldThoughPaid(() => ({ status: 403, body: '{"message":"Forbidden"}' }));
    const before = reads(delivery);
    expect(await delivery.lookAtHeld()).toEqual({ kind: 'credentials' });
    expect(reads(delivery) - before).toBe(1);
    expect(await stagesOf(delivery)).toEqual(['held', 'held', 'held']);
  });

  it('stay held while the service does not answer, and nothing is sent for them', async () => {
    const delivery = await heldThoughPaid(() => ({ status: 500, body: '' }));
    const creates = count(delivery, 'POST', '/transfers');
    expect(await delivery.lookAtHeld()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['held', 'held', 'held']);
    expect(count(delivery, 'POST', '/transfers')).toBe(creates);
  });
});

describe('a row whose transfer the list shows', () => {
  it.each([
    ['created', 1],
    ['submitted', 0],
  ])(
    'as %s is read by itself %d times: only that may prove that it was never confirmed',
    async (status, times) => {
      const shown = { ...TRANSFER, status };
      let read = 0;
      const service = {
        transfers: () =>
          Promise.resolve({ value: { transfers: [shown], nextKey: null }, serverTime: EXPIRY_MS }),
        transfer: () => {
          read += 1;
          return Promise.resolve({ value: shown, serverTime: EXPIRY_MS });
        },
      } as unknown as PayoutService;
      const tools = { service, serviceClock: new ServiceClock(manualClock()), listLeast: 1 };
      const { row } = dueRow({}, { transfer: { ...KNOWN, status } });
      const observing = { concurrency: 1, endsAll: () => false } as const;
      const [observed] = await observe(tools, [{ fileId: FILE_ID, row }], observing);
      expect(observed).toMatchObject({ present: { value: { id: TRANSFER.id, status } } });
      expect(read).toBe(times);
    },
  );
});
