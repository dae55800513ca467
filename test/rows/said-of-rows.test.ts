// What a file says of its rows is obeyed or asked about: the opposites of a payment hold their rows at once, in every language, and a rare word in a
// column of such a kind is a question.
import { readFile, writeFile } from 'node:fs/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { readRows } from '../../src/rows/formats.ts';
import { underProfile } from '../../src/rows/profile.ts';
import { saidOfRows } from '../../src/rows/said-of-rows.ts';
import { parseProfile } from '../../src/app/config/profile-file.ts';
import { sameWords } from '../../src/base/language.ts';

const folder = mkdtempSync(join(tmpdir(), 'paydrop-said-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

/** The codes of the rows of a list that has one column besides the payments. */
async function codes(
  header: string,
  cells: readonly string[],
  profile = '',
): Promise<readonly (string | null)[]> {
  const path = join(folder, `list-${String((files += 1))}.csv`);
  const rows = cells.map(
    (cell, index) =>
      `R-${String(index)};Payee ${'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[index % 26] ?? ''};${String(1000 + index)};"${cell}"`,
  );
  await writeFile(path, `Reference;Beneficiary;Amount;"${header}"\n${rows.join('\n')}\n`);
  expect(await readFile(path, 'utf8')).toContain(header);
  const { profile: own } = parseProfile(profile, 'own', sameWords('the test'));
  const read = underProfile(
    await readRows(path, { rowsMax: 1000, bytesMax: 1e6, decimalMark: 'auto', headerAliases: own.columns }),
    profile === '' ? null : own,
  );
  const said = saidOfRows(read.table);
  const found: (string | null)[] = [];
  for await (const row of read.rows()) found.push(said?.(row)?.code ?? null);
  return found;
}

const HELD = 'said_paid';
const ASKED = 'said_otherwise';

/** A header, what the other rows say, and what the row says that nobody is to pay by transfer. */
const OPPOSITES: readonly (readonly [string, string, string])[] = [
  // Money that comes in.
  ['Direction', 'OUT', 'IN'],
  ['Flow', 'Outgoing', 'Incoming'],
  ['Payment Type', 'Pay', 'Receive'],
  ['Nature', 'Dépense', 'Recette'],
  ['Type', 'Décaissement', 'Encaissement'],
  ['Af Bij', 'Af', 'Bij'],
  ['Art', 'Zahlungsausgang', 'Zahlungseingang'],
  ['Tipo', 'Gasto', 'Ingreso'],
  ['Movimento', 'Despesa', 'Receita'],
  ['Flux', 'Sortie', 'Entrée'],
  // Cash and cheques.
  ['Salary Mode', 'Bank', 'Cash'],
  ['Mode de versement du salaire', 'Virement', 'Espèces'],
  ['Pay method', 'Wire', 'Cheque'],
  ['Règlement', 'Virement', 'Chèque n° 4411'],
  ['Zahlweise', 'Überweisung', 'Barzahlung'],
  ['Forma', 'Transferencia', 'En efectivo'],
  ['Forma de cobro', 'Transferência', 'Dinheiro'],
  ['Betaling', 'Overboeking', 'Contant'],
  ['Paid by', 'Transfer', 'Direct debit'],
  // People who have left.
  ['Employee Status', 'Active', 'Left'],
  ['Status', 'Active', 'Terminated'],
  ['Statut', 'Actif', 'Sorti'],
  ['Statut', 'Actif', 'Démissionnaire'],
  ['Situation', 'En poste', 'Décédé'],
  ['Estado', 'Activo', 'De baja'],
  ['Status', 'Aktiv', 'Ausgeschieden'],
  ['Situação', 'Ativo', 'Desligado'],
  ['Dienstverband', 'Actief', 'Uit dienst'],
  ['Date de sortie', '', '30/06/2026'],
  // Yes and no.
  ['Active', 'Yes', 'No'],
  ['Actif (O/N)', 'O', 'N'],
  ['Include', 'Yes', 'No'],
  ['Inclure', 'X', ''],
  ['Exclude', '', 'Yes'],
  ['Exclure', 'Non', 'Oui'],
  ['On hold', '', 'X'],
  ['Hold salary', '0', '1'],
  ['Retenu', '', 'Oui'],
  ['Sperre', 'nein', 'ja'],
  ['Excluir', '', 'Sí'],
  // Remarks.
  ['Remarks', '', 'PAID IN CASH'],
  ['Observation', 'RAS', 'payé en espèces le 12/11'],
  ['Commentaire', '', 'à ne pas virer'],
  ['Notes', '', 'duplicate of row 1'],
  ['Observations', '', 'Ne fait plus partie du personnel'],
  ['Bemerkung', '', 'bitte nicht überweisen'],
  ['Observaciones', '', 'ya cobrado'],
  ['Observações', '', 'não pagar'],
  ['Opmerking', '', 'niet betalen'],
];

/** The same in words that stood in no report: each list of opposites is of kinds, not of cases. */
const FOUND_LATER: readonly (readonly [string, string, string])[] = [
  ['Pay by', 'EFT', 'Postal order'],
  ['Payment channel', 'Bank', 'Cash box'],
  ['Method used', 'ACH', 'Bankers draft'],
  ['Employment', 'Employed', 'Contract ended'],
  ['Status', 'Active', 'Suspended without pay'],
  ['Staff state', 'Active', 'Made redundant'],
  ['Remarks', '', 'settled in cash last Friday'],
  ['Remarks', '', 'do not release'],
  ['Comment', '', 'already settled'],
  ['Direction', 'Outbound', 'Inbound'],
  ['Kind', 'Payment', 'Refund received'],
  ['Pay?', 'Y', 'N'],
  ['Withhold?', 'N', 'Y'],
  ['Voided', '', 'TRUE'],
  ['Règlement par', 'Virement', 'De la main à la main'],
  ['Payé par', 'Banque', 'Caisse centrale'],
  ['Moyen', 'Virement', 'Mandat postal'],
  ['État du salarié', 'En activité', 'En disponibilité'],
  ['Position', 'Présent', 'Retraité depuis mars'],
  ['Statut', 'Actif', 'Licencié économique'],
  ['Observation', '', 'soldé par caisse'],
  ['Note', '', 'ne pas traiter'],
  ['Observations', '', 'contrat résilié'],
  ['Sens', 'Sortie', 'Rentrée'],
  ['À exclure', 'Non', 'Oui'],
  ['Suspension', '', 'Oui'],
  ['Forma', 'Transferencia', 'Cheque al portador'],
  ['Vía', 'Banco', 'En mano'],
  ['Estado', 'Activo', 'Finiquitado'],
  ['Situación', 'En alta', 'Baja voluntaria'],
  ['Observaciones', '', 'pagado en caja'],
  ['Notas', '', 'no transferir'],
  ['Movimiento', 'Salida', 'Entrada de caja'],
  ['Retener', 'No', 'Sí'],
  ['Tipo', 'Egreso', 'Devolución recibida'],
  ['Zahlweg', 'Überweisung', 'Barscheck'],
  ['Status', 'Aktiv', 'Gekündigt zum 30.06.'],
  ['Beschäftigung', 'Beschäftigt', 'Vertrag beendet'],
  ['Hinweis', '', 'wurde bar übergeben'],
  ['Vermerk', '', 'Zahlung zurückhalten'],
  ['Auszahlen', 'ja', 'nein'],
  ['Richtung', 'Ausgang', 'Geldeingang Kunde'],
  ['Zurückgestellt', '', 'x'],
];

describe('a row of which the file says the opposite of a payment', () => {
  it.each(OPPOSITES)('%s: %j beside %j is held', async (header, other, own) => {
    expect(await codes(header, [other, own, other])).toEqual([null, HELD, null]);
  });

  it.each(FOUND_LATER)('%s: %j beside %j waits for a person', async (header, other, own) => {
    const [first, said, last] = await codes(header, [other, own, other]);
    expect([first, last]).toEqual([null, null]);
    expect([HELD, ASKED]).toContain(said);
  });

  it.each([
    ['estado_pago', 'Pendiente', 'Pagado'],
    ['Statut règlement', 'À payer', 'Réglé'],
    ['Status of the invoice', 'Open', 'Paid'],
    ['Payment run state', 'Open', 'Settled'],
    ['Situação da fatura', 'Em aberto', 'Pago'],
    ['Rechnungsstatus', 'Offen', 'Bezahlt'],
    ['État du salaire', 'En attente', 'Versé'],
  ])('%s: %j is to be paid, %j is paid', async (header, open, paid) => {
    expect(await codes(header, [open, paid, open])).toEqual([null, HELD, null]);
  });

  it.each([
    ['D/C', 'D', 'C'],
    ['Soll/Haben', 'S', 'H'],
    ['Sens', 'Débit', 'Crédit'],
    ['Dr/Cr', 'Dr', 'Cr'],
  ])('%s: whose account it is nobody knows, so both sides are asked about', async (header, one, other) => {
    expect(await codes(header, [one, other, one])).toEqual([ASKED, ASKED, ASKED]);
    expect(await codes(header, [one, one, one])).toEqual([null, null, null]);
  });

  it('is paid where the profile says so, and held where it says that', async () => {
    const says = 'says: { Salary Mode: { Cash: pay, Bank: hold } }';
    expect(await codes('Salary Mode', ['Bank', 'Cash', 'Envelope'], says)).toEqual([HELD, null, ASKED]);
    expect(await codes('Salary Mode', ['Bank', 'Cash'], 'columns: { Salary Mode: ignore }')).toEqual([
      null,
      null,
    ]);
  });
});

describe('a column that nobody knows, and that sets few rows apart', () => {
  const many = (usual: string, rare: string) => [...Array.from({ length: 19 }, () => usual), rare];

  it.each([
    ['Salary Mode', 'Bank', 'Envelope'],
    ['Canal', 'Banque', 'Relais'],
    ['Employee Status', 'Active', 'Garden'],
    ['Wie', 'Überweisung', 'Umschlag'],
  ])('%s: %j in most rows, %j in one: that one is asked about', async (header, usual, rare) => {
    const found = await codes(header, many(usual, rare));
    expect(found.filter((code) => code === ASKED)).toHaveLength(1);
    expect(found.at(-1)).toBe(ASKED);
  });

  it.each([
    ['Department', 'Sales', 'Kitchen'],
    ['Statut', 'CDI', 'CDD'],
    ['Status', 'Pending', 'Open'],
    ['Sexe', 'F', 'M'],
    ['Catégorie', 'C', 'D'],
    ['Grade', '12', '13'],
    ['Mode', 'Virement', 'Orange Money'],
    ['condicion_pago', '90 días', '30 días'],
    ['Condiciones de pago', '60 días', 'Contado'],
    ['Conditions de règlement', '30 jours', 'Comptant'],
    ['Payment terms', 'Net 30', 'Due on receipt'],
    ['Estado de pago', 'Pendiente', 'Retrasado'],
    ['Payment status', 'Pending', 'Overdue'],
    ['Statut du paiement', 'À payer', 'En retard'],
    ['Zahlungsstatus', 'Offen', 'Überfällig'],
    ['Remarques', '', 'contrat à durée déterminée'],
    ['Remarks', '', 'paid monthly by bank'],
    ['Observations', '', 'prime de fin d’année incluse'],
    ['Bemerkung', '', 'Bonus enthalten'],
    ['Notas', '', 'incluye horas extra'],
    ['Libellé', '', 'barème 2026 versé en novembre'],
  ])('%s is no question', async (header, usual, rare) => {
    expect((await codes(header, many(usual, rare))).every((code) => code === null)).toBe(true);
  });

  it('is no question where the rows are divided evenly, or into many kinds', async () => {
    const kinds = ['Agency A', 'Agency B', 'Agency C', 'Agency D', 'Agency E', 'Agency F'];
    expect(new Set(await codes('Mode', [...kinds, ...kinds]))).toEqual(new Set([null]));
    expect(new Set(await codes('Mode', ['Bank A', 'Bank B', 'Bank A', 'Bank B']))).toEqual(new Set([null]));
  });

  it('is answered once for all such files', async () => {
    const says = 'says: { Salary Mode: { Envelope: pay } }';
    expect(new Set(await codes('Salary Mode', many('Bank', 'Envelope'), says))).toEqual(new Set([null]));
  });
});
