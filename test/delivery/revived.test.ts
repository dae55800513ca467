// The service's staff may confirm an expired transfer by hand, after its row got another one. Nobody is told, and it cannot be prevented from
// outside: paydrop looks for it before every step of such a row, and at every later look.
import { describe, expect, it } from 'vitest';

import { manualClock } from '../sandbox/manual-clock.ts';
import { BANK, count, deliver, stagesOf, transfersOf, type Delivery } from './deliver.ts';
import { first, isUpload, type Asked, type Reply } from './meddling-proxy.ts';

const LIFE_MS = 60_000;
const DAY_MS = 86_400_000;

type Shown = { externalId: string; status: string; statusCode: string };

/** A row whose first transfer runs out while its document is uploaded; `isRevived` says when the service shows that one as submitted. */
async function withDeadAttempt(isRevived: (creates: number) => boolean): Promise<Delivery> {
  const clock = manualClock();
  const late = first(1, isUpload);
  const created: string[] = [];
  return deliver({
    clock,
    payouts: [BANK],
    sandbox: { quoteLifeMs: LIFE_MS },
    meddling: {
      instead: (asked) => {
        if (late(asked)) clock.advance(LIFE_MS + 1_000);
        return null;
      },
      after: ({ method, path, body }: Asked, reply: Reply) => {
        if (method === 'POST' && path === '/transfers') created.push((JSON.parse(body) as Shown).externalId);
        if (method !== 'GET' || !/^\/transfers\/[^?]+$/.test(path)) return null;
        const shown = JSON.parse(reply.body) as Shown;
        if (shown.externalId !== created[0] || !isRevived(created.length)) return null;
        return { body: JSON.stringify({ ...shown, status: 'submitted', statusCode: '10001' }) };
      },
    },
  });
}

describe('a transfer that was given up, and that the service brings back', () => {
  it('before its successor is confirmed holds the row, and nothing more is sent', async () => {
    const delivery = await withDeadAttempt((creates) => creates === 2);
    expect(await delivery.run()).toEqual({ kind: 'done' });
    const [row] = await delivery.rows();
    expect(row?.progress).toMatchObject({
      hold: { code: 'transfer_reinstated' },
      deadAttempts: [{ attempt: 1 }],
    });
    expect(row?.progress.hold?.reason.en).toContain(': submitted to the payout network. This');
    expect(count(delivery, 'POST', '/confirm')).toBe(0);
    expect((await transfersOf(delivery)).map(({ status }) => status)).toEqual(['created', 'created']);
  });

  it('after its successor was paid is seen by the next look, with the ids of both', async () => {
    let isRevived = false;
    const delivery = await withDeadAttempt(() => isRevived);
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['paid']);
    isRevived = true;
    delivery.clock.advance(DAY_MS);
    expect(await delivery.watch()).toEqual({ kind: 'done' });
    const [row] = await delivery.rows();
    expect(row?.progress).toMatchObject({ hold: { code: 'transfer_reinstated' } });
    expect(row?.progress.hold?.reason.en).toContain(row?.progress.deadAttempts[0]?.transfer.transferId);
    expect(row?.progress.transfer?.status).toBe('paid');
  });
});

describe('a transfer that was given up, and stays dead', () => {
  it('is looked at beside its successor, and changes nothing', async () => {
    const delivery = await withDeadAttempt(() => false);
    expect(await delivery.run()).toEqual({ kind: 'done' });
    delivery.clock.advance(DAY_MS);
    expect(await delivery.watch()).toEqual({ kind: 'waited' });
    expect(await stagesOf(delivery)).toEqual(['paid']);
  });
});

describe('a confirm that waits for the look at what was given up', () => {
  it('is not sent when that look is answered long after the time of the new transfer is over', async () => {
    const clock = manualClock();
    const late = first(1, isUpload);
    const created: string[] = [];
    let isAway = true;
    const delivery: Delivery = await deliver({
      clock,
      payouts: [BANK],
      sandbox: { quoteLifeMs: LIFE_MS },
      meddling: {
        instead: (asked) => {
          if (late(asked)) clock.advance(LIFE_MS + 1_000);
          return null;
        },
        after: (asked, reply) => {
          if (asked.method === 'POST' && asked.path === '/transfers')
            created.push((JSON.parse(reply.body) as { id: string }).id);
          // The row is ready for its confirm, and the first transfer cannot be read for half an hour.
          const isLook = asked.path === `/transfers/${String(created[0])}` && created.length === 2;
          const isBeforeConfirm = isLook && isAway && count(delivery, 'PUT', '/attachment') === 2;
          if (!isBeforeConfirm) return null;
          isAway = false;
          clock.advance(30 * 60_000);
          return { status: 502, body: '' };
        },
      },
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(isAway).toBe(false);
    expect(count(delivery, 'POST', `/transfers/${String(created[1])}/confirm`)).toBe(0);
    // Its intent stands on record: whoever sent a confirm, none can be taken any more.
    expect((await delivery.rows())[0]?.progress.deadAttempts).toHaveLength(2);
    expect(await stagesOf(delivery)).toEqual(['paid']);
  });
});
