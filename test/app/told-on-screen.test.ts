// What a run and `status` print about rows that were not paid, and about a batch that no process works on.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { checkFile } from '../../src/app/desk/check-file.ts';
import { batchStatuses, statusOf } from '../../src/app/desk/batch-status.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { paymentsWords, standingWords, unpaidLines } from '../../src/app/desk/standing-words.ts';
import { headline } from '../../src/cli/print-results.ts';
import { approve, corridorsInWords, release, resume } from '../../src/app/desk/commands.ts';
import { HOLDS, type HoldCode } from '../../src/payouts/hold.ts';
import { noOutcomes } from '../../src/results/summary.ts';
import { loadConfig } from '../../src/app/config/config.ts';
import { HEADER, line, openDesk, PATIENT, type Desk } from './desk.ts';
import { said } from './said.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

describe('held rows', () => {
  it('are told once a reason, with the commands that pay or cancel them', async () => {
    const file = await desk.file('pay.csv', [line('', '100'), line('B-1', '200'), line('', '100')]);
    const { summary, attention = [], words } = await processBatch(await desk.open(), file, PATIENT);
    const { batch } = summary;
    expect(unpaidLines(batch, attention, 'en')).toEqual([
      'rows 2, 4: held: Two rows of this file are the same payment and carry no reference. If both are meant, release both; if not, cancel one with --skip and release the other.',
      `    pay:    paydrop release ${batch} --rows 2,4 --by NAME --reason TEXT`,
      `    cancel: paydrop release ${batch} --rows 4 --skip --by NAME --reason TEXT`,
    ]);
    expect(said(words).join(' ')).not.toContain('paydrop status');
  });

  it('that paydrop looks at by itself, or that nobody can let go, get no command that would not help', () => {
    const held = (row: string, errorCode: HoldCode) =>
      ({
        row,
        outcome: 'held',
        errorCode,
        reason: 'R.',
        hold: { meaning: 'M.', lifts: HOLDS[errorCode].lifts },
      }) as const;
    expect(unpaidLines('b', [held('2', 'in_doubt_unseen')], 'en')).toEqual(['row 2: held: R.']);
    expect(unpaidLines('b', [held('Mai!3', 'in_doubt_unreadable')], 'fr')).toEqual([
      'ligne Mai!3\u00A0: retenu\u00A0: R.',
      '    annuler : paydrop release b --rows 3 --skip --by NOM --reason TEXTE'.replace(' :', '\u00a0:'),
    ]);
  });

  it('whose end only the service knows get the one command that takes its word', () => {
    const row = { row: '3', outcome: 'held', errorCode: 'status_went_back', reason: 'R.' } as const;
    expect(unpaidLines('b', [{ ...row, hold: { meaning: 'M.', lifts: 'service' } }], 'en')).toEqual([
      'row 3: held: R.',
      '    accept: paydrop release b --rows 3 --by NAME --reason TEXT',
    ]);
  });

  it('of one reason each name the row that they mean', () => {
    const held = (row: string, other: string) => ({
      ...{ row, outcome: 'held' as const, errorCode: 'earlier_row_paid' },
      ...{ reason: `M. (row ${other} of batch a)`, hold: { meaning: 'M.', lifts: 'release' as const } },
    });
    expect(unpaidLines('b', [held('2', '7'), held('3', '9')], 'en').slice(0, 3)).toEqual([
      'rows 2, 3: held: M.',
      '    row 2: (row 7 of batch a)',
      '    row 3: (row 9 of batch a)',
    ]);
  });

  it('that are equal get no command that would cancel all of them', () => {
    const held = (row: string) =>
      ({ row, outcome: 'held', errorCode: 'equal_rows', reason: 'R.', hold: null }) as const;
    const [, , cancel] = unpaidLines('b', ['2', '4', '7'].map(held), 'en');
    expect(cancel).toBe('    cancel: paydrop release b --rows LIST --skip --by NAME --reason TEXT');
  });

  it('of which the others are decided can be cancelled by the command as it stands', () => {
    const last = { row: '4', outcome: 'held', errorCode: 'equal_rows', reason: 'R.', hold: null } as const;
    expect(unpaidLines('b', [last], 'en').at(-1)).toBe(
      '    cancel: paydrop release b --rows 4 --skip --by NAME --reason TEXT',
    );
  });

  it('of many reasons are told for ten of them', () => {
    const rows = Array.from({ length: 14 }, (_, index) => ({
      row: String(index),
      outcome: 'failed' as const,
      errorCode: '10005',
      reason: `Reason ${String(index)}.`,
      hold: null,
    }));
    const lines = unpaidLines('b', rows, 'en');
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe('… and rows with 4 other reasons; see the result.');
  });
});

it('a batch whose process is gone is told as interrupted, with the command that goes on', async () => {
  const stopped = new AbortController();
  const paydrop = await desk.open('service: { concurrency: 1 }');
  const file = await desk.file('pay.csv', [line('A-1', '100'), line('A-2', '200'), line('A-3', '300')]);
  const moved = ({ sent }: { readonly sent: number }) => {
    if (sent > 0) stopped.abort();
  };
  const view = { ...PATIENT.view, moved };
  await processBatch(paydrop, file, { ...PATIENT, signal: stopped.signal, view });
  const [working] = (await batchStatuses(paydrop, true)).batches;
  expect(working?.sentence).toContain('Is being paid');
  await desk.shut();
  const later = await desk.open();
  const [batch] = await later.ledger.batches();
  if (batch === undefined) throw new Error('The batch is not known.');
  const gone = await statusOf(later, { ...batch, owner: 'gone' });
  expect(gone.sentence).toMatch(
    /^Interrupted: \d of 3 rows sent, \d not sent yet\. No process is working on it; /,
  );
  expect(gone).toMatchObject({ standing: 'interrupted', stands: 'interrupted' });
  expect(working).toMatchObject({ standing: 'paying', stands: 'being paid' });
});

it.each([
  [
    { held: 2, pending: 4 },
    '0 of 6 rows sent, 2 held, 4 not sent yet.',
    '0 sur 6 lignes envoyées, 2 retenues, ',
  ],
  [
    { paid: 1, submitted: 1, failed: 1, rejected: 1, duplicate: 1, pending: 1 },
    '3 of 6 rows sent, 1 not sent yet.',
    '3 sur 6 lignes envoyées, 1 pas',
  ],
])('an interrupted batch with %j counts as sent only what the service was sent', (some, en, fr) => {
  const outcomes = { ...noOutcomes(), ...some };
  const file = { name: 'pay.csv', sha256: '', rows: 6 };
  const words = standingWords({ standing: 'interrupted', outcomes, file, finishedAt: null }, 'nobody');
  expect(words.en).toContain(`Interrupted: ${en}`);
  expect(words.fr).toContain(fr);
});

it('a command that ends in the midst of a file calls it interrupted, not being paid', async () => {
  const file = await desk.file('pay.csv', [line('A-1', '100')]);
  const { summary } = await processBatch(await desk.open(), file, PATIENT);
  const left = {
    ...summary,
    state: 'paying',
    standing: 'paying',
    waitingFor: null,
    outcomes: { ...noOutcomes(), pending: 1 },
  } as const;
  expect(headline(left).en).toBe(`pay.csv: 1 row, batch ${summary.batch}, interrupted`);
  expect(headline(left, true).en).toMatch(/, being paid$/);
  expect(headline({ ...left, standing: 'awaiting-service' }).en).toMatch(/, waits for the payout service$/);
});

it('a column that holds both names is named, with the command that splits it', async () => {
  const header =
    'Nom et prénoms,N° de portefeuille,Montant,Devise,Motif,Mode de paiement,Pays,Type de transaction';
  const path = await desk.write(
    'paie.csv',
    `${header}\nNGO Clarisse,+8613800138000,2000,XAF,Salaire,Alipay,Chine,B2C\n`,
  );
  const { about, summary } = await checkFile(await desk.open(), path);
  // Whoever opens the answer may have no terminal.
  const [rejected = ''] = summary.answers;
  expect(await readFile(join(desk.workspace, 'outbox', rejected), 'utf8')).toContain(
    'say once how to split it, where you match the columns',
  );
  expect(about).toEqual([
    '1 row to fix:',
    '  Row 2, First name (receiver.firstName) and Last name (receiver.lastName): The corridor chn-cny-b2c-alipay needs the last name and the first name in two columns. Your column «Nom et prénoms» holds both: add the two columns, or confirm once how to split it: paydrop profile paie.csv --split "Nom et prénoms=receiver.lastName,receiver.firstName,capitals" --save.',
  ]);
});

it('columns that are not known are told once, with the command that can say what they are', async () => {
  const paydrop = await desk.open();
  const own = (name: string): Promise<string> =>
    desk.write(name, `${HEADER},Kto,Bemerkung\n${line('A-1', '100')},12345678,x\n`);
  expect(said((await checkFile(paydrop, await own('pay.csv'))).words)).toEqual([
    'The columns "Kto", "Bemerkung" are not known and are ignored. If one matters, "paydrop profile pay.csv" shows how to have it read.',
    'Every row can be paid.',
  ]);
  await desk.write('profiles/own.yaml', 'files: [pay.csv]\ncolumns: { Kto: ignore }\n');
  const read = await checkFile(await desk.open(), await own('pay.csv'));
  expect(said(read.words)).toEqual([
    'The column "Bemerkung" is not known and is ignored.',
    'Every row can be paid.',
  ]);
});

it.each([
  ['paie.csv', 'paydrop profile paie.csv'],
  ["Paie d'août.csv", String.raw`paydrop profile 'Paie d'\''août.csv'`],
  ['paie\u202E.csv', 'paydrop profile FILE'],
])('a file %j with an unknown header is refused with the command that reads it', async (name, command) => {
  const path = await desk.write(name, 'eins,zwei\nx,y\n');
  const paydrop = await desk.open();
  for (const { words } of [await checkFile(paydrop, path), await processBatch(paydrop, path, PATIENT)])
    expect(said(words).join(' ')).toContain(`"${command}" proposes`);
});

it('a file that a limit stops waits for a person, and names the command that lifts it', async () => {
  const paydrop = await desk.open(
    'limits: { perDay: 20000 XAF }\npolicy: { approval: required }\nlanguage: fr',
  );
  const file = await desk.file('pay.csv', [line('A-1', '100'), line('A-2', '200')]);
  const { summary } = await processBatch(paydrop, file, PATIENT);
  const order = { by: 'Marie Ngo', total: null, said: { question: null }, via: 'test', systemUser: 'test' };
  await approve(paydrop, summary.batch, order);
  await resume(paydrop, summary.batch, PATIENT);
  const [batch] = await paydrop.ledger.batches();
  if (batch === undefined) throw new Error('The batch is not known.');
  const status = await statusOf(paydrop, { ...batch, owner: 'gone' });
  expect(status.standing).toBe('needs-decision');
  expect(status.next).toBe(`paydrop release ${batch.id} --by NOM --reason TEXTE`);
  expect(status.sentence).toBe('Pas encore envoyé\u00a0: 2 sur 2 lignes.');
  expect(status.words).toMatch(/^Approuvé par Marie Ngo/);
  // Neither the approval nor an interrupted run sends to a command that the limit stops.
  expect(`${status.words ?? ''} ${status.sentence}`).not.toMatch(/Interrompu|ou « paydrop watch »/);
});

it('the same bytes under another name are told with that name, and with the one that they had', async () => {
  const paydrop = await desk.open();
  const [first, copy] = [
    await desk.file('pay.csv', [line('A-1', '100')]),
    await desk.file('copy.csv', [line('A-1', '100')]),
  ];
  await processBatch(paydrop, first, PATIENT);
  const { brought, words } = await processBatch(paydrop, copy, PATIENT);
  expect(brought).toBe('copy.csv');
  expect(said(words).join(' ')).toContain('as "pay.csv"');
});

it('a sum says how many amounts it leaves out', () => {
  const sums = [{ currency: 'XAF', rows: 2, amount: '249000' }];
  expect(paymentsWords({ payments: 3, sums })).toMatchObject({
    en: '3 payments, 249,000 XAF (1 amount is missing or unreadable)',
  });
  expect(paymentsWords({ payments: 2, sums }).en).toBe('2 payments, 249,000 XAF');
});

it('a folder of a workspace is no workspace: its ledger and its answers would lie where files are taken', async () => {
  const { workspace } = await desk.open();
  for (const name of ['inbox', 'outbox', 'processing', 'archive', 'refused'])
    expect(() => loadConfig({ workspace: `${workspace.root}/${name}` }, {})).toThrow(
      `use --workspace ${workspace.root}`,
    );
  expect(loadConfig({ workspace: `${workspace.root}/inbox/salaries` }, {}).workspacePath).toContain(
    'salaries',
  );
  expect(loadConfig({ workspace: workspace.root }, {}).workspacePath).toBe(workspace.root);
});

it('a way to pay is told in words, with the headers that a spreadsheet may have', async () => {
  const words = ['Chine', 'Virement', 'B2C'];
  const [found, ...others] = await corridorsInWords(await desk.open('language: fr'), words);
  expect(others).toEqual([]);
  expect(found).toContain(
    'pays Chine (CHN), en CNY, d’une entreprise à un particulier (B2C), par virement bancaire',
  );
  expect(found).toMatch(/de 50,00 à 350\s000,00 CNY par paiement/);
  expect(found).toContain('Titulaire du compte + N° de compte + Code SWIFT');
});

it('rows that were let go are not waited for any more, before anybody has gone on with them', async () => {
  const paydrop = await desk.open();
  const file = await desk.file('pay.csv', [line('', '100'), line('', '100')]);
  const { summary } = await processBatch(paydrop, file, PATIENT);
  await release(paydrop, summary.batch, { by: 'Marie Ngo', reason: 'both are due', rows: null, skip: false });
  const [batch] = await paydrop.ledger.batches();
  if (batch === undefined) throw new Error('The batch is not known.');
  const status = await statusOf(paydrop, { ...batch, owner: 'gone' });
  expect(status).toMatchObject({ words: null, next: `paydrop resume ${batch.id}`, waitingFor: null });
  expect(status).toMatchObject({ standing: 'ready', stands: 'ready; nobody works on it' });
  expect(status.sentence).toBe(
    'Ready: 0 of 2 rows sent, 2 not sent yet. No process is working on it; "paydrop resume" goes on.',
  );
});

it('rows that were cancelled leave a file decided, not interrupted, until a run writes its answers', async () => {
  const paydrop = await desk.open();
  const file = await desk.file('pay.csv', [line('', '100'), line('', '100'), line('B-1', '200')]);
  const { summary } = await processBatch(paydrop, file, PATIENT);
  const order = { by: 'Marie Ngo', reason: 'not due', skip: true };
  const stands = async () => {
    const [batch] = await paydrop.ledger.batches();
    if (batch === undefined) throw new Error('The batch is not known.');
    return statusOf(paydrop, { ...batch, owner: 'gone' });
  };
  await release(paydrop, summary.batch, { ...order, rows: new Set(['2']) });
  expect(await stands()).toMatchObject({
    standing: 'needs-decision',
    next: `paydrop status ${summary.batch}`,
    // One of the two rows is decided: a number that was noted before would be wrong.
    words: 'Held rows wait for a person.',
  });
  await release(paydrop, summary.batch, { ...order, rows: null });
  expect(await stands()).toMatchObject({
    standing: 'ready',
    words: null,
    sentence:
      'Ready: 1 of 3 rows sent, the answers are not written yet. No process is working on it; "paydrop resume" goes on.',
    next: `paydrop resume ${summary.batch}`,
  });
  const [closed] = (await resume(paydrop, summary.batch, PATIENT)) ?? [];
  expect(await stands()).toMatchObject({ standing: 'done-not-paid', stands: 'done, 2 not paid', next: null });
  // Nothing is to be corrected.
  expect(closed?.summary.answers.filter((name) => name.includes('rejected'))).toEqual([]);
});
