// Accounting programs close a list with its sum. That row must be told from a payment, and its sum from the rows, or one of them is wrong.
import { joinWords, sameWords, type Words } from '../base/language.ts';
import { compareDecimals, grouped, type DecimalText } from '../base/decimal.ts';
import { sumUnder, type AmountColumn } from './amount-column.ts';
import type { DecimalMark } from './form.ts';
import { FileRefused } from './file-refused.ts';
import { foldHeader, isAmountColumn, RECEIVER_NAME } from './known-columns.ts';
import { cellReference, looksLikeAccount, nameCell } from './cell.ts';
import { layoutOf } from './layouts.ts';
import { readCurrency, readSigned } from './read-amount.ts';
import type { Column, Footer, Table, TotalsRow } from './row.ts';
import { sentence } from '../messages/messages.ts';

/** Folded words that stand for a total, alone in their cell. TOTAL is a company too, so as a receiver's name nothing longer counts. */
const TOTAL_WORDS: ReadonlySet<string> = new Set([
  ...[
    'total',
    'totals',
    'totaux',
    'totales',
    'grandtotal',
    'totalgeneral',
    'totalgeneraux',
    'sum',
    'somme',
    'suma',
    'summe',
    'gesamt',
    'gesamtsumme',
    'soma',
    'totalgeral',
  ],
  ...['totalapayer', 'totalapagar', 'netapayer', 'overalltotal', 'sumatotal', 'sommetotale', 'montanttotal'],
]);

/** Folded words with which a sum over some rows begins: it is no payment, and not the total of the file either. */
const PARTS = ['soustota', 'subtota', 'zwischensumme'];
/** Folded words that stand for an average, alone in their cell: it is no payment either. */
const AVERAGES = ['average', 'avg', 'moyenne', 'promedio', 'minimum', 'maximum'];
/** Folded words, alone in their cell, for a sum that a list carries from one page to the next. */
const CARRIED = [
  ...['report', 'areporter', 'carriedforward', 'broughtforward', 'balancecf', 'balancebf'],
  ...['ubertrag', 'sumaysigue', 'sumaanterior', 'atransportar'],
];
/** `Report page précédente`, `À reporter sur la page suivante`. */
const OF_A_PAGE = '(?:a?reporter|report)(?:de|sur|a)?(?:la)?page';
/** As a receiver's name too: a company may be called by more than an average or `Report`, and not by `Sous-total …`. */
const SUBTOTAL = new RegExp(
  `^(?:${PARTS.join('|')}|(?:${[...AVERAGES, ...CARRIED].join('|')})$|${OF_A_PAGE})`,
);

const CURRENCY_COLUMNS: ReadonlySet<string | null> = new Set([
  'currency',
  'sourceCurrency',
  'targetCurrency',
]);

/**
 * What a row below the header is, as far as it shows alone:
 * - `payment`: it names somebody and an amount, or it stands in a file that names nobody;
 * - `total`: it states the sums of the file and pays nobody: it names no receiver, no account and no document;
 * - `bare-total`: the same without a word, so that only the end of a file makes it one;
 * - `subtotal`: it says that it is a sum, and cannot be that of the file;
 * - `text`: it names neither somebody nor an amount, as a place, a date or a signature under a list do;
 * - `incomplete`: anything else. It is told as a row to fix.
 */
export type RowKind = 'payment' | 'total' | 'bare-total' | 'subtotal' | 'text' | 'incomplete';

export function kindOfRow(cells: readonly string[], columns: readonly Column[]): RowKind {
  const { amounts, paying, rest } = shared(columns);
  const isFilled = ({ index }: Column) => (cells[index] ?? '').trim() !== '';
  const hasAmount = amounts.some(isFilled);
  if (!hasAmount && (isClosing(cells) || isSigned(cells, columns))) return 'text';
  // Nearly every row is a payment, and ends here.
  const isSomebody = paying.some((column) => isFilled(column) && !isSumLabel(cells, column));
  if (isSomebody) return hasAmount ? 'payment' : 'incomplete';
  const others = [...paying, ...rest].filter(isFilled);
  const labels = others.filter((column) => isSumLabel(cells, column));
  if (labels.length > 0) {
    const isPart = labels.some(({ index }) => SUBTOTAL.test(foldHeader(cells[index] ?? '')));
    if (hasAmount) return isPart ? 'subtotal' : 'total';
    // `Total en lettres : cinq millions` is text; a number beside the word is a sum in a column that is no amount's.
    const hasNumber = others.some(
      (column) => !labels.includes(column) && /\d/.test(cells[column.index] ?? ''),
    );
    return hasNumber ? 'subtotal' : 'text';
  }
  if (!hasAmount) return hasTextBeyond(cells, columns.length) ? 'incomplete' : 'text';
  if (paying.length === 0) return 'payment';
  return others.every(({ canonical }) => CURRENCY_COLUMNS.has(canonical)) ? 'bare-total' : 'incomplete';
}

/** A line below a list, in whatever columns: `Arrêté le présent état à la somme de …`, `Fait à Douala, le …`, `Visa DAF` beside `Visa DG`. */
function isClosing(cells: readonly string[]): boolean {
  const said = saidIn(cells);
  return said.length > 0 && said.every((text) => CLOSING.test(text));
}

const CLOSING =
  /^(?:arr[êe]t[ée]e?s? (?:le|la|à|au)\b|fait à\s|n\.? ?b\.? ?:|nota ?:|note ?:|hecho en\s|done (?:at|in)\s|feito em\s|signatures?\b|(?:l[ea] |l['’])?(?:daf|dg|drh|dgd|pdg|directeur|directrice|comptable|chef comptable|g[ée]rante?|caissi[eè]re?|tr[ée]sori[eè]re?|responsable)\b|visas?\b(?!.*\d{4}[ -]?\d{4})|(?:[ée]tabli|v[ée]rifi[ée]|contr[ôo]l[ée]|approuv[ée]|valid[ée]|pr[ée]par[ée]|certifi[ée])e?s? par\b|lu et approuv[ée]|bon pour (?:accord|paiement)\b|cachet et\s|(?:prepared|checked|verified|reviewed|approved|authori[sz]ed) by\b|(?:elaborado|revisado|aprobado|autorizado) por\b|firmas?\b)/iu;

/**
 * Words without a digit, alone in the column of the references: who signs or where, of whom no list has all the titles. In a column of payees they may be
 * one whose amount is missing, who is told as a row to fix.
 */
function isSigned(cells: readonly string[], columns: readonly Column[]): boolean {
  const [text = '', ...others] = saidIn(cells);
  const reference = columns.find(({ canonical }) => canonical === 'reference');
  const isAlone = others.length === 0 && reference !== undefined && text === cells[reference.index]?.trim();
  return isAlone && !/\d/.test(text) && isWordsAlone([text]);
}

function saidIn(cells: readonly string[]): readonly string[] {
  return cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
}

/** Below the total of a file, words alone are a signature or a place and a day, whatever column they stand in: nobody can be paid by them. */
export function isRemark(kind: RowKind, cells: readonly string[]): boolean {
  const said = cells.filter((cell) => cell.trim() !== '');
  if (isWordsAlone(said)) return true;
  const isPlain = said.every((cell) => !/\d/.test(cell));
  if (kind !== 'incomplete') return kind === 'text' || (kind === 'payment' && isPlain);
  return isPlain || said.every((cell) => /\p{L}\s/u.test(cell.trim()));
}

/** A text in one cell pays nobody, whatever digits it has: `Fait à Douala, le 26/11/2026`. An account, a telephone or an amount is no such text. */
function isWordsAlone(said: readonly string[]): boolean {
  const [text = '', ...others] = said.map((cell) => cell.trim());
  const words = text.match(/\p{L}{2,}/gu) ?? [];
  return others.length === 0 && words.length > 1 && !looksLikeAccount(text) && readsAsNoAmount(text);
}

function readsAsNoAmount(text: string): boolean {
  return [',', '.'].every((mark) => 'fault' in readSigned(text, mark as DecimalMark));
}

// Templates say below their header what belongs into each column: `(FCFA)`, `e.g. 0123456789`.

/** `e.g. 100.00`, `ex : 237…`, or anything in brackets. */
const EXAMPLE = /^(?:e\.? ?g|ex|exemples?|examples?|p\.? ?ej|ejemplo|z\.? ?b)\b|^[([{<].*[)\]}>]$/iu;

/** Where money goes, in digits. */
const NUMBERS: ReadonlySet<string | null> = new Set(
  ['bankAccountNumber', 'cardNumber', 'msisdn'].map((field) => `delivery.${field}`),
);

/** Whether a row says what belongs into the columns: none of its amounts and accounts is one, and neither is its currency. */
export function explainsColumns(cells: readonly string[], columns: readonly Column[]): boolean {
  const said = (isWanted: (canonical: string | null) => boolean) =>
    columns.flatMap(({ canonical, index }) => {
      const cell = (cells[index] ?? '').trim();
      return isWanted(canonical) && cell !== '' ? [cell] : [];
    });
  const amounts = said(isAmountColumn);
  const money = [...amounts, ...said((canonical) => NUMBERS.has(canonical))];
  if (amounts.length === 0 || !money.every((cell) => !/\d/.test(cell) || EXAMPLE.test(cell))) return false;
  // One word in the place of an amount may stand in any row.
  const isPaid = said((canonical) => CURRENCY_COLUMNS.has(canonical)).some(
    (cell) => readCurrency(cell) !== null,
  );
  return !isPaid && (money.length > 1 || money.some((cell) => EXAMPLE.test(cell)));
}

type SharedSums = Readonly<Record<'amounts' | 'paying' | 'rest', readonly Column[]>>;

/** Found once a table: a million rows ask for the same. */
const known = new WeakMap<readonly Column[], SharedSums>();

function shared(columns: readonly Column[]): SharedSums {
  const found = known.get(columns);
  if (found !== undefined) return found;
  const kindOf = ({ canonical }: Column) =>
    isAmountColumn(canonical) ? 'amounts' : paysSomebody(canonical) ? 'paying' : 'rest';
  const { amounts = [], paying = [], rest = [] } = Object.groupBy(columns, kindOf);
  const parts = { amounts, paying, rest };
  known.set(columns, parts);
  return parts;
}

/** True for a row that says that it is a sum. Wherever it stands, it is never paid. */
export function isSum(cells: readonly string[], columns: readonly Column[]): boolean {
  const kind = kindOfRow(cells, columns);
  return kind === 'total' || kind === 'subtotal';
}

/** Whether the cell of a column holds the word by which a row says that it is a sum. */
export function isSumLabel(cells: readonly string[], { index, canonical }: Column): boolean {
  const cell = cells[index] ?? '';
  if (NO_LABEL.test(cell) || isAmountColumn(canonical)) return false;
  const folded = foldHeader(cell.slice(0, LABEL_CHARS_MOST));
  if (TOTAL_WORDS.has(folded) || SUBTOTAL.test(folded)) return true;
  // `TOTAL NOVEMBRE 2026` in a column that is not a payee's.
  const isPayee = (canonical ?? '').startsWith('receiver.') || canonical === RECEIVER_NAME;
  return !isPayee && folded.startsWith('total');
}

/** Begins otherwise than any of these words: what nearly every cell does. To fold each cell would take a third of the first reading. */
const NO_LABEL = new RegExp(`^(?:\\d|${[2, 3].map(beginsOtherwise).join('|')})`, 'i');

function beginsOtherwise(letters: number): string {
  const beginnings = [...TOTAL_WORDS, ...PARTS, ...AVERAGES, ...CARRIED].map((word) =>
    word.slice(0, letters),
  );
  return `(?!${[...new Set(beginnings)].join('|')})[a-z\\d]{${String(letters)}}`;
}

/** The word stands at the beginning. */
const LABEL_CHARS_MOST = 60;

/** Cells that have moved beyond the header are a fault of the row, and no remark. */
function hasTextBeyond(cells: readonly string[], width: number): boolean {
  return cells.slice(width).some((cell) => cell.trim() !== '');
}

/** Columns that only a payment fills. */
function paysSomebody(canonical: string | null): boolean {
  return (
    canonical !== null &&
    /^(?:receiver|delivery|payout)\.|^(?:reference|attachment|documentReferenceNumber)$/.test(canonical)
  );
}

export type SummedColumn = {
  readonly index: number;
  readonly canonical: string;
  readonly column: AmountColumn;
  readonly mark: DecimalMark;
};

/** The sums that the row states. Throws `FileRefused` where one is not the sum of its column. */
export function checkTotals(
  place: string,
  cells: readonly string[],
  summed: readonly SummedColumn[],
): TotalsRow['sums'] {
  const stated = summed.filter(({ index }) => (cells[index] ?? '').trim() !== '');
  return stated.map(({ index, canonical, column, mark }) => {
    const text = cells[index] ?? '';
    const read = readSigned(text, mark);
    const sum = sumUnder(column, mark);
    if ('amount' in read && compareDecimals(read.amount, sum) === 0)
      return { canonical, sum, cell: cellReference(place, index), ...without(column) };
    const shown = 'amount' in read ? grouped(read.amount) : sameWords(text.trim());
    throw totalsDiffer(nameCell(place, index, column.header), shown, sum, column);
  });
}

function totalsDiffer(where: Words, shown: Words, sum: DecimalText, column: AmountColumn): FileRefused {
  const { without: unread = sameWords('') } = without(column);
  const { part } = column;
  const left = part === null ? unread : joinWords([unread, sentence('totalsRow.withoutPart', part)], '');
  return new FileRefused(
    'totals_differ',
    sentence('totalsRow.totalsDiffer.totalButRows', {
      where,
      shown,
      sum: grouped(sum),
      left,
    }),
  );
}

/** A cell that is no number is in no sum, also where the total agrees. */
function without({ unreadable }: AmountColumn): { readonly without?: Words } {
  return unreadable === null
    ? {}
    : {
        without: sentence('totalsRow.withoutWhichNumber', { text: unreadable.text, where: unreadable.where }),
      };
}

/**
 * What is said of a table as a whole: the layout that it is read as, a reference that is none, that the total was checked, and which sheets and lines are
 * not read. The texts quote the file.
 */
export function tableWords(table: Table): readonly Words[] {
  const { totals, footer, guide = null, unreadSheets = [], form } = table;
  const agree =
    totals?.sums.map(({ sum, cell, without: left = sameWords('') }) =>
      sentence('totalsRow.agrees', { cell, sum: grouped(sum), rows: totals.rows, left }),
    ) ?? [];
  const unread =
    form.kind !== 'xlsx' || unreadSheets.length === 0
      ? []
      : [
          sentence('totalsRow.unreadSheets', {
            paid: form.sheet,
            unread: [
              ...unreadSheets.slice(0, SHEETS_MOST),
              ...(unreadSheets.length > SHEETS_MOST ? ['…'] : []),
            ],
          }),
        ];
  const explains = guide === null ? [] : [sentence('totalsRow.guide', { place: guide })];
  return [
    ...layoutWords(table),
    ...unread,
    ...explains,
    ...agree,
    ...(footer === null ? [] : [footerWords(footer)]),
  ];
}

/** So many are named. */
const SHEETS_MOST = 10;

function layoutWords({ layout, meaning, textReference, columns }: Table): readonly Words[] {
  // A profile that a person has confirmed is named instead.
  const name = layoutOf(layout)?.name;
  const read = name === undefined || meaning?.profile !== name ? [] : [sentence('layouts.read', { name })];
  const header = columns.find(({ canonical }) => canonical === 'reference')?.header.trim() ?? '';
  if (textReference === undefined || textReference === null) return read;
  const text =
    textReference.length > TEXT_CHARS_MOST ? `${textReference.slice(0, TEXT_CHARS_MOST)}…` : textReference;
  return [...read, sentence('layouts.textReference', { header, text })];
}

function footerWords({ first, last, count, texts }: Footer): Words {
  const short = texts.map((text) =>
    text.length > TEXT_CHARS_MOST ? `${text.slice(0, TEXT_CHARS_MOST)}…` : text,
  );
  const all = [...short, ...(count > texts.length ? ['…'] : [])];
  const said = joinWords(all.map(sameWords), sentence('list.semicolon'));
  return count === 1
    ? sentence('totalsRow.footer.rowPaysNobody', { first, said })
    : sentence('totalsRow.footer.rowsPayNobody', { first, last, said });
}

/** A sentence of thanks below a list need not be repeated whole. */
const TEXT_CHARS_MOST = 40;
