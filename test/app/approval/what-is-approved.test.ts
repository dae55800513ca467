// What a decision covers: every payment as it was read, every warning with its row, and who let what go. Whatever changes it is a new question.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { approve } from '../../../src/app/desk/commands.ts';
import { examine } from '../../../src/app/desk/doctor.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { own } from '../../ledger/own.ts';
import { questionOfBatch } from '../../../src/app/workflow/approval/decide-approval.ts';
import { processBatch, resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import { type Asked, questionDigest } from '../../../src/ledger/approval.ts';
import { releaseByOrder } from '../../../src/app/workflow/decisions/release-rows.ts';
import { changeAccount } from './change-account.ts';
import { type Desk, HEADER, HURRIED, line, lineTo, openDesk, PATIENT, transfersOf } from '../desk.ts';

const WITH = 'policy: { approval: required, approvalBy: name }';

let desk: Desk;
let paydrop: Paydrop;
beforeEach(async () => {
  desk = await openDesk();
  paydrop = await desk.open(WITH);
});
afterEach(() => desk.close());

const SHARED = {
  en: 'Unusual: row 3, Jie Chen: Row 2 pays another receiver on the same account.',
  fr: 'Inhabituel : ligne 3, Jie Chen : La ligne 2 paie un autre bénéficiaire sur le même compte.',
};
const TENFOLD = {
  en: 'Unusual: row 2, Wei Li: At least ten times the last payment to this receiver (100.00 CNY on',
  fr: 'Inhabituel : ligne 2, Wei Li : Au moins dix fois le dernier paiement à ce bénéficiaire (100,00 CNY le',
};
const PEOPLE = ['Li Wei', 'Chen Jie', 'Wang Fang'];

/** Salaries of three people to accounts that end in these digits. */
function salaries(month: string, digits: string, amount = '100'): readonly string[] {
  return PEOPLE.map((name, at) => {
    const [last = '', first = ''] = name.split(' ');
    return line(`${month}-${String(at)}`, amount)
      .replace('Li,Wei', `${first},${last}`)
      .replace('8613800138000', `8613800${String(at)}${digits}`);
  });
}

async function taken(name: string, lines: readonly string[], by = ['Armand Mbarga']): Promise<string> {
  const { summary } = await processBatch(paydrop, await desk.file(name, lines), HURRIED, false, by);
  return summary.batch;
}

async function asked(batch: string) {
  const record = await paydrop.ledger.batch(batch);
  const question = record === null ? null : questionOfBatch(record);
  if (question === null) throw new Error('Nothing was asked.');
  return question;
}

const approved = (batch: string, by = 'Marie Ngo') =>
  approve(paydrop, batch, { by, via: 'the test', said: { question: null } });

async function paid(name: string, lines: readonly string[]): Promise<void> {
  const batch = await taken(name, lines);
  expect((await approved(batch)).kind).toBe('decided');
  await resumeBatches(paydrop, batch, PATIENT);
}

describe('a question', () => {
  it('has every changed account first, old and new, with its amount, in words, page and digest', async () => {
    await paid('salaries 10.csv', salaries('oct', '0001'));
    const same = await asked(await taken('salaries 11.csv', salaries('nov', '0001', '101')));
    expect(same.subject.warned).toEqual({ rows: 0, changedAccounts: 0 });
    const question = await asked(await taken('salaries 12.csv', salaries('dec', '7600', '102')));
    expect(question.subject.warned).toEqual({ rows: 3, changedAccounts: 3 });
    expect(question.subject.warnings[0]).toMatchObject({
      kind: 'changed_account',
      row: '2',
      before: '••• 0001',
      after: '••• 7600',
      amount: '102',
    });
    expect(question.words.en).toMatch(/^LOOK AT THE ACCOUNTS: 3 receivers/);
    expect(question.words.en).toContain(
      'Wei Li (row 2): ••• 0001 → ••• 7600, 102.00 CNY; Jie Chen (row 3): ',
    );
    expect(question.words.fr).toMatch(/^VÉRIFIEZ LES COMPTES : 3 bénéficiaires/);
  });

  it('has what is received beside what is debited, the fees, and the rows that are left out', async () => {
    const skipping = `${WITH.slice(0, -2)}, onInvalidRows: skip-rows }`;
    paydrop = await desk.open(skipping);
    const bad = lineTo('bad', 'B-1', '100').replace('SALARY_PAYMENT', '');
    const { subject, words } = await asked(await taken('some.csv', [lineTo('a', 'A-1', '100'), bad]));
    expect(subject.received).toEqual([{ currency: 'CNY', rows: 1, amount: '100' }]);
    expect(subject.fees).toMatchObject([{ currency: 'XAF' }]);
    expect(subject.leftOut).toEqual({ rejected: 1, duplicate: 0, held: 0 });
    expect(words.en).toContain('100.00 CNY would be received');
    expect(words.en).toContain('1 row of the file is to fix and left out');
  });

  it.each([
    ['shared_account', () => [line('S-1', '100'), line('S-2', '101').replace('Li,Wei', 'Jie,Chen')], SHARED],
    ['ten_times', () => salaries('jan', '0001', '1500').slice(0, 1), TENFOLD],
  ] as const)(
    'has the warning of a row that is unusual, with row and reason: %s',
    async (kind, lines, said) => {
      await paid('before.csv', salaries('oct', '0001'));
      const { subject, words } = await asked(await taken('unusual.csv', lines()));
      expect(subject.warnings.map((each) => each.kind)).toContain(kind);
      expect(words.en).toContain(said.en);
      expect(words.fr).toContain(said.fr);
    },
  );

  it('names the first of many unusual rows with their reasons, and the others by their rows', async () => {
    const lines = Array.from({ length: 9 }, (_, at) =>
      line(`S-${String(at)}`, String(100 + at)).replace('Li,Wei', `Jie${'abcdefghi'[at] ?? ''},Chen`),
    );
    const { words } = await asked(await taken('shared.csv', lines));
    expect(words.en).toContain('row 7, Jief Chen: Row 2 pays another receiver on the same account.');
    expect(words.en).toContain('also rows 8, 9, 10 (see the preview)');
  });

  it('has one digest over all that it says: whatever of it were another, the digest would be', async () => {
    const id = await taken('salaries 11.csv', salaries('nov', '0001'));
    const record = await paydrop.ledger.batch(id);
    const { approval } = record ?? {};
    if (record === null || approval?.kind !== 'asked') throw new Error('Nothing was asked.');
    const digest = questionDigest(record, approval);
    const { subject } = approval;
    const words = { en: 'another', fr: 'un autre', es: 'otro' };
    // Of the warnings themselves the digest over all of them stands for the first that are shown.
    const others: Record<Exclude<keyof typeof subject, 'warnings'>, unknown> = {
      payments: '0'.repeat(64),
      received: [],
      fees: [],
      leftOut: { ...subject.leftOut, held: 1 },
      released: [{ by: 'Ama', reason: 'right', rows: ['2'] }],
      warned: { rows: 1, changedAccounts: 1 },
      verifiedBy: ['Ama'],
      warningsDigest: '0'.repeat(64),
      readBy: { profile: 'salaries', author: 'Ben', confirmedBy: null },
      payAt: '2026-12-28T07:00:00Z',
      limits: words,
    };
    expect([...Object.keys(others), 'warnings'].sort()).toEqual(Object.keys(subject).sort());
    for (const [name, other] of Object.entries(others)) {
      const changed = { ...approval, subject: { ...approval.subject, [name]: other } } as Asked;
      expect([name, questionDigest(record, changed) === digest]).toEqual([name, false]);
    }
  });

  it('says which limits it meets, and that approving does not lift them', async () => {
    paydrop = await desk.open(`${WITH}\nlimits: { perDay: 1000 XAF }`);
    const { words } = await asked(await taken('much.csv', [lineTo('a', 'A-1', '100')]));
    expect(words.en).toContain('Approving does not lift that limit');
  });

  it('says who let a held row go, and why; that person does not approve where another may', async () => {
    paydrop = await desk.open(
      `${WITH}\napprovers: [{ name: Marie Ngo, folder: marie }, { name: Joe Tchoua, folder: joe }]`,
    );
    const equal = lineTo('twice', '', '100');
    const batch = await taken('twice.csv', [equal, equal, lineTo('other', 'O-1', '50')]);
    const record = await own(paydrop.ledger, batch);
    const order = { by: 'Marie Ngo', reason: 'two salaries', rows: null, skip: false };
    expect(await releaseByOrder(paydrop, record, { ...order, by: 'Armand Mbarga' })).toMatchObject({
      code: 'approval_same_person',
    });
    expect(await releaseByOrder(paydrop, record, order)).toMatchObject({ released: ['2', '3'] });
    await resumeBatches(paydrop, batch, HURRIED);
    const question = await asked(batch);
    expect(question.subject.released).toEqual([
      { by: 'Marie Ngo', reason: 'two salaries', rows: ['2', '3'] },
    ]);
    expect(question.words.en).toContain('released by Marie Ngo (two salaries): rows 2, 3');
    const said = { question: question.code };
    expect(await approve(paydrop, batch, { by: 'Marie Ngo', via: 'the test', said })).toMatchObject({
      code: 'approval_released_it',
    });
    expect((await approve(paydrop, batch, { by: 'Joe Tchoua', via: 'the test', said })).kind).toBe('decided');
  });
});

describe('an approval', () => {
  it('of a file with more changed accounts than policy.verifyAbove says how they were verified', async () => {
    paydrop = await desk.open(`${WITH.slice(0, -2)}, verifyAbove: 2 }`);
    await paid('salaries 10.csv', salaries('oct', '0001'));
    const batch = await taken('salaries 11.csv', salaries('nov', '7600', '101'));
    expect(await approved(batch)).toMatchObject({ code: 'approval_unverified' });
    const order = {
      by: 'Marie Ngo',
      via: 'the test',
      verified: 'called all three',
      said: { question: null },
    };
    expect((await approve(paydrop, batch, order)).kind).toBe('decided');
    expect((await asked(batch)).given).toMatchObject({ verified: 'called all three' });
  });

  it('is dispensed with by the total of a door, whatever names were typed, and by that of the day', async () => {
    paydrop = await desk.open(
      'policy: { approval: 20000 XAF, approvalPerDay: 30000 XAF }\ntenants: [{ folder: lyon }]',
    );
    const inbox = async (name: string, by: string) => {
      const batch = await taken(`${name}.csv`, [lineTo(name, `${name}-1`, '100')], [by]);
      return (await paydrop.ledger.batch(batch))?.approval?.kind;
    };
    expect(await inbox('one', 'Ada Eto')).toBe('not-asked');
    expect(await inbox('two', 'Ben Foe')).toBe('not-asked');
    expect(await inbox('three', 'Cleo Gono')).toBe('asked');
  });

  it('is dispensed with by the door that the config names, whatever folders somebody made in it', async () => {
    paydrop = await desk.open(
      'policy: { approval: 20000 XAF }\ntenants: [{ folder: lyon }, { folder: kribi }]',
    );
    const kinds: Record<string, unknown> = {};
    for (const folder of ['lyon', 'lyon/a', 'lyon/a/b', 'lyon/c', 'kribi/a', 'kribi']) {
      const name = folder.replaceAll('/', '-');
      const inbox = join(paydrop.workspace.inbox, folder);
      await mkdir(inbox, { recursive: true });
      const path = join(inbox, `${name}.csv`);
      await writeFile(path, `${HEADER}\n${lineTo(name, `${name}-1`, '100')}\n`);
      const { summary } = await processBatch(paydrop, path, HURRIED, false, []);
      kinds[folder] = (await paydrop.ledger.batch(summary.batch))?.approval?.kind;
    }
    expect(kinds).toEqual({
      lyon: 'not-asked',
      'lyon/a': 'not-asked',
      'lyon/a/b': 'asked',
      'lyon/c': 'asked',
      'kribi/a': 'not-asked',
      kribi: 'not-asked',
    });
  });

  it('does not pay what the ledger says otherwise by now: it is a new question, and doctor names the file', async () => {
    const batch = await taken('changed.csv', salaries('nov', '0001'));
    const before = await asked(batch);
    expect((await approved(batch)).kind).toBe('decided');
    await desk.shut();
    await changeAccount(desk.workspace, batch);
    paydrop = await desk.open(WITH);
    const signatures = (await examine(paydrop)).find(({ name }) => name === 'signatures');
    expect(signatures).toMatchObject({ ok: false, words: { en: expect.stringContaining(batch) as string } });
    await resumeBatches(paydrop, batch, HURRIED);
    expect(await transfersOf(paydrop)).toEqual([]);
    const question = await asked(batch);
    expect(question.digest).not.toBe(before.digest);
    expect(question).toMatchObject({ state: 'waiting', round: 2 });
    expect(question.words.en).toContain('no longer those that were approved');
  });
});
