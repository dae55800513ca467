// A release must rest on what is true at the service: the row is looked up before anything is sent, is never confirmed twice, and the release
// sees a transfer that is reinstated after it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { decide, tryAgainAt } from '../../src/app/workflow/carry/look-before-closing.ts';
import { releaseRows } from './release.ts';
import { type ReleaseEnd } from '../../src/app/workflow/decisions/release-rows.ts';
import { heldUnseen } from '../../src/app/workflow/carry/unseen-rows.ts';
import { openWorkspace } from '../../src/inbox/workspace.ts';
import { begunBy, FRESH, type DeadAttempt, type Progress } from '../../src/payouts/progress.ts';
import { newHold } from '../../src/payouts/hold.ts';
import { BATCH, count, deliver, stagesOf, transfersOf, type Delivery } from '../delivery/deliver.ts';
import { KNOWN, TRANSFER } from '../delivery/due-row.ts';
import { isConfirm, isRead, refusal, type Asked } from '../delivery/meddling-proxy.ts';
import { atEnd } from '../at-end.ts';
import { manualClock } from '../sandbox/manual-clock.ts';
import { line, openDesk, PATIENT } from './desk.ts';
import { own, record } from '../ledger/own.ts';

const MINUTE_MS = 60_000;

async function release(delivery: Delivery): Promise<ReleaseEnd> {
  const { clock } = delivery;
  const ledger = delivery.openAgain();
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  atEnd(() => rmSync(folder, { recursive: true }));
  const workspace = await openWorkspace(folder, {});
  const batch = await ledger.batch(BATCH);
  if (batch === null) throw new Error('The batch is there.');
  const order = { by: 'Ama', reason: 'seen', rows: null, skip: false };
  return releaseRows({ ledger, clock, workspace }, batch, order);
}

async function change(delivery: Delivery, progress: Progress): Promise<void> {
  const [row] = await delivery.rows();
  if (row === undefined) throw new Error('The row is there.');
  const isHeld = progress.hold !== null;
  await record(delivery.ledger, row, { progress, dueAt: isHeld ? null : 0, event: 'test' });
}

async function heldAs(delivery: Delivery): Promise<Progress> {
  const [row] = await delivery.rows();
  if (row === undefined) throw new Error('The row is there.');
  return row.progress;
}

function deadBy(proof: DeadAttempt['proof']): DeadAttempt {
  const transfer = { ...KNOWN, transferId: 't-dead' };
  return { attempt: 1, transfer, proof };
}

/** The given-up transfer as the service shows it once its staff has brought it back. */
function revived({ path }: Asked, now = { status: 'submitted', statusCode: '10001' }, id = 't-dead') {
  if (!path.endsWith(`/${id}`)) return null;
  const shown = {
    ...TRANSFER,
    sendAmount: 85000,
    feeAmount: 1525,
    variableFeeAmount: 1275,
    fixedFeeAmount: 250,
    receiveAmount: 1000,
  };
  return { body: JSON.stringify({ ...shown, id, ...now }) };
}

const revivedAndPaid = (asked: Asked) => revived(asked, { status: 'paid', statusCode: '20000' });

describe('a row that is let go', () => {
  it('is looked at before anything is sent, also by the run that let it go, and begins its step and its document anew', () => {
    const progress = { ...begunBy('run-1'), document: 'attached' } as const;
    const held = { ...progress, hold: newHold('over_fee_limit', 0) };
    const freed = decide(held, { by: 'Ama', reason: 'seen', skip: false, round: 0 }, 0);
    const anew = { hold: null, lookedBy: null, document: 'none' };
    expect(freed).toMatchObject({ ...anew, begunBy: 'run-1' });
  });

  it('stays in doubt where a confirm of it may have arrived: no word of a person takes that back', () => {
    for (const confirm of ['sent', 'none'] as const) {
      const held = { ...begunBy('run-1'), transfer: KNOWN, confirm, hold: newHold('over_fee_limit', 0) };
      expect(decide(held, { by: 'Ama', reason: 'seen', skip: false, round: 0 }, 0)).toMatchObject({
        confirm,
      });
    }
  });
});

describe('a row whose earlier transfer has come back to life', () => {
  /** As a rebuilt ledger knows a row that has a second transfer: that there is one, and nothing else of it. */
  const REBUILT = { ...FRESH, confirm: 'sent' } as const;

  it('and whose later one was not seen yet is looked up by its id once released, and no run breaks', async () => {
    const delivery = await deliver({ meddling: { instead: (asked) => revived(asked) } });
    const deadAttempts = [deadBy('later-attempt-exists')];
    await change(delivery, { ...REBUILT, deadAttempts });
    await delivery.run();
    expect(await heldAs(delivery)).toMatchObject({ hold: { code: 'transfer_reinstated' }, transfer: null });
    expect(await release(delivery)).toMatchObject({ released: ['2'], onlySkip: [] });
    const before = delivery.calls.length;
    expect(await delivery.run()).toEqual({ kind: 'done' });
    expect(delivery.calls[before]?.call).toMatch(/^GET \/transfers\/ext-/);
    expect(await stagesOf(delivery)).toEqual(['paid']);
  });

  it('and that has no other one is followed once released: nothing more is sent', async () => {
    const delivery = await deliver({ meddling: { instead: revivedAndPaid } });
    const deadAttempts = [deadBy('expired-unconfirmed')];
    await change(delivery, { ...FRESH, deadAttempts });
    await delivery.run();
    expect(await heldAs(delivery)).toMatchObject({ hold: { code: 'transfer_reinstated' }, transfer: null });
    expect(await release(delivery)).toMatchObject({ released: ['2'], onlySkip: [] });
    await delivery.run();
    expect(await heldAs(delivery)).toMatchObject({ stage: 'paid', deadAttempts: [] });
    expect(count(delivery, 'POST', '')).toBe(0);
  });

  it('goes on beside that one alone: when another comes back after the release, it is held again, and nothing is sent', async () => {
    let isSecondBack = false;
    const instead = (asked: Asked) =>
      revived(asked) ?? (isSecondBack ? revived(asked, undefined, 't-dead-2') : null);
    const delivery = await deliver({ meddling: { instead } });
    const first = deadBy('later-attempt-exists');
    const second = { ...first, attempt: 2, transfer: { ...first.transfer, transferId: 't-dead-2' } };
    await change(delivery, { ...REBUILT, deadAttempts: [first, second] });
    await delivery.run();
    expect(await heldAs(delivery)).toMatchObject({ hold: { code: 'transfer_reinstated' } });
    expect(await release(delivery)).toMatchObject({ released: ['2'] });
    expect(await heldAs(delivery)).toMatchObject({ hold: null, lookedBy: null });
    isSecondBack = true;
    await delivery.run();
    const { hold, deadAttempts } = await heldAs(delivery);
    expect(hold?.reason.en).toContain('t-dead-2');
    expect(deadAttempts.map((dead) => dead.revived)).toEqual(['decided', 'seen']);
    expect(count(delivery, 'POST', '')).toBe(0);
  });

  it('after it was released for something else is held again, and not confirmed', async () => {
    const delivery = await deliver({ meddling: { instead: (asked) => revived(asked) } });
    const held = { hold: newHold('over_fee_limit', 0) } as const;
    await change(delivery, {
      ...FRESH,
      ...held,
      deadAttempts: [deadBy('expired-unconfirmed')],
    });
    await release(delivery);
    await delivery.run();
    expect(await heldAs(delivery)).toMatchObject({ hold: { code: 'transfer_reinstated' } });
    expect(count(delivery, 'POST', '/transfers')).toBe(0);
  });
});

describe('a row that was confirmed, and whose transfer the service does not know for a while', () => {
  it.each([0, 60 * MINUTE_MS])(
    'is only followed once released %i ms later: no second confirm, no second transfer',
    async (laterMs) => {
      const clock = manualClock();
      let phase: 'before' | 'gone' | 'back' = 'before';
      const instead = (asked: Asked) => {
        if (isConfirm(asked) && phase === 'before') {
          phase = 'gone';
          return refusal(500, 10027);
        }
        return isRead(asked) && phase === 'gone' ? refusal(404, 10014) : null;
      };
      const delivery = await deliver({
        clock,
        sandbox: { quoteLifeMs: 30 * MINUTE_MS },
        meddling: { instead },
      });
      await delivery.run();
      expect(await heldAs(delivery)).toMatchObject({ hold: { code: 'unexpected_refusal' } });
      phase = 'back';
      clock.advance(laterMs);
      expect(await release(delivery)).toMatchObject({ released: ['2'] });
      expect(await stagesOf(delivery)).toEqual(['confirmed']);
      await delivery.run();
      expect(count(delivery, 'POST', '/confirm')).toBe(1);
      expect(await transfersOf(delivery)).toHaveLength(1);
    },
  );
});

describe('a row that the payout network refused, and whose transfer did not end', () => {
  it('is held for the same again once released: the service has moved nothing back', async () => {
    const clock = manualClock();
    const instead = (asked: Asked) => (isConfirm(asked) ? refusal(500, 10027) : null);
    const delivery = await deliver({ clock, sandbox: { quoteLifeMs: 5 * MINUTE_MS }, meddling: { instead } });
    await delivery.run({ waitMs: 10 * MINUTE_MS });
    expect(await heldAs(delivery)).toMatchObject({ hold: { code: 'network_undecided' } });
    clock.advance(60 * MINUTE_MS);
    await release(delivery);
    expect(await heldAs(delivery)).toMatchObject({ stage: 'confirmed', why: { errorCode: '10027' } });
    await delivery.run({ waitMs: 10 * MINUTE_MS });
    expect(await heldAs(delivery)).toMatchObject({ hold: { code: 'network_undecided' } });
    expect(count(delivery, 'POST', '/confirm')).toBe(1);
  });
});

describe('a row held because its id was taken', () => {
  it('by a transfer that no read showed is looked up once released, and found paid', async () => {
    const clock = manualClock();
    let hiddenUntil = 0;
    const delivery = await deliver({
      clock,
      sandbox: { quoteLifeMs: 30 * MINUTE_MS },
      meddling: {
        instead: ({ path }) =>
          path.includes('/transfers/ext-') && clock.now() < hiddenUntil ? refusal(404, 10013) : null,
      },
    });
    await delivery.run();
    // An older copy of the ledger, put back: it knows the price, and nothing of the payment.
    const { price } = await heldAs(delivery);
    await change(delivery, { ...FRESH, stage: 'quoted', price });
    // Longer than any read should lag.
    hiddenUntil = clock.now() + 60 * MINUTE_MS;
    await delivery.run({ ledger: delivery.openAgain() });
    expect(await heldAs(delivery)).toMatchObject({ hold: { code: 'id_collision' }, transfer: null });
    clock.advance(60 * MINUTE_MS);
    expect(await release(delivery)).toMatchObject({ released: ['2'], onlySkip: [] });
    await delivery.run({ ledger: delivery.openAgain() });
    expect(await stagesOf(delivery)).toEqual(['paid']);
    expect((await transfersOf(delivery)).map(({ status }) => status)).toEqual(['paid']);
  });

  it('by a transfer that differs from it can only be closed', async () => {
    const delivery = await deliver();
    await change(delivery, { ...FRESH, hold: { ...newHold('id_collision', 0), foreign: KNOWN } });
    expect(await release(delivery)).toMatchObject({ released: [], onlySkip: ['2'] });
    expect(await stagesOf(delivery)).toEqual(['held']);
  });
});

describe('a row that can no longer be read as a payment', () => {
  it('can only be closed: released it would break every run of its batch', async () => {
    const desk = await openDesk();
    atEnd(() => desk.close());
    const paydrop = await desk.open('policy: { onInvalidRows: skip-rows }');
    const file = await desk.file('payroll.csv', [line('A-1', 'x'), line('A-2', '200')]);
    const { batch } = (await processBatch(paydrop, file, PATIENT)).summary;
    const [row] = await paydrop.ledger.rows(batch, 0, 1);
    const known = await own(paydrop.ledger, batch);
    if (row === undefined) throw new Error('Both are there.');
    // As a rebuild leaves what a person had closed, once the settings no longer let it be read.
    const held = { hold: newHold('in_doubt_unsent', 0) } as const;
    const progress = { ...FRESH, ...held, confirm: 'sent' } as const;
    await record(paydrop.ledger, row, { progress, dueAt: null, event: 'test' });
    const order = { by: 'Ama', reason: 'seen', rows: null };
    expect(await releaseRows(paydrop, known, { ...order, skip: false })).toMatchObject({ onlySkip: ['2'] });
    expect(await releaseRows(paydrop, known, { ...order, skip: true })).toMatchObject({ released: ['2'] });
  });
});

describe('a row that another ledger may have had last', () => {
  const at = (time: string) => Date.parse(`2026-11-20T${time}Z`);

  it('is cancelled 16 minutes after that at the earliest, and no look of ours brings it nearer', () => {
    const held = heldUnseen(begunBy('run-1/1'), at('08:00:00'));
    expect(tryAgainAt(held)).toBe('2026-11-20T08:17:00.000Z');
    expect(tryAgainAt(heldUnseen(held, at('09:00:00')))).toBe('2026-11-20T09:17:00.000Z');
    expect(tryAgainAt(heldUnseen(held, at('07:00:00')))).toBe('2026-11-20T08:17:00.000Z');
  });
});
