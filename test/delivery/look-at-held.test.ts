// Before a batch goes on, rows that wait for a person are looked up once: some of them have ended by themselves.
import { describe, expect, it } from 'vitest';

import { count, deliver, stagesOf, type Delivery } from './deliver.ts';
import { dueRow, EXPIRY_MS, FILE_ID, KNOWN, RUN, TRANSFER } from './due-row.ts';
import { isRead } from './meddling-proxy.ts';
import { observe, type Sight } from '../../src/delivery/observe.ts';
import { ServiceClock } from '../../src/delivery/service-clock.ts';
import { askedRow, settle } from '../../src/delivery/settle-held.ts';
import { newHold } from '../../src/payouts/hold.ts';
import type { PayoutService } from '../../src/service/payout-service.ts';
import { manualClock } from '../sandbox/manual-clock.ts';

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
    await delivery.ledger.record(row, { progress, dueAt: null, keepClaim: false, event: 'held' });
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
      const observing = { concurrency: 1, isWalking: false, endsAll: () => false } as const;
      const [observed] = await observe(tools, [{ fileId: FILE_ID, row }], observing);
      expect(observed).toMatchObject({ present: { value: { id: TRANSFER.id, status } } });
      expect(read).toBe(times);
    },
  );
});

describe('a row that can no longer be read, long after the expiry of its transfer', () => {
  const LONG_AFTER = EXPIRY_MS + 60 * 60_000;
  const settled = (status: string, statusCode: string) => {
    const { row } = dueRow({}, { hold: newHold('in_doubt_unreadable', 0), begunBy: null });
    const value = { ...TRANSFER, status, statusCode };
    const none = { later: [], beyond: null, quotation: null, dead: new Map<number, Sight>() };
    return settle(
      askedRow(FILE_ID, { ...row, payout: null }, RUN, null),
      { present: { value, serverTime: LONG_AFTER }, ...none },
      { run: RUN, doubtSince: null, now: LONG_AFTER, latestNow: LONG_AFTER, pollEveryMs: 30_000 },
    );
  };

  it('is not taken for silent while it is on its way', () => {
    expect(settled('submitted', '10001')).toEqual({ is: 'unclear', seen: null });
  });

  it('remembers since when it is shown as failed, because another transfer may be hidden', () => {
    expect(settled('failed', '100002')).toMatchObject({
      is: 'unclear',
      seen: { progress: { silentAt: LONG_AFTER } },
    });
  });
});

describe('a row that waits for a person, and whose transfer is found long after its expiry', () => {
  it('is told as created and stays held: no look raises its number or lets it go on', () => {
    const at = EXPIRY_MS + 60 * 60_000;
    const changes = { stage: 'quoted', transfer: null, hold: newHold('reference_undecided', 0) } as const;
    const { row } = dueRow({}, changes);
    const seen = { value: TRANSFER, serverTime: at };
    const { is, seen: change } = settle(
      askedRow(FILE_ID, row, RUN, null),
      {
        present: seen,
        later: [],
        beyond: { value: null, serverTime: at },
        quotation: null,
        dead: new Map<number, Sight>(),
      },
      { run: RUN, doubtSince: null, now: at, latestNow: at, pollEveryMs: 30_000 },
    );
    expect(is).toBe('quiet');
    expect(change?.progress).toMatchObject({
      hold: { code: 'reference_undecided' },
      stage: 'created',
      transfer: { transferId: TRANSFER.id },
      deadAttempts: [],
    });
  });
});
