// Two approvers by amount: the first lets nothing go, the second is another person by the same rule at every door, and both stay on record.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { statusOf } from '../../../src/app/desk/batch-status.ts';
import { loadConfig } from '../../../src/app/config/config.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import {
  approveBatch,
  type DecisionEnd,
  questionOfBatch,
} from '../../../src/app/workflow/approval/decide-approval.ts';
import { takeApprovalFile } from '../../../src/app/workflow/approval/take-approval-file.ts';
import { releaseByOrder } from '../../../src/app/workflow/decisions/release-rows.ts';
import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { rebuildFile } from '../../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { questionDigest } from '../../../src/ledger/approval.ts';
import { FROM_START, toldOf } from '../../../src/ledger/history.ts';
import { own } from '../../ledger/own.ts';
import { type Desk, HURRIED, lineTo, openDesk, transfersOf } from '../desk.ts';
import { approve, askedOf, codeOf, decline, resume } from './two-people.ts';

const FOUR = ['Marie Ngo', 'Joe Tchoua', 'Ada Eto', 'Paul Biya'] as const;
const APPROVERS = FOUR.map((name) => `{ name: ${name}, folder: ${name.split(' ')[0] ?? ''} }`).join(', ');
const TWO = `policy: { twoApproversAbove: 20000 XAF }\napprovers: [${APPROVERS}]`;

let desk: Desk;
let paydrop: Paydrop;
beforeEach(async () => {
  desk = await openDesk();
  for (const name of FOUR) await mkdir(folderOf(name), { mode: 0o700, recursive: true });
});
afterEach(() => desk.close());

function folderOf(name: string): string {
  return join(desk.workspace, 'inbox', name.split(' ')[0] ?? '');
}

let files = 0;

/** A file that Paul brings. 100 yuan cost about 8,500 XAF. */
async function brought(amount: string, more: readonly string[] = []): Promise<string> {
  files += 1;
  const name = `file-${String(files)}`;
  const path = await desk.file(`${name}.csv`, [lineTo(name, `${name}-1`, amount), ...more]);
  return (await processBatch(paydrop, path, HURRIED, false, ['Paul Biya'])).summary.batch;
}

/** Every door at which a test can stand; the page has its own. */
const DOORS: Readonly<Record<string, (batch: string, by: string) => Promise<DecisionEnd | null>>> = {
  typed: async (batch, by) =>
    approveBatch(paydrop, batch, { by, via: 'the test', said: { question: await codeOf(paydrop, batch) } }),
  folder: async (batch, by) => {
    const path = join(folderOf(by), `${batch}.approve`);
    await writeFile(path, `question: ${await codeOf(paydrop, batch)}`);
    return (await takeApprovalFile(paydrop, path)) as DecisionEnd | null;
  },
};

async function eventsOf(batch: string) {
  const { events } = await paydrop.ledger.history.events({ batch, position: null }, FROM_START, 200);
  return events.flatMap((event) => toldOf(event).map(({ code, by }) => `${code} ${by ?? ''}`.trim()));
}

describe('a file that may debit more than policy.twoApproversAbove', () => {
  beforeEach(async () => void (paydrop = await desk.open(TWO)));

  it('is paid after two people, and not after one; both answers stay on record', async () => {
    const batch = await brought('300');
    const asked = await askedOf(paydrop, batch);
    expect(asked).toMatchObject({ needed: 2, given: null });
    expect(asked.words.en).toContain('Two different people have to approve it.');
    const first = await approve(paydrop, batch, 'Marie Ngo');
    expect([first.kind, first.words.en]).toEqual([
      'decided',
      expect.stringContaining('A second person has to approve it') as string,
    ]);
    const { summary } = await resume(paydrop, batch);
    expect(summary).toMatchObject({ state: 'awaiting-approval', waitingFor: 'approval' });
    expect(await transfersOf(paydrop)).toEqual([]);
    const record = await own(paydrop.ledger, batch);
    expect(questionOfBatch(record)).toMatchObject({
      state: 'waiting',
      needed: 2,
      first: { by: 'Marie Ngo', proof: 'typed' },
      given: null,
    });
    const { words, approval } = await statusOf(paydrop, record);
    expect(words).toMatch(/^Approved first by Marie Ngo on .* A second person has to approve it/);
    expect(approval).toMatchObject({ needed: 2, first: { by: 'Marie Ngo' }, given: null });
    expect(await approve(paydrop, batch, 'Joe Tchoua')).toMatchObject({ kind: 'decided' });
    expect(await approve(paydrop, batch, 'Marie Ngo')).toMatchObject({ kind: 'decided-before' });
    expect((await resume(paydrop, batch)).summary).toMatchObject({ state: 'closed', outcomes: { paid: 1 } });
    expect(await askedOf(paydrop, batch)).toMatchObject({
      first: { by: 'Marie Ngo' },
      given: { by: 'Joe Tchoua' },
    });
    expect((await eventsOf(batch)).filter((told) => told.includes('given'))).toEqual([
      'approval_first_given Marie Ngo',
      'approval_given Joe Tchoua',
    ]);
  });

  it('keeps the first through a kill, and the number that it was asked with through another config', async () => {
    const batch = await brought('300');
    await approve(paydrop, batch, 'Marie Ngo');
    await desk.shut();
    paydrop = await desk.open(`policy: { approval: required }\napprovers: [${APPROVERS}]`);
    await resume(paydrop, batch);
    expect(await transfersOf(paydrop)).toEqual([]);
    expect(await approve(paydrop, batch, 'Marie Ngo')).toMatchObject({ code: 'approval_second_person' });
    expect(await approve(paydrop, batch, 'Joe Tchoua')).toMatchObject({ kind: 'decided' });
    expect((await resume(paydrop, batch)).summary.outcomes.paid).toBe(1);
  });

  it('is not approved twice from one account of the machine, under whatever names', async () => {
    const batch = await brought('300');
    const typed = (by: string, systemUser: string) =>
      approveBatch(paydrop, batch, { by, via: 'the test', systemUser });
    expect(await typed('Marie Ngo', 'office')).toMatchObject({ kind: 'decided' });
    expect(await typed('Joe Tchoua', 'office')).toMatchObject({ code: 'approval_same_user' });
    expect(await typed('Joe Tchoua', 'joe')).toMatchObject({ kind: 'decided' });
  });

  it('is declined by anybody who may, after the first too', async () => {
    const batch = await brought('300');
    await approve(paydrop, batch, 'Joe Tchoua');
    expect(await decline(paydrop, batch)).toMatchObject({ kind: 'decided' });
    expect(await approve(paydrop, batch, 'Marie Ngo')).toMatchObject({ code: 'approval_declined' });
    expect((await resume(paydrop, batch)).summary).toMatchObject({ state: 'closed', outcomes: { paid: 0 } });
  });

  it('has exactly one second of two who answer at the same moment', async () => {
    const batch = await brought('300');
    await approve(paydrop, batch, 'Marie Ngo');
    const ends = await Promise.all(['Joe Tchoua', 'Ada Eto'].map((by) => approve(paydrop, batch, by)));
    expect(ends.map(({ kind }) => kind).sort()).toEqual(['decided', 'decided-before']);
  });

  it('has exactly one first and one second of two who answer at the same moment', async () => {
    const batch = await brought('300');
    await Promise.all(['Joe Tchoua', 'Ada Eto'].map((by) => approve(paydrop, batch, by)));
    const { first, given } = await askedOf(paydrop, batch);
    expect([first?.by, given?.by].sort()).toEqual(['Ada Eto', 'Joe Tchoua']);
  });

  it('is asked of both again once rows were released', async () => {
    const equal = lineTo('twice', '', '100');
    const batch = await brought('300', [equal, equal]);
    await approve(paydrop, batch, 'Marie Ngo');
    const order = { by: 'Ada Eto', reason: 'two salaries', rows: null, skip: false };
    expect(await releaseByOrder(paydrop, await own(paydrop.ledger, batch), order)).toMatchObject({
      released: ['3', '4'],
    });
    expect(await approve(paydrop, batch, 'Joe Tchoua')).toMatchObject({ code: 'approval_outdated' });
    await resume(paydrop, batch);
    const asked = await askedOf(paydrop, batch);
    expect(asked).toMatchObject({ round: 2, needed: 2, given: null });
    expect(asked.first).toBeUndefined();
  });

  it('is asked of both again where the ledger is lost between the two', async () => {
    const batch = await brought('300');
    await approve(paydrop, batch, 'Marie Ngo');
    await desk.loseLedger();
    paydrop = await desk.open(TWO);
    const name = `file-${String(files)}`;
    await rebuildFile(paydrop, await desk.file(`${name}.csv`, [lineTo(name, `${name}-1`, '300')]), HURRIED);
    await resume(paydrop, batch);
    const asked = await askedOf(paydrop, batch);
    expect(asked).toMatchObject({ round: 2, needed: 2, given: null });
    expect(asked.first).toBeUndefined();
    expect(await approve(paydrop, batch, 'Paul Biya')).toMatchObject({ code: 'approval_same_person' });
    expect(await approve(paydrop, batch, 'Joe Tchoua')).toMatchObject({ kind: 'decided' });
    expect((await resume(paydrop, batch)).summary.state).toBe('awaiting-approval');
    expect(await transfersOf(paydrop)).toEqual([]);
    expect(await approve(paydrop, batch, 'Marie Ngo')).toMatchObject({ kind: 'decided' });
    expect((await resume(paydrop, batch)).summary.outcomes.paid).toBe(1);
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });

  it.each(Object.keys(DOORS).flatMap((first) => Object.keys(DOORS).map((second) => [first, second])))(
    'has its second by the same rule: first %s, second %s',
    async (first, second) => {
      const equal = lineTo('twice', '', '100');
      const batch = await brought('300', [equal, equal]);
      const order = { by: 'Ada Eto', reason: 'two salaries', rows: null, skip: false };
      await releaseByOrder(paydrop, await own(paydrop.ledger, batch), order);
      await resume(paydrop, batch);
      const [one, other] = [DOORS[first], DOORS[second]];
      expect(await one?.(batch, 'Marie Ngo')).toMatchObject({ kind: 'decided' });
      const came: unknown[] = [];
      for (const by of ['Marie Ngo', 'Paul Biya', 'Ada Eto', 'Joe Tchoua']) {
        const end = await other?.(batch, by);
        came.push(end?.kind === 'refused' ? end.code : end?.kind);
        if (by !== 'Joe Tchoua') expect((await askedOf(paydrop, batch)).given).toBeNull();
      }
      expect(came).toEqual([
        'approval_second_person',
        'approval_same_person',
        'approval_released_it',
        'decided',
      ]);
    },
  );
});

describe('policy.twoApproversAbove', () => {
  it('asks nobody about a file within it, and one where approval is required', async () => {
    paydrop = await desk.open(TWO);
    const within = await brought('100');
    expect((await own(paydrop.ledger, within)).approval).toMatchObject({ kind: 'not-asked' });
    await desk.shut();
    paydrop = await desk.open(`policy: { approval: required, twoApproversAbove: 20000 XAF }`);
    const batch = await brought('100');
    expect((await askedOf(paydrop, batch)).needed).toBeUndefined();
    expect(await approve(paydrop, batch, 'Marie Ngo')).toMatchObject({ kind: 'decided' });
    expect((await askedOf(paydrop, batch)).given).toMatchObject({ by: 'Marie Ngo' });
  });

  it.each(['0 XAF', '[1000000 EUR]'])('of %s asks two people about every file in XAF', async (most) => {
    paydrop = await desk.open(`policy: { twoApproversAbove: ${most} }`);
    expect(await askedOf(paydrop, await brought('100'))).toMatchObject({ needed: 2 });
  });

  it('is not dispensed with by the profile of a file', async () => {
    await desk.write('profiles/files.yaml', 'files: "file-*"\npolicy: { approval: none }');
    paydrop = await desk.open(TWO);
    expect(await askedOf(paydrop, await brought('300'))).toMatchObject({ needed: 2 });
  });

  it('is part of what is signed', async () => {
    paydrop = await desk.open(TWO);
    const batch = await own(paydrop.ledger, await brought('300'));
    if (batch.approval?.kind !== 'asked') throw new Error('It was asked.');
    const { needed, ...ofOne } = batch.approval;
    expect(needed).toBe(2);
    expect(questionDigest(batch, ofOne)).not.toBe(questionDigest(batch, batch.approval));
  });

  it('is refused where the config names one approver alone', async () => {
    const alone =
      'policy: { twoApproversAbove: 1 XAF }\napprovers: [{ name: Marie Ngo, folder: a }, { name: ngo MARIE, folder: b }]';
    const path = await desk.write('alone.yaml', alone);
    expect(() => loadConfig({ config: path }, {})).toThrow(/Marie Ngo alone/);
  });
});
