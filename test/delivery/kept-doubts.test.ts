// A transfer that may have been confirmed stays in doubt, whatever a record, a refusal or a stale read says afterwards. Each of these rows was paid by
// its first transfer while every read showed the earlier state of that transfer, and must not get a second one.
import { describe, expect, it } from 'vitest';

import {
  quotationExternalId,
  quotationRequestOf,
  transferExternalId,
  transferRequest,
} from '../../src/delivery/requests.ts';
import { begunBy, FRESH } from '../../src/payouts/progress.ts';
import type { Transfer } from '../../src/service/wire.ts';
import { manualClock } from '../sandbox/manual-clock.ts';
import { BANK, deliver, transfersOf, type Delivery } from './deliver.ts';
import { dueRow } from './due-row.ts';
import { first, isConfirm, isCreate, isRead, isUpload, refusal, type Reply } from './meddling-proxy.ts';
import { record } from '../ledger/own.ts';

const LIFE_MS = 60_000;
const MINUTE_MS = 60_000;

/** Shorter than the longest time that a read may lag, and longer than the fence behind an expiry where no confirm was sent. */
const LAG_MS = 9 * MINUTE_MS;
const BEYOND_THE_SHORT_FENCE_MS = LIFE_MS + 70_000;

const NO_ANSWER = { status: 502, body: '' };

/** As the transfer was shown before it was confirmed. */
function stale({ body }: Reply): { readonly body: string } {
  return {
    body: JSON.stringify({ ...(JSON.parse(body) as object), status: 'created', statusCode: '10000' }),
  };
}

async function expectPaidOnce(delivery: Delivery): Promise<void> {
  expect((await transfersOf(delivery)).map(({ status }) => status)).toEqual(['paid']);
  const [row] = await delivery.rows();
  expect(row?.progress).toMatchObject({ stage: 'paid', deadAttempts: [] });
}

/** What a run did whose ledger is lost: priced, created, confirmed. Gives the price, and the id of the transfer. */
async function paidBefore({ sandbox }: Delivery) {
  const due = dueRow({}, { stage: 'quoted', price: null, transfer: null });
  const asked = {
    ...quotationRequestOf(due.row.payout, quotationExternalId(due, 1)),
    destinationAmount: 1_000,
  };
  const { json: quotation } = await sandbox.client.post('/rates', asked);
  const price = {
    quotationId: String(quotation['id']),
    sendAmount: String(quotation['sourceAmount']),
    feeAmount: String(quotation['feeAmount']),
    receiveAmount: String(quotation['destinationAmount']),
    createdAt: String(quotation['createdAt']),
    expiredAt: String(quotation['expiredAt']),
  };
  const request = transferRequest(
    due,
    { id: transferExternalId(due, 1), quotationId: price.quotationId },
    null,
  );
  const { json: transfer } = await sandbox.client.post('/transfers', request);
  await sandbox.client.post(`/transfers/${String(transfer['id'])}/confirm`, {});
  return { price, externalId: request.externalId };
}

describe('a row is paid once', () => {
  it('by the run that began it, under a later lease, on a copy of the ledger from its earlier one', async () => {
    const clock = manualClock();
    let staleUntil = 0;
    const delivery = await deliver({
      clock,
      isDaemon: true,
      sandbox: { quoteLifeMs: LIFE_MS },
      meddling: {
        after: (asked, reply) =>
          isRead(asked) && reply.status === 200 && clock.now() < staleUntil ? stale(reply) : null,
      },
    });
    const { ledger } = delivery;
    const [earlier, later] = [`${ledger.run}/1`, `${ledger.run}/2`];
    expect(await delivery.run({ tenure: earlier })).toEqual({ kind: 'done' });
    const [row] = await delivery.rows();
    if (row?.progress.transfer === undefined || row.progress.transfer === null)
      throw new Error('It was paid.');
    const transfer = { ...row.progress.transfer, status: 'created', statusCode: '10000' };
    const progress = { ...begunBy(earlier), stage: 'created', transfer } as const;
    await record(ledger, row, { progress, dueAt: 0, event: 'older copy' });
    clock.advance(BEYOND_THE_SHORT_FENCE_MS);
    staleUntil = clock.now() + LAG_MS;
    expect(await delivery.run({ tenure: later })).toEqual({ kind: 'done' });
    await expectPaidOnce(delivery);
  });

  it('by an older copy of the ledger, whose first look shows nothing and whose create gets no answer', async () => {
    const clock = manualClock();
    const lost = first(1, isCreate);
    const hidden = first(1, (asked) => isRead(asked) && asked.path.includes('ext-'));
    let paid: string | null = null;
    let staleUntil = 0;
    const delivery = await deliver({
      clock,
      sandbox: { quoteLifeMs: LIFE_MS },
      meddling: {
        after: (asked, reply) => {
          if (paid === null) return null;
          if (lost(asked)) {
            clock.advance(BEYOND_THE_SHORT_FENCE_MS);
            return NO_ANSWER;
          }
          if (!isRead(asked) || reply.status !== 200 || clock.now() >= staleUntil) return null;
          if (hidden(asked)) return refusal(404, 10013);
          return (JSON.parse(reply.body) as Transfer).externalId === paid ? stale(reply) : null;
        },
      },
    });
    const { price, externalId } = await paidBefore(delivery);
    const [row] = await delivery.rows();
    if (row === undefined) throw new Error('The row is there.');
    const progress = { ...FRESH, stage: 'quoted', price } as const;
    await record(delivery.ledger, row, { progress, dueAt: 0, event: 'an older copy' });
    paid = externalId;
    staleUntil = clock.now() + LAG_MS;
    expect(await delivery.run({ ledger: delivery.openAgain() })).toEqual({ kind: 'done' });
    await expectPaidOnce(delivery);
  });

  it('when one copy of its confirm is refused for the document, and the other arrives after the next upload', async () => {
    const clock = manualClock();
    const demanded = first(1, isConfirm);
    let uploads = 0;
    let staleUntil = 0;
    const delivery: Delivery = await deliver({
      clock,
      payouts: [BANK],
      sandbox: { quoteLifeMs: LIFE_MS },
      meddling: {
        instead: async (asked) => {
          if (demanded(asked)) return refusal(500, 10022);
          if (isUpload(asked)) uploads += 1;
          if (!isUpload(asked) || uploads !== 2) return null;
          const { client } = delivery.sandbox;
          await client.put(asked.path, Buffer.from('%PDF-1.7 invoice'), 'application/pdf');
          await client.post(asked.path.replace(/attachment$/, 'confirm'));
          staleUntil = clock.now() + LAG_MS;
          clock.advance(BEYOND_THE_SHORT_FENCE_MS);
          return NO_ANSWER;
        },
        after: (asked, reply) =>
          isRead(asked) && reply.status === 200 && clock.now() < staleUntil ? stale(reply) : null,
      },
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    await expectPaidOnce(delivery);
  });

  it('when one copy of its confirm is taken and the other meets a key that was just refused, and the same process goes on', async () => {
    const clock = manualClock();
    const refused = first(1, isConfirm);
    let staleUntil = 0;
    const delivery: Delivery = await deliver({
      clock,
      isDaemon: true,
      sandbox: { quoteLifeMs: LIFE_MS },
      meddling: {
        instead: async (asked) => {
          if (!refused(asked)) return null;
          await delivery.sandbox.client.post(asked.path);
          staleUntil = clock.now() + LAG_MS;
          return { status: 403, body: '{"message":"Forbidden"}' };
        },
        after: (asked, reply) =>
          isRead(asked) && reply.status === 200 && clock.now() < staleUntil ? stale(reply) : null,
      },
    });
    expect(await delivery.run()).toEqual({ kind: 'credentials' });
    clock.advance(BEYOND_THE_SHORT_FENCE_MS);
    expect(await delivery.run()).toEqual({ kind: 'done' });
    await expectPaidOnce(delivery);
  });
});
