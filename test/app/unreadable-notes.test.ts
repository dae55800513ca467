// A file's note that cannot be read is a fault of that batch: it is named, nothing of it is sent, and every other file goes on.
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { batchStatuses } from '../../src/app/desk/batch-status.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { examine } from '../../src/app/desk/doctor.ts';
import { processBatch, resumeBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { rebuildFiles } from '../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { settleRebuilt } from '../../src/app/workflow/resolve-doubt/settle-rebuilt.ts';
import { processingFolder } from '../../src/inbox/workspace.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { dropInto, QUICK, startWatching } from './schedule/watching.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const NOTES = ['.documents.json', 'batch.'];

/** A batch that was left before its first call, with a note that cannot be read. */
async function brokenBatch(paydrop: Paydrop, note: string, make: (path: string) => Promise<unknown>) {
  const path = await desk.file('broken.csv', [line('A-1', '100')]);
  const { summary } = await processBatch(paydrop, path, { ...HURRIED, signal: AbortSignal.abort() });
  const folder = processingFolder(paydrop.workspace, summary.batch);
  // The manifest has its epoch in its name.
  const name = note === 'batch.' ? (await readdir(folder)).find((each) => each.startsWith(note)) : note;
  const kept = join(folder, name ?? note);
  const before = await readFile(kept, 'utf8');
  await rm(kept, { force: true });
  await make(kept);
  return { batch: summary.batch, kept, before, path };
}

const text = (path: string) => writeFile(path, '%PDF-1.4 is no note');
const MAKE: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  'other text': text,
  'other JSON': (path) => writeFile(path, '{"rows":7}'),
  'a folder': (path) => mkdir(path),
  'a link': (path) => symlink('/etc/passwd', path),
  'a pipe': (path) => Promise.resolve(execFileSync('mkfifo', [path])),
};

/** The other file of the desk is paid, and the broken one is not. */
async function othersArePaid(paydrop: Paydrop, batch: string): Promise<void> {
  const other = await desk.file('other.csv', [line('B-1', '300')]);
  const { summary } = await processBatch(paydrop, other, PATIENT);
  expect(await endsOf(paydrop, summary.batch)).toEqual(['paid']);
  expect(await endsOf(paydrop, batch)).toEqual(['ready']);
}

describe.each(NOTES)('%s', (note) => {
  it.each(Object.keys(MAKE))('that is %s is named, and its batch is left out', async (kind) => {
    const { batch } = await brokenBatch(await desk.open(), note, MAKE[kind] ?? text);
    await desk.shut();
    const paydrop = await desk.open();
    await settleRebuilt(paydrop);
    const [result] = (await resumeBatches(paydrop, null, PATIENT)) ?? [];
    expect(result).toMatchObject({
      isStopped: true,
      words: [{ en: expect.stringContaining(note) as string }],
    });
    await othersArePaid(paydrop, batch);
    const { batches } = await batchStatuses(paydrop, false);
    expect(batches.find((each) => each.batch === batch)?.words).toContain(note);
    const finding = (await examine(paydrop)).find(({ name }) => name === 'notes');
    expect(finding).toMatchObject({ ok: false, words: { en: expect.stringContaining(note) as string } });
  });
});

it('goes on once the note can be read again', async () => {
  const paydrop = await desk.open();
  const { batch, kept, before } = await brokenBatch(paydrop, 'batch.', text);
  await resumeBatches(paydrop, null, PATIENT);
  await writeFile(kept, before);
  await resumeBatches(paydrop, null, PATIENT);
  expect(await endsOf(paydrop, batch)).toEqual(['paid']);
});

it('closes what its note names, where that can be read again only after the start', async () => {
  const paydrop = await desk.open();
  const { batch, kept, before } = await brokenBatch(paydrop, 'batch.', text);
  await settleRebuilt(paydrop);
  const reason = {
    en: 'Closed unpaid by Marie.',
    fr: 'Clôturée sans paiement par Marie.',
    es: 'Cerrada sin pagar por Marie.',
  };
  const closed = [{ row: '2', code: 'cancelled', reason }];
  await writeFile(kept, JSON.stringify({ ...(JSON.parse(before) as object), closed }));
  await resumeBatch(paydrop, batch, PATIENT);
  expect(await transfersOf(paydrop)).toEqual([]);
  expect(await endsOf(paydrop, batch)).toEqual(['rejected cancelled']);
});

it('a daemon begins, says it once, and pays the others', async () => {
  const { batch } = await brokenBatch(await desk.open(), 'batch.', text);
  await desk.shut();
  const paydrop = await desk.open(QUICK);
  await settleRebuilt(paydrop);
  const daemon = startWatching(paydrop);
  await dropInto(desk, 'other.csv', [line('B-1', '300')]);
  await daemon.until(({ file, state }) => file.name === 'other.csv' && state === 'closed');
  await daemon.stop();
  expect(daemon.told.filter(({ summary }) => summary.batch === batch)).toHaveLength(1);
});

it('after a lost ledger the other files are rebuilt', async () => {
  const paydrop = await desk.open();
  const { path } = await brokenBatch(paydrop, 'batch.', text);
  const other = await desk.file('other.csv', [line('B-1', '300')]);
  await processBatch(paydrop, other, PATIENT);
  await desk.loseLedger();
  const { rebuilt, leftOut } = await rebuildFiles(await desk.open(), [path, other], HURRIED);
  expect(rebuilt.map(({ batch }) => batch.fileName)).toEqual(['other.csv']);
  expect(leftOut.map(({ en }) => en)).toEqual([expect.stringMatching(/batch\.\d+\.json/)]);
});
