// A person learned, when a file stopped, what "release" of the whole file decides: a later halt does not make the same command decide about
// something else.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { pauseBatch } from '../../src/app/workflow/decisions/pause-batch.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { releaseRows } from './release.ts';
import { waitAfter, waitFor, type WaitKind } from '../../src/ledger/wait.ts';
import { BY_MARIE } from '../ledger/records.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { said } from './said.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const EQUAL = [line('', '50'), line('', '50')];
const HELD = ['held equal_rows', 'held equal_rows'];

async function released({ ledger, workspace, clock }: Paydrop, batch: string) {
  const record = await ledger.batch(batch);
  if (record === null) throw new Error('It is there.');
  const order = { by: 'Marie', reason: 'checked', rows: null, skip: false };
  return releaseRows({ ledger, workspace, clock }, record, order);
}

/** A file that is over the limit of a file, and two of whose rows may be one payment. */
async function overLimit(): Promise<{ readonly paydrop: Paydrop; readonly batch: string }> {
  const paydrop = await desk.open('limits: { perFile: 20000 XAF }');
  const lines = ['100', '101', '102'].map((amount, index) => line(`A-${String(index)}`, amount));
  const { summary, words } = await processBatch(
    paydrop,
    await desk.file('a.csv', [...lines, ...EQUAL]),
    PATIENT,
  );
  expect(said(words).join(' ')).toContain(`paydrop release ${summary.batch} `);
  return { paydrop, batch: summary.batch };
}

describe('release of a file that is over a limit lets the file go, and not its held rows', () => {
  it('also while the file STOP stands, and after it', async () => {
    const { paydrop, batch } = await overLimit();
    const stop = join(paydrop.workspace.inbox, 'STOP');
    await writeFile(stop, '');
    const [halted] = (await resumeBatches(paydrop, batch, HURRIED)) ?? [];
    expect(said(halted?.words ?? []).join(' ')).toContain('STOP');
    expect(await released(paydrop, batch)).toMatchObject({ file: 'limits', released: [], stillHeld: 2 });
    expect((await endsOf(paydrop, batch)).slice(3)).toEqual(HELD);
    await rm(stop);
    await resumeBatches(paydrop, batch, PATIENT);
    expect(await endsOf(paydrop, batch)).toEqual(['paid', 'paid', 'paid', ...HELD]);
    expect(await transfersOf(paydrop)).toHaveLength(3);
  });

  it('also when a run was paused, or was asked to end, before it got that far', async () => {
    const { paydrop, batch } = await overLimit();
    await resumeBatches(paydrop, batch, { ...HURRIED, signal: AbortSignal.abort() });
    await pauseBatch(paydrop, batch, BY_MARIE);
    expect(await released(paydrop, batch)).toMatchObject({ file: 'limits', released: [], stillHeld: 2 });
  });
});

const waits = (kind: WaitKind | null) => (kind === null ? null : waitFor(kind, { en: '', fr: '', es: '' }));

it.each([
  ['credentials', 'limits', 'limits'],
  ['credentials', 'refusals', 'refusals'],
  ['service', 'limits', 'limits'],
  ['service', 'stop-file', 'service'],
  ['pause', null, 'pause'],
  [null, 'limits', null],
  ['held-rows', 'refusals', 'held-rows'],
  ['funds', 'limits', 'funds'],
  ['stop-file', 'refusals', 'refusals'],
  ['stop-file', 'missed-time', 'missed-time'],
  ['stop-file', 'approval', 'stop-file'],
  ['limits', 'refusals', 'limits'],
  ['approval', 'limits', 'approval'],
] as const)('what meets %s and waited for %s waits for %s', (next, before, after) => {
  expect(waitAfter(waits(before), waits(next))).toEqual(waits(after));
});

it('a go that was asked to end before it got that far takes back no stop', () => {
  expect(waitAfter(waits('missed-time'), null, false)).toEqual(waits('missed-time'));
  expect(waitAfter(waits('limits'), waits('held-rows'), false)).toEqual(waits('limits'));
  expect(waitAfter(waits('funds'), null, false)).toBeNull();
});

it('a limit that no longer stops the file is forgotten once a run has got past it', async () => {
  const { paydrop, batch } = await overLimit();
  await resumeBatches(await desk.open(), batch, PATIENT);
  expect(await released(paydrop, batch)).toMatchObject({ file: null, released: ['5', '6'] });
});
