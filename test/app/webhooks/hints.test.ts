// What a notification with a valid signature does: once durable, it makes its payout due, and nothing else, whatever its content.
import { describe, expect, it } from 'vitest';

import { manualClock } from '../../sandbox/manual-clock.ts';
import { until } from '../../sandbox/until.ts';
import { FRESH } from '../../../src/payouts/progress.ts';
import type { Stage } from '../../../src/payouts/lifecycle.ts';
import { KNOWN, deadBefore } from '../../delivery/due-row.ts';
import { BATCH, movedTo } from '../../ledger/records.ts';
import { EVERYTHING } from '../../ledger/two-ledgers.ts';
import { ALARM_WORDS } from '../../../src/app/daemon/answer-webhook.ts';
import { callbacks } from '../../../src/service/webhooks.ts';
import { externalId } from '../../../src/payouts/payout.ts';
import { bodyOf, ID, listening, send, type Listening } from './listening.ts';
import { dueRows, record } from '../../ledger/own.ts';

const REVERSED = { status: 'failed', statusCode: '100001' };

function alarms({ lines }: Listening): readonly string[] {
  return lines.filter(({ level }) => level === 'error').map(({ msg }) => msg);
}

describe('a notification', () => {
  it('makes its payout due, tells who waits for that, and leaves its stage to the look', async () => {
    const desk = await listening();
    const before = await desk.row();
    expect(await desk.isDue()).toBe(false);
    expect(await send(desk)).toBe(204);
    expect(await desk.isDue()).toBe(true);
    expect(desk.hinted).toEqual(['2']);
    expect((await desk.row()).progress).toEqual(before.progress);
    expect(alarms(desk)).toEqual([]);
  });

  it('that comes before the answer to our confirm is taken, and the late answer is followed by a look', async () => {
    const desk = await listening('confirming');
    const [row] = await dueRows(desk.ledger, { ...EVERYTHING, now: Date.now() + 7_200_000 });
    if (row === undefined) throw new Error('The row was due.');
    expect(await send(desk)).toBe(204);
    await record(desk.ledger, row, movedTo('confirmed', row, { dueAt: Date.now() + 3_600_000 }));
    expect(await desk.isDue()).toBe(true);
    expect((await desk.row()).progress.stage).toBe('confirmed');
    expect(alarms(desk)).toEqual([]);
  });

  it.each<Stage>(['quoted', 'created'])(
    'for a payout that is only %s here makes it due, and raises an alarm: somebody else has confirmed it',
    async (stage) => {
      const desk = await listening(stage);
      expect(await send(desk)).toBe(204);
      expect(await desk.isDue()).toBe(true);
      expect(alarms(desk)).toEqual([ALARM_WORDS['not-confirmed-here']]);
    },
  );

  it('is matched by externalId while the id at the service is not known here', async () => {
    const desk = await listening('quoted', { progress: { lookedBy: null, confirm: 'sent' } });
    expect((await desk.row()).progress.transfer).toBeNull();
    expect(await send(desk)).toBe(204);
    expect(await desk.isDue()).toBe(true);
    expect(alarms(desk)).toEqual([]);
  });

  it('for a transfer that is not in the ledger has a 2xx, a line in the log, and no effect', async () => {
    const desk = await listening();
    const id = externalId(BATCH.fileId, '99', 'transfer', 1);
    expect(await send(desk, { id, body: bodyOf({ id: 't-99', externalId: id }) })).toBe(204);
    expect(desk.lines.at(-1)).toMatchObject({ level: 'warn', externalId: id });
    expect(desk.hinted).toEqual([]);
    expect(await desk.isDue()).toBe(false);
  });

  it('for an attempt that was given up raises an alarm, and has both looked at', async () => {
    const desk = await listening('quoted');
    const row = await desk.row();
    const again = { ...FRESH, stage: 'quoted', deadAttempts: deadBefore(2) } as const;
    await record(
      desk.ledger,
      row,
      movedTo('quoted', row, { progress: again, dueAt: Date.now() + 3_600_000 }),
    );
    expect(await send(desk)).toBe(204);
    expect(alarms(desk)).toEqual([ALARM_WORDS['given-up']]);
    expect(await desk.isDue()).toBe(true);
    expect((await desk.row()).progress).toEqual(again);
  });

  it.each<[string, object]>([
    ['another id', { id: 't-2' }],
    ['another externalId', { externalId: 'ba1547a0-1ed7-52e9-9c77-7baf4e8ded71' }],
    ['another amount', { receiveAmount: '1000.01' }],
    ['an amount that is too much for a float', { sendAmount: '85000.0000000000000001' }],
    ['another fee', { feeAmount: '0' }],
  ])('with %s raises an alarm, and moves nothing: the service is asked', async (_name, changes) => {
    const desk = await listening();
    const before = await desk.row();
    expect(await send(desk, { body: bodyOf(changes) })).toBe(204);
    expect(alarms(desk)).toEqual([ALARM_WORDS.contradicts]);
    expect((await desk.row()).progress).toEqual(before.progress);
  });

  it('with unknown fields, other numerals for the same amount or another case of the id is no contradiction', async () => {
    const desk = await listening();
    const changes = { receiveAmount: '1000.00', externalId: ID.toUpperCase(), riskScore: 7 };
    expect(await send(desk, { body: bodyOf(changes) })).toBe(204);
    expect(alarms(desk)).toEqual([]);
  });
});

describe('a notification that comes again', () => {
  it('a hundred times is one look', async () => {
    const desk = await listening();
    const statuses = await Promise.all(Array.from({ length: 100 }, () => send(desk)));
    expect(new Set(statuses)).toEqual(new Set([204]));
    const [row, ...more] = await dueRows(desk.ledger, EVERYTHING);
    expect(row).toBeDefined();
    expect(more).toEqual([]);
    expect((await desk.row()).version).toBe(1);
  });

  it('months after it was paid is not even looked at', async () => {
    const desk = await listening('paid');
    expect(await send(desk)).toBe(204);
    expect(await desk.isDue()).toBe(false);
    expect(desk.hinted).toEqual([]);
  });

  it('with paid after the reversal does not resurrect it, and alarms nobody', async () => {
    const transfer = { ...KNOWN, externalId: ID, ...REVERSED };
    const desk = await listening('failed', { progress: { transfer } });
    expect(await send(desk)).toBe(204);
    expect((await desk.row()).progress).toMatchObject({ stage: 'failed', transfer: REVERSED });
    expect(await desk.isDue()).toBe(false);
    expect(alarms(desk)).toEqual([]);
  });

  it('with paid of a payout that failed for good is an alarm', async () => {
    const desk = await listening('failed');
    expect(await send(desk)).toBe(204);
    expect(alarms(desk)).toEqual([ALARM_WORDS['ended-otherwise']]);
    expect((await desk.row()).progress.stage).toBe('failed');
  });

  it('as a reversal of what was paid makes it due', async () => {
    const desk = await listening('paid');
    expect(await send(desk, { body: bodyOf(REVERSED) })).toBe(204);
    expect(await desk.isDue()).toBe(true);
  });

  it('at two listeners on one ledger at once is one change of one row', async () => {
    const desk = await listening();
    const second = await listening();
    expect(await Promise.all([send(desk), send(desk), send(second)])).toEqual([204, 204, 204]);
    const [claimed, ...more] = await dueRows(desk.ledger, EVERYTHING);
    expect(claimed?.version).toBe(1);
    expect(more).toEqual([]);
  });
});

describe('2xx is said of nothing that could be lost', () => {
  it('a ledger that does not answer is 503, before the service gives up', async () => {
    const clock = manualClock();
    const never = new Promise<never>(() => undefined);
    const desk = await listening('confirmed', {
      clock,
      ledger: { transferOf: () => never, hint: () => never },
    });
    const answer = send(desk);
    await until(() => clock.sleepers() === 1);
    clock.advance(24_999);
    expect(await answer).toBe(503);
    expect(desk.hinted).toEqual([]);
  });

  it('what was being recorded when the listener is closed is still recorded and answered', async () => {
    const desk = await listening();
    const answers = Promise.allSettled(Array.from({ length: 20 }, () => send(desk)));
    await until(() => desk.lines.some(({ msg }) => msg === 'webhook'));
    await desk.server.close();
    const statuses = await answers;
    expect(statuses.some((status) => status.status === 'fulfilled' && status.value === 204)).toBe(true);
    expect(await desk.isDue()).toBe(true);
  });
});

describe('while the key is changed', () => {
  const other = { apiKey: 'the-key-of-tomorrow', until: Date.parse('2026-12-01T00:00:00Z') };
  const at = (time: string) => manualClock(Date.parse(time));

  it('a notification signed with the other key counts until its end', async () => {
    const desk = await listening('confirmed', { other, clock: at('2026-11-30T23:59:59Z') });
    expect(await send(desk, { apiKey: other.apiKey })).toBe(204);
    expect(await send(desk)).toBe(204);
  });

  it('and no longer', async () => {
    const desk = await listening('confirmed', { other, clock: at('2026-12-01T00:00:00Z') });
    expect(await send(desk, { apiKey: other.apiKey })).toBe(401);
    expect(await send(desk)).toBe(204);
  });
});

describe('the path that is signed', () => {
  it.each<[string, (stored: string) => string]>([
    ['with a prefix taken away', (stored) => stored.replace('/paydrop', '')],
    ['with a prefix added', (stored) => `/internal${stored}`],
    ['with a slash at its end', (stored) => `${stored}/`],
    ['with slashes doubled', (stored) => stored.replaceAll('/', '//')],
    ['in capitals', (stored) => stored.toUpperCase()],
    ['with a query added', (stored) => `${stored}?status=paid`],
  ])('is the stored one, where a proxy hands the request on %s', async (_name, target) => {
    const desk = await listening();
    expect(await send(desk, { target })).toBe(204);
    expect(await desk.isDue()).toBe(true);
  });

  it('is of one transfer alone: what was signed for another is refused', async () => {
    const desk = await listening();
    const other = externalId(BATCH.fileId, '3', 'transfer', 1);
    const target = (): string => new URL(desk.callbacks.urlOf(other)).pathname;
    expect(await send(desk, { target })).toBe(401);
    expect(await desk.isDue()).toBe(false);
  });

  it('cannot be made longer at the cost of the body', async () => {
    const desk = await listening();
    const target = (stored: string): string => `${stored}%7B`;
    expect(await send(desk, { target })).toBe(401);
  });

  it('under a key that was lost is unknown: refused, and left to polling', async () => {
    const desk = await listening();
    const lost = callbacks('https://hooks.example.com/paydrop', Buffer.alloc(32, 1));
    expect(await send({ ...desk, callbacks: lost })).toBe(401);
  });
});
