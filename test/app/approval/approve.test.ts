// A file that needs approval, at a desk: nothing of it is sent before another person has seen its cost, and nothing else is sent then.
import { rebuildFile } from '../../../src/app/workflow/resolve-doubt/rebuild-ledger.ts';
import { appendFile, copyFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, describe, expect, it } from 'vitest';

import { approveBatch } from '../../../src/app/workflow/approval/decide-approval.ts';
import { hashFile } from '../../../src/inbox/take-file.ts';
import { exitCodeOf } from '../../../src/app/workflow/batch/work.ts';
import { processBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { releaseRows } from '../release.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { compareDecimals, grouped } from '../../../src/base/decimal.ts';
import { leapClock, type LeapClock } from '../leap-clock.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, transfersOf, type Desk } from '../desk.ts';
import {
  approve,
  askedOf,
  codeOf,
  moveRate,
  outboxFile,
  REQUIRED,
  resume,
  USUAL_RATE,
} from './two-people.ts';
import { said } from '../said.ts';

const desks: Desk[] = [];
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
});

/** Longer than anything here takes on any machine: what is over is over because the clock leapt. */
const QUOTE_LIFE_MS = 60_000;

type LeapingDesk = Desk & { readonly clock: LeapClock };

async function newDesk(options: Parameters<typeof openDesk>[0] = {}): Promise<LeapingDesk> {
  const clock = leapClock();
  const desk = await openDesk({ ...options, clock, quoteLifeMs: QUOTE_LIFE_MS }, clock);
  desks.push(desk);
  return { ...desk, clock };
}

/** No price that was given before can be used any more. */
function expire({ clock }: LeapingDesk): void {
  clock.leap(QUOTE_LIFE_MS);
}

const TWO = [line('A', '100'), line('B', '101')];

async function asked(desk: Desk, paydrop: Paydrop, lines: readonly string[] = TWO, by: string | null = null) {
  const path = await desk.file('salaries.csv', lines);
  const result = await processBatch(paydrop, path, HURRIED, false, by === null ? [] : [by]);
  return { ...result, batch: result.summary.batch, path };
}

/** A price that moved is accepted by somebody, row by row, before anything else is asked about it. */
async function acceptPrices(paydrop: Paydrop, id: string): Promise<void> {
  const batch = await paydrop.ledger.batch(id);
  if (batch === null) throw new Error('There is no such batch.');
  await releaseRows(paydrop, batch, { by: 'Paul', reason: 'the rate is right', rows: null, skip: false });
}

async function sound({ ledger }: Paydrop): Promise<void> {
  expect(await ledger.history.verify()).toMatchObject({ fault: null, rowFault: null, batchFault: null });
}

describe('a file that needs approval', () => {
  it('is priced and previewed, and nothing is sent before it was given', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    const { batch, summary, words, path } = await asked(desk, paydrop);
    expect(summary).toMatchObject({ state: 'awaiting-approval', waitingFor: 'approval' });
    expect(summary.answers).toEqual([`salaries.${batch}.preview-1.csv`]);
    expect(exitCodeOf({ summary, words }, PATIENT.waitMs)).toBe(5);
    const { totals, rows } = await askedOf(paydrop, batch);
    const debit = totals[0]?.debit ?? '';
    expect(said(words).join(' ')).toContain(`2 rows, ${grouped(debit).en} XAF with fees`);
    expect(said(words).join(' ')).toMatch(
      new RegExp(
        `decides:\\n {4}paydrop approve ${batch} --by NAME\\n {4}paydrop decline ${batch} --by NAME --reason TEXT\\nEvery row`,
      ),
    );
    expect(said(words).join(' ')).toContain(`of the file: ${await hashFile(path)}.`);
    const evidence = await hashFile(join(desk.workspace, 'outbox', `salaries.${batch}.preview-1.csv`));
    expect(said(words).join(' ')).toContain(`SHA-256 of that preview: ${evidence}`);
    expect((await askedOf(paydrop, batch)).previewSha256).toBe(evidence);
    expect(rows).toBe(2);
    const preview = await outboxFile(desk, `salaries.${batch}.preview-1.csv`);
    const debits = preview
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => Number(row.split(',')[15]));
    expect(debits.reduce((sum, each) => sum + each, 0)).toBe(Number(debit));
    expect((await resume(paydrop, batch)).summary.state).toBe('awaiting-approval');
    expect(await transfersOf(paydrop)).toEqual([]);
    expect(await approve(paydrop, batch)).toMatchObject({ kind: 'decided' });
    expect(await transfersOf(paydrop)).toEqual([]);
    const { summary: paid } = await resume(paydrop, batch);
    expect(paid).toMatchObject({ state: 'closed', outcomes: { paid: 2 }, totals: [{ debited: debit }] });
    await sound(paydrop);
  });

  it('is what it was when paydrop is killed between question, answer and payment', async () => {
    const desk = await newDesk();
    const { batch } = await asked(desk, await desk.open(REQUIRED));
    await desk.shut();
    const second = await desk.open(REQUIRED);
    expect((await resume(second, batch)).summary.state).toBe('awaiting-approval');
    await approve(second, batch);
    await desk.shut();
    const third = await desk.open(REQUIRED);
    expect(await askedOf(third, batch)).toMatchObject({ round: 1, given: { by: 'Marie' } });
    expect((await resume(third, batch)).summary.outcomes.paid).toBe(2);
  });

  it('stays asked when the config no longer asks', async () => {
    const desk = await newDesk();
    const { batch } = await asked(desk, await desk.open(REQUIRED));
    await desk.shut();
    const paydrop = await desk.open();
    expect((await resume(paydrop, batch)).summary.waitingFor).toBe('approval');
    expect(await transfersOf(paydrop)).toEqual([]);
  });

  it('is asked by the profile of its own files too', async () => {
    const desk = await newDesk();
    await desk.write(
      'profiles/salaries.yaml',
      'files: "salaries*"\npolicy: { approval: required, maxDrift: 5% }',
    );
    const paydrop = await desk.open();
    const { batch, summary } = await asked(desk, paydrop);
    expect(summary.state).toBe('awaiting-approval');
    expect((await askedOf(paydrop, batch)).maxDrift).toBe('5%');
  });

  it('under skip-rows is asked for the rows that would be sent, and for no others', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open('policy: { approval: required, onInvalidRows: skip-rows }');
    const { batch } = await asked(desk, paydrop, [...TWO, line('C', 'x')]);
    expect(await askedOf(paydrop, batch)).toMatchObject({ rows: 2 });
    await approve(paydrop, batch);
    expect((await resume(paydrop, batch)).summary.outcomes).toMatchObject({ paid: 2, rejected: 1 });
  });

  it('is paid whole or not at all, where that is its strategy', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open('policy: { approval: required, strategy: reserve-then-confirm }');
    const { batch } = await asked(desk, paydrop);
    expect(await transfersOf(paydrop)).toEqual([]);
    await approve(paydrop, batch);
    expect((await resume(paydrop, batch)).summary).toMatchObject({ state: 'closed', outcomes: { paid: 2 } });
  });
});

describe('a threshold', () => {
  it('lets a file that stays below it go, and asks for one above it', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open('policy: { approval: 30000 XAF }');
    const small = await processBatch(paydrop, await desk.file('small.csv', [line('S', '102')]), PATIENT);
    expect(small.summary.outcomes.paid).toBe(1);
    const { summary } = await asked(desk, paydrop, [...TWO, line('C', '103'), line('D', '104')]);
    expect(summary.state).toBe('awaiting-approval');
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });

  it('is asked for a currency that it does not name', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open('policy: { approval: [30000 EUR] }');
    expect((await asked(desk, paydrop)).summary.state).toBe('awaiting-approval');
  });

  it('that a dearer rate passes on the way is asked then, before the row that would pass it', async () => {
    const desk = await newDesk({ balances: { XAF: '1' } });
    const paydrop = await desk.open('policy: { approval: 18000 XAF }');
    const { batch, summary } = await asked(desk, paydrop);
    expect(summary.waitingFor).toBe('funds');
    await topUp(desk, '1000000');
    await moveRate(desk, '7000');
    expire(desk);
    await resume(paydrop, batch);
    expect(await endsOf(paydrop, batch)).toEqual(['held price_moved', 'held price_moved']);
    await acceptPrices(paydrop, batch);
    const { summary: over, words } = await resume(paydrop, batch);
    expect(over.state).toBe('awaiting-approval');
    expect(said(words).join(' ')).toContain('Waits for approval');
    await approve(paydrop, batch);
    expect((await resume(paydrop, batch)).summary.outcomes.paid).toBe(2);
  });
});

describe('the total up to which nobody is asked', () => {
  /** About 9,000 XAF each. */
  const small = (index: number): readonly string[] => [line(`S${String(index)}`, String(100 + index))];

  async function pay(desk: Desk, paydrop: Paydrop, index: number, by: readonly string[]) {
    const path = await desk.file(`small-${String(index)}.csv`, small(index));
    return (await processBatch(paydrop, path, PATIENT, false, by)).summary;
  }

  it.each<[string, readonly string[], readonly string[]]>([
    ['of one person, however they write their name', ['Jean Mbarga'], ['MBARGA, Jean']],
    [
      'of one user of the machine, whatever name they give',
      ['Jean', 'system user jean'],
      ['Paul', 'system user jean'],
    ],
    ['of nobody known', [], []],
  ])('counts the files of a day %s together', async (_name, first, second) => {
    const desk = await newDesk();
    const paydrop = await desk.open('policy: { approval: 25000 XAF }');
    expect((await pay(desk, paydrop, 1, first)).outcomes.paid).toBe(1);
    expect((await pay(desk, paydrop, 2, second)).outcomes.paid).toBe(1);
    expect((await pay(desk, paydrop, 3, first)).state).toBe('awaiting-approval');
    expect((await pay(desk, paydrop, 4, ['Ada', 'system user ada'])).outcomes.paid).toBe(1);
    expect(await transfersOf(paydrop)).toHaveLength(3);
  });

  it('is not passed by two files at the same moment', async () => {
    const desk = await newDesk();
    const [one, two] = [
      await desk.open('policy: { approval: 18000 XAF }'),
      await desk.open('policy: { approval: 18000 XAF }'),
    ];
    const ends = await Promise.all([pay(desk, one, 1, ['Jean']), pay(desk, two, 2, ['Jean'])]);
    expect(ends.map(({ state }) => state).sort()).toEqual(['awaiting-approval', 'closed']);
    expect(await transfersOf(one)).toHaveLength(1);
  });

  it('is not passed by rows that were held then, and are released', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open('policy: { approval: 30000 XAF }');
    const held = (at: number): readonly string[] => [
      line(`H${String(at)}`, String(at)),
      line('', String(at + 1)),
      line('', String(at + 1)),
    ];
    const ids: string[] = [];
    for (const at of [110, 120]) {
      const path = await desk.file(`held-${String(at)}.csv`, held(at));
      ids.push((await processBatch(paydrop, path, PATIENT, false, ['Jean'])).summary.batch);
    }
    expect(await transfersOf(paydrop)).toHaveLength(2);
    const states: string[] = [];
    for (const id of ids) {
      const batch = await paydrop.ledger.batch(id);
      if (batch === null) throw new Error('There is no such batch.');
      await releaseRows(paydrop, batch, { by: 'Jean', reason: 'both are owed', rows: null, skip: false });
      states.push((await resume(paydrop, id)).summary.state);
    }
    expect(states).toContain('awaiting-approval');
    const paid = (await transfersOf(paydrop)).map(({ sendAmount }) => Number(sendAmount));
    expect(paid.reduce((sum, each) => sum + each, 0)).toBeLessThan(30_000);
  });
});

describe('where approvers are configured', () => {
  const APPROVERS = `${REQUIRED}\napprovers: [{ name: Marie Ngo, folder: marie }, { name: Ada Eto, folder: ada }]`;

  it('only their names approve, in any order, and are kept as the config has them (approval_not_approver)', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(APPROVERS);
    const { batch, words } = await asked(desk, paydrop, TWO, 'Ada Eto');
    expect(said(words).join(' ')).toContain('One of the approvers (Marie Ngo) decides');
    expect(await approve(paydrop, batch, 'Mickey Mouse')).toMatchObject({ code: 'approval_not_approver' });
    expect(await approve(paydrop, batch, 'M. Ngo')).toMatchObject({ code: 'approval_not_approver' });
    expect(await approve(paydrop, batch, 'Ada Eto')).toMatchObject({ code: 'approval_same_person' });
    expect(await transfersOf(paydrop)).toEqual([]);
    expect(await approve(paydrop, batch, 'NGO Marie')).toMatchObject({ kind: 'decided' });
    expect(await askedOf(paydrop, batch)).toMatchObject({ given: { by: 'Marie Ngo', proof: 'typed' } });
  });

  it('the user of the machine who brought the file cannot type their names (approval_same_user)', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(APPROVERS);
    const { batch } = await asked(desk, paydrop, TWO, 'system user jean');
    const order = { by: 'Marie Ngo', via: 'the test' };
    expect(await approveBatch(paydrop, batch, { ...order, systemUser: 'jean' })).toMatchObject({
      code: 'approval_same_user',
    });
    expect(await approveBatch(paydrop, batch, { ...order, systemUser: 'marie' })).toMatchObject({
      kind: 'decided',
    });
  });
});

describe('where a signature is asked for', () => {
  it('no name that is typed and no folder counts, whatever the config says later (approval_signature_needed)', async () => {
    const desk = await newDesk();
    const rule = 'policy: { approval: required, approvalBy: signature }';
    const { batch, words, path } = await asked(desk, await desk.open(rule));
    expect(said(words).join(' ')).toContain(
      `${batch}.approve.pgp, signed, with the lines "batch: ${batch}" and "sha256: ${await hashFile(path)}"`,
    );
    await desk.shut();
    const paydrop = await desk.open(REQUIRED);
    const order = { by: 'Marie', via: 'the test' };
    for (const proof of ['typed', 'folder'] as const)
      expect(await approveBatch(paydrop, batch, { ...order, proof })).toMatchObject({
        code: 'approval_signature_needed',
      });
    expect(await approveBatch(paydrop, batch, { ...order, proof: 'signature' })).toMatchObject({
      kind: 'decided',
    });
    expect(await askedOf(paydrop, batch)).toMatchObject({ given: { proof: 'signature' } });
  });
});

it.each(['Marie\u200b Ngo', 'a'.repeat(101), 'M\u0430rie Ngo', '', 'system user root'])(
  'a control file whose submittedBy is %j refuses its file: nobody would be kept from approving it (control_unreadable)',
  async (submittedBy) => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    await desk.write('salaries.control.json', JSON.stringify({ rows: 2, submittedBy }));
    const { summary } = await asked(desk, paydrop);
    expect(summary.state).toBe('refused');
    expect(await outboxFile(desk, `salaries.${summary.batch}.refused.json`)).toContain('control_unreadable');
  },
);

async function topUp(desk: Desk, amount: string): Promise<void> {
  await fetch(`${desk.sandbox.baseUrl}/sandbox/top-up`, {
    method: 'POST',
    headers: { 'x-api-key': desk.sandbox.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ currency: 'XAF', amount }),
  });
}

describe('an approval', () => {
  it.each(['Paul', 'paul', ' P a u l ', 'PÄUL', 'Pa-ul'])(
    'by %s, who brought the file as Paul, is none (approval_same_person)',
    async (by) => {
      const desk = await newDesk();
      const paydrop = await desk.open(REQUIRED);
      const { batch, words } = await asked(desk, paydrop, TWO, 'Paul');
      expect(said(words).join(' ')).toContain('A person other than Paul');
      expect(await approve(paydrop, batch, by)).toMatchObject({
        kind: 'refused',
        code: 'approval_same_person',
      });
      expect(await approve(paydrop, batch, 'Pauline')).toMatchObject({ kind: 'decided' });
    },
  );

  it('by who stands in the control file as the one that brings it is none', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    await desk.write('salaries.control.json', '{ "rows": 2, "submittedBy": "Jean Mbarga" }');
    const { batch } = await asked(desk, paydrop);
    expect(await approve(paydrop, batch, 'JEAN  MBARGA')).toMatchObject({ code: 'approval_same_person' });
  });

  it('counts once: the second is told who was first', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    const { batch } = await asked(desk, paydrop);
    const other = await desk.open(REQUIRED);
    const ends = await Promise.all([approve(paydrop, batch, 'Marie'), approve(other, batch, 'Ada')]);
    expect(ends.map(({ kind }) => kind).sort()).toEqual(['decided', 'decided-before']);
    const { given } = await askedOf(paydrop, batch);
    expect(ends.find(({ kind }) => kind === 'decided-before')?.words.en).toContain(given?.by);
  });

  it('of what nobody asked for, or of no batch, is none (approval_not_asked, batch_unknown)', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open();
    const { summary } = await processBatch(paydrop, await desk.file('a.csv', TWO), PATIENT);
    expect(await approve(paydrop, summary.batch)).toMatchObject({ code: 'approval_not_asked' });
    expect(await approve(paydrop, '20261120-00000000')).toMatchObject({ code: 'batch_unknown' });
  });

  it('that names another total than the preview is none (approval_total_differs)', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    const { batch } = await asked(desk, paydrop);
    const debit = (await askedOf(paydrop, batch)).totals[0]?.debit ?? '';
    expect(await approve(paydrop, batch, 'Marie', `${debit}0 XAF`)).toMatchObject({
      code: 'approval_total_differs',
    });
    expect(await approve(paydrop, batch, 'Marie', `${debit} XAF`)).toMatchObject({ kind: 'decided' });
  });

  it('is of these very bytes: a copy that was changed behind it is not paid', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    const { batch } = await asked(desk, paydrop);
    await approve(paydrop, batch);
    await appendFile(join(desk.workspace, 'processing', batch, 'salaries.csv'), `${line('C', '9000')}\n`);
    const [result] = (await resumeBatches(paydrop, batch, PATIENT)) ?? [];
    expect(result).toMatchObject({ isStopped: true });
    expect(await transfersOf(paydrop)).toEqual([]);
  });

  it('is of no other batch: each waits for its own', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    const first = await asked(desk, paydrop);
    const second = await processBatch(paydrop, await desk.file('b.csv', [line('X', '300')]), HURRIED);
    await approve(paydrop, first.batch);
    const results = (await resumeBatches(paydrop, null, PATIENT)) ?? [];
    expect(results.map(({ summary }) => summary.state)).toEqual(['closed', 'awaiting-approval']);
    expect(second.summary.batch).not.toBe(first.batch);
  });
});

describe('prices that have moved', () => {
  it('by less than maxDrift are paid; the approval covers them', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    const { batch } = await asked(desk, paydrop);
    await approve(paydrop, batch);
    await moveRate(desk, '7750');
    expire(desk);
    expect((await resume(paydrop, batch)).summary.outcomes.paid).toBe(2);
  });

  it('by more hold the rows before anything is sent, and once they are released it is asked anew', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    const { batch } = await asked(desk, paydrop);
    const before = (await askedOf(paydrop, batch)).totals[0]?.debit ?? '';
    await approve(paydrop, batch);
    await moveRate(desk, '7600');
    expire(desk);
    await resume(paydrop, batch);
    expect(await endsOf(paydrop, batch)).toEqual(['held price_moved', 'held price_moved']);
    await acceptPrices(paydrop, batch);
    const { summary } = await resume(paydrop, batch);
    expect(summary).toMatchObject({ state: 'awaiting-approval', outcomes: { pending: 2 } });
    const after = (await askedOf(paydrop, batch)).totals[0]?.debit ?? '';
    expect(compareDecimals(after, before)).toBe(1);
    expect(await transfersOf(paydrop)).toEqual([]);
    expect(await askedOf(paydrop, batch)).toMatchObject({ round: 2, given: null });
    expect((await resume(paydrop, batch)).summary.state).toBe('awaiting-approval');
    await approve(paydrop, batch, 'Ada');
    expect((await resume(paydrop, batch)).summary).toMatchObject({
      outcomes: { paid: 2 },
      totals: [{ debited: after }],
    });
    await sound(paydrop);
  });

  it('after a part was paid and the funds ran out: the rest is stopped and asked for', async () => {
    const desk = await newDesk({ balances: { XAF: '9000' } });
    const paydrop = await desk.open(REQUIRED);
    const { batch } = await asked(desk, paydrop);
    await approve(paydrop, batch);
    const short = await resume(paydrop, batch, HURRIED);
    expect(short.summary.waitingFor).toBe('funds');
    expect(await transfersOf(paydrop)).toHaveLength(1);
    await topUp(desk, '1000000');
    await moveRate(desk, '6000');
    expire(desk);
    await resume(paydrop, batch);
    expect(await endsOf(paydrop, batch)).toContain('held price_moved');
    await acceptPrices(paydrop, batch);
    const { summary, words } = await resume(paydrop, batch);
    expect(summary).toMatchObject({ state: 'awaiting-approval', outcomes: { paid: 1, pending: 1 } });
    expect(said(words).join(' ')).toMatch(
      /1 row of [\d,]+ XAF were sent before; the question is about the rest/,
    );
    expect(await transfersOf(paydrop)).toHaveLength(1);
    expect(await askedOf(paydrop, batch)).toMatchObject({ rows: 1, sent: [{ rows: 1 }] });
    await approve(paydrop, batch, 'Ada');
    expect((await resume(paydrop, batch)).summary).toMatchObject({ state: 'closed', outcomes: { paid: 2 } });
    await sound(paydrop);
  });

  it('back and forth before the answer ask for nothing twice', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    const { batch } = await asked(desk, paydrop);
    await moveRate(desk, '6000');
    await resume(paydrop, batch);
    await moveRate(desk, USUAL_RATE);
    expect(await askedOf(paydrop, batch)).toMatchObject({ round: 1 });
  });
});

describe('rows that are released', () => {
  const HELD = [line('A', '100'), line('', '200'), line('', '200')];

  async function release(paydrop: Paydrop, id: string): Promise<void> {
    const batch = await paydrop.ledger.batch(id);
    if (batch === null) throw new Error('There is no such batch.');
    await releaseRows(paydrop, batch, { by: 'Paul', reason: 'both are owed', rows: null, skip: false });
  }

  it('while the answer is awaited make the question another one (approval_outdated)', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    const { batch, words } = await asked(desk, paydrop, HELD);
    expect(await askedOf(paydrop, batch)).toMatchObject({ rows: 1 });
    expect(said(words).join(' ')).toContain('2 rows more are held and not included');
    await release(paydrop, batch);
    expect(await approve(paydrop, batch)).toMatchObject({ code: 'approval_outdated' });
    const again = await resume(paydrop, batch);
    expect(said(again.words).join(' ')).toContain('Rows were released');
    expect(await askedOf(paydrop, batch)).toMatchObject({ rows: 3, round: 2 });
    expect(await transfersOf(paydrop)).toEqual([]);
    const code = await codeOf(paydrop, batch);
    expect(said(again.words).join(' ')).toContain(`paydrop approve ${batch} --by NAME --question ${code}`);
    const unsaid = { by: 'Marie', via: 'the test' };
    const end = await approveBatch(paydrop, batch, unsaid);
    expect(end).toMatchObject({ code: 'approval_question_missing' });
    expect(end.words.en).toContain(`--question ${code}`);
    await approve(paydrop, batch);
    expect((await resume(paydrop, batch)).summary.outcomes.paid).toBe(3);
  });

  it('after it was approved, and before it is paid, are asked for with the others', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    const { batch } = await asked(desk, paydrop, HELD);
    await approve(paydrop, batch);
    await release(paydrop, batch);
    expect((await resume(paydrop, batch)).summary.state).toBe('awaiting-approval');
    expect(await transfersOf(paydrop)).toEqual([]);
  });

  it('when the approved ones are paid are not paid on their approval', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    const { batch } = await asked(desk, paydrop, HELD);
    await approve(paydrop, batch);
    expect((await resume(paydrop, batch)).summary.outcomes).toMatchObject({ paid: 1, held: 2 });
    await release(paydrop, batch);
    expect((await resume(paydrop, batch)).summary).toMatchObject({
      state: 'awaiting-approval',
      outcomes: { paid: 1, pending: 2 },
    });
    expect(await transfersOf(paydrop)).toHaveLength(1);
    await approve(paydrop, batch, 'Ada');
    await resume(paydrop, batch);
    expect(await endsOf(paydrop, batch)).toEqual(['paid', 'paid', 'paid']);
  });
});

describe('the evidence of a question', () => {
  it('keeps its name and its bytes when it is asked again, also by a ledger that knows less than the folder', async () => {
    const desk = await newDesk();
    const paydrop = await desk.open(REQUIRED);
    const { batch } = await asked(desk, paydrop);
    const first = await outboxFile(desk, `salaries.${batch}.preview-1.csv`);
    // A ledger that was lost since had asked four times.
    const folder = join(desk.workspace, 'processing', batch);
    await copyFile(
      join(folder, `salaries.${batch}.preview-1.csv`),
      join(folder, `salaries.${batch}.preview-4.csv`),
    );
    await desk.loseLedger();
    const rebuilt = await desk.open(REQUIRED);
    await rebuildFile(rebuilt, join(folder, 'salaries.csv'), HURRIED);
    expect((await resume(rebuilt, batch)).summary.state).toBe('awaiting-approval');
    const { preview, previewSha256, round } = await askedOf(rebuilt, batch);
    expect([preview, round]).toEqual([`salaries.${batch}.preview-5.csv`, 5]);
    expect(await hashFile(join(desk.workspace, 'outbox', preview))).toBe(previewSha256);
    expect(await outboxFile(desk, `salaries.${batch}.preview-1.csv`)).toBe(first);
  });
});
