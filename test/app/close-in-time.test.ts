// A row is cancelled only when no call that was sent can pay it any more.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { mayCancel } from '../../src/app/workflow/carry/look-before-closing.ts';
import { releaseRows } from './release.ts';
import { type ReleaseEnd } from '../../src/app/workflow/decisions/release-rows.ts';
import { isoTime } from '../../src/base/clock.ts';
import { begunBy, type Progress } from '../../src/payouts/progress.ts';
import { newHold, type HoldCode } from '../../src/payouts/hold.ts';
import { KNOWN } from '../delivery/due-row.ts';
import type { RowRecord } from '../../src/ledger/records.ts';
import { manualClock, type ManualClock } from '../sandbox/manual-clock.ts';
import { endsOf, HURRIED, line, openDesk, type Desk } from './desk.ts';
import { manifestPath } from './put-back.ts';
import { record } from '../ledger/own.ts';

const MINUTE_MS = 60_000;
/** How long after the expiry a confirm may still be under way. */
const FENCE_MS = 16 * MINUTE_MS;

let clock: ManualClock;
let desk: Desk;

beforeEach(async () => {
  clock = manualClock(Date.parse('2026-11-20T09:00:00.000Z'));
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

/** Two equal rows that wait for a person; the first is then held as `change` says. */
async function heldRows(held: Partial<Progress>): Promise<{ paydrop: Paydrop; batch: string }> {
  const paydrop = await desk.open();
  const file = await desk.file('equal.csv', [line('', '100'), line('', '100')]);
  const batch = (await processBatch(paydrop, file, HURRIED)).summary.batch;
  await change({ paydrop, batch }, held);
  return { paydrop, batch };
}

/** The first row as it is held now. */
async function change(
  { paydrop, batch }: { readonly paydrop: Paydrop; readonly batch: string },
  held: Partial<Progress>,
): Promise<void> {
  const [row] = await paydrop.ledger.rows(batch, 0, 1);
  if (row === undefined) throw new Error('The row is there.');
  const basis = { hold: { ...newHold('unexpected_refusal', 0), errorCode: '10014' } } as const;
  const progress = { ...begunBy(paydrop.ledger.run), ...basis, ...held };
  await record(paydrop.ledger, row, { progress, dueAt: null, event: 'test' });
}

async function skip(paydrop: Paydrop, batch: string): Promise<ReleaseEnd> {
  const record = await paydrop.ledger.batch(batch);
  if (record === null) throw new Error('The batch is there.');
  return releaseRows(paydrop, record, { by: 'Ama', reason: 'typed twice', rows: null, skip: true });
}

describe('--skip', () => {
  it.each<[string, Partial<Progress>]>([
    [
      'whose transfer may have been confirmed',
      { confirm: 'sent', transfer: { ...KNOWN, expiredAt: '2026-11-20T09:10:00.000Z' } },
    ],
    ['whose create may still arrive', { mayArriveUntil: '2026-11-20T09:10:00.000Z' }],
  ])(
    'leaves a row %s until 16 minutes after its expiry, says until when, and closes the others',
    async (_what, change) => {
      const { paydrop, batch } = await heldRows(change);
      const expiry = Date.parse('2026-11-20T09:10:00.000Z');
      const tryAgainAt = isoTime(expiry + FENCE_MS + MINUTE_MS);
      expect(await skip(paydrop, batch)).toMatchObject({ released: ['3'], left: [{ row: '2', tryAgainAt }] });
      expect(await endsOf(paydrop, batch)).toEqual(['held 10014', 'rejected cancelled']);
      const kept = async () =>
        readFile(await manifestPath(join(desk.workspace, 'processing', batch)), 'utf8');
      expect(await kept()).not.toContain('"row":"2"');
      clock.advance(expiry + FENCE_MS - clock.now());
      expect(await skip(paydrop, batch)).toMatchObject({ released: [], left: [{ row: '2' }] });
      clock.advance(1_002);
      expect(await skip(paydrop, batch)).toMatchObject({ released: ['2'], left: [] });
      expect(await kept()).toContain('"row":"2"');
      expect(await endsOf(paydrop, batch)).toEqual(['rejected cancelled', 'rejected cancelled']);
    },
  );

  it('closes a row whose transfer was never confirmed at once', async () => {
    const { paydrop, batch } = await heldRows({
      stage: 'created',
      transfer: KNOWN,
      mayArriveUntil: KNOWN.expiredAt,
    });
    expect(await skip(paydrop, batch)).toMatchObject({ released: ['2', '3'], left: [] });
  });

  it.each<[string, Partial<Progress>]>([
    ['id was taken by a transfer that no read showed', { hold: newHold('id_collision', 0) }],
    [
      'earlier transfer was revived before the later one was seen',
      { hold: newHold('transfer_reinstated', 0) },
    ],
  ])('never closes a row whose %s, however late: it has to be looked up', async (_what, change) => {
    const { paydrop, batch } = await heldRows({ ...change, confirm: 'sent' });
    clock.advance(24 * 60 * MINUTE_MS);
    expect(await skip(paydrop, batch)).toMatchObject({
      released: ['3'],
      left: [{ row: '2', tryAgainAt: null }],
    });
  });

  it.each<[HoldCode, Partial<Progress>]>([
    ['echo_mismatch', { hold: { ...newHold('echo_mismatch', 0), foreign: KNOWN } }],
    ['id_collision', { hold: { ...newHold('id_collision', 0), foreign: KNOWN } }],
    ['in_doubt_unreadable', { hold: newHold('in_doubt_unreadable', 0), transfer: KNOWN }],
  ])(
    'closes a row held as %s, whose transfer no look would settle, once nothing can take it any more',
    async (_code, changes) => {
      const { paydrop, batch } = await heldRows({ ...changes, confirm: 'sent' });
      expect((await skip(paydrop, batch)).left.map(({ row }) => row)).toEqual(['2']);
      clock.advance(24 * 60 * MINUTE_MS);
      expect(await skip(paydrop, batch)).toMatchObject({ released: ['2'], left: [] });
    },
  );

  it('does not close a row that was confirmed, however late: it is followed', async () => {
    const { paydrop, batch } = await heldRows({
      hold: newHold('unexpected_refusal', 0),
      transfer: { ...KNOWN, status: 'submitted', statusCode: '10001' },
      confirm: 'sent',
      confirmedAt: '2026-11-20T09:00:00.000Z',
    });
    clock.advance(24 * 60 * MINUTE_MS);
    expect(await skip(paydrop, batch)).toMatchObject({ released: ['3'], followed: ['2'], left: [] });
    expect(await endsOf(paydrop, batch)).toEqual(['confirmed', 'rejected cancelled']);
  });

  it('closes a row that was confirmed, and that the service shows as never taken, once it can be taken no more', async () => {
    const refused = {
      hold: newHold('network_undecided', 0),
      transfer: KNOWN,
      confirmedAt: '2026-11-20T09:00:00.000Z',
    } as const;
    const early = await heldRows(refused);
    clock.advance(24 * 60 * MINUTE_MS);
    // However late: nobody has looked since.
    expect((await skip(early.paydrop, early.batch)).left.map(({ row }) => row)).toEqual(['2']);
    // And a look that came too early counts for nothing.
    await change(early, { ...refused, silentAt: Date.parse(KNOWN.expiredAt) + MINUTE_MS });
    expect((await skip(early.paydrop, early.batch)).left.map(({ row }) => row)).toEqual(['2']);
    await change(early, { ...refused, silentAt: clock.now() });
    expect(await skip(early.paydrop, early.batch)).toMatchObject({ released: ['2'], followed: [], left: [] });
    expect(await endsOf(early.paydrop, early.batch)).toEqual(['rejected cancelled', 'rejected cancelled']);
  });
});

it.each([
  ['created', true],
  ['confirming', false],
] as const)('a row that nobody holds, at %s, may be closed at once: %s', (stage, expected) => {
  const progress = { ...begunBy('run/1'), stage, transfer: KNOWN };
  const looked = { at: clock.now(), timeless: new Set<string>() };
  expect(mayCancel({ row: '2', progress } as unknown as RowRecord, looked)).toBe(expected);
});
