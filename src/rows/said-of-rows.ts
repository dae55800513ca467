// What a file says of its rows beside the payments: that one is paid already, is not to be paid, or is not like the others. Only a column that says so
// tells a list of payments that were made from one of payments to make, so what paydrop would ignore is obeyed, or asked about once for each layout.
import type { Words } from '../base/language.ts';
import { remembering } from '../base/plain-text.ts';
import { sentence } from '../messages/messages.ts';
import {
  APPROVED_CELLS,
  APPROVED_HEADERS,
  BLOCK_HEADERS,
  CREDIT_CELLS,
  DEDUCTION_HEADERS,
  KIND_HEADERS,
  PAID_CELLS,
  PAID_DAY_HEADERS,
  PAID_HEADERS,
  STATUS_HEADERS,
  STOPPED_CELLS,
  YES_CELLS,
} from './header-aliases.ts';
import { AMOUNT_COLUMNS, foldHeader } from './known-columns.ts';
import { layoutOf } from './layouts.ts';
import {
  bothSides,
  isHarmless,
  isOfKinds,
  isOrder,
  isStatusOfPayment,
  isUsual,
  oppositeRule,
} from './opposites.ts';
import type { Row, Table } from './row.ts';

/** `said_paid`: the file says that nobody is to pay the row; `said_otherwise`: it says something that only a person understands. */
type RowSaid = {
  readonly code: 'said_paid' | 'said_otherwise';
  /** Of the column, from 0. */
  readonly index: number;
  readonly cell: string;
  readonly words: Words;
};

export type SaidOfRow = (row: Row) => RowSaid | null;

function folded(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.map(foldHeader));
}

const STATUS_WORDS = folded([...PAID_CELLS, ...STOPPED_CELLS]);
const YES_WORDS = folded([...YES_CELLS, ...PAID_CELLS]);
const APPROVED_WORDS = folded([...YES_CELLS, ...APPROVED_CELLS]);
const CREDIT_WORDS = folded(CREDIT_CELLS);
const CHECKED = /^[✓✔☑]/u;

/** Headers, and which of their cells say that the row is paid, or is not to be paid. */
const saysStatus = (cell: string) => STATUS_WORDS.has(foldHeader(cell));
const SAID_BY = [
  { headers: folded(STATUS_HEADERS), isSaid: saysStatus },
  {
    headers: folded(PAID_HEADERS),
    isSaid: (cell: string) => CHECKED.test(cell) || YES_WORDS.has(foldHeader(cell)),
  },
  { headers: folded(PAID_DAY_HEADERS), isSaid: (cell: string) => /\d/.test(cell) },
  { headers: folded(BLOCK_HEADERS), isSaid: (cell: string) => /[\p{L}\p{N}]/u.test(cell) },
  { headers: folded(KIND_HEADERS), isSaid: (cell: string) => CREDIT_WORDS.has(foldHeader(cell)) },
  // A day is that of the approval.
  {
    headers: folded(APPROVED_HEADERS),
    isSaid: (cell: string) =>
      !CHECKED.test(cell) && !/\d\d/.test(cell) && !APPROVED_WORDS.has(foldHeader(cell)),
  },
];

const PAID_SUMS = folded(PAID_HEADERS);
const DEDUCTIONS = folded(DEDUCTION_HEADERS);

/** What an amount is called, folded, from which the part that was paid is taken off. */
const REST = /reste|restant|remaining|outstanding|solde|saldo|balance|pendiente/;
/** What is called so has everything taken off. */
const NET = /net|liquid|apayer|avirer|payable|apagar/;

/** Whether a column can say of a row that it is paid, or is not to be paid. */
export function saysPaid(header: string): boolean {
  return ruleOf(header) !== undefined;
}

function ruleOf(header: string): ((cell: string) => boolean) | undefined {
  const fold = foldHeader(header);
  const known = SAID_BY.find(({ headers }) => headers.has(fold))?.isSaid;
  return known ?? (isStatusOfPayment(header) ? saysStatus : undefined);
}

/** Whether a cell calls its row a credit note. */
export function isCreditNote(cell: string): boolean {
  return CREDIT_WORDS.has(foldHeader(cell));
}

/** How an empty cell is named, and how a cell of signs alone is told from it. */
const EMPTY_CELL = '(empty)';

/** A cell as the answers about it are found. */
export function foldAnswer(cell: string): string {
  return foldHeader(cell === '' ? EMPTY_CELL : cell);
}

type CellSaid = { readonly code: RowSaid['code']; readonly words: Words } | null;

/** How to tell what the file says of a row in the columns of which paydrop takes nothing; null where none of them can say anything. */
export function saidOfRows(table: Table): SaidOfRow | null {
  const { columns, unknown, blank } = table;
  const { isSumOf, delivered } = sumsSaid(table);
  const rules = unknown.flatMap(({ header, index }) => {
    // A column that nobody has filled is one that nobody uses.
    if (blank?.has(index) === true) return [];
    const name = header.trim();
    const few = table.few?.get(index) ?? null;
    const stops = stopRule(header, few === null ? null : [...few.keys()], isSumOf);
    const asks = askRule(name, few, table.rowCount);
    const answers = table.meaning?.says?.get(foldHeader(header));
    const judge = remembering((cell): CellSaid => {
      const answer = answers?.get(foldAnswer(cell));
      if (answer === 'pay') return null;
      if (answer === 'hold' || stops(cell)) return stopped(name, cell);
      return asks(cell);
    });
    return [{ index, judge }];
  });
  if (delivered !== undefined) {
    const name = columns[delivered]?.header.trim() ?? '';
    // Any digit but zero was delivered.
    rules.push({ index: delivered, judge: (cell) => (/[1-9]/.test(cell) ? stopped(name, cell) : null) });
  }
  if (rules.length === 0) return null;
  return ({ cells }) => {
    let asked: RowSaid | null = null;
    for (const { index, judge } of rules) {
      const cell = (cells[index] ?? '').trim();
      const said = judge(cell);
      if (said === null) continue;
      const found = { ...said, index, cell };
      if (said.code === 'said_paid') return found;
      asked ??= found;
    }
    return asked;
  };
}

/** A sum that was paid or deducted may not be taken off yet: somebody has to look how much is left. */
function sumsSaid({ columns, layout }: Table) {
  const paidBy = layoutOf(layout)?.paidBy;
  const called = (words: RegExp) =>
    columns.some(
      ({ canonical, header }) =>
        AMOUNT_COLUMNS.some((name) => name === canonical) && words.test(foldHeader(header)),
    );
  const [isRest, isNet] = [called(REST), called(NET)];
  const isSumOf = (header: string) =>
    !isRest && (PAID_SUMS.has(header) || (!isNet && DEDUCTIONS.has(header)));
  const delivered = columns.find(
    ({ header }) => paidBy !== undefined && foldHeader(header) === foldHeader(paidBy),
  )?.index;
  return { isSumOf, delivered };
}

function stopRule(
  header: string,
  few: readonly string[] | null,
  isSumOf: (header: string) => boolean,
): (cell: string) => boolean {
  const fold = foldHeader(header);
  const isSaid = ruleOf(header);
  const isSum = isSumOf(fold);
  const isOpposite = oppositeRule(header, few);
  return (cell) =>
    isSaid?.(cell) === true || (isSum && /[1-9]/.test(cell)) || isOpposite(cell) || isOrder(cell);
}

// A column that is not known, and that sets few rows apart from the rest, is a question: nobody can tell from outside what `Salary mode: Envelope` means.

/** One row in ten, or fewer. */
const RARE_SHARE = 10;

/** So many different cells are kinds of rows; more are data. */
export const FEW_MOST = 5;

function askRule(
  header: string,
  few: ReadonlyMap<string, number> | null,
  rows: number,
): (cell: string) => CellSaid {
  if (few === null || few.size < 2) return () => null;
  const cells = [...few.keys()];
  const sides = bothSides(header, cells);
  if (sides.size > 0) {
    const [one = '', other = ''] = sides;
    return (cell) =>
      sides.has(cell)
        ? { code: 'said_otherwise', words: sentence('saidOfRows.sides', { header, one, other }) }
        : null;
  }
  if (!isOfKinds(header, cells)) return () => null;
  const usual = Math.max(...few.values());
  const [most = ''] = [...few].find(([, count]) => count === usual) ?? [];
  // Beside `Transfer`, `Active` or `Outgoing` every other word says that its rows are not that, however many they are.
  const isOfUsual = isUsual(most);
  return (cell) => {
    const count = few.get(cell) ?? 0;
    const isRare = count * RARE_SHARE <= rows || (isOfUsual && cell !== '' && !isUsual(cell));
    if (!isRare || cell === most || isHarmless(cell)) return null;
    const words = { header, cell: shown(cell), count, most: shown(most), usual };
    return { code: 'said_otherwise', words: sentence('saidOfRows.rare', words) };
  };
}

function stopped(header: string, cell: string): CellSaid {
  return { code: 'said_paid', words: sentence('saidOfRows.stopped', { header, cell: shown(cell) }) };
}

const CHARS_MOST = 60;

function shown(cell: string): string {
  return cell.length > CHARS_MOST ? `${cell.slice(0, CHARS_MOST).toWellFormed()}…` : cell;
}
