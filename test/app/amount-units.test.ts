// Amounts in cents, in thousands or in millions: refused with the word that says so, and paid exactly once a person has said what they are multiplied by.
import { readFile } from 'node:fs/promises';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { checkFile } from '../../src/app/desk/check-file.ts';
import { profile } from '../../src/app/desk/commands.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { scaledBy, unitOfHeader, unitOfTitle } from '../../src/rows/units.ts';
import { type Desk, HEADER, line, openDesk, PATIENT } from './desk.ts';
import { said } from './said.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const NOTHING = { columns: {}, constants: {}, values: [], split: {}, same: {} };

function listed(header: string, amount: string, above: readonly string[] = []): Promise<string> {
  const own = HEADER.replace('destinationAmount', header);
  const constant = line('A-1', amount);
  return desk.write(
    'salaries.csv',
    [...above, own, constant, line('A-2', amount).replace('Li,Wei', 'Wu,Fang'), ''].join('\n'),
  );
}

describe('the header of amounts that are no whole units', () => {
  it.each([
    ['amount_cents', '0.01'],
    ['Amount (in cents)', '0.01'],
    ['Montant (centimes)', '0.01'],
    ['Amount (minor units)', '0.01'],
    ['amountInPaise', '0.01'],
    ['Importe en céntimos', '0.01'],
    ['Valor (centavos)', '0.01'],
    ['Montant (en milliers de FCFA)', '1000'],
    ['Amount (thousands)', '1000'],
    ['Montant K FCFA', '1000'],
    ['Montant KFCFA', '1000'],
    ['Amount (000)', '1000'],
    ['Betrag in TEUR', '1000'],
    ['Betrag (Tsd. EUR)', '1000'],
    ['Net pay in lakhs', '100000'],
    ['Montant (millions)', '1000000'],
    ['Montant M FCFA', '1000000'],
    ['Total Mrd', '1000000000'],
  ])('%s: times %s', (header, scale) => expect(unitOfHeader(header)?.scale).toBe(scale));

  it.each([
    'Amount',
    'Montant (XAF)',
    'Net à payer',
    'Pour cent',
    'Mille',
    'Total',
    'Amount per thousand',
    'Centre',
    'Montant FCFA',
    'Amount 1',
  ])('%s names none', (header) => expect(unitOfHeader(header)).toBeNull());

  it.each([
    ['Montants en milliers de FCFA', '1000'],
    ['Salaires novembre (en centimes)', '0.01'],
    ['(in thousands)', '1000'],
    ['Valores em milhões', '1000000'],
  ])('as the title %s: times %s', (title, scale) => expect(unitOfTitle(title)?.scale).toBe(scale));

  it.each([
    'Paie novembre 2026',
    'Arrêté à la somme de cinq millions de francs',
    'Thousand Oaks payroll',
    'État des salaires M. Mballa',
  ])('%s is no such title', (title) => expect(unitOfTitle(title)).toBeNull());

  it.each([
    ['12550', '0.01', '125.5'],
    ['1', '0.001', '0.001'],
    ['1234.567', '1000', '1234567'],
    ['9007199254740993', '0.01', '90071992547409.93'],
  ] as const)('%s times %s is exactly %s', (amount, scale, scaled) =>
    expect(scaledBy(amount, scale)).toBe(scaled),
  );
});

describe('a file of such amounts', () => {
  it('is refused with the word and the way on, and a profile is not saved before it is said', async () => {
    const paydrop = await desk.open();
    const path = await listed('amount_cents,currency', '980050,CNY');
    const { summary, words } = await checkFile(paydrop, path);
    expect(summary.state).toBe('refused');
    expect(said(words).join(' ')).toContain('are in «cents»');
    expect(said(words).join(' ')).toContain('--column "amount_cents=amount" --scale 0.01');
    const stated = { ...NOTHING, columns: { amount_cents: 'amount' } };
    const { proposal, save } = await profile(paydrop, path, { said: stated });
    expect(proposal.questions.map(({ words }) => words.en).join(' ')).toContain('980050 → 9,800.5');
    await expect(save(false)).rejects.toThrow('--scale 0.01');
  });

  it('is paid in whole units once the profile says so', async () => {
    const path = await listed('amount_cents,currency', '980050,CNY');
    const said = { ...NOTHING, columns: { amount_cents: 'amount' }, scale: '0.01' };
    const proposed = await profile(await desk.open(), path, { said });
    expect(proposed.proposal.scaled).toEqual(['980050 → 9,800.5']);
    expect(await readFile(await proposed.save(false), 'utf8')).toContain('scale: "0.01"');
    await desk.shut();
    const paydrop = await desk.open();
    const { summary } = await processBatch(paydrop, path, PATIENT);
    const rows = await paydrop.ledger.rows(summary.batch, 0, 9);
    expect(rows.map(({ payout }) => payout?.requested.amount)).toEqual(['9800.5', '9800.5']);
    expect(summary.outcomes.paid).toBe(2);
  });

  it('is refused where the title alone says it', async () => {
    const path = await listed('destinationAmount', '98', ['Montants en milliers de CNY', '']);
    const { words, summary } = await checkFile(await desk.open(), path);
    expect(summary.state).toBe('refused');
    expect(said(words).join(' ')).toContain('are in «en milliers»');
  });
});
