// A survey of a file before anything of it is taken: how many payments and how much, the faults by row, and the rows that a run would hold
// because the file has the same payment twice.
import { joinWords, listWords, sameWords, say, type Language, type Words } from '../../../base/language.ts';
import { addDecimals, type DecimalText } from '../../../base/decimal.ts';
import { formatAmount } from '../../../base/currency.ts';
import { keysOf, referenceKey } from '../../../payouts/payment-keys.ts';
import type { HoldCode } from '../../../payouts/hold.ts';
import type { Rejection, RejectionCode } from '../../../payouts/rejection.ts';
import { namedHeader } from '../../../rows/known-columns.ts';
import type { Row, Table } from '../../../rows/row.ts';
import { type RowQuestion, RowQuestions } from './row-questions.ts';
import { type CheckedRow, SeenReferences } from './validate-file.ts';
import { sentence } from '../../../messages/messages.ts';

/** The sum of the rows in one currency; null where they do not say which. */
type StatedSum = {
  readonly currency: string | null;
  readonly rows: number;
  readonly amount: DecimalText;
};

/** Rows with the same fault in the same column. */
type FaultGroup = {
  readonly code: RejectionCode;
  readonly column: string;
  /** Where each row has its own words, those of the first as an example. */
  readonly words: Words;
  readonly count: number;
  /** Row numbers and ranges, `5–8`; of many, only the first. */
  readonly rows: readonly string[];
};

/** Rows that a run would hold: because they are the same payment, or because of what the file says of them. */
export type HeldTogether = {
  readonly code: Extract<HoldCode, 'equal_rows' | 'similar_reference'> | RowQuestion['code'];
  readonly count: number;
  readonly rows: readonly string[];
  /** What the file says of them; absent of payments that are the same. */
  readonly why?: Words;
};

type Examined = {
  readonly payments: number;
  readonly sums: readonly StatedSum[];
  /** Rows to correct. */
  readonly rejected: number;
  /** The groups with the most rows first. */
  readonly faults: readonly FaultGroup[];
  readonly wouldHold: readonly HeldTogether[];
  /** The market's layout of the file; null where it has none. */
  readonly layout: string | null;
  /** The meaning of each column; null for one that is ignored. */
  readonly columns: readonly { readonly header: string; readonly column: string | null }[];
};

export class FileExamination {
  readonly faults = new FaultGroups();
  readonly held: HeldWithin;
  readonly #sums = new Map<string | null, { rows: number; amount: DecimalText }>();
  #payments = 0;
  #rejected = 0;

  readonly #questions: RowQuestions;
  readonly #advice = new Map<string, { readonly words: Words; readonly rows: Stretches }>();
  readonly #table: Table;

  constructor(table: Table, fileName: string) {
    this.#table = table;
    this.held = new HeldWithin(table.rowCount);
    this.#questions = new RowQuestions(table, fileName);
  }

  /** Takes the next row of the file. */
  take(checked: CheckedRow): void {
    const { row, payout, rejections, stated } = checked;
    const question = this.#questions.take(checked);
    for (const words of checked.warnings) {
      const told = this.#advice.get(words.en) ?? { words, rows: new Stretches() };
      this.#advice.set(words.en, told);
      told.rows.add(row.place);
    }
    if (rejections.length > 0) this.#rejected += 1;
    this.faults.take(row.place, rejections);
    if (rejections.some(({ code }) => NO_PAYMENT.has(code))) return;
    this.#payments += 1;
    if (stated !== null) {
      const sum = this.#sums.get(stated.currency) ?? { rows: 0, amount: '0' };
      this.#sums.set(stated.currency, {
        rows: sum.rows + 1,
        amount: addDecimals(sum.amount, stated.amount),
      });
    }
    if (payout !== null) this.held.take(row.place, payout, question);
  }

  /** After the last row. @param rows the rows once more, where they are needed. */
  async lookAgain(rows: () => AsyncIterable<Row>): Promise<void> {
    await this.#questions.finish(rows, ({ place }, question) => this.held.ask(place, question));
  }

  /** What a person should know of rows that can be paid, with the rows. */
  advice(): readonly Words[] {
    return [...this.#advice.values()].map(({ words, rows }) => {
      const what = rowsInWords(rows.list(), rows.count);
      return sentence('labelled', { label: what, words });
    });
  }

  found(): Examined {
    return {
      payments: this.#payments,
      sums: [...this.#sums].map(([currency, { rows, amount }]) => ({
        currency,
        rows,
        amount: currency === null ? amount : formatAmount(amount, currency),
      })),
      rejected: this.#rejected,
      faults: this.faults.groups(),
      wouldHold: this.held.groups(),
      layout: this.#table.layout ?? null,
      columns: this.#table.columns.map(({ header, canonical }) => ({
        header: header.trim(),
        column: canonical,
      })),
    };
  }
}

const NO_PAYMENT: ReadonlySet<RejectionCode> = new Set(['row_is_total', 'row_below_total']);

/** Row numbers as a person writes them: `5–8`, `10`. Only the first ranges are kept. */
export class Stretches {
  readonly #stretches: { from: number; to: number }[] = [];
  #added = -1;
  count = 0;

  /** A row that is added twice at once, as one that lacks two parts of one column, is one row. */
  add(place: string): void {
    const number = numberOf(place);
    if (number === this.#added) return;
    this.#added = number;
    const last = this.#stretches.at(-1);
    this.count += 1;
    if (last !== undefined && number === last.to + 1) last.to = number;
    else if (this.#stretches.length < STRETCHES_MOST) this.#stretches.push({ from: number, to: number });
  }

  list(): readonly string[] {
    return this.#stretches.flatMap(({ from, to }) => {
      if (from === to) return [String(from)];
      return to === from + 1 ? [String(from), String(to)] : [`${String(from)}–${String(to)}`];
    });
  }
}

/** Nobody reads more numbers than that; the file of rows to correct has them all. */
const STRETCHES_MOST = 12;

/** The rows of a table are all in one sheet, so the number identifies them. */
function numberOf(place: string): number {
  return Number(/\d+$/.exec(place)?.[0] ?? 0);
}

type Fault = Rejection & { readonly first: string; readonly rows: Stretches; differs: boolean };

/** The faults of a file by column and words; if each row has its own words, by column and code. */
export class FaultGroups {
  readonly #byWords = new Map<string, Fault>();
  readonly #byCode = new Map<string, Fault>();

  take(place: string, rejections: readonly Rejection[]): void {
    for (const rejection of rejections) {
      const { code, column, words } = rejection;
      const key = `${column}\n${words.en}`;
      if (this.#byWords.has(key) || this.#byWords.size <= GROUPS_MOST)
        add(this.#byWords, key, place, rejection);
      add(this.#byCode, `${column}\n${code}`, place, rejection);
    }
  }

  groups(isByCode = this.#byWords.size > GROUPS_MOST): readonly FaultGroup[] {
    const found = isByCode ? this.#byCode : this.#byWords;
    return [...found.values()]
      .sort((one, other) => other.rows.count - one.rows.count)
      .map(({ code, column, words, rows, first, differs }) => ({
        code,
        column,
        words: differs ? sentence('examineFile.example', { row: numberOf(first), words }) : words,
        count: rows.count,
        rows: rows.list(),
      }));
  }
}

/** As many as fit on a screen. */
export const GROUPS_MOST = 10;

function add(groups: Map<string, Fault>, key: string, place: string, rejection: Rejection): void {
  const fault = groups.get(key) ?? { ...rejection, first: place, rows: new Stretches(), differs: false };
  groups.set(key, fault);
  fault.rows.add(place);
  if (fault.words.en !== rejection.words.en) fault.differs = true;
}

type HeldRows = {
  readonly code: HeldTogether['code'];
  readonly rows: Stretches;
  readonly places: string[];
  readonly question: RowQuestion | null;
  readonly cells: Set<string>;
};

function startHeld(code: HeldTogether['code'], question: RowQuestion | null = null): HeldRows {
  return { code, rows: new Stretches(), places: [], question, cells: new Set() };
}

/** Finds, in the order of the file, the rows that a run would hold because of one another. */
class HeldWithin {
  /** Where each payment occurred first; by hash, because a file may have a million. */
  readonly #seen: SeenReferences;
  readonly #groups = new Map<string, HeldRows>();
  readonly #held = new Map<string, HeldRows>();

  constructor(rows: number) {
    this.#seen = new SeenReferences(rows);
  }

  take(place: string, payout: NonNullable<CheckedRow['payout']>, question: RowQuestion | null): void {
    if (question !== null) {
      this.ask(place, question);
      return;
    }
    const { reference } = payout;
    const key = reference === null ? '' : referenceKey(reference);
    // A reference of punctuation alone resembles no other.
    if (reference !== null && key === '') return;
    const number = numberOf(place);
    const first = this.#seen.meet(`${key} ${keysOf(payout).fingerprint}`, number);
    if (first === null) return;
    const firstPlace = place.slice(0, -String(number).length) + String(first);
    const code = reference === null ? 'equal_rows' : 'similar_reference';
    const group = this.#groups.get(firstPlace) ?? startHeld(code);
    if (group.places.length === 0) this.#add(group, firstPlace);
    this.#groups.set(firstPlace, group);
    this.#add(group, place);
  }

  /** A row that the file itself says something of. */
  ask(place: string, question: RowQuestion): void {
    const { code, column, words } = question;
    // Columns that stop rows are told once, with what stands in them; of other questions each has its own answer.
    if (this.#held.has(place)) return;
    const key = `${code} ${code === 'said_paid' ? column : words.en}`;
    const group = this.#groups.get(key) ?? startHeld(code, question);
    this.#groups.set(key, group);
    if (group.cells.size <= CELLS_MOST) group.cells.add(question.cell);
    this.#add(group, place);
  }

  #add(group: HeldRows, place: string): void {
    group.rows.add(place);
    group.places.push(place);
    this.#held.set(place, group);
  }

  groups(): readonly HeldTogether[] {
    return [...this.#groups.values()].map(toHeldTogether);
  }

  /** Why a run would hold the row; null when it would not. */
  wordsOf(place: string): Words | null {
    const group = this.#held.get(place);
    return group === undefined ? null : heldTogetherWords(toHeldTogether(group));
  }
}

/** So many of the cells that stop rows are shown. */
const CELLS_MOST = 3;

function toHeldTogether({ code, rows, question, cells }: HeldRows): HeldTogether {
  const held = { code, count: rows.count, rows: rows.list() };
  if (question === null) return held;
  const shown = [...cells].slice(0, CELLS_MOST);
  const words = { header: question.column, cells: shown, isMore: cells.size > CELLS_MOST };
  return { ...held, why: code === 'said_paid' ? sentence('saidOfRows.stoppedRows', words) : question.words };
}

export function heldTogetherWords({ code, count, rows, why }: HeldTogether): Words {
  const counted = rowsInWords(rows, count);
  if (why !== undefined && code === 'said_paid')
    return sentence('examineFile.heldTogether.saidPaid', { counted, count, why });
  if (why !== undefined) return sentence('examineFile.heldTogether.asked', { counted, count, why });
  return code === 'equal_rows'
    ? sentence('examineFile.heldTogether.samePaymentHave', { counted, count })
    : sentence('examineFile.heldTogether.samePaymentUnder', { counted, count });
}

/** `Rows 5–8, 10 and 11`; an ellipsis where not all are listed. */
export function rowsInWords(rows: readonly string[], count: number): Words {
  return count === 1
    ? sentence('examineFile.rowsIn.row', { value: rows[0] })
    : sentence('examineFile.rowsIn.rows', { rows: listedWords(rows, count) });
}

function listedWords(rows: readonly string[], count: number): Words {
  const listed = rows.reduce((sum, stretch) => {
    const [from = '0', to = from] = stretch.split('–');
    return sum + Number(to) - Number(from) + 1;
  }, 0);
  const isAll = listed >= count;
  return isAll ? listWords(rows.map(sameWords), 'conjunction') : sameWords(`${rows.join(', ')}, …`);
}

/** The faults of the file for the screen: how many rows, then a line for each reason, with commands ready to copy. It may quote the file. */
export function faultLines(
  rejected: number,
  faults: readonly FaultGroup[],
  language: Language,
): readonly string[] {
  if (rejected === 0) return [];
  const reasons = [...Map.groupBy(faults, ({ rows, words }) => `${rows.join()} ${words.en}`).values()];
  const more = reasons.length - GROUPS_MOST;
  const shown = reasons.slice(0, GROUPS_MOST).map((group) => {
    const what = say(placesWords(group), language);
    const message = say(group[0]?.words ?? sameWords(''), language);
    return `  ${say(sentence('examineFile.faultLines', { what, message }), language)}`;
  });
  return [
    say(toFixWords(rejected), language),
    ...shown,
    ...(more > 0 ? [`  ${say(moreFaultsWords(more), language)}`] : []),
  ];
}

/** The rows, and the columns in which they have the same fault. */
function placesWords(group: readonly FaultGroup[]): Words {
  const [{ rows, count } = { rows: [], count: 0 }] = group;
  const where =
    count === 1
      ? sentence('examineFile.rowsAt.row', { value: rows[0] })
      : sentence('examineFile.rowsAt.rows', { rows: listedWords(rows, count) });
  const columns = group.filter(({ column }) => column !== '').map(({ column }) => namedHeader(column));
  if (columns.length === 0) return where;
  return joinWords([where, listWords(columns, 'conjunction')], ', ');
}

function toFixWords(rejected: number): Words {
  return rejected === 1
    ? sentence('examineFile.toFix.rowFix')
    : sentence('examineFile.toFix.rowsFix', { rejected });
}

function moreFaultsWords(more: number): Words {
  return sentence('examineFile.moreFaults', { more });
}
