// Whoever reads French is told in French what to fix; the names of columns and codes stay what they are.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { checkFile } from '../../src/app/check-file.ts';
import { line, openDesk } from './desk.ts';

it('every fault of a file is told in the language of the config', async () => {
  const desk = await openDesk();
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
  const { summary } = await checkFile(await desk.open('language: fr'), file);
  const [answer = ''] = summary.answers;
  const text = await readFile(join(desk.workspace, 'outbox', answer), 'utf8');
  await desk.close();
  for (const words of [
    'La ligne n’a pas de montant',
    'Seuls les montants supérieurs à zéro',
    'a au plus 2 décimales',
    'ce corridor paie de',
    "n'est pas un pays",
    "n'est pas un objet de paiement",
    'ne peut pas être payé en GBP',
    'figure déjà à la ligne 2',
  ])
    expect(text).toContain(words);
  expect(text).not.toMatch(/\b(the|write|corridor pays|amount is)\b/i);
});

it('a file that is refused whole says in that language why, and what to do', async () => {
  const desk = await openDesk();
  const file = await desk.file('paie.csv', [line('A-1', '1.234')]);
  const paydrop = await desk.open('language: fr');
  const { summary, words } = await processBatch(paydrop, file, PATIENT);
  const reason = await answerOf(desk, summary.answers, 'refused.json');
  await desk.close();
  expect(reason).toContain(
    '« 1.234 » (ligne 2, colonne « destinationAmount » (F2)) peut signifier des milliers ou des décimales'.replaceAll(
      /(?<=«) | (?=»)/g,
      NBSP,
    ),
  );
  expect(reason).toContain('"code": "number_ambiguous"');
  expect(words.join(' ')).toContain("Rien n'a été envoyé.");
});
