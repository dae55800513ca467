// Before a batch goes on, rows that wait for a person are looked up once: some of them have ended by themselves.
import { describe, expect, it } from 'vitest';

import { count, deliver, stagesOf, type Delivery } from './deliver.ts';
import { dueRow, EXPIRY_MS, FILE_ID, RUN, TRANSFER } from './due-row.ts';
import { isRead } from './meddling-proxy.ts';
import type { Sight } from '../../src/delivery/observe.ts';
import { askedRow, settle } from '../../src/delivery/settle-held.ts';
import { newHold } from '../../src/payouts/hold.ts';

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
