// An approval that is dropped as a file, and one that another process gives, while the daemon runs.
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { BatchResult } from '../../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { watch } from '../../../src/app/daemon/daemon.ts';
import { describeSums } from '../../../src/app/workflow/approval/question-words.ts';
import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { releaseRows } from '../release.ts';
import { readStatement, takeApprovalFile } from '../../../src/app/workflow/approval/take-approval-file.ts';
import { systemClock, type Clock } from '../../../src/base/clock.ts';
import { claimFile } from '../../../src/inbox/claim-file.ts';
import { LedgerAway } from '../../../src/ledger/ledger-unusable.ts';
import { briskClock } from '../brisk-clock.ts';
import { HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from '../desk.ts';
import { approve, askedOf, codeOf, decline, REQUIRED, resume } from './two-people.ts';
import { said } from '../said.ts';

let clock: Clock;
let desk: Desk;
let inbox: string;
beforeEach(async () => {
  clock = briskClock();
  desk = await openDesk({ clock }, clock);
  inbox = join(desk.workspace, 'inbox');
});
afterEach(() => desk.close());

const QUICK = 'intake: { settleFor: 20ms, scanEvery: 100ms }';
const MARIE = `${REQUIRED}\napprovers: [{ name: Marie, folder: marie }]\n${QUICK}`;

type Daemon = {
  readonly until: (state: string) => Promise<BatchResult>;
  readonly stop: () => Promise<unknown>;
};

function start(paydrop: Paydrop): Daemon {
  const stopper = new AbortController();
  const results: BatchResult[] = [];
  const troubles: string[] = [];
  let wake = (): void => undefined;
  const ended = watch(paydrop, {
    signal: stopper.signal,
    onResult: (result) => {
      results.push(result);
      wake();
    },
    onWaiting: () => undefined,
    onTrouble: (words) => troubles.push(words),
  });
  return {
    until: async (state) => {
      for (;;) {
        const found = results.find(({ summary }) => summary.state === state);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    stop: async () => {
      stopper.abort();
      await ended;
      expect(troubles).toEqual([]);
    },
  };
}

async function drop(name: string, ...lines: readonly string[]): Promise<void> {
  await rename(await desk.file('dropped.csv', lines), join(inbox, name));
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await systemClock.sleep(10);
}

async function refusal(batch: string): Promise<{ readonly code: string; readonly reason: string }> {
  const path = join(desk.workspace, 'outbox', `${batch}.approve.refused.json`);
  await until(() => existsSync(path));
  return JSON.parse(await readFile(path, 'utf8')) as { code: string; reason: string };
}

describe('the daemon', () => {
  it('pays what another process approves, at its next look', async () => {
    const daemon = start(await desk.open(`${REQUIRED}\n${QUICK}`));
    await drop('salaries.csv', line('A', '100'));
    const { summary } = await daemon.until('awaiting-approval');
    const other = await desk.open(REQUIRED);
    expect(await transfersOf(other)).toEqual([]);
    const approvedAt = clock.monotonic();
    await approve(other, summary.batch);
    expect((await daemon.until('closed')).summary.outcomes.paid).toBe(1);
    // Below the half minute after which an unfinished batch is taken up in any case.
    expect(clock.monotonic() - approvedAt).toBeLessThan(29_000);
    await daemon.stop();
  });

  it('closes what another process declines', async () => {
    const daemon = start(await desk.open(`${REQUIRED}\n${QUICK}`));
    await drop('salaries.csv', line('A', '100'));
    const { summary } = await daemon.until('awaiting-approval');
    const other = await desk.open(REQUIRED);
    await decline(other, summary.batch);
    expect((await daemon.until('closed')).summary.outcomes).toMatchObject({ rejected: 1, paid: 0 });
    await daemon.stop();
    expect(await transfersOf(other)).toEqual([]);
  });

  it('leaves a batch alone that waits: its history does not grow', async () => {
    const paydrop = await desk.open(`${REQUIRED}\n${QUICK}`);
    const daemon = start(paydrop);
    await drop('salaries.csv', line('A', '100'));
    await daemon.until('awaiting-approval');
    const { events } = await paydrop.ledger.history.verify();
    await drop('other.csv', line('B', 'x'));
    await daemon.until('refused');
    const after = await paydrop.ledger.history.verify();
    await daemon.stop();
    const ofOther = (await paydrop.ledger.batches()).length;
    expect(ofOther).toBe(2);
    expect(after.events - events).toBeLessThan(15);
  });

  it('takes an approval from the folder of its approver, and takes the file away', async () => {
    const paydrop = await desk.open(MARIE);
    await mkdir(join(inbox, 'marie'), { mode: 0o700 });
    const daemon = start(paydrop);
    await drop('salaries.csv', line('A', '100'));
    const { batch } = (await daemon.until('awaiting-approval')).summary;
    expect((await askedOf(paydrop, batch)).words.en).toContain(
      `put an empty file ${batch}.approve into your folder (${join(inbox, 'marie')}/)`,
    );
    await writeFile(join(inbox, 'marie', `${batch}.approve`), '');
    expect((await daemon.until('closed')).summary.outcomes.paid).toBe(1);
    await daemon.stop();
    expect(await askedOf(paydrop, batch)).toMatchObject({ given: { by: 'Marie' } });
    expect(await readdir(join(inbox, 'marie'))).toEqual([]);
    expect(await readdir(join(desk.workspace, 'processing'))).toEqual([]);
  });

  it('answers one that lies anywhere else, takes it away, and repeats nothing of it (approval_not_allowed)', async () => {
    const paydrop = await desk.open(MARIE);
    await mkdir(join(inbox, 'marie'), { mode: 0o700 });
    const daemon = start(paydrop);
    await drop('salaries.csv', line('A', '100'));
    const { batch } = (await daemon.until('awaiting-approval')).summary;
    await writeFile(join(inbox, `${batch}.approve`), '\u001b[2J=cmd|"canary"!A1\n');
    const answer = await refusal(batch);
    await daemon.stop();
    expect(answer.code).toBe('approval_not_allowed');
    expect(JSON.stringify(answer)).not.toContain('canary');
    expect(await readdir(inbox)).toEqual(['marie']);
    expect(await askedOf(paydrop, batch)).toMatchObject({ given: null });
  });
});

describe('a file that approves', () => {
  async function asked(config = MARIE): Promise<{ readonly paydrop: Paydrop; readonly batch: string }> {
    const paydrop = await desk.open(config);
    await mkdir(join(inbox, 'marie'), { mode: 0o700, recursive: true });
    const daemon = start(paydrop);
    await drop('salaries.csv', line('A', '100'));
    const { batch } = (await daemon.until('awaiting-approval')).summary;
    await daemon.stop();
    return { paydrop, batch };
  }

  const put = async (batch: string, text: string): Promise<string> => {
    const path = join(inbox, 'marie', `${batch}.approve`);
    await writeFile(path, text);
    return path;
  };

  it('may name batch and total, which have to be those of the question (approval_total_differs)', async () => {
    const { paydrop, batch } = await asked();
    const { totals } = await askedOf(paydrop, batch);
    const wrong = await put(batch, 'total: 1 XAF\n');
    expect(await takeApprovalFile(paydrop, wrong)).toMatchObject({ code: 'approval_total_differs' });
    const right = await put(batch, `Batch: ${batch}\r\nTotal: ${totals[0]?.debit ?? ''} XAF\r\n`);
    expect(await takeApprovalFile(paydrop, right)).toMatchObject({ kind: 'decided' });
    expect(await takeApprovalFile(paydrop, right)).toBeNull();
  });

  it('may name the file by its whole hash, and then counts for no other (approval_other_file)', async () => {
    const { paydrop, batch } = await asked();
    const { sha256 = '' } = (await paydrop.ledger.batch(batch)) ?? {};
    const other = await put(batch, `sha256: ${sha256.slice(0, 8)}${'0'.repeat(56)}`);
    expect(await takeApprovalFile(paydrop, other)).toMatchObject({ code: 'approval_other_file' });
    const own = await put(batch, `sha256: ${sha256}`);
    expect(await takeApprovalFile(paydrop, own)).toMatchObject({ kind: 'decided' });
  });

  it.each(['yes', 'batch: 20261120-00000000', 'x'.repeat(2_000)])(
    'that says %j is not obeyed (approval_unreadable)',
    async (text) => {
      const { paydrop, batch } = await asked();
      expect(await takeApprovalFile(paydrop, await put(batch, text))).toMatchObject({
        code: 'approval_unreadable',
      });
      expect(await askedOf(paydrop, batch)).toMatchObject({ given: null });
    },
  );

  it('and is a link to another is not followed', async () => {
    const { paydrop, batch } = await asked();
    const target = await desk.write('elsewhere', '');
    const path = join(inbox, 'marie', `${batch}.approve`);
    await symlink(target, path);
    expect(await takeApprovalFile(paydrop, path)).toMatchObject({ code: 'approval_unreadable' });
  });

  it('in a folder into which everybody can write is not obeyed', async () => {
    const { paydrop, batch } = await asked();
    await chmod(join(inbox, 'marie'), 0o777);
    expect(await takeApprovalFile(paydrop, await put(batch, ''))).toMatchObject({
      code: 'approval_not_allowed',
      words: { en: expect.stringContaining(`others can write into ${join(inbox, 'marie')}`) as string },
    });
    await chmod(join(inbox, 'marie'), 0o700);
    await chmod(inbox, 0o770);
    expect(await takeApprovalFile(paydrop, await put(batch, ''))).toMatchObject({
      code: 'approval_not_allowed',
    });
  });

  it('of an account that may approve counts wherever it lies', async () => {
    const { paydrop, batch } = await asked();
    const path = join(inbox, `${batch}.approve`);
    await writeFile(path, '');
    expect(await takeApprovalFile(paydrop, path, 'Ada')).toMatchObject({ kind: 'decided' });
    expect(await askedOf(paydrop, batch)).toMatchObject({ given: { by: 'Ada' } });
  });

  it('does not approve a file that came from the same folder', async () => {
    const paydrop = await desk.open(MARIE);
    await mkdir(join(inbox, 'marie'), { mode: 0o700 });
    const daemon = start(paydrop);
    await rename(await desk.file('dropped.csv', [line('A', '100')]), join(inbox, 'marie', 'own.csv'));
    const { batch } = (await daemon.until('awaiting-approval')).summary;
    await put(batch, '');
    expect((await refusal(batch)).code).toBe('approval_same_person');
    await daemon.stop();
    expect(await transfersOf(paydrop)).toEqual([]);
  });

  describe('to a question that is asked anew', () => {
    const HELD = [line('A-1', '100'), line('', '9000'), line('', '9000')];

    /** Its first question is about one row; two are held. */
    async function askedOfOne(): Promise<{ readonly paydrop: Paydrop; readonly batch: string }> {
      const paydrop = await desk.open(MARIE);
      await mkdir(join(inbox, 'marie'), { mode: 0o700, recursive: true });
      const { summary } = await processBatch(paydrop, await desk.file('salaries.csv', HELD), HURRIED);
      expect(await askedOf(paydrop, summary.batch)).toMatchObject({ round: 1, rows: 1 });
      return { paydrop, batch: summary.batch };
    }

    async function askAnew(paydrop: Paydrop, id: string): Promise<string> {
      const batch = await paydrop.ledger.batch(id);
      if (batch === null) throw new Error('There is no such batch.');
      await releaseRows(paydrop, batch, { by: 'Paul', reason: 'both are owed', rows: null, skip: false });
      const { words } = await resume(paydrop, id, HURRIED);
      const code = await codeOf(paydrop, id);
      expect(said(words).join(' ')).toContain(`with the line "question: ${code}"`);
      return code;
    }

    it('does not count while it says nothing: it may have been meant for the one before (approval_question_missing)', async () => {
      const { paydrop, batch } = await askedOfOne();
      const early = await put(batch, '');
      const code = await askAnew(paydrop, batch);
      const end = await takeApprovalFile(paydrop, early);
      expect(end).toMatchObject({ kind: 'refused', code: 'approval_question_missing' });
      expect(end?.words.en).toContain(`"question: ${code}"`);
      expect(end?.words.fr).toContain(`« question: ${code} »`);
      expect((await resume(paydrop, batch, HURRIED)).summary.state).toBe('awaiting-approval');
      expect(await transfersOf(paydrop)).toEqual([]);
      const later = await put(batch, `question: ${code}\n`);
      expect(await takeApprovalFile(paydrop, later)).toMatchObject({ kind: 'decided' });
      expect((await resume(paydrop, batch)).summary.outcomes.paid).toBe(3);
    });

    it('does not count either when it named the total of the one before (approval_total_differs)', async () => {
      const { paydrop, batch } = await askedOfOne();
      const { totals } = await askedOf(paydrop, batch);
      const early = await put(batch, `total: ${describeSums(totals)}`);
      await askAnew(paydrop, batch);
      expect(await takeApprovalFile(paydrop, early)).toMatchObject({ code: 'approval_total_differs' });
    });

    it('does not count either when it names the question before, though that had the same total (approval_question_differs)', async () => {
      const { paydrop, batch } = await askedOfOne();
      const early = await put(batch, `question: ${await codeOf(paydrop, batch)}`);
      await askAnew(paydrop, batch);
      expect(await takeApprovalFile(paydrop, early)).toMatchObject({ code: 'approval_question_differs' });
    });

    it('does not count when it is older than that, whatever question it names (approval_older)', async () => {
      const { paydrop, batch } = await askedOfOne();
      const early = await put(batch, `question: ${await askAnew(paydrop, batch)}`);
      const { askedAt } = await askedOf(paydrop, batch);
      const earlier = Date.parse(askedAt) / 1_000 - 60;
      await utimes(early, earlier, earlier);
      const end = await takeApprovalFile(paydrop, early);
      expect(end).toMatchObject({ code: 'approval_older' });
      expect(end?.words.en).toContain(askedAt);
    });

    it('has to name the question after a lost ledger as well', async () => {
      const { batch } = await askedOfOne();
      const early = await put(batch, '');
      await desk.loseLedger();
      const paydrop = await desk.open(MARIE);
      await rebuildFile(paydrop, await desk.file('salaries.csv', HELD), PATIENT);
      await resume(paydrop, batch, HURRIED);
      expect(await askedOf(paydrop, batch)).toMatchObject({ round: 2 });
      expect(await takeApprovalFile(paydrop, early)).toMatchObject({ code: 'approval_question_missing' });
    });
  });

  it('that is older than the first question is no answer to it; the times of coarse disks are (approval_older)', async () => {
    const { paydrop, batch } = await asked();
    const { askedAt } = await askedOf(paydrop, batch);
    const written = async (seconds: number): Promise<string> => {
      const path = await put(batch, '');
      await utimes(path, seconds, seconds);
      return path;
    };
    const before = await written(Date.parse(askedAt) / 1_000 - 3);
    expect(await takeApprovalFile(paydrop, before)).toMatchObject({ code: 'approval_older' });
    const coarse = await written(Math.floor(Date.parse(askedAt) / 2_000) * 2);
    expect(await takeApprovalFile(paydrop, coarse)).toMatchObject({ kind: 'decided' });
  });

  it('over which paydrop was killed is not obeyed later (approval_interrupted)', async () => {
    const { paydrop, batch } = await asked();
    await claimFile(paydrop.workspace, await put(batch, ''), 'elsewhere/1/dead', []);
    await desk.shut();
    const next = await desk.open(MARIE);
    const daemon = start(next);
    expect((await refusal(batch)).code).toBe('approval_interrupted');
    await daemon.stop();
    expect(await askedOf(next, batch)).toMatchObject({ given: null });
    expect(
      (await readdir(join(desk.workspace, 'processing'))).filter((name) => name.startsWith('.')),
    ).toEqual([]);
  });

  it('lies in its folder again where the ledger was away, and counts at the next look', async () => {
    const { paydrop, batch } = await asked();
    const path = await put(batch, '');
    const away = new LedgerAway({ en: 'Away.', fr: 'Absent.', es: 'Ausente.' });
    vi.spyOn(paydrop.ledger, 'revise').mockRejectedValueOnce(away);
    await expect(takeApprovalFile(paydrop, path)).rejects.toBe(away);
    expect(existsSync(path)).toBe(true);
    expect(await takeApprovalFile(paydrop, path)).toMatchObject({ kind: 'decided' });
  });

  it('from a folder beside the inbox counts as well', async () => {
    const { paydrop, batch } = await asked(MARIE.replace('folder: marie', 'folder: ../approvals'));
    const folder = join(desk.workspace, 'approvals');
    await mkdir(folder, { mode: 0o700 });
    await writeFile(join(folder, `${batch}.approve`), '');
    const daemon = start(paydrop);
    expect((await daemon.until('closed')).summary.outcomes.paid).toBe(1);
    await daemon.stop();
    expect(await readdir(folder)).toEqual([]);
  });
});

it('what an approval says is four lines at most, in any case and order', () => {
  const nothing = { batch: null, total: null, sha256: null, question: null };
  expect(readStatement('')).toEqual(nothing);
  expect(readStatement('\uFEFF TOTAL : 5 XAF \r\n\r\nbatch: b')).toEqual({
    ...nothing,
    batch: 'b',
    total: '5 XAF',
  });
  expect(readStatement('sha256: ab\nQuestion: 1f')).toEqual({ ...nothing, sha256: 'ab', question: '1f' });
  expect(readStatement('approve')).toBeNull();
});
