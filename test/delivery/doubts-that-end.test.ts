// A doubt lasts as long as it can matter, and no longer. Each of these rows was once paid twice, or left open for ever, because a doubt was forgotten too
// early or never resolved.
import { describe, expect, it } from 'vitest';

import { toKnownTransfer } from '../../src/delivery/known-transfer.ts';
import {
  quotationExternalId,
  quotationRequestOf,
  transferExternalId,
  transferRequest,
} from '../../src/delivery/requests.ts';
import { FRESH, type KnownTransfer, type Progress } from '../../src/payouts/progress.ts';
import type { Transfer } from '../../src/service/wire.ts';
import { manualClock } from '../sandbox/manual-clock.ts';
import { BANK, count, deliver, stagesOf, transfersOf, type Delivery } from './deliver.ts';
import { dueRow } from './due-row.ts';
import { first, isConfirm, isCreate, isRead, refusal, type Asked, type Reply } from './meddling-proxy.ts';
import { record } from '../ledger/own.ts';

const MINUTE_MS = 60_000;
const NO_ANSWER = { status: 502, body: '' };

function as({ body }: Reply, status: string, statusCode: string): { readonly body: string } {
  return { body: JSON.stringify({ ...(JSON.parse(body) as object), status, statusCode }) };
}

/** An attempt of the row as another run made it, whose ledger is lost. */
async function make({ sandbox }: Delivery, attempt: number): Promise<KnownTransfer> {
  const due = dueRow();
  const request = quotationRequestOf(due.row.payout, quotationExternalId(due, attempt));
  const asked = { ...request, destinationAmount: 1_000 };
  const { json: quotation } = await sandbox.client.post('/rates', asked);
  const named = { id: transferExternalId(due, attempt), quotationId: String(quotation['id']) };
  const { json } = await sandbox.client.post('/transfers', transferRequest(due, named, null));
  const transfer = toKnownTransfer(json as unknown as Transfer);
  const text = (amount: unknown): string => String(amount);
  return {
    ...transfer,
    sendAmount: text(transfer.sendAmount),
    feeAmount: text(transfer.feeAmount),
    receiveAmount: text(transfer.receiveAmount),
  };
}

async function put(delivery: Delivery, progress: Progress): Promise<void> {
  const [row] = await delivery.rows();
  if (row === undefined) throw new Error('The row is there.');
  const dueAt = progress.hold !== null ? null : 0;
  await record(delivery.ledger, row, { progress, dueAt, event: 'test' });
}

async function progressOf(delivery: Delivery): Promise<Progress | undefined> {
  return (await delivery.rows())[0]?.progress;
}

describe('an older ledger that knows the first attempt, while the second was paid a moment ago', () => {
  it('makes no third one, though reads lag and its create gets no answer', async () => {
    const clock = manualClock();
    let second: KnownTransfer | null = null;
    let staleUntil = 0;
    const lost = first(1, isCreate);
    const hidden = first(
      1,
      (asked) => isRead(asked) && asked.path.includes(`ext-${String(second?.externalId)}`),
    );
    const delivery = await deliver({
      clock,
      sandbox: { quoteLifeMs: MINUTE_MS },
      meddling: {
        after: (asked, reply) => {
          if (second === null) return null;
          if (lost(asked)) {
            clock.advance(130_000);
            return NO_ANSWER;
          }
          if (!isRead(asked) || reply.status !== 200 || clock.now() >= staleUntil) return null;
          if (hidden(asked)) return refusal(404, 10013);
          const isSecond = (JSON.parse(reply.body) as Transfer).externalId === second.externalId;
          return isSecond ? as(reply, 'created', '10000') : null;
        },
      },
    });
    const transfer = await make(delivery, 1);
    clock.advance(17 * MINUTE_MS);
    const paid = await make(delivery, 2);
    await delivery.sandbox.client.post(`/transfers/${paid.transferId}/confirm`, {});
    await put(delivery, { ...FRESH, stage: 'created', transfer });
    second = paid;
    staleUntil = clock.now() + 9 * MINUTE_MS;
    await delivery.run({ ledger: delivery.openAgain() });
    expect((await transfersOf(delivery)).map(({ status }) => status).sort()).toEqual(['created', 'paid']);
    expect(await stagesOf(delivery)).toEqual(['paid']);
  });
});

describe('a row of another run whose transfer this run has created', () => {
  it('is nobody else’s any more: it runs out as one of our own does', async () => {
    const clock = manualClock();
    const delivery = await deliver({ clock });
    const ledger = delivery.openAgain();
    await delivery.run({ ledger, goal: 'reserved' });
    expect(await progressOf(delivery)).toMatchObject({ begunBy: ledger.run, confirm: 'none' });
  });
});

describe('a held row', () => {
  it('whose document is demanded although a copy of its confirm was taken is found paid', async () => {
    const clock = manualClock();
    let confirms = 0;
    const delivery: Delivery = await deliver({
      clock,
      payouts: [BANK],
      meddling: {
        instead: async (asked) => {
          if (!isConfirm(asked)) return null;
          confirms += 1;
          if (confirms === 2) await delivery.sandbox.client.post(asked.path);
          return refusal(500, 10022);
        },
      },
    });
    await delivery.run();
    expect(await progressOf(delivery)).toMatchObject({ hold: { code: 'document_demanded' } });
    clock.advance(MINUTE_MS);
    await delivery.lookAtHeld();
    await delivery.run();
    expect(await stagesOf(delivery)).toEqual(['paid']);
  });

  it('that a look beyond the fence still shows unconfirmed says so, which is what a person who closes it rests on', async () => {
    const clock = manualClock();
    const delivery = await deliver({
      clock,
      sandbox: { quoteLifeMs: 10 * MINUTE_MS },
      payouts: [BANK],
      meddling: { instead: (asked) => (isConfirm(asked) ? refusal(500, 10022) : null) },
    });
    await delivery.run();
    await delivery.lookAtHeld();
    expect(await progressOf(delivery)).toMatchObject({
      stage: 'confirming',
      hold: { code: 'document_demanded' },
      silentAt: null,
    });
    clock.advance(26 * MINUTE_MS);
    await delivery.lookAtHeld();
    expect((await progressOf(delivery))?.silentAt).toBeNull();
    clock.advance(MINUTE_MS);
    await delivery.lookAtHeld();
    expect((await progressOf(delivery))?.silentAt).not.toBeNull();
  });

  it('whose document is demanded once more, and that fails at the service, is told so a quarter of an hour after the first look', async () => {
    const clock = manualClock();
    let isFailed = false;
    const delivery = await deliver({
      clock,
      payouts: [BANK],
      sandbox: { quoteLifeMs: 10 * MINUTE_MS },
      meddling: {
        instead: (asked) => (isConfirm(asked) ? refusal(500, 10022) : null),
        after: (asked, reply) =>
          isFailed && isRead(asked) && reply.status === 200 ? as(reply, 'failed', '100000') : null,
      },
    });
    await delivery.run({ waitMs: 0 });
    expect(await progressOf(delivery)).toMatchObject({ hold: { code: 'document_demanded' } });
    clock.advance(60 * MINUTE_MS);
    isFailed = true;
    for (let looks = 0; looks < 3; looks += 1) {
      await delivery.lookAtHeld();
      clock.advance(10 * MINUTE_MS);
    }
    expect(await stagesOf(delivery)).toEqual(['failed']);
  });
});

describe('a transfer that exists, says the service, and that it never shows', () => {
  it('is left to a person within the hour, however often its quotation runs out', async () => {
    const clock = manualClock();
    const delivery = await deliver({
      clock,
      sandbox: { quoteLifeMs: 5 * MINUTE_MS },
      meddling: {
        instead: (asked) => {
          if (isCreate(asked)) return refusal(500, 10011);
          return isRead(asked) && asked.path.includes('/transfers/ext-') ? refusal(404, 10013) : null;
        },
      },
    });
    const from = clock.now();
    await delivery.run();
    expect(await progressOf(delivery)).toMatchObject({ hold: { code: 'id_collision' } });
    expect(clock.now() - from).toBeLessThan(60 * MINUTE_MS);
  });
});

describe('a rebuilt row whose first attempt was revived and paid before its second was met', () => {
  it('is only followed once a person has let it go on', async () => {
    const delivery = await deliver({ sandbox: { quoteLifeMs: 10 * MINUTE_MS } });
    const revived = await make(delivery, 1);
    const second = await make(delivery, 2);
    await delivery.sandbox.client.post(`/transfers/${revived.transferId}/confirm`, {});
    delivery.clock.advance(2_000);
    await put(delivery, {
      ...FRESH,
      quotationAttempt: 2,
      confirm: 'sent',
      deadAttempts: [{ attempt: 1, transfer: revived, proof: 'later-attempt-exists' }],
    });
    await delivery.run();
    expect(await progressOf(delivery)).toMatchObject({
      hold: { code: 'transfer_reinstated' },
      transfer: { transferId: second.transferId },
    });
  });
});

describe('a payment that had ended, and that the service knows no more', () => {
  it('is asked for as seldom as any other', async () => {
    const clock = manualClock();
    let isGone = false;
    const delivery = await deliver({
      clock,
      meddling: {
        instead: (asked: Asked) => (isGone && isRead(asked) ? refusal(404, 10014) : null),
      },
    });
    await delivery.run();
    isGone = true;
    clock.advance(86_400_000);
    await delivery.watch();
    const reads = count(delivery, 'GET', '');
    for (let minute = 0; minute < 10; minute += 1) {
      clock.advance(MINUTE_MS);
      await delivery.watch();
    }
    expect(count(delivery, 'GET', '') - reads).toBeLessThanOrEqual(1);
  });
});
