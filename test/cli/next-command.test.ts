// A file that nobody has prepared is payable after one answer: whoever follows the command that `profile` prints, and fills in its open words, is asked once.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';

import { afterAll, beforeAll, expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'next-command-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function written(name: string, rows: readonly string[]): string {
  writeFileSync(join(folder, name), `${rows.join('\n')}\n`);
  return name;
}

/** As a shell takes it, without the name of the program. */
function wordsOf(command: string): readonly string[] {
  const [, ...words] = execFileSync('sh', ['-c', String.raw`printf '%s\0' ` + command], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
  return words;
}

type Answers = Readonly<Record<string, string>>;

/** `Currency=…` with the answer for `Currency`; a list stands alone. */
function filled(word: string, answers: Answers): string {
  if (!word.endsWith('…')) return word;
  const [name = ''] = word.split('=');
  const answer = answers[name];
  if (answer === undefined) throw new Error(`Nobody answers ${word}.`);
  return word.replace('…', answer);
}

const TRIES_MOST = 6;

/** What each try prints, until the command saves, or is the same again. */
function followed(file: string, answers: Answers, ...options: readonly string[]): readonly string[] {
  const env = { ...process.env, PAYDROP_BASE_URL: '' };
  let words: readonly string[] = [...options, 'profile', file];
  const told: string[] = [];
  while (told.length < TRIES_MOST) {
    const { stdout } = spawnSync(execPath, [MAIN, ...words], { cwd: folder, encoding: 'utf8', env });
    told.push(stdout);
    const next = wordsOf(stdout.trimEnd().split('\n').at(-1) ?? '');
    if (next.length === 0 || next.includes('--save')) break;
    words = next.map((word) => filled(word, answers));
  }
  return told;
}

const PAYROLL_HEADER = 'Matricule;Nom et prénoms;Banque;IBAN;Net à payer;Motif';
const payroll = (purpose: string) => [
  PAYROLL_HEADER,
  `M001;DIALLO Aminata;CBAO Groupe Attijariwafa Bank;SN08SN0100152000048500003035;250 000;${purpose}`,
  `M002;NDIAYE Moussa;CBAO Groupe Attijariwafa Bank;SN78SN0100152000048500003036;310 500;${purpose}`,
];

it('a payroll that says for which month it is', () => {
  written('bulletins.pdf', ['%PDF-1.4']);
  const answers = { Currency: 'XOF', City: 'Dakar', 'Attached file': 'bulletins.pdf' };
  const told = followed(written('paie.csv', payroll('Salaire novembre')), answers);
  expect(told).toHaveLength(2);
  expect(told[0]).not.toContain('is not a purpose');
  expect(told[0]).toContain('"Currency=…"  (XAF: what is sent; XOF: what the receivers get)\n');
  expect(told[1]).toContain('2 of 2 rows could be paid');
}, 60_000);

it('a payroll in French, with words of its own', () => {
  written('bulletins.pdf', ['%PDF-1.4']);
  const answers = { Devise: 'XOF', Ville: 'Dakar', 'Pièce jointe': 'bulletins.pdf' };
  const rows = [...payroll('Paiement du salaire'), ...payroll("Virement d'une prestation").slice(2)];
  const config = written('french.yaml', ['language: fr']);
  const told = followed(written('salaires.csv', rows), answers, '--config', config);
  expect(told[0]).toContain('Peut-être --value "Paiement du salaire=Salaire"');
  expect(told[0]).toContain(`Peut-être --value "Virement d'une prestation=`);
  expect(told).toHaveLength(2);
  expect(told[1]).toContain('Lignes payables ainsi : 3 sur 3.'.replace(' :', '\u00a0:'));
}, 60_000);

it('suppliers in several countries, whose addresses stand in a list', () => {
  const rows = [
    'N° facture;Fournisseur;Pays;N° compte / IBAN;SWIFT;Montant;Devise',
    'F-113;Shenzhen Huaqiang Co Ltd;Chine;6222021234567890123;ICBKCNBJSZN;48 500,00;CNY',
    'F-114;Lagos Marine Supplies Ltd;Nigeria;0123456789;ZEIBNGLA;3 200 000,00;NGN',
  ];
  written('carnet.csv', [
    'Fournisseur;Adresse;Ville',
    'Shenzhen Huaqiang Co Ltd;1 Huaqiang Road;Shenzhen',
    'Lagos Marine Supplies Ltd;2 Apapa Road;Lagos',
  ]);
  written('fournisseurs.pdf', ['%PDF-1.4']);
  const answers = { 'Send currency': 'XAF', Purpose: 'Goods', '…': 'carnet.csv' };
  const told = followed(written('fournisseurs.csv', rows), answers);
  expect(told[0]).toContain('Each receiver has its own: Address, City.');
  expect(told).toHaveLength(2);
  expect(told[1]).toContain('2 of 2 rows could be paid');
}, 60_000);

it('suppliers of whom the list says neither the country nor the currency', () => {
  const rows = [
    'Supplier,Bank,Account No,SWIFT,Amount,Invoice',
    'Yiwu Small Commodities Co Ltd,Bank of China,6217001234567890124,BKCHCNBJ92G,12850.40,INV-2202',
    'Guangzhou Hongda Co Ltd,China Construction Bank,6227001234567890125,PCBCCNBJGDX,230000.00,INV-2203',
  ];
  written('addresses.csv', [
    'Supplier,Address,City',
    'Yiwu Small Commodities Co Ltd,2 Market Road,Yiwu',
    'Guangzhou Hongda Co Ltd,3 Ring Road,Guangzhou',
  ]);
  written('china.pdf', ['%PDF-1.4']);
  const said = { Country: 'China', Currency: 'CNY', 'Send currency': 'XAF', Purpose: 'Goods' };
  const told = followed(written('china.csv', rows), { ...said, '…': 'addresses.csv' });
  expect(told).toHaveLength(2);
  expect(told[1]).toContain('2 of 2 rows could be paid');
}, 60_000);

it('an attached document is asked for while it is still open how suppliers are paid', () => {
  const rows = [
    'Supplier,Country,Account No,SWIFT,Amount,Currency',
    'Yiwu Co Ltd,China,6217001234567890124,BKCHCNBJ92G,12.40,CNY',
  ];
  const [first] = followed(written('undocumented.csv', rows), {
    'Send currency': 'XAF',
    Purpose: 'Goods',
    '…': 'addresses.csv',
  });
  expect(first).toContain('Attached file (attachment): A bank transfer needs its invoice or contract.');
  expect(first).not.toContain('Attached file=…');
}, 60_000);
