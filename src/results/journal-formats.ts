// Journal entries in the forms that accounting programs import: a plain CSV with the columns that the config names, the columns of Odoo's own import of journal entries,
// and the text file of Sage 100 (import paramétrable).
import { fromUnits, type DecimalText } from '../base/decimal.ts';
import { formatAmount } from '../base/currency.ts';
import { type Language, say } from '../base/language.ts';
import type { JOURNAL_FORMATS } from '../contract/words.ts';
import { sentence } from '../messages/messages.ts';
import { writeCsv } from '../rows/csv/csv-file.ts';
import { writableIn } from '../rows/csv/text.ts';
import type { CsvForm } from '../rows/form.ts';
import { SANDBOX_CELL } from './answer-table.ts';
import { decimalsIn, type JournalEntry, type JournalLine, type JournalRules } from './journal.ts';

export type JournalFormat = (typeof JOURNAL_FORMATS)[number];

export const JOURNAL_COLUMNS = [
  'date',
  'journal',
  'piece',
  'account',
  'label',
  'debit',
  'credit',
  'currency',
  'foreignAmount',
  'foreignCurrency',
  'reference',
  'payee',
  'batch',
  'row',
  'transferId',
] as const;
type JournalColumn = (typeof JOURNAL_COLUMNS)[number];

/** `columns`: those of the plain CSV, in their order. */
export type JournalForm = JournalRules & { readonly columns: readonly JournalColumn[] };

/** One line of an entry; `at`: its place in it, from 0. */
type Writes = (
  entry: JournalEntry,
  line: JournalLine,
  at: number,
  texts: {
    readonly label: string;
    readonly shortLabel: string;
    readonly amount: (units: bigint) => string;
    readonly rules: JournalForm;
  },
) => readonly string[];

type Written = {
  readonly form: CsvForm;
  /** Null where the first line is an entry. */
  readonly header: (rules: JournalForm) => readonly string[] | null;
  readonly numbers: (rules: JournalForm) => readonly number[];
  readonly cells: Writes;
};

const PLAIN: CsvForm = {
  kind: 'csv',
  delimiter: ',',
  encoding: { name: 'utf-8', bom: false },
  newline: '\n',
  sepLine: false,
  decimalMark: '.',
};

const foreignAmount = ({ foreign }: JournalLine, { foreignCurrency }: JournalEntry): string =>
  foreign === null || foreignCurrency === null ? '' : money(foreign, foreignCurrency);

const NUMBERS: readonly JournalColumn[] = ['debit', 'credit', 'foreignAmount'];

/** A text that Sage 100 has room for. */
const SAGE_LABEL = 35;
const SAGE_REFERENCE = 17;

const WRITTEN: Readonly<Record<JournalFormat, Written>> = {
  csv: {
    form: PLAIN,
    header: ({ columns }) => columns,
    numbers: ({ columns }) => columns.flatMap((column, at) => (NUMBERS.includes(column) ? [at] : [])),
    cells: (entry, line, _, { label, amount, rules }) => {
      const { date, piece, reference, payee, batch, row, transferId } = entry;
      const cells: Readonly<Record<JournalColumn, string>> = {
        ...{ date, journal: rules.code, piece, account: line.account, label, reference, payee, batch, row },
        debit: amount(line.debit),
        credit: amount(line.credit),
        currency: rules.currency,
        foreignAmount: foreignAmount(line, entry),
        foreignCurrency: line.foreign === null ? '' : (entry.foreignCurrency ?? ''),
        transferId,
      };
      return rules.columns.map((column) => cells[column]);
    },
  },
  // What belongs to the entry stands on its first line alone. The ids make a second import change the entry and its lines: a line without one would be added once more.
  odoo: {
    form: PLAIN,
    header: () => [
      ...['id', 'date', 'ref', 'journal_id', 'line_ids/id', 'line_ids/account_id', 'line_ids/name'],
      ...['line_ids/debit', 'line_ids/credit', 'line_ids/currency_id', 'line_ids/amount_currency'],
    ],
    numbers: () => [7, 8, 10],
    cells: (entry, line, at, { label, amount, rules }) => [
      ...(at === 0 ? [`paydrop_${entry.piece}`, entry.date, label, rules.code] : ['', '', '', '']),
      ...[
        `paydrop_${entry.piece}_${String(at + 1)}`,
        line.account,
        label,
        amount(line.debit),
        amount(line.credit),
      ],
      ...[line.foreign === null ? '' : (entry.foreignCurrency ?? ''), foreignAmount(line, entry)],
    ],
  },
  sage: {
    form: {
      ...PLAIN,
      delimiter: ';',
      encoding: { name: 'windows-1252', bom: false },
      newline: '\r\n',
      decimalMark: ',',
    },
    header: () => null,
    numbers: () => [6, 7],
    cells: (entry, line, _, { label, shortLabel, amount, rules }) => {
      const [, year = '', month = '', day = ''] = /^\d\d(\d\d)-(\d\d)-(\d\d)$/.exec(entry.date) ?? [];
      return [
        ...[rules.code, `${day}${month}${year}`, line.account, entry.piece],
        entry.reference.slice(0, SAGE_REFERENCE),
        (isLatin(label) ? label : shortLabel).slice(0, SAGE_LABEL).trimEnd(),
        ...[amount(line.debit), amount(line.credit)].map((each) => each.replace('.', ',')),
      ];
    },
  },
};

/** A name that the encoding of Sage 100 has no letters for would be a row of question marks. */
function isLatin(text: string): boolean {
  return !writableIn(text.replaceAll('?', ''), 'windows-1252').includes('?');
}

/** The ending of a file of this form. */
export function journalEnding(format: JournalFormat): string {
  return format === 'sage' ? 'txt' : 'csv';
}

/** The bytes; empty sums are empty cells. */
export function writeJournal(
  format: JournalFormat,
  entries: AsyncIterable<JournalEntry> | Iterable<JournalEntry>,
  rules: JournalForm,
  language: Language,
): AsyncIterable<Uint8Array> {
  const { form, header, numbers } = WRITTEN[format];
  return writeCsv(
    form,
    pagesOf(WRITTEN[format], header(rules), entries, rules, language),
    new Set(numbers(rules)),
  );
}

async function* pagesOf(
  { cells }: Written,
  header: readonly string[] | null,
  entries: AsyncIterable<JournalEntry> | Iterable<JournalEntry>,
  rules: JournalForm,
  language: Language,
): AsyncGenerator<readonly (readonly string[])[]> {
  if (header !== null) yield [header];
  const amount = (units: bigint): string => (units === 0n ? '' : money(units, rules.currency));
  for await (const entry of entries) {
    const shortLabel = labelOf({ ...entry, payee: '' }, language);
    const texts = { label: labelOf(entry, language), shortLabel, amount, rules };
    yield entry.lines.map((line, at) => cells(entry, line, at, texts));
  }
}

/** What is found first in a list of entries comes first. */
function labelOf({ kind, reference, payee, row, isSandbox }: JournalEntry, language: Language): string {
  const who = [reference === '' ? row : reference, payee].filter((text) => text !== '').join(' ');
  const words = kind === 'reversal' ? say(sentence('journal.reversal', { who }), language) : who;
  return isSandbox ? `${SANDBOX_CELL} ${words}` : words;
}

function money(units: bigint, currency: string): DecimalText {
  return formatAmount(fromUnits(units, decimalsIn(currency)), currency);
}
