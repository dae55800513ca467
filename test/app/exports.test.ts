// Exports as accounting and payroll programs write them in French and Spanish, paid without a profile.
import { writeFile } from 'node:fs/promises';

import iconv from 'iconv-lite';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { endsOf, openDesk, PATIENT, transfersOf, type Desk } from './desk.ts';
import { said } from './said.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const FRENCH = [
  'Paie de novembre 2026;;;;;;;;;',
  ';;;;;;;;;',
  'Référence;Prénom;Nom;Pays;Devise;Net à payer;Devise source;Mode de règlement;Type de transaction;Motif;Téléphone',
  'P-1;Jean-Noël;Tchuenté;Chine;CNY;1 250,50;FCFA;WeChat;Salarié;Salaire;+8613800138000',
  'P-2;Aïssatou;Ngo Bayé;Chine;Yuan;980,00;FCFA;WeChat Pay;Salarié;Salaire;+8613800138001',
  'Total;;;;;2 230,50;;;;;',
];

/** As an office in Malabo writes it. */
const MALABO = [
  'Referencia;Nombre;Apellidos;País;Moneda;Sueldo neto;Moneda de cargo;Forma de pago;Tipo de transacción;Motivo del pago;N.º de billetera',
  'M-1;María;Nsue Obama;China;CNY;1.250,50;FCFA;WeChat;Asalariado;Nóminas;+8613800138000',
];

const SPANISH = [
  'Referencia,Nombre,Apellidos,País,Moneda,Importe,Moneda de origen,Forma de pago,Tipo de transacción,Concepto,Teléfono',
  'N-1,José,Obiang,China,CNY,"1.250,50",XAF,WeChat,Empleado,Nómina,+8613800138002',
];

it.each([
  [
    'French, Windows-1252, semicolons and decimal commas',
    FRENCH.map((line) => line.replace('Yuan', 'CNY')),
    'win1252',
    ['1250.5', '980'],
  ],
  ['French, UTF-8 with mark', FRENCH.map((line) => line.replace('Yuan', 'CNY')), 'utf8', ['1250.5', '980']],
  ['Spanish, UTF-16', SPANISH, 'utf16le', ['1250.5']],
  ['Spanish, semicolons, thousands by points', MALABO, 'win1252', ['1250.5']],
])('%s', async (_name, lines, encoding, amounts) => {
  const path = await desk.file('export.csv', []);
  await writeFile(
    path,
    iconv.encode(`${lines.join('\r\n')}\r\n`, encoding, { addBOM: encoding !== 'win1252' }),
  );
  const paydrop = await desk.open();
  const { summary, words } = await processBatch(paydrop, path, PATIENT);
  expect(await endsOf(paydrop, summary.batch), said(words).join(' ')).toEqual(amounts.map(() => 'paid'));
  const transfers = await transfersOf(paydrop);
  expect(transfers.map(({ receiveAmount }) => receiveAmount).sort()).toEqual(amounts);
  expect(transfers.every(({ purposeOfRemittance }) => purposeOfRemittance === 'SALARY_PAYMENT')).toBe(true);
});
