// Strangers choose the names of documents: no such name is ever used as a path here, and none decides how a file is treated.
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { processingFolder } from '../../src/inbox/workspace.ts';
import { endsOf, HEADER, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { editManifest } from './put-back.ts';
import { QUICK, startWatching } from './schedule/watching.ts';

const SAMPLE = 'samples/invoices/APN-2026-1442.pdf';
const REQUIRED = 'policy: { approval: required }';

/** A PDF by its first bytes, and a profile from its second line on. */
const BOTH = '%PDF-1.4\nfiles: "*.csv"\npolicy: { approval: none, duplicateWindow: 0s }\n';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

/** Two payments that name a document; gives the path of the file. */
async function naming(document: string, content = BOTH): Promise<string> {
  await desk.write(document, content);
  const rows = [line('A-1', '100'), line('A-2', '101')].map((row) => `${row},${document}`);
  return desk.write('salaries.csv', `${HEADER},attachment\n${rows.join('\n')}\n`);
}

async function pay(paydrop: Paydrop, path: string) {
  const { summary } = await processBatch(paydrop, path, PATIENT);
  return { ...summary, ends: await endsOf(paydrop, summary.batch) };
}

const NOTES = ['.documents.json', 'batch.1.json', 'batch.7.json'];

describe('a document that is called as one of our own files', () => {
  it.each(NOTES)('%s: is no document, and its file is refused', async (name) => {
    const paydrop = await desk.open(REQUIRED);
    const { state, outcomes } = await pay(paydrop, await naming(name));
    expect(state).toBe('refused');
    expect(outcomes.rejected).toBe(2);
    expect(await transfersOf(paydrop)).toEqual([]);
    const other = await desk.file('other.csv', [line('B-1', '300')]);
    expect((await pay(await desk.open(), other)).ends).toEqual(['paid']);
  });

  it.each(NOTES.map((name) => `${name}/invoice.pdf`))('%s: stands beside nothing of ours', async (name) => {
    const paydrop = await desk.open(REQUIRED);
    const { batch, state } = await pay(paydrop, await naming(name));
    expect(state).toBe(name.startsWith('.') ? 'refused' : 'awaiting-approval');
    const folder = join(desk.workspace, name.startsWith('.') ? 'refused' : 'processing', batch);
    expect((await readdir(folder)).filter((each) => each === name.split('/')[0])).toEqual(
      NOTES.filter((note) => note === '.documents.json' && name.startsWith(note)),
    );
    expect(await transfersOf(paydrop)).toEqual([]);
  });
});

it('a document is kept under a name of ours, and goes with its row under its own', async () => {
  const paydrop = await desk.open();
  const { batch, ends } = await pay(paydrop, await naming('march/Rechnung 7.PDF', '%PDF-1.7\n'));
  expect(ends).toEqual(['paid', 'paid']);
  const folder = join(desk.workspace, 'archive', batch.slice(0, 4), batch.slice(4, 6), batch, 'documents');
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.pdf$/)]);
  const [row] = await paydrop.ledger.rows(batch, 0, 1);
  expect(row?.payout?.document?.name).toBe('march/Rechnung 7.PDF');
});

it('a document that a Mac has named is found by a row that a spreadsheet program has written', async () => {
  const paydrop = await desk.open(QUICK);
  const [name, inbox] = ['reçu août.pdf', paydrop.workspace.inbox];
  await copyFile(SAMPLE, join(inbox, name.normalize('NFD')));
  const rows = `${HEADER},attachment\n${line('A-1', '100')},${name.normalize('NFC')}\n`;
  await writeFile(join(inbox, 'salaries.csv'), rows);
  const daemon = startWatching(paydrop);
  const { summary } = await daemon.until(({ state }) => state === 'closed' || state === 'refused');
  await daemon.stop();
  expect(await endsOf(paydrop, summary.batch)).toEqual(['paid']);
  expect(await readdir(inbox)).toEqual([]);
});

describe("a row that says it comes from a tenant's batch", () => {
  const TENANTS = 'tenants: [{ folder: north }, { folder: south }]';

  /** A refused file of one tenant with a document, and a file of the other whose row pretends to come from it; gives what became of that. */
  async function asked(by: string): Promise<string> {
    const paydrop = await desk.open(TENANTS);
    const at = (name: string) => join(paydrop.workspace.inbox, name);
    for (const folder of ['north', 'south']) await mkdir(at(folder));
    await copyFile(SAMPLE, at('north/contract.pdf'));
    const head = `${HEADER},attachment`;
    await writeFile(at('north/a.csv'), `${head}\n${line('A-1', 'x')},contract.pdf\n`);
    const refused = await processBatch(paydrop, at('north/a.csv'), PATIENT);
    expect(refused.summary.state).toBe('refused');
    const row = `${line('B-1', '100')},contract.pdf,${refused.summary.batch},2`;
    await mkdir(at(`${by}/again`));
    await writeFile(at(`${by}/again/b.csv`), `${head},payout.batch,payout.row\n${row}\n`);
    return (await processBatch(paydrop, at(`${by}/again/b.csv`), PATIENT)).summary.state;
  }

  it('gets its document there when it is of that tenant', async () =>
    expect(await asked('north')).toBe('closed'));

  it('gets nothing of it when it is of another', async () => {
    expect(await asked('south')).toBe('refused');
    const kept = await readdir(join(desk.workspace, 'refused'), { recursive: true });
    expect(kept.filter((name) => name.endsWith('.pdf'))).toHaveLength(1);
  });
});

describe('what decides how a file is treated is what was recorded when it was taken', () => {
  const NONE = 'files: "*.csv"\npolicy: { approval: none }\n';

  it.each(['read by no profile', 'read by a profile'])('of a file %s', async (how) => {
    if (how === 'read by a profile') await desk.write('profiles/bank.yaml', 'files: "salaries*"\n');
    const paydrop = await desk.open(REQUIRED);
    const path = await desk.file('salaries.csv', [line('A-1', '100')]);
    const signal = AbortSignal.abort();
    const { summary } = await processBatch(paydrop, path, { ...HURRIED, signal });
    await editManifest(processingFolder(paydrop.workspace, summary.batch), { profile: `# bank\n${NONE}` });
    const [result] = (await resumeBatches(paydrop, null, PATIENT)) ?? [];
    expect(result).toMatchObject({
      isStopped: true,
      words: [{ en: expect.stringContaining('manifest') as string }],
    });
    expect(await transfersOf(paydrop)).toEqual([]);
    const other = await desk.file('other.csv', [line('B-1', '300')]);
    expect((await pay(await desk.open(), other)).ends).toEqual(['paid']);
  });
});
