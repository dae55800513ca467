// A reader of French learns in French what happens to a file and what to do; the names of columns and codes stay the same.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import excel, { type Worksheet } from 'exceljs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { statusOf } from '../../src/app/desk/batch-status.ts';
import { rowsThatNeedAttention, type Summary } from '../../src/results/summary.ts';
import { checkFile } from '../../src/app/desk/check-file.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { loadCorridors } from '../../src/app/workflow/validate/check-rules.ts';
import { previewFile } from '../../src/app/desk/preview-file.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { writeTemplate } from '../../src/app/desk/write-template.ts';
import { canonicalOf, namedHeader } from '../../src/rows/known-columns.ts';
import { HURRIED, line, openDesk, PATIENT, type Desk } from './desk.ts';
import { said as spoken } from './said.ts';

const FRENCH = 'language: fr';

let desk: Desk;
beforeEach(async () => void (desk = await openDesk()));
afterEach(() => desk.close());

/** With plain spaces, as they are typed. */
const plain = (text: string): string => text.replaceAll('\u00a0', ' ');

async function answerOf({ answers }: Pick<Summary, 'answers'>, kind: string): Promise<string> {
  const name = answers.find((each) => each.includes(`.${kind}.`));
  return plain(await readFile(join(desk.workspace, 'outbox', name ?? ''), 'utf8'));
}

async function duplicateOf(batch: string, stem: string): Promise<string> {
  return answerOf({ answers: [`${stem}.${batch}.duplicate.json`] }, 'duplicate');
}

async function batchIn(paydrop: Paydrop) {
  const [batch] = await paydrop.ledger.batches();
  if (batch === undefined) throw new Error('There is no batch.');
  return batch;
}

it('every fault of a file is told in the language of the config', async () => {
  const file = await desk.file('paie.csv', [
    line('A-1', ''),
    line('A-2', '-5'),
    line('A-3', '100.1234'),
    line('A-4', '99999999'),
    line('A-5', '100').replace('CHN,B2C', 'Chinna,B2C'),
    line('A-6', '100').replace('SALARY_PAYMENT', 'Loyer'),
    line('A-7', '100').replace(',XAF,', ',GBP,'),
    line('A-1', '100'),
  ]);
  const { summary, words } = await checkFile(await desk.open(FRENCH), file);
  const text = await answerOf(summary, 'rejected');
  for (const words of [
    'La ligne n’a pas de montant',
    'Seuls les montants supérieurs à zéro',
    'a au plus 2 décimales',
    'ce corridor paie de',
    'n’est pas un pays',
    'n’est pas un objet de paiement',
    'ne peut pas être payé en GBP',
    'figure déjà à la ligne 2',
  ])
    expect(text).toContain(words);
  expect(text).not.toMatch(/\b(the|write|corridor pays|amount is)\b/i);
  expect(spoken(words, 'fr').join(' ')).toMatch(/^Corrigez votre fichier ou /);
});

describe('a file that is refused whole', () => {
  it('is told why, where, and what to do', async () => {
    const file = await desk.file('paie.csv', [line('A-1', '1.234')]);
    const { summary, words } = await processBatch(await desk.open(FRENCH), file, PATIENT);
    const refused = await answerOf(summary, 'refused');
    expect(refused).toContain('"code": "number_ambiguous"');
    expect(refused).toContain('« 1.234 » (ligne 2, colonne « destinationAmount » (F2)) peut signifier');
    expect(refused).toContain('indiquez une fois pour toutes quel signe sépare les décimales');
    expect(spoken(words, 'fr').join(' ')).toContain('Rien n’a été envoyé. Le motif se trouve dans ');
  });

  it('by the reader of workbooks is told in the same language', async () => {
    const file = await desk.file('paie.xlsx', [line('A-1', '100')]);
    const { summary } = await checkFile(await desk.open(FRENCH), file);
    const refused = await answerOf(summary, 'refused');
    expect(refused).toContain('"code": "not_workbook"');
    expect(refused).toContain('Le fichier n’est pas un classeur XLSX, bien que son nom le dise. Ouvrez-le');
  });

  it('for its rows is told how many, and where to correct them', async () => {
    const file = await desk.file('paie.csv', [line('A-1', '100'), line('A-2', '-5')]);
    const { summary } = await processBatch(await desk.open(FRENCH), file, PATIENT);
    expect(await answerOf(summary, 'refused')).toContain(
      'Sur 2 lignes, une ne peut être payée telle quelle : rien du fichier n’a été envoyé. Corrigez-la dans ',
    );
  });
});

describe('a row', () => {
  it('that is held says in the result and in the status what to decide', async () => {
    const file = await desk.file('paie.csv', [line('', '100'), line('', '100')]);
    const paydrop = await desk.open(FRENCH);
    const { summary, words } = await processBatch(paydrop, file, PATIENT);
    const reason = 'Deux lignes de ce fichier sont le même paiement et ne portent pas de référence.';
    expect(await answerOf(summary, 'result')).toContain(reason);
    const batch = await batchIn(paydrop);
    const [row] = await rowsThatNeedAttention(paydrop, batch);
    expect(row).toMatchObject({ outcome: 'held', errorCode: 'equal_rows' });
    expect(row?.reason).toContain(reason);
    expect(row?.reason).toMatch(/\(ligne \d du lot /);
    const told = 'Des lignes retenues attendent une décision.';
    expect(plain((await statusOf(paydrop, batch)).words ?? '')).toBe(told);
    expect(plain(spoken(words, 'fr').join(' '))).toContain(told);
  });

  it('that was held in one language is told in the language of today', async () => {
    const file = await desk.file('paie.csv', [line('', '100'), line('', '100')]);
    await processBatch(await desk.open('language: en'), file, PATIENT);
    await desk.shut();
    const paydrop = await desk.open(FRENCH);
    const [row] = await rowsThatNeedAttention(paydrop, await batchIn(paydrop));
    expect(row?.reason).toContain('Deux lignes de ce fichier');
  });

  it('that the network fails says why, and one that is paid or on its way says so', async () => {
    const failing = line('A-1', '100').replace('+8613800138000', '+8613800100003');
    const paydrop = await desk.open(FRENCH);
    const file = await desk.file('paie.csv', [failing, line('A-3', '102')]);
    const result = await answerOf((await processBatch(paydrop, file, PATIENT)).summary, 'result');
    expect(result).toContain(
      'Le paiement a échoué : coordonnées du bénéficiaire invalides ou soumises à restriction. Les fonds ont été libérés.',
    );
    expect(result).toContain('Payé au bénéficiaire.');
    const slow = line('A-2', '101').replace('+8613800138000', '+8613800060000');
    const { summary } = await processBatch(paydrop, await desk.file('suite.csv', [slow]), HURRIED);
    expect(await answerOf(summary, 'result')).toContain(
      'En cours : confirmé, le statut final n’est pas encore connu.',
    );
  });
});

describe('a duplicate', () => {
  it('of a whole file says when it was taken first', async () => {
    const paydrop = await desk.open(FRENCH);
    const lines = [line('A-1', '100')];
    await processBatch(paydrop, await desk.file('paie.csv', lines), HURRIED);
    const again = await processBatch(paydrop, await desk.file('encore.csv', lines), HURRIED);
    const { id, acceptedAt } = await batchIn(paydrop);
    const date = acceptedAt.slice(0, 10);
    expect(await duplicateOf(id, 'encore')).toContain(
      `Le même fichier a été pris en charge le ${date} (paie.csv). Rien n’a été envoyé.`,
    );
    expect(plain(spoken(again.words, 'fr').join(' '))).toContain(
      `Le même fichier a été pris en charge le ${date} (« paie.csv », lot ${id}).`,
    );
  });

  it('of a row says where it is paid', async () => {
    const paydrop = await desk.open(FRENCH);
    await processBatch(paydrop, await desk.file('paie.csv', [line('A-1', '100')]), PATIENT);
    const file = await desk.file('suite.csv', [line('A-1', '100'), line('A-2', '101')]);
    const { summary } = await processBatch(paydrop, file, PATIENT);
    expect(await answerOf(summary, 'result')).toMatch(
      /La référence « A-1 » est déjà payée ou en cours \(ligne 2 du lot \S+, \d{4}-\d\d-\d\d\)\./,
    );
  });
});

it('a preview says in the file and in words what looks unusual and what it costs', async () => {
  const file = await desk.file('paie.csv', [
    line('A-1', '100'),
    line('A-2', '200').replace('Li,Wei', 'Wang,Fang'),
  ]);
  const { summary, words } = await previewFile(await desk.open(FRENCH), file, PATIENT);
  expect(await answerOf(summary, 'preview')).toContain(
    'La ligne 2 paie un autre bénéficiaire sur le même compte.',
  );
  const told = plain(spoken(words, 'fr').join(' '));
  expect(told).toContain('1 ligne paraît inhabituelle : voyez l’aperçu, colonne preview.warning.');
  expect(told).toMatch(/XAF : [\d ]+ \+ [\d ]+ de frais = [\d ]+\. Disponible : /);
  expect(told).toContain('Rien n’a été envoyé.');
});

/** What the table of instructions gives as an example for each column. */
function examplesIn(instructions: Worksheet): ReadonlyMap<string, string> {
  const examples = new Map<string, string>();
  instructions.eachRow((row) => examples.set(row.getCell(1).text, row.getCell(4).text));
  return examples;
}

it('a template is French throughout, and what it gives as examples can be paid', async () => {
  const paydrop = await desk.open(FRENCH);
  const path = join(dirname(await desk.file('x.csv', [])), 'modele.xlsx');
  const [corridor] = (await loadCorridors(paydrop.service)).filter(
    ({ deliveryMethod, transactionMode }) => deliveryMethod === 'wechat' && transactionMode === 'B2C',
  );
  await writeTemplate(paydrop, { corridor: corridor?.id ?? '', path, mayReplace: false });
  const book = new excel.Workbook();
  await book.xlsx.readFile(path);
  const [payments, instructions] = [book.getWorksheet('Paiements'), book.getWorksheet('Instructions')];
  if (payments === undefined || instructions === undefined) throw new Error('A sheet is missing.');
  const said = JSON.stringify([payments.model, instructions.model]);
  expect(said).toContain('Obligatoire. ');
  expect(said).not.toMatch(
    /\b(the|write|required|column|needed|outside|choose|receiver's|sender's)\b(?!\.)/i,
  );
  const examples = examplesIn(instructions);
  expect(examples.get(namedHeader('receiver.countryIsoCode').fr) ?? 'Chine').toBe('Chine');
  payments.getRow(1).eachCell((cell, index) => {
    const column = canonicalOf(cell.text) ?? '';
    expect(column, cell.text).not.toBe('');
    const example = examples.get(namedHeader(column).fr) ?? '';
    const isAmount = /Amount$/.test(column);
    const value = isAmount && example !== '' ? Number(example.replace(',', '.')) : example;
    if (column !== 'attachment' && value !== '') payments.getCell(2, index).value = value;
  });
  await book.xlsx.writeFile(path);
  const { summary, words } = await checkFile(paydrop, path);
  expect([summary.outcomes.pending, spoken(words, 'fr').at(-1)]).toEqual([
    1,
    'Toutes les lignes peuvent être payées.',
  ]);
});
