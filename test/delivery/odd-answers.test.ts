// Answers that the interface does not have, on one row among others: that row ends before a person, looked up first, and the others are paid.
import { describe, expect, it } from 'vitest';

import type { Payout } from '../../src/payouts/payout.ts';
import { stageOrHeld } from '../../src/payouts/progress.ts';
import { BANK, count, deliver, transfersOf, type Delivery } from './deliver.ts';
import { isConfirm, isCreate, isQuote, isRead, isUpload, refusal, type Asked } from './meddling-proxy.ts';

const ODD: Partial<Payout> = { ...BANK, documentReferenceNumber: 'ODD' };

/** The row with this document reference gets this answer to such calls, and its transfer is known by its id from the create on. */
async function withOneOddRow(
  matches: (asked: Asked) => boolean,
  reply: { readonly status?: number; readonly body?: string },
): Promise<Delivery> {
  let oddId = 'none yet';
  return deliver({
    payouts: [BANK, ODD, BANK],
    meddling: {
      instead: (asked) =>
        matches(asked) && (asked.body.includes('"ODD"') || asked.path.includes(oddId)) ? reply : null,
      after: (asked, { body }) => {
        if (isCreate(asked) && asked.body.includes('"ODD"'))
          oddId = (JSON.parse(body) as { id?: string }).id ?? oddId;
        return null;
      },
    },
  });
}

const HTML = { status: 404, body: '<html>no such page</html>' };

describe('a row whose', () => {
  it.each([
    ['create is answered with a page of 404', isCreate, HTML, '404'],
    ['create is answered with an unknown code', isCreate, refusal(500, 10_099), '10099'],
    ['create is answered with a conflict and nothing', isCreate, { status: 409 }, '409'],
    ['create is answered 200 and nothing', isCreate, { status: 200 }, '200'],
    ['upload is refused as confirmed already', isUpload, refusal(500, 10_015), 'confirmed'],
    ['upload is refused as expired', isUpload, refusal(500, 10_016), 'expired'],
    ['upload is answered with a page of 422', isUpload, { status: 422, body: '<html>' }, '422'],
    ['confirm is answered with an unknown code', isConfirm, refusal(500, 10_099), '10099'],
    ['transfer cannot be read any more', isRead, refusal(500, 10_014), 'not found'],
    ['transfer is shown in another shape', isRead, { status: 200, body: '{}' }, '200'],
  ])('%s is held with what was said, and the others are paid', async (_name, matches, reply, said) => {
    const delivery = await withOneOddRow(matches, reply);
    expect(await delivery.run()).toEqual({ kind: 'done' });
    const rows = await delivery.rows();
    expect(rows.map(({ progress }) => stageOrHeld(progress))).toEqual(['paid', 'held', 'paid']);
    expect(rows[1]?.progress.hold?.code).toBe('unexpected_refusal');
    expect(rows[1]?.progress.hold?.reason.en).toContain(said);
  });

  it('create landed behind such an answer is looked up, and paid', async () => {
    const delivery = await deliver({
      meddling: { after: (asked) => (isCreate(asked) ? { status: 404, body: '<html>' } : null) },
    });
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect((await delivery.rows())[0]?.progress.stage).toBe('paid');
    expect(await transfersOf(delivery)).toHaveLength(1);
  });
});

describe('a service that takes none of its quotations', () => {
  it.each([10_007, 10_009])('(%i on every create) is not stormed for new ones', async (code) => {
    const delivery = await deliver({
      meddling: { instead: (asked) => (isCreate(asked) ? refusal(500, code) : null) },
    });
    await delivery.run({ waitMs: 120_000 });
    expect(count(delivery, 'POST', '/rates')).toBeLessThan(20);
  });

  it('(each is over when it arrives) is not stormed for new ones', async () => {
    const delivery = await deliver({
      meddling: {
        after: (asked, { body }) =>
          isQuote(asked)
            ? { body: body.replace(/"expiredAt":"[^"]*"/, '"expiredAt":"2026-01-01T00:00:00.000Z"') }
            : null,
      },
    });
    await delivery.run({ waitMs: 120_000 });
    expect(count(delivery, 'POST', '/rates')).toBeLessThan(20);
  });
});
