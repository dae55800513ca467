// The rows of a file that wait for a person because of what the file says of them: found in its order while it is checked, by `check` and by `run` alike.
import type { Words } from '../../../base/language.ts';
import { plainSigns, plainText, plainWords } from '../../../base/plain-text.ts';
import { sentence } from '../../../messages/messages.ts';
import { wordAgainst } from '../../../inbox/file-name-words.ts';
import type { HoldCode } from '../../../payouts/hold.ts';
import { cellOf, type Row, type Table } from '../../../rows/row.ts';
import { isCreditNote, type SaidOfRow, saidOfRows } from '../../../rows/said-of-rows.ts';
import type { CheckedRow } from './validate-file.ts';

export type RowQuestion = {
  readonly code: Extract<
    HoldCode,
    'said_paid' | 'said_otherwise' | 'credit_note_beside' | 'telephone_elsewhere' | 'file_name_says'
  >;
  /** What the file says, to stand in brackets behind the meaning of the code. */
  readonly words: Words;
  /** The column that says it, and what stands there; empty where no column does. */
  readonly column: string;
  readonly cell: string;
};

/** By the position of the row. */
export type RowsAsked = ReadonlyMap<number, RowQuestion>;

export class RowQuestions {
  readonly #table: Table;
  readonly #said: SaidOfRow | null;
  /** A name that says that the file is a draft, a test or an old copy is a question about all its rows. */
  readonly #ofFile: RowQuestion | null;
  readonly #asked = new Map<number, RowQuestion>();
  readonly #rejected = new Set<number>();
  /** Payee → the place of the first credit note. */
  readonly #creditNotes = new Map<string, string>();

  constructor(table: Table, fileName: string) {
    this.#table = table;
    this.#ofFile = fileQuestion(fileName);
    this.#said = saidOfRows(table);
  }

  /** Takes the next row of the file; the question about it, as far as it shows alone. */
  take({ row, payout, rejections, questions }: CheckedRow): RowQuestion | null {
    const said = this.#said?.(row) ?? null;
    const isNegative =
      rejections.some(({ code }) => code === 'amount_not_positive') && isBelowZero(this.#table, row);
    if (isNegative || (said !== null && isCreditNote(said.cell)))
      for (const key of payeesOf(this.#table, row))
        if (!this.#creditNotes.has(key)) this.#creditNotes.set(key, row.place);
    if (payout === null) {
      this.#rejected.add(row.position);
      return null;
    }
    const question = said === null ? (questions[0] ?? null) : { ...said, column: this.#headerAt(said.index) };
    const asked = question === null ? this.#ofFile : { cell: '', column: '', ...question };
    if (asked === null) return null;
    this.#asked.set(row.position, asked);
    return asked;
  }

  /** After the last row. @param rows the rows once more; read only where the file has a credit note, which may stand below the invoice. */
  async finish(
    rows: () => AsyncIterable<Row>,
    onAsked: (row: Row, question: RowQuestion) => void = () => undefined,
  ): Promise<RowsAsked> {
    if (this.#creditNotes.size === 0) return this.#asked;
    for await (const row of rows()) {
      const question = this.#besideCreditNote(row);
      if (question === null) continue;
      this.#asked.set(row.position, question);
      onAsked(row, question);
    }
    return this.#asked;
  }

  #headerAt(index: number): string {
    return this.#table.columns[index]?.header.trim() ?? '';
  }

  #besideCreditNote(row: Row): RowQuestion | null {
    const [place] = payeesOf(this.#table, row).flatMap((key) => this.#creditNotes.get(key) ?? []);
    if (place === undefined || place === row.place) return null;
    if (this.#asked.has(row.position) || this.#rejected.has(row.position)) return null;
    const words = sentence('rowQuestions.creditNote', { place });
    return { code: 'credit_note_beside', words, column: '', cell: '' };
  }
}

function fileQuestion(fileName: string): RowQuestion | null {
  const word = wordAgainst(fileName);
  if (word === null) return null;
  return { code: 'file_name_says', words: sentence('quoted', { text: word }), column: '', cell: '' };
}

function isBelowZero(table: Table, row: Row): boolean {
  return ['amount', 'sourceAmount', 'destinationAmount'].some((name) =>
    /^[^\d]*[-−(]|[-−]\s*$/.test(cellOf(table, row, name)),
  );
}

const ACCOUNTS = ['bankAccountNumber', 'cardNumber', 'msisdn', 'email'].map((field) => `delivery.${field}`);
const NAMES = ['receiver.name', 'receiver.registeredName'] as const;

/** Whom a row names, by account and by name: a credit note may leave out one of them. */
function payeesOf(table: Table, row: Row): readonly string[] {
  const text = (canonical: string) => cellOf(table, row, canonical).trim();
  const accounts = ACCOUNTS.map((canonical) =>
    text(canonical).includes('@') ? plainText(text(canonical)) : plainSigns(text(canonical)),
  );
  const whole = `${text('receiver.firstName')} ${text('receiver.lastName')}`;
  const names = [...NAMES.map(text), whole].map((name) => plainWords(name).toSorted().join(' '));
  return [...accounts, ...names].filter((key) => key !== '');
}
