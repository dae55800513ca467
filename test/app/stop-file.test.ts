// A file called STOP in the inbox halts every run of the workspace before its next call, and its removal lets them go on.
import { writeFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import { exitCodeOf } from '../../src/app/workflow/batch/work.ts';
import { stopFileOf } from '../../src/app/desk/batch-status.ts';
import { examine } from '../../src/app/desk/doctor.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import type { ProgressView } from '../../src/app/parts/run-options.ts';
import { InboxPresence } from '../../src/app/intake/watch-inbox.ts';
import { inboxEntries } from '../../src/inbox/inbox-entries.ts';
import { lookForStop, stopFileWords, watchStopFile } from '../../src/inbox/stop-file.ts';
import { manualClock } from '../sandbox/manual-clock.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { said } from './said.ts';

const desks: Desk[] = [];
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
});

async function newDesk() {
  const desk = await openDesk();
  desks.push(desk);
  const paydrop = await desk.open('service: { concurrency: 1 }');
  return { desk, paydrop, stop: join(paydrop.workspace.inbox, 'STOP') };
}

const WORDS = /^The file STOP has been in the inbox .* Anyone who may write to the inbox can remove it/;

describe('a file STOP in the inbox', () => {
  it('halts a run before its first call; the file is paid after it is gone', async () => {
    const { desk, paydrop, stop } = await newDesk();
    await writeFile(stop, '');
    // Where nobody listens, a call would leave it waiting for the service.
    const unheard = await desk.open('', 'nobody');
    const halted = await processBatch(unheard, await desk.file('a.csv', [line('A', '100')]), HURRIED);
    expect(halted.summary.waitingFor).toBe('operator');
    expect(exitCodeOf(halted, 0)).toBe(5);
    expect(said(halted.words).join(' ')).toMatch(WORDS);
    await rm(stop);
    await resumeBatches(paydrop, halted.summary.batch, PATIENT);
    expect(await endsOf(paydrop, halted.summary.batch)).toEqual(['paid']);
  });

  it('halts a run on its way, and resume goes on only without it', async () => {
    const { desk, paydrop, stop } = await newDesk();
    const path = await desk.file(
      'a.csv',
      Array.from({ length: 40 }, (_, n) => line(`A${String(n)}`, String(100 + n))),
    );
    const halting: ProgressView = { ...PATIENT.view, start: () => writeFileSync(stop, '') };
    const first = await processBatch(paydrop, path, { ...PATIENT, view: halting });
    const { batch } = first.summary;
    expect(first.summary.waitingFor).toBe('operator');
    expect(exitCodeOf(first, PATIENT.waitMs)).toBe(5);
    const made = (await transfersOf(paydrop)).length;
    expect(made).toBeLessThan(40);
    expect((await paydrop.ledger.stageCounts(batch)).has('confirming')).toBe(false);
    const [again] = (await resumeBatches(paydrop, batch, PATIENT)) ?? [];
    expect(said(again?.words ?? []).join(' ')).toMatch(WORDS);
    expect(await transfersOf(paydrop)).toHaveLength(made);
    await rm(stop);
    await resumeBatches(paydrop, batch, PATIENT);
    expect(new Set(await endsOf(paydrop, batch))).toEqual(new Set(['paid']));
    expect(await transfersOf(paydrop)).toHaveLength(40);
  });

  it('says who put it there and why, where one line of text was written into it', async () => {
    const { paydrop, stop } = await newDesk();
    await writeFile(stop, 'Marie Dupont:  wrong bank file\n');
    expect(stopFileWords(paydrop.workspace)?.en).toContain(
      ' and says "Marie Dupont: wrong bank file". No file',
    );
    for (const other of ['', 'a\u0007b', 'x'.repeat(301), Buffer.from([0xff, 0xfe])]) {
      await writeFile(stop, other);
      expect(stopFileWords(paydrop.workspace)?.en).toMatch(/since \S+Z\. No file/);
    }
    await rm(stop);
    await writeFile(join(paydrop.workspace.root, 'secret'), 'somebody else');
    await symlink(join(paydrop.workspace.root, 'secret'), stop);
    expect(stopFileWords(paydrop.workspace)?.en).not.toContain('somebody else');
  });

  it.each([
    ['a link to itself', (stop: string) => symlink('STOP', stop)],
    ['a link to nothing', (stop: string) => symlink('nothing-0b5e', stop)],
    ['a link to a file elsewhere', (stop: string) => symlink('/etc/hostname', stop)],
    ['a folder', (stop: string) => mkdir(stop)],
  ])('halts as %s, too, and says nothing of where that leads', async (_name, lay) => {
    const { desk, paydrop, stop } = await newDesk();
    await lay(stop);
    const halted = await processBatch(paydrop, await desk.file('a.csv', [line('A', '100')]), HURRIED);
    expect(halted.summary.waitingFor).toBe('operator');
    expect(said(halted.words).join(' ')).toMatch(WORDS);
    expect(said(halted.words).join(' ')).not.toContain(' and says ');
    expect(stopFileOf(paydrop)).not.toBeNull();
    expect(await examine(paydrop)).not.toEqual([]);
  });

  it.each(['STOP', 'STOP.txt', 'stop.txt', 'STOP.txt.txt'])(
    '%s with a line of text is never taken as a file of payments, and stands until somebody removes it',
    async (name) => {
      const { desk, paydrop } = await newDesk();
      const { inbox } = paydrop.workspace;
      await writeFile(join(inbox, name), 'Awa: reference, amount\n');
      expect((await inboxEntries(inbox)).map(({ kind }) => kind)).toEqual(['other']);
      const halted = await processBatch(paydrop, await desk.file('a.csv', [line('A', '100')]), HURRIED);
      expect(said(halted.words).join(' ')).toContain('and says "Awa: reference, amount"');
      expect(await readdir(inbox)).toContain(name);
    },
  );

  it('is told of by status and doctor', async () => {
    const { paydrop, stop } = await newDesk();
    const finding = async () => (await examine(paydrop)).find(({ name }) => name === 'stop');
    expect(stopFileOf(paydrop)).toBeNull();
    expect(await finding()).toMatchObject({ ok: true });
    await writeFile(stop, '');
    expect(stopFileOf(paydrop)).toMatch(WORDS);
    expect(await finding()).toMatchObject({
      ok: false,
      words: { en: expect.stringMatching(WORDS) as string },
    });
    await rm(stop);
    await writeFile(`${stop}.txt`, '');
    expect(stopFileOf(paydrop)).toMatch(/^The file STOP\.txt has been/);
  });

  it('is looked for at the first call, and then a few times a second', async () => {
    const { paydrop, stop } = await newDesk();
    await writeFile(stop, '');
    const clock = manualClock();
    const words = watchStopFile(paydrop.workspace, clock);
    expect(words()?.en).toMatch(WORDS);
    await rm(stop);
    expect(words()?.en).toMatch(WORDS);
    clock.advance(1_000);
    expect(words()).toBeNull();
  });

  it('is seen as soon when the clock of the machine was set back', async () => {
    const { paydrop, stop } = await newDesk();
    const clock = manualClock();
    const wrong = { ms: 0 };
    const words = watchStopFile(paydrop.workspace, { ...clock, now: () => clock.now() + wrong.ms });
    expect(words()).toBeNull();
    await writeFile(stop, '');
    wrong.ms = -3_600_000;
    clock.advance(1_000);
    expect(words()?.en).toMatch(WORDS);
  });
});

const AWAY_WORDS = /^Stopped: the inbox .* \(is the share mounted\?\)\. No file .* is paid/;

describe('a file STOP in an inbox that goes away', () => {
  it('halts what it had halted, also with an empty folder in its place and after a restart, until the inbox is back without it', async () => {
    const { desk, paydrop, stop } = await newDesk();
    const { inbox } = paydrop.workspace;
    await writeFile(stop, '');
    const { summary } = await processBatch(paydrop, await desk.file('a.csv', [line('A', '100')]), HURRIED);
    const halted = async (words: RegExp) => {
      const [result] = (await resumeBatches(paydrop, summary.batch, HURRIED)) ?? [];
      expect(said(result?.words ?? []).join(' ')).toMatch(words);
      expect(exitCodeOf(result ?? { summary, words: [] }, 0)).toBe(5);
      expect(await transfersOf(paydrop)).toEqual([]);
    };
    await rename(inbox, `${inbox}.away`);
    await halted(AWAY_WORDS);
    expect((await paydrop.ledger.batch(summary.batch))?.wait?.words.fr).toContain('inaccessible');
    // A mount point, or what a new process makes of a folder that is missing.
    await mkdir(inbox);
    await halted(AWAY_WORDS);
    const restarted = await desk.open();
    const [result] = (await resumeBatches(restarted, summary.batch, HURRIED)) ?? [];
    expect(said(result?.words ?? []).join(' ')).toMatch(AWAY_WORDS);
    await rmdir(inbox);
    await rename(`${inbox}.away`, inbox);
    await halted(WORDS);
    await rm(stop);
    await resumeBatches(paydrop, summary.batch, PATIENT);
    expect(await endsOf(paydrop, summary.batch)).toEqual(['paid']);
    expect(await readdir(desk.workspace)).not.toContain('.stop-seen');
  });

  it('is no end of a daemon, though the inbox answers with an error instead', async () => {
    const { paydrop } = await newDesk();
    await mkdir(paydrop.workspace.inbox, { recursive: true });
    const presence = new InboxPresence(paydrop.workspace);
    expect(await presence.fault()).toBeNull();
    await rm(paydrop.workspace.inbox, { recursive: true });
    await symlink(paydrop.workspace.inbox, paydrop.workspace.inbox);
    expect((await presence.fault())?.en).toContain('is missing');
  });

  it('is remembered by two processes that see it together', async () => {
    const { workspace } = (await newDesk()).paydrop;
    await mkdir(workspace.inbox, { recursive: true });
    await writeFile(join(workspace.inbox, 'STOP'), '');
    await mkdir(`${workspace.root}/.stop-seen.next`);
    lookForStop(workspace);
    await rm(workspace.inbox, { recursive: true });
    expect(stopFileWords(workspace)?.en).toContain('it is unavailable now');
  });

  it('halts a file that comes only then, where a daemon had seen it', async () => {
    const { desk, paydrop, stop } = await newDesk();
    const { inbox } = paydrop.workspace;
    const presence = new InboxPresence(paydrop.workspace);
    await writeFile(stop, '');
    expect(await presence.fault()).toBeNull();
    await rename(inbox, `${inbox}.away`);
    expect((await presence.fault())?.en).toMatch(AWAY_WORDS);
    const halted = await processBatch(paydrop, await desk.file('a.csv', [line('A', '100')]), HURRIED);
    expect(said(halted.words).join(' ')).toMatch(AWAY_WORDS);
    expect(await transfersOf(paydrop)).toEqual([]);
  });

  it('halts a run on its way; one that never saw it goes on without its inbox', async () => {
    const { desk, paydrop, stop } = await newDesk();
    const { inbox } = paydrop.workspace;
    const clock = manualClock();
    const words = watchStopFile(paydrop.workspace, clock);
    await rename(inbox, `${inbox}.away`);
    expect(words()).toBeNull();
    const paid = await processBatch(paydrop, await desk.file('a.csv', [line('A', '100')]), PATIENT);
    expect(paid.summary.outcomes.paid).toBe(1);
    await rename(`${inbox}.away`, inbox);
    await writeFile(stop, '');
    clock.advance(1_000);
    expect(words()?.en).toMatch(WORDS);
    await rename(inbox, `${inbox}.away`);
    clock.advance(1_000);
    expect(words()?.en).toMatch(AWAY_WORDS);
  });

  it('is told of by status and doctor, and forgotten by whoever says that the inbox was moved', async () => {
    const { paydrop, stop } = await newDesk();
    const { inbox, root } = paydrop.workspace;
    await writeFile(stop, '');
    watchStopFile(paydrop.workspace, manualClock())();
    await rm(inbox, { recursive: true });
    expect(stopFileOf(paydrop)).toMatch(AWAY_WORDS);
    const found = (await examine(paydrop)).find(({ name }) => name === 'stop');
    expect(found).toMatchObject({ ok: false, words: { en: expect.stringMatching(AWAY_WORDS) as string } });
    const [, remedy = ''] = /remove (\S+)\.$/.exec(stopFileWords({ root, inbox })?.en ?? '') ?? [];
    await rm(remedy);
    expect(stopFileOf(paydrop)).toBeNull();
  });
});
