// An older copy of the ledger is put back, and another run goes on with it. Whatever its first look shows, its records still say that the attempts
// were not always its own: after the copy, another run may have created further transfers, and confirmed them.
import { describe, expect, it } from 'vitest';

import { FRESH, type Progress } from '../../src/payouts/progress.ts';
import { manualClock } from '../sandbox/manual-clock.ts';
import { BANK, deliver, transfersOf, type Delivery } from './deliver.ts';
import { first, isConfirm, isUpload, type Asked, type Reply } from './meddling-proxy.ts';
import { deadBefore } from './due-row.ts';
import { record } from '../ledger/own.ts';

const LIFE_MS = 60_000;
const MINUTE_MS = 60_000;

type Shown = { externalId: string; status: string; statusCode: string };
type ShownAs = 'failed' | 'created';

const isLook = ({ method, path }: Asked): boolean => method === 'GET' && /^\/transfers\/[^?]+$/.test(path);

function shownAs(shown: Shown, as: ShownAs): Partial<Reply> {
  return { body: JSON.stringify({ ...shown, status: as, statusCode: as === 'failed' ? '100000' : '10000' }) };
}

type PaidLate = Delivery & { readonly showNow: () => void; readonly showAfterConfirm: () => void };

/** Paid by this attempt, the earlier ones having run out; what the service shows of the first and the second from some moment on. */
async function paidBy(attempt: number, shows: readonly (ShownAs | null)[]): Promise<PaidLate> {
  const clock = manualClock();
  const late = first(attempt - 1, isUpload);
  const created: string[] = [];
  let from: 'never' | 'confirm' | 'now' = 'never';
  const after = (asked: Asked, reply: Reply): Partial<Reply> | null => {
    if (isConfirm(asked) && from === 'confirm') from = 'now';
    if (asked.method === 'POST' && asked.path === '/transfers')
      created.push((JSON.parse(asked.body) as Shown).externalId);
    if (from !== 'now' || !isLook(asked) || reply.status !== 200) return null;
    const shown = JSON.parse(reply.body) as Shown;
    const as = shows[created.indexOf(shown.externalId)] ?? null;
    return as === null ? null : shownAs(shown, as);
  };
  const instead = (asked: Asked): null => {
    if (late(asked)) clock.advance(LIFE_MS + 1_000);
    return null;
  };
  const sandbox = { quoteLifeMs: LIFE_MS };
  const delivery = await deliver({ clock, payouts: [BANK], sandbox, meddling: { instead, after } });
  expect(await delivery.run()).toEqual({ kind: 'done' });
  expect(await endOf(delivery)).toMatchObject({
    stage: 'paid',
    deadAttempts: deadBefore(attempt).map((dead) => ({ attempt: dead.attempt })),
  });
  return {
    ...delivery,
    showNow: () => {
      from = 'now';
    },
    showAfterConfirm: () => {
      from = 'confirm';
    },
  };
}

async function endOf(delivery: Delivery): Promise<Progress | undefined> {
  return (await delivery.rows())[0]?.progress;
}

/** The row as the older copy has it. */
async function putBack(delivery: Delivery, known: (now: Progress) => Partial<Progress>): Promise<void> {
  const [row] = await delivery.rows();
  if (row === undefined) throw new Error('The row is there.');
  const progress = { ...FRESH, ...known(row.progress) };
  await record(delivery.ledger, row, { progress, dueAt: 0, event: 'older copy' });
}

const firstOf = ({ deadAttempts }: Progress) => deadAttempts[0]?.transfer ?? null;

describe('a row of an older copy that knows the first transfer only, and that the third has paid', () => {
  it.each([
    ['failed', 0],
    ['created', 20],
  ] as const)('is paid, though the second is shown as %s', async (second, minutes) => {
    const delivery = await paidBy(3, ['failed', second]);
    await putBack(delivery, (now) => ({ stage: 'created', transfer: firstOf(now) }));
    delivery.clock.advance(minutes * MINUTE_MS);
    delivery.showNow();
    expect(await delivery.run({ ledger: delivery.openAgain() })).toEqual({ kind: 'done' });
    expect(await endOf(delivery)).toMatchObject({
      stage: 'paid',
      deadAttempts: [{ attempt: 1 }, { attempt: 2 }],
    });
  });
});

describe('a row of an older copy that knows a quotation only', () => {
  it('is paid by its second transfer, though the first fails after it was found', async () => {
    const delivery = await paidBy(2, ['failed']);
    await putBack(delivery, (now) => ({ stage: 'quoted', price: priceOf(now) }));
    delivery.showAfterConfirm();
    expect(await delivery.run({ ledger: delivery.openAgain() })).toEqual({ kind: 'done' });
    expect(await endOf(delivery)).toMatchObject({ stage: 'paid', deadAttempts: [{ attempt: 1 }] });
  });
});

function priceOf(now: Progress): Progress['price'] {
  const transfer = firstOf(now);
  if (transfer === null) throw new Error('The first was given up.');
  const { quotationId, sendAmount, feeAmount, receiveAmount, createdAt, expiredAt } = transfer;
  return { quotationId, sendAmount, feeAmount, receiveAmount, createdAt, expiredAt };
}

describe('a row of an older copy whose first look is answered about another transfer', () => {
  it('is not paid a second time, though the next reads lag behind the expiry', async () => {
    const clock = manualClock();
    const isMixedUp = first(1, isLook);
    let isBack = false;
    const after = (asked: Asked, reply: Reply): Partial<Reply> | null => {
      if (!isBack || !isLook(asked) || reply.status !== 200) return null;
      const shown = JSON.parse(reply.body) as Shown;
      if (isMixedUp(asked))
        return { body: JSON.stringify({ ...shown, externalId: '00000000-0000-5000-8000-000000000000' }) };
      return clock.now() < lagsUntil ? shownAs(shown, 'created') : null;
    };
    const delivery = await deliver({ clock, sandbox: { quoteLifeMs: 20_000 }, meddling: { after } });
    const lagsUntil = clock.now() + 118_000;
    expect(await delivery.run()).toEqual({ kind: 'done' });
    await putBack(delivery, ({ transfer }) => ({
      stage: 'created',
      transfer: transfer === null ? null : { ...transfer, status: 'created', statusCode: '10000' },
    }));
    clock.advance(30_000);
    isBack = true;
    await delivery.run({ ledger: delivery.openAgain() });
    expect(await transfersOf(delivery)).toHaveLength(1);
  });
});
