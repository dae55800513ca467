// An account that somebody has verified with its payee is no new one any more: exactly this account of this payee, and not for files of who verified it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { Search } from '../../src/app/desk/find.ts';
import { Payees } from '../../src/app/desk/payees.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { openPeopleFile } from '../../src/app/people/people-file.ts';
import { VerifiedAccounts } from '../../src/app/people/verified-accounts.ts';
import { systemClock } from '../../src/base/clock.ts';
import { approveBatch } from '../../src/app/workflow/approval/decide-approval.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, type Desk } from './desk.ts';

let desk: Desk;
let paydrop: Paydrop;
beforeEach(async () => {
  desk = await openDesk();
  paydrop = await desk.open('policy: { newAccount: hold }');
});
afterEach(() => desk.close());

const to = (name: string, reference: string, digits: string): string =>
  line(reference, String(100 + reference.charCodeAt(0)))
    .replace('Li,Wei', name)
    .replace('138000', digits);

/** What becomes of the rows of a file that somebody brings. */
async function ran(name: string, rows: readonly string[], by = 'Armand Mbarga') {
  const file = await desk.file(name, rows);
  const { summary } = await processBatch(paydrop, file, PATIENT, false, [by]);
  return { batch: summary.batch, ends: await endsOf(paydrop, summary.batch) };
}

async function verify(batch: string, row: string, by: string, thenWithdraws = false): Promise<unknown> {
  const file = openPeopleFile({ root: desk.workspace }, systemClock);
  const search = new Search(paydrop, false);
  try {
    const verified = new VerifiedAccounts(file);
    const payees = new Payees(search, verified);
    const { id = '' } = (await payees.ofRow(batch, row)) ?? {};
    const said = { batch, row, how: 'by telephone' };
    const end = await payees.verify(verified, id, { ...said, decider: { by } });
    return thenWithdraws ? await payees.withdraw(verified, id, { ...said, by }) : end;
  } finally {
    await search.close();
    file.database.close();
  }
}

it('counts for exactly this account and payee, and not for a file of who verified it', async () => {
  await ran('a.csv', [to('Jean,Fotso', 'A', '131111'), to('Ana,Biya', 'B', '132222')]);
  const asked = await ran('b.csv', [to('Jean,Fotso', 'C', '133333'), to('Ana,Biya', 'D', '134444')]);
  expect(asked.ends).toEqual(['held new_account', 'held new_account']);
  expect(await verify(asked.batch, '2', 'Marie Ngo')).toBe('verified');
  // The row that was held stays a person's to release.
  expect(await endsOf(paydrop, asked.batch)).toEqual(asked.ends);
  const own = await ran('c.csv', [to('Jean,Fotso', 'E', '133333')], 'Ngo Marie');
  expect(own.ends).toEqual(['held new_account']);
  const next = await ran('d.csv', [
    to('Jean,Fotso', 'F', '133333'),
    to('Jean,Fotso', 'G', '135555'),
    to('Ana,Biya', 'H', '133333'),
  ]);
  expect(next.ends).toEqual(['paid', 'held new_account', 'held new_account']);
  expect(await verify(asked.batch, '3', 'Marie Ngo', true)).toBe(true);
  expect((await ran('e.csv', [to('Ana,Biya', 'I', '134444')])).ends).toEqual(['held new_account']);
});

it('is doubted again once that is withdrawn, also where it was paid meanwhile', async () => {
  await ran('a.csv', [to('Jean,Fotso', 'A', '131111')]);
  const asked = await ran('b.csv', [to('Jean,Fotso', 'B', '133333')]);
  await verify(asked.batch, '2', 'Marie Ngo');
  expect((await ran('c.csv', [to('Jean,Fotso', 'C', '133333')])).ends).toEqual(['paid']);
  await verify(asked.batch, '2', 'Marie Ngo', true);
  expect((await ran('d.csv', [to('Jean,Fotso', 'D', '133333')])).ends).toEqual(['held new_account']);
  await verify(asked.batch, '2', 'Joe Tchoua');
  expect((await ran('e.csv', [to('Jean,Fotso', 'E', '133333')])).ends).toEqual(['paid']);
});

it('lets whoever verified it approve no file in which that counts, where another may', async () => {
  await ran('a.csv', [to('Jean,Fotso', 'A', '131111')]);
  const { batch } = await ran('b.csv', [to('Jean,Fotso', 'B', '133333')]);
  await verify(batch, '2', 'Marie Ngo');
  await desk.shut();
  const names = ['Marie Ngo', 'Joe Tchoua'].map((name) => `{ name: ${name}, folder: ${name.slice(0, 3)} }`);
  paydrop = await desk.open(`policy: { approval: required }\napprovers: [${names.join(', ')}]`);
  const asked = await ran('c.csv', [to('Jean,Fotso', 'C', '133333')]);
  const approvedBy = (by: string) => approveBatch(paydrop, asked.batch, { by, via: 'a test' });
  expect(await approvedBy('Marie Ngo')).toMatchObject({ kind: 'refused', code: 'approval_released_it' });
  expect(await approvedBy('Joe Tchoua')).toMatchObject({ kind: 'decided' });
});

it('is told to whoever approves, apart from the accounts that nobody has asked about', async () => {
  await ran('a.csv', [to('Jean,Fotso', 'A', '131111'), to('Ana,Biya', 'B', '132222')]);
  const { batch } = await ran('b.csv', [to('Jean,Fotso', 'C', '133333')]);
  await verify(batch, '2', 'Marie Ngo');
  await desk.shut();
  paydrop = await desk.open('policy: { approval: required }');
  const file = await desk.file('c.csv', [to('Jean,Fotso', 'D', '133333'), to('Ana,Biya', 'E', '134444')]);
  const { summary } = await processBatch(paydrop, file, HURRIED);
  const { approval } = (await paydrop.ledger.batch(summary.batch)) ?? {};
  const subject = approval?.kind === 'asked' ? approval.subject : null;
  expect(subject?.warned).toMatchObject({ rows: 2, changedAccounts: 1 });
  expect(subject?.warnings.map(({ kind, row, before, words }) => [kind, row, before, words.en])).toEqual([
    ['changed_account', '3', '••• 2222', expect.any(String)],
    ['verified_account', '2', '••• 1111', expect.stringContaining('Marie Ngo verified it')],
  ]);
});

it('holds up no payment where the file of people cannot be read', async () => {
  await ran('a.csv', [to('Jean,Fotso', 'A', '131111')]);
  const { batch } = await ran('b.csv', [to('Jean,Fotso', 'C', '133333')]);
  await verify(batch, '2', 'Marie Ngo');
  await writeFile(join(desk.workspace, 'people.sqlite'), 'not a database, '.repeat(4096));
  const { ends } = await ran('c.csv', [to('Jean,Fotso', 'D', '133333'), to('Ana,Biya', 'E', '134444')]);
  expect(ends).toEqual(['held new_account', 'paid']);
});
