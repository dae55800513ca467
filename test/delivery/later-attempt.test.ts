// A row whose first transfer expired is paid by a second one; then the first is shown as failed, and the ledger that knew both is lost. The
// failure of the first must not count as the end of the row, even while the service's reads do not show the second yet.
import { describe, expect, it } from 'vitest';

import { FRESH, type Progress } from '../../src/payouts/progress.ts';
import { manualClock } from '../sandbox/manual-clock.ts';
import { always, BANK, count, deliver, transfersOf, type Delivery } from './deliver.ts';
import { first, isUpload, refusal, type Asked, type Reply } from './meddling-proxy.ts';
import { record } from '../ledger/own.ts';

const LIFE_MS = 60_000;
const MINUTE_MS = 60_000;

type Shown = { externalId: string; status: string; statusCode: string };

/** Paid by its second transfer; from then on the service shows the first as failed, and hides the second for so long. */
async function paidByTheSecond(
  hiddenForMs: number,
  isMixedUp = false,
): Promise<Delivery & { showFirst: (status: string) => void }> {
  const clock = manualClock();
  const late = first(1, isUpload);
  const created: string[] = [];
  let hiddenUntil = Infinity;
  let shownAs: string | null = null;
  const delivery = await deliver({
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
        if (shownAs === null || method !== 'GET' || !/^\/transfers\/[^?]+$/.test(path)) return null;
        const shown = JSON.parse(reply.body) as Shown;
        if (isMixedUp && path.includes('ext-') && shown.externalId !== created[0])
          return { body: JSON.stringify({ ...shown, externalId: '00000000-0000-5000-8000-000000000000' }) };
        if (shown.externalId === created[0])
          return shownAs === 'failed'
            ? { body: JSON.stringify({ ...shown, status: 'failed', statusCode: '100002' }) }
            : null;
        return path.includes('ext-') && clock.now() < hiddenUntil ? refusal(404, 10013) : null;
      },
    },
  });
  expect(await delivery.run()).toEqual({ kind: 'done' });
  const [row] = await delivery.rows();
  expect(row?.progress).toMatchObject({ stage: 'paid', deadAttempts: [{ attempt: 1 }] });
  shownAs = 'failed';
  hiddenUntil = clock.now() + hiddenForMs;
  return {
    ...delivery,
    showFirst: (status) => {
      shownAs = status;
    },
  };
}

/** The row as a ledger has it that knows less than the one before. */
async function forget(delivery: Delivery, known: Partial<Progress>): Promise<void> {
  const [row] = await delivery.rows();
  if (row === undefined) throw new Error('The row is there.');
  const progress: Progress = { ...FRESH, confirm: 'sent', ...known };
  await record(delivery.ledger, row, { progress, dueAt: 0, event: 'rebuilt' });
}

async function endOf(delivery: Delivery) {
  const [row] = await delivery.rows();
  return row?.progress;
}

describe('a row that was paid by its second transfer, while the first is shown as failed', () => {
  it.each([0, 2, 14])(
    'is paid after a rebuild, though reads hide the second for %i minutes',
    async (minutes) => {
      const delivery = await paidByTheSecond(minutes * MINUTE_MS);
      await forget(delivery, {});
      const creates = count(delivery, 'POST', '/transfers');
      expect(await delivery.run({}, { doubtSince: always(delivery.clock.now()) })).toEqual({ kind: 'done' });
      expect(await endOf(delivery)).toMatchObject({ stage: 'paid', deadAttempts: [{ attempt: 1 }] });
      expect(await transfersOf(delivery)).toHaveLength(2);
      if (minutes === 0) expect(count(delivery, 'POST', '/transfers')).toBe(creates);
    },
  );

  it.each([0, 5, 14])(
    'is paid by the records of an older copy of the ledger, which another run wrote, though reads hide the second for %i minutes',
    async (minutes) => {
      const delivery = await paidByTheSecond(minutes * MINUTE_MS);
      await forget(delivery, {});
      expect(await delivery.run({ ledger: delivery.openAgain() })).toEqual({ kind: 'done' });
      expect(await endOf(delivery)).toMatchObject({ stage: 'paid', deadAttempts: [{ attempt: 1 }] });
    },
  );

  it.each([5, 14])(
    'is paid by an older copy that has been in doubt before, and was put back unnoticed, though reads hide the second for %i minutes',
    async (minutes) => {
      const delivery = await paidByTheSecond(minutes * MINUTE_MS);
      const { clock, ledger } = delivery;
      await forget(delivery, { silentAt: clock.now() - 20 * MINUTE_MS });
      // Taken over from a run that did not give it back.
      const doubtSince = clock.now();
      expect(await delivery.run({ tenure: `${ledger.run}/2` }, { doubtSince: always(doubtSince) })).toEqual({
        kind: 'done',
      });
      expect(await endOf(delivery)).toMatchObject({ stage: 'paid', deadAttempts: [{ attempt: 1 }] });
    },
  );

  it.each([
    ['an older copy knows of the intent to confirm the first', 'confirming', null],
    ['the ledger was rebuilt before the second was seen', 'ready', 0],
  ] as const)(
    'is paid where %s, and the first is still shown as created',
    async (_, stage, rebuiltAfterMs) => {
      const delivery = await paidByTheSecond(0);
      delivery.showFirst('created');
      const [row] = await delivery.rows();
      const transfer = stage === 'confirming' ? (row?.progress.deadAttempts[0]?.transfer ?? null) : null;
      const doubtSince = rebuiltAfterMs === null ? null : delivery.clock.now() + rebuiltAfterMs;
      await forget(delivery, {
        stage,
        transfer,
        confirm: stage === 'ready' ? 'sent' : 'none',
      });
      delivery.clock.advance(20 * MINUTE_MS);
      expect(
        await delivery.run({ ledger: delivery.openAgain() }, { doubtSince: always(doubtSince) }),
      ).toEqual({ kind: 'done' });
      expect(await endOf(delivery)).toMatchObject({ stage: 'paid', deadAttempts: [{ attempt: 1 }] });
    },
  );
});

describe('a row that waits because another transfer of it may be hidden', () => {
  // The number is raised without waiting for a look that shows the first to be the last: what reads hide, the create of the second meets.
  it('is paid once where an older copy knows the first as created, and raises its number while reads hide the second', async () => {
    const delivery = await paidByTheSecond(20 * MINUTE_MS);
    delivery.showFirst('created');
    const given = (await endOf(delivery))?.deadAttempts[0]?.transfer;
    if (given === undefined) throw new Error('The first was given up.');
    await forget(delivery, { stage: 'created', transfer: given, confirm: 'none' });
    const from = delivery.clock.now();
    const [creates, confirms] = [count(delivery, 'POST', '/transfers'), count(delivery, 'POST', '/confirm')];
    expect(await delivery.run({ ledger: delivery.openAgain() })).toEqual({ kind: 'done' });
    expect(await endOf(delivery)).toMatchObject({ stage: 'paid', deadAttempts: [{ attempt: 1 }] });
    // Told that the second exists (10011), and nothing was confirmed that it had not seen.
    expect(count(delivery, 'POST', '/transfers')).toBeGreaterThan(creates);
    expect(count(delivery, 'POST', '/confirm')).toBe(confirms);
    expect(await transfersOf(delivery)).toHaveLength(2);
    expect(delivery.clock.now() - from).toBeGreaterThan(15 * MINUTE_MS);
  });

  it('is not confirmed again by a read that shows the first as it was before it failed', async () => {
    const delivery = await paidByTheSecond(5 * MINUTE_MS);
    const [row] = await delivery.rows();
    const failed = row?.progress.deadAttempts[0]?.transfer;
    if (failed === undefined) throw new Error('The first was given up.');
    const transfer = { ...failed, status: 'failed', statusCode: '100002' };
    await forget(delivery, { stage: 'created', transfer });
    delivery.showFirst('created');
    const confirms = count(delivery, 'POST', '/confirm');
    expect(await delivery.run({}, { doubtSince: always(delivery.clock.now()) })).toEqual({ kind: 'done' });
    expect(await endOf(delivery)).toMatchObject({ stage: 'paid', deadAttempts: [{ attempt: 1 }] });
    expect(count(delivery, 'POST', '/confirm')).toBe(confirms);
  });
});

describe('a row whose only transfer was seen failed once, and is shown as created for good from then on', () => {
  it('is for a person once no read can hide another transfer any more', async () => {
    const delivery = await paidByTheSecond(Infinity);
    const [row] = await delivery.rows();
    const failed = row?.progress.deadAttempts[0]?.transfer;
    if (failed === undefined) throw new Error('The first was given up.');
    const transfer = { ...failed, status: 'failed', statusCode: '100002' };
    const doubtSince = delivery.clock.now();
    await forget(delivery, { stage: 'created', transfer });
    delivery.showFirst('created');
    expect(await delivery.run({}, { doubtSince: always(delivery.clock.now()) })).toEqual({ kind: 'done' });
    expect(await endOf(delivery)).toMatchObject({ hold: { code: 'status_went_back' } });
    expect(delivery.clock.now() - doubtSince).toBeLessThan(25 * MINUTE_MS);
  });
});

describe('a row of which the service shows something else as the next transfer', () => {
  it('is for a person: such an answer proves no attempt dead, and nothing is created by it', async () => {
    const delivery = await paidByTheSecond(0, true);
    await forget(delivery, {});
    const creates = count(delivery, 'POST', '/transfers');
    expect(await delivery.run({}, { doubtSince: always(delivery.clock.now()) })).toEqual({ kind: 'done' });
    expect(await endOf(delivery)).toMatchObject({
      hold: { code: 'id_collision' },
      deadAttempts: [],
    });
    expect(count(delivery, 'POST', '/transfers')).toBe(creates);
  });
});

describe('a row whose only transfer failed', () => {
  it('is called failed after a rebuild once no read can hide another any more', async () => {
    const delivery = await paidByTheSecond(Infinity);
    const doubtSince = delivery.clock.now();
    await forget(delivery, {});
    expect(await delivery.run({}, { doubtSince: always(delivery.clock.now()) })).toEqual({ kind: 'done' });
    expect(await endOf(delivery)).toMatchObject({ stage: 'failed', deadAttempts: [] });
    expect(delivery.clock.now() - doubtSince).toBeGreaterThanOrEqual(15 * MINUTE_MS);
  });

  it('is called failed at once where no other can have been made: its time is not over', async () => {
    // The sandbox fails what goes to a number that ends so.
    const delivery = await deliver({ payouts: [{ deliveryMethodInfo: { msisdn: '+861380100002' } }] });
    await delivery.run();
    const doubtSince = delivery.clock.now();
    await forget(delivery, {});
    expect(await delivery.run({}, { doubtSince: always(delivery.clock.now()) })).toEqual({ kind: 'done' });
    expect(await endOf(delivery)).toMatchObject({ stage: 'failed', why: { errorCode: '100002' } });
    expect(delivery.clock.now() - doubtSince).toBeLessThan(MINUTE_MS);
  });
});

describe('a row that a person let go on as confirmed, though no confirm of it was ever seen', () => {
  /** An earlier copy of the ledger has it, which another run wrote, and its transfer is shown as failed. */
  async function released(hiddenForMs: number): Promise<Delivery> {
    const delivery = await paidByTheSecond(hiddenForMs);
    const [row] = await delivery.rows();
    const transfer = row?.progress.deadAttempts[0]?.transfer;
    if (transfer === undefined) throw new Error('The first was given up.');
    await forget(delivery, { stage: 'confirmed', transfer });
    return delivery;
  }

  it.each([0, 5])('is paid by its second transfer, which reads hide for %i minutes', async (minutes) => {
    const delivery = await released(minutes * MINUTE_MS);
    const ledger = delivery.openAgain();
    expect(await delivery.run({ ledger })).toEqual({ kind: 'done' });
    expect(await endOf(delivery)).toMatchObject({ stage: 'paid', deadAttempts: [{ attempt: 1 }] });
    expect(await transfersOf(delivery)).toHaveLength(2);
  });

  it('is failed once no read can hide another transfer any more', async () => {
    const delivery = await released(Infinity);
    const start = delivery.clock.now();
    expect(await delivery.run({ ledger: delivery.openAgain() })).toEqual({ kind: 'done' });
    expect(await endOf(delivery)).toMatchObject({ stage: 'failed', why: { errorCode: '100002' } });
    expect(delivery.clock.now() - start).toBeGreaterThan(15 * MINUTE_MS);
    expect(await transfersOf(delivery)).toHaveLength(2);
  });
});
