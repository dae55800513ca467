// Where a file is before it is a batch: `status` gives for every entry of the inbox its reason, in words, and until when it waits, if that is known.
import { execFileSync } from 'node:child_process';
import { link, mkdir, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { batchesNamed, batchStatuses, statusOf } from '../../../src/app/desk/batch-status.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { watch } from '../../../src/app/daemon/daemon.ts';
import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { inboxStatus } from '../../../src/app/desk/inbox-status.ts';
import { daemonNotes, noteText } from '../../../src/app/parts/daemon-note.ts';
import { standingWords } from '../../../src/app/desk/standing-words.ts';
import { claimFile } from '../../../src/inbox/claim-file.ts';
import { STANDINGS } from '../../../src/contract/words.ts';
import { noOutcomes } from '../../../src/results/summary.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { openSqlite } from '../../../src/ledger/open-ledger.ts';
import { CONTAINER, processAt } from '../../ledger/machines.ts';
import { line, openDesk, PATIENT, type Desk } from '../desk.ts';

/** A loaded machine takes its time. */
const PATIENCE_MS = 25_000;

let desk: Desk;
let inbox: string;
beforeEach(async () => {
  desk = await openDesk({ settleMs: 10 });
  inbox = join(desk.workspace, 'inbox');
  await mkdir(inbox, { recursive: true });
});
afterEach(() => desk.close());

const INVOICED =
  'reference,payoutCorridorId,sourceCurrency,destinationAmount,purposeOfRemittance,receiver.registeredName,receiver.address,receiver.city,receiver.countryIsoCode,delivery.bankAccountHolderFullName,delivery.bankAccountNumber,delivery.bankAccountSwiftCode,attachment\n' +
  'A-1,chn-cny-b2b-bank,XAF,500,EXPORTED_GOODS,Yiwu Trading,1 Road,Yiwu,CHN,Yiwu Trading,6222021208001234567,ICBKCNBJXXX,invoice.pdf\n';

/** A file whose writer finished long ago. */
async function old(name: string, content: string): Promise<string> {
  const path = join(inbox, name);
  await writeFile(path, content);
  await utimes(path, 1_700_000_000, 1_700_000_000);
  return path;
}

async function whys(paydrop: Paydrop): Promise<Readonly<Record<string, string>>> {
  const { files } = await inboxStatus(paydrop);
  return Object.fromEntries(files.map(({ name, why }) => [name, why]));
}

async function good(name: string): Promise<string> {
  const path = await desk.file(name, [line('A-1', '100')]);
  await rename(path, join(inbox, name));
  await utimes(join(inbox, name), 1_700_000_000, 1_700_000_000);
  return join(inbox, name);
}

describe('what lies in the inbox', () => {
  it('includes a file that a killed daemon had claimed, until it is a batch', async () => {
    const paydrop = await desk.open();
    await mkdir(join(inbox, 'north'));
    const path = join(inbox, 'north', 'claimed.csv');
    await rename(await good('claimed.csv'), path);
    const claim = await claimFile(paydrop.workspace, path, 'a run that was killed', []);
    expect(await whys(paydrop)).toEqual({ 'north/claimed.csv': 'turn' });
    await processBatch(paydrop, claim?.path ?? '', PATIENT);
    expect(await whys(paydrop)).toEqual({});
  });

  it('is told entry by entry, with its reason', async () => {
    const paydrop = await desk.open();
    await good('complete.csv');
    await writeFile(join(inbox, 'growing.csv'), 'reference,');
    await old('invoiced.csv', INVOICED);
    await old('orphan.pdf', 'x');
    await old('notes.docx', 'x');
    await old('upload.csv.filepart', 'x');
    await old('~$complete.csv', 'x');
    await old('lost.control.json', '{}');
    await old('invoiced.control.json', '{}');
    await old('STOP', '');
    await mkdir(join(inbox, 'folder.csv'));
    await symlink(join(inbox, 'complete.csv'), join(inbox, 'link.csv'));
    await link(await old('kept.csv', 'x'), join(desk.workspace, 'second-name'));
    execFileSync('mkfifo', [join(inbox, 'pipe.csv')]);
    await mkdir(join(inbox, 'a/b/c/d/e/f/g/h/i'), { recursive: true });
    expect(await whys(paydrop)).toEqual({
      'complete.csv': 'turn',
      'growing.csv': 'settling',
      'invoiced.csv': 'documents',
      'orphan.pdf': 'unnamed',
      'notes.docx': 'kind',
      'upload.csv.filepart': 'name',
      '~$complete.csv': 'name',
      'lost.control.json': 'control',
      'folder.csv': 'no-file',
      'link.csv': 'no-file',
      'pipe.csv': 'no-file',
      'kept.csv': 'linked',
      'a/b/c/d/e/f/g/h/i': 'too-deep',
    });
  });

  it('of an approver is their approval, which only a running daemon takes', async () => {
    const paydrop = await desk.open('approvers: [{ name: Marie Ngo, folder: marie }]\nlanguage: en');
    await mkdir(join(inbox, 'marie'));
    await old('marie/20261123-33b37de9.approve', '');
    await old('20261123-33b37de9.approve', '');
    const { files } = await inboxStatus(paydrop);
    expect(files.map(({ name, why, words }) => [name, why, words])).toEqual([
      ['20261123-33b37de9.approve', 'kind', expect.stringContaining('it stays here')],
      [
        'marie/20261123-33b37de9.approve',
        'turn',
        'is complete, but no "paydrop watch" is running to take it',
      ],
    ]);
  });

  it('says that nobody watches, and which documents are missing', async () => {
    const paydrop = await desk.open();
    await good('complete.csv');
    await old('invoiced.csv', INVOICED);
    const { watching, files } = await inboxStatus(paydrop);
    expect(watching).toEqual([]);
    expect(files.map(({ words }) => words).sort()).toEqual([
      'is complete, but no "paydrop watch" is running to take it',
      'waits for documents that its rows name: invoice.pdf',
    ]);
  });

  it('waits for its marker where one is asked for, and the marker itself is not spoken of', async () => {
    const paydrop = await desk.open('intake: { readyMarker: ".done" }\nlanguage: fr');
    await good('one.csv');
    await good('two.csv');
    await old('two.csv.done', '');
    const { files } = await inboxStatus(paydrop);
    expect(files.map(({ name, why }) => [name, why])).toEqual([
      ['one.csv', 'marker'],
      ['two.csv', 'turn'],
    ]);
    expect(files[0]?.words).toContain('attend son marqueur');
  });

  it('is told with what the daemon knows: that it waits, and until when', async () => {
    const paydrop = await desk.open('intake: { settleFor: 10ms, scanEvery: 50ms }');
    await old('invoiced.csv', INVOICED);
    const stopper = new AbortController();
    const silent = { onResult: () => undefined, onWaiting: () => undefined, onTrouble: () => undefined };
    const running = watch(paydrop, { signal: stopper.signal, ...silent });
    await vi.waitFor(async () => {
      const { watching, files } = await inboxStatus(paydrop);
      expect(watching).toHaveLength(1);
      expect(Math.abs(Date.now() - Date.parse(watching[0]?.heardAt ?? ''))).toBeLessThan(60_000);
      expect(files[0]).toMatchObject({ why: 'documents', missing: ['invoice.pdf'] });
      expect(Date.parse(files[0]?.until ?? '') - Date.now()).toBeGreaterThan(55 * 60_000);
      expect(files[0]?.words).toContain('paydrop takes it without them');
    }, PATIENCE_MS);
    stopper.abort();
    await running;
    expect((await inboxStatus(paydrop)).watching).toEqual([]);
  });
});

describe('the note of a daemon', () => {
  it('counts while it works, and one that another version wrote says nothing', async () => {
    const { ledger, workspace } = await desk.open();
    const beside = openSqlite(workspace.ledgerPath, systemClock, processAt(CONTAINER));
    const note = { since: '2026-11-20T08:30:00.000Z', node: 'pay-1', digest: '0f', config: null, inbox: [] };
    await beside.runs.tell(noteText(note));
    await ledger.runs.tell('{"since":8}');
    expect(await daemonNotes(ledger)).toMatchObject([note]);
    await beside.close();
    expect(await daemonNotes(ledger)).toEqual([]);
  });
});

describe('a batch', () => {
  it('is found by the name of its file, whatever its case, and says where it stands', async () => {
    const paydrop = await desk.open();
    const { summary } = await processBatch(
      paydrop,
      await desk.file('Payroll.csv', [line('A-1', '100')]),
      PATIENT,
    );
    const [found, ...others] = await batchesNamed(paydrop, 'inbox/payroll.CSV');
    expect([found?.id, others]).toEqual([summary.batch, []]);
    expect(await batchesNamed(paydrop, summary.batch)).toHaveLength(1);
    expect(await batchesNamed(paydrop, 'other.csv')).toEqual([]);
    if (found === undefined) return;
    const status = await statusOf(paydrop, found);
    expect(status).toMatchObject({ state: 'closed', outcomes: { paid: 1 }, words: null });
    expect(status.sentence).toMatch(/^Finished at .*; the answers are in the outbox\.$/);
    expect(status.answers).not.toEqual([]);
  });

  it('that is over is listed while it is one of the last twenty; all are on demand', async () => {
    const paydrop = await desk.open();
    for (let file = 0; file < 22; file++)
      await processBatch(
        paydrop,
        await desk.file(`f-${String(file)}.csv`, [line(`A-${String(file)}`, 'x')]),
        PATIENT,
      );
    const shown = await batchStatuses(paydrop, false);
    expect([shown.batches.length, shown.earlier]).toEqual([20, 2]);
    expect((await batchStatuses(paydrop, true)).batches).toHaveLength(22);
  });

  it('has a sentence for all that may be true of money, in both languages', () => {
    const file = { name: 'a.csv', sha256: '', rows: 3 };
    for (const standing of STANDINGS) {
      const { en, fr } = standingWords({ standing, file, outcomes: noOutcomes(), finishedAt: null });
      expect([en, fr]).toEqual([expect.stringMatching(/\.$/), expect.stringMatching(/\.$/)]);
      expect(en).not.toBe(fr);
    }
  });
});
