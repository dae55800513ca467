// Draws the pictures of the docs from what the program really writes: `node test/docs/write-pictures.ts`. Needs LibreOffice and pdftoppm.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';

import exceljs from 'exceljs';

const ROOT = join(import.meta.dirname, '..', '..');
const PICTURES = join(ROOT, 'docs', 'pictures');
const FOLDER = mkdtempSync(join(tmpdir(), 'pictures-'));

const DOTS_PER_INCH = '140';
type Spoken = {
  readonly language: 'en' | 'fr';
  readonly title: string;
  readonly header: readonly string[];
  readonly words: readonly [purpose: string, method: string, country: string];
  readonly total: string;
};

const ENGLISH: Spoken = {
  language: 'en',
  title: 'Salaries, November 2026',
  header: [
    'Last name',
    'First name',
    'Wallet number',
    'Amount',
    'Currency',
    'Purpose',
    'Payment method',
    'Country',
    'Transaction type',
    'Reference',
  ],
  words: ['Salary', 'Alipay', 'China'],
  total: 'Total',
};

const FRENCH: Spoken = {
  language: 'fr',
  title: 'Salaires de novembre 2026',
  header: [
    'Nom de famille',
    'Prénom',
    'N° de portefeuille',
    'Montant',
    'Devise',
    'Motif',
    'Mode de paiement',
    'Pays',
    'Type de transaction',
    'Référence',
  ],
  words: ['Salaire', 'Alipay', 'Chine'],
  total: 'Total',
};

const PEOPLE = [
  ['Ngo Bikoï', 'Clarisse', 450_000],
  ['Mballa', 'Serge', 380_000],
  ['Li', 'Wei', 612_000],
  ['Essomba', 'Luc', 295_000],
] as const;

/** A workbook as an office makes it: a title, the rows, a total; with `isFaulty` a first name is missing and an amount is no number. */
async function workbook(
  { title, header, words, total }: Spoken,
  name: string,
  isFaulty: boolean,
): Promise<string> {
  const book = new exceljs.Workbook();
  const sheet = book.addWorksheet(title.slice(0, 8));
  sheet.addRow([title]).font = { bold: true, size: 14 };
  sheet.addRow([]);
  sheet.addRow([...header]).font = { bold: true };
  const [purpose, method, country] = words;
  for (const [index, [last, first, amount]] of PEOPLE.entries()) {
    const wallet = `+86138123456${String(70 + index)}`;
    const isWrong = isFaulty && index === 1;
    const shown = isFaulty && index === 2 ? `${String(amount)} ?` : amount;
    sheet.addRow([
      last,
      isWrong ? '' : first,
      wallet,
      shown,
      'XAF',
      purpose,
      method,
      country,
      'B2C',
      `S-${String(index + 1)}`,
    ]);
  }
  if (!isFaulty)
    sheet.addRow([total, '', '', PEOPLE.reduce((sum, [, , amount]) => sum + amount, 0)]).font = {
      bold: true,
    };
  for (const [index, text] of header.entries())
    sheet.getColumn(index + 1).width = Math.max(12, text.length + 2);
  await book.xlsx.writeFile(join(FOLDER, name));
  return name;
}

/** What a command prints, as a terminal shows it. */
function say(config: string, ...args: readonly string[]): string {
  const flags = ['--config', config, ...args];
  const typed = `$ paydrop ${args.join(' ')}`;
  try {
    return `${typed}\n${execFileSync(execPath, [join(ROOT, 'src/main.ts'), ...flags], { cwd: FOLDER, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })}`;
  } catch (error) {
    // A refused file ends with a code of its own; what was printed is the picture.
    return `${typed}\n${String((error as { readonly stdout?: string }).stdout)}`;
  }
}

/** As a sheet of one column of equal letters: LibreOffice prints it as it prints the answers. */
async function terminal(text: string, picture: string): Promise<void> {
  const lines = text.replaceAll(`${FOLDER}/`, '').trimEnd().split('\n').flatMap(wrapped);
  const book = new exceljs.Workbook();
  const sheet = book.addWorksheet('terminal');
  sheet.getColumn(1).width = COLUMNS + 2;
  sheet.getColumn(1).font = { name: 'DejaVu Sans Mono', size: 10 };
  for (const line of lines) sheet.addRow([line]);
  const path = join(FOLDER, `${picture}-lines.xlsx`);
  await book.xlsx.writeFile(path);
  await page(path, picture, lines.length * LINE + 2 * MARGIN);
}

/** In dots. */
const LINE = 29.4;
const MARGIN = 30;
/** The white margin of the page, which is left out. */
const TOP = 55;

/** A terminal of usual width breaks longer lines. */
const COLUMNS = 110;

function wrapped(line: string): readonly string[] {
  return line === '' ? [''] : (line.match(new RegExp(`.{1,${String(COLUMNS)}}`, 'gu')) ?? []);
}

type Size = { readonly width: number; readonly height: number };

function print(path: string, picture: string, { width, height }: Size): void {
  execFileSync('soffice', ['--headless', '--convert-to', 'pdf', '--outdir', FOLDER, path], {
    stdio: 'ignore',
  });
  const part = ['-x', '0', '-y', String(TOP), '-W', String(width), '-H', String(Math.round(height))];
  const drawn = [join(FOLDER, `${picture}.pdf`), join(PICTURES, picture)];
  execFileSync('pdftoppm', ['-png', '-singlefile', '-r', DOTS_PER_INCH, ...part, ...drawn]);
}

/** The first page as LibreOffice prints it, the table on one page across. */
async function page(workbookPath: string, picture: string, height: number): Promise<void> {
  const book = new exceljs.Workbook();
  await book.xlsx.readFile(workbookPath);
  for (const sheet of book.worksheets)
    sheet.pageSetup = {
      ...sheet.pageSetup,
      orientation: 'landscape',
      fitToPage: true,
      fitToWidth: 1,
      fitToHeight: 0,
      margins: { left: 0.4, right: 0.4, top: 0.6, bottom: 0.6, header: 0.3, footer: 0.3 },
    };
  hideIds(book);
  const printed = join(FOLDER, `${picture}.xlsx`);
  await book.xlsx.writeFile(printed);
  print(printed, picture, { width: 1637, height });
}

/** What a person reads comes first; what only programs ask for would make the picture illegible. */
function hideIds(book: exceljs.Workbook): void {
  for (const sheet of book.worksheets)
    sheet.eachRow((row) =>
      row.eachCell((cell, column) => {
        if (cell.value !== 'payout.status') return;
        for (let index = column; index <= sheet.columnCount; index++) sheet.getColumn(index).hidden = true;
      }),
    );
}

function answer(kind: string, workspace: string): string {
  const outbox = join(FOLDER, workspace, 'outbox');
  const name = readdirSync(outbox).find((each) => each.includes(`.${kind}.`));
  if (name === undefined) throw new Error(`There is no ${kind} in ${outbox}.`);
  return join(outbox, name);
}

async function draw(spoken: Spoken): Promise<void> {
  const { language } = spoken;
  const workspace = `workspace-${language}`;
  const config = `${language}.yaml`;
  writeFileSync(join(FOLDER, config), `language: ${language}\nworkspace: ./${workspace}\n`);
  const stem = language === 'fr' ? 'salaires' : 'salaries';
  const faulty = await workbook(spoken, `${stem}-${language === 'fr' ? 'novembre' : 'november'}.xlsx`, true);
  const good = await workbook(spoken, `${stem}.xlsx`, false);
  await terminal(say(config, 'check', faulty), `check-${language}`);
  await page(answer('rejected', workspace), `rejected-${language}`, 200);
  say(config, 'run', good);
  await page(answer('result', workspace), `result-${language}`, 110);
  say(config, 'template', '--corridor', 'chn-cny-b2c-alipay', '-o', `template-${language}.xlsx`);
  await page(join(FOLDER, `template-${language}.xlsx`), `template-${language}`, 240);
}

mkdirSync(PICTURES, { recursive: true });
for (const spoken of [ENGLISH, FRENCH]) await draw(spoken);
rmSync(FOLDER, { recursive: true });
