// Quotations that run out: before the create, between create and confirm, and while a confirm is on its way.
import { describe, expect, it } from 'vitest';

import { addDecimals } from '../../src/base/decimal.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { manualClock } from '../sandbox/manual-clock.ts';
import { BANK, count, deliver, expectBooksExact, stagesOf, transfersOf, type Delivery } from './deliver.ts';
import { first, isConfirm, isCreate, isUpload, type Asked } from './meddling-proxy.ts';

const LIFE_MS = 60_000;

const TOO_LATE = { status: 500, body: '{"errorCode":10016,"message":"too late"}' };

/** A delivery in which time jumps beyond the quotation's life just before some request arrives at the service. */
async function withJump(at: (asked: Asked) => boolean, payout: Partial<Payout> = {}): Promise<Delivery> {
  const clock = manualClock();
  return deliver({
    clock,
    payouts: [payout],
    sandbox: { quoteLifeMs: LIFE_MS },
    meddling: {
      instead: (asked) => {
        if (at(asked)) clock.advance(LIFE_MS + 1_000);
        return null;
      },
    },
  });
}

const externalIdsSent = ({ calls }: Delivery, call: string) =>
  calls
    .filter((made) => made.call === call)
    .map(({ body }) => (JSON.parse(body) as { externalId: string }).externalId);

async function reservationsOfDead(delivery: Delivery): Promise<readonly string[]> {
  const rows = await delivery.rows();
  return rows.flatMap(({ progress }) =>
    progress.deadAttempts.map(({ transfer }) => addDecimals(transfer.sendAmount, transfer.feeAmount)),
  );
}

describe('a quotation that runs out', () => {
  it('before the create is asked for again, under the same transfer id', async () => {
    const delivery = await withJump(first(1, isCreate));
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['paid']);
    expect(new Set(externalIdsSent(delivery, 'POST /rates')).size).toBe(2);
    expect(new Set(externalIdsSent(delivery, 'POST /transfers')).size).toBe(1);
    await expectBooksExact(delivery);
  });

  it('while a throttled create waits is replaced before the next create is sent', async () => {
    const delivery = await deliver({
      sandbox: {
        quoteLifeMs: LIFE_MS,
        faults: {
          rules: [{ fault: 'throttle', operations: ['createTransfer'], times: 1, retryAfterSeconds: 120 }],
        },
      },
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['paid']);
    expect(count(delivery, 'POST', '/rates')).toBe(2);
    expect(new Set(externalIdsSent(delivery, 'POST /transfers')).size).toBe(1);
  });

  it('after a create that landed unheard leads to that transfer, and to a second one only once that can pay no more', async () => {
    const clock = manualClock();
    const lost = first(1, isCreate);
    const delivery = await deliver({
      clock,
      sandbox: { quoteLifeMs: LIFE_MS },
      meddling: {
        after: (asked) => {
          if (!lost(asked)) return null;
          clock.advance(LIFE_MS + 1_000);
          return { status: 502, body: '<html>' };
        },
      },
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    // It was found, and only the answer to a create says who made it: it is given up behind the longer fence.
    expect((await delivery.rows())[0]?.progress).toMatchObject({
      stage: 'paid',
      deadAttempts: [{ attempt: 1, proof: 'expired-unconfirmed' }],
    });
    await expectBooksExact(delivery, await reservationsOfDead(delivery));
  });

  it('of a found transfer leads to no confirm of it, with or without a document: the next one is paid', async () => {
    for (const payout of [{}, BANK]) {
      const clock = manualClock();
      const lost = first(1, isCreate);
      const confirmed: string[] = [];
      let found = '';
      const delivery = await deliver({
        clock,
        payouts: [payout],
        sandbox: { quoteLifeMs: LIFE_MS },
        meddling: {
          instead: (asked) => {
            if (isConfirm(asked)) confirmed.push(asked.path);
            return null;
          },
          after: (asked, { body }) => {
            if (!lost(asked)) return null;
            found = (JSON.parse(body) as { readonly id: string }).id;
            clock.advance(LIFE_MS + 1_000);
            return { status: 502, body: '<html>' };
          },
        },
      });
      expect(await delivery.run()).toEqual({ kind: 'done' });
      expect(await stagesOf(delivery)).toEqual(['paid']);
      expect(confirmed).toHaveLength(1);
      expect(confirmed[0]).not.toContain(found);
    }
  });

  it('refused as too late (10016) while time is left is never confirmed again: the next transfer is, after the proof', async () => {
    const clock = manualClock();
    const confirmed: string[] = [];
    const delivery = await deliver({
      clock,
      sandbox: { quoteLifeMs: 300_000 },
      meddling: {
        instead: (asked) => {
          if (!isConfirm(asked)) return null;
          confirmed.push(asked.path);
          return confirmed.length > 1 ? null : { ...TOO_LATE, headers: dateOf(clock.now()) };
        },
      },
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(await stagesOf(delivery)).toEqual(['paid']);
    expect((await transfersOf(delivery)).map(({ status }) => status)).toEqual(['created', 'paid']);
    expect(new Set(confirmed).size).toBe(2);
    expect(confirmed).toHaveLength(2);
  });

  it('while the document is uploaded leads to a second transfer, and only after the proof', async () => {
    const delivery = await withJump(first(1, isUpload), BANK);
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect((await delivery.rows())[0]?.progress).toMatchObject({
      stage: 'paid',
      deadAttempts: [{ attempt: 1, proof: 'expired-unconfirmed' }],
    });
    expect((await transfersOf(delivery)).map(({ status }) => status)).toEqual(['created', 'paid']);
    await expectBooksExact(delivery, await reservationsOfDead(delivery));
  });

  it('while the confirm travels (10016) waits for a quarter of an hour and a minute before the second transfer', async () => {
    const delivery = await withJump(first(1, isConfirm));
    const startedAt = delivery.clock.now();
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect((await delivery.rows())[0]?.progress).toMatchObject({
      stage: 'paid',
      deadAttempts: [{ attempt: 1, proof: 'expired-confirm-refused' }],
    });
    expect(delivery.clock.now() - startedAt).toBeGreaterThan(LIFE_MS + 16 * 60_000);
    await expectBooksExact(delivery, await reservationsOfDead(delivery));
  });

  it('unheard with its confirm, by a service that misses the document first, does not storm that service', async () => {
    // Nothing that arrives is kept as a document, and every confirm is too late and refused for the document.
    const clock = manualClock();
    const late = first(1, isConfirm);
    const delivery = await deliver({
      clock,
      payouts: [BANK],
      sandbox: { quoteLifeMs: LIFE_MS },
      meddling: {
        instead: (asked) => {
          if (!isConfirm(asked)) return null;
          if (late(asked)) clock.advance(LIFE_MS + 1_000);
          return {
            status: 500,
            body: '{"errorCode":10022,"message":"document missing"}',
            headers: dateOf(clock.now()),
          };
        },
      },
    });
    const stop = new AbortController();
    const end = await delivery.run({
      signal: stop.signal,
      onMoved: () => {
        if (count(delivery, 'POST', '/confirm') > 20) stop.abort();
      },
    });
    expect(end).toEqual({ kind: 'done' });
    expect(count(delivery, 'POST', '/confirm')).toBeLessThan(20);
  });
});

function dateOf(ms: number): Headers {
  return new Headers({ date: new Date(ms).toUTCString() });
}
