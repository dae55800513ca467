// A row under validation: its cells by canonical name, and the faults found so far, each under the header that a person sees.
import type { PartyFields } from '../service/payout-service.ts';
import { cellOf, columnsSaid, headerOf, type Row, type Table } from '../rows/row.ts';
import { say, type Language, type Words } from '../base/language.ts';
import type { Rejection, RejectionCode } from './rejection.ts';

type Party = 'sender' | 'receiver' | 'delivery';

type FieldColumns = Readonly<
  Record<Party, readonly { readonly field: string; readonly canonical: string }[]>
>;

/** Found once a table: a million rows ask for the same. */
const known = new WeakMap<Table, FieldColumns>();

function fieldColumns(table: Table): FieldColumns {
  const found = known.get(table);
  if (found !== undefined) return found;
  const names = columnsSaid(table);
  const columnsOf = (party: Party) =>
    names
      .filter((name) => name.startsWith(`${party}.`))
      .map((canonical) => ({ field: canonical.slice(party.length + 1), canonical }));
  const columns = {
    sender: columnsOf('sender'),
    receiver: columnsOf('receiver'),
    delivery: columnsOf('delivery'),
  };
  known.set(table, columns);
  return columns;
}

export class RowReader {
  readonly table: Table;
  readonly rejections: Rejection[] = [];
  readonly warnings: string[] = [];
  readonly #row: Row;
  readonly #language: Language;

  constructor(table: Table, row: Row, language: Language) {
    this.table = table;
    this.#row = row;
    this.#language = language;
  }

  /** The row as its owner counts. */
  get place(): string {
    return this.#row.place;
  }

  /** The cell without the spaces around it, in the composed form of Unicode; empty when the file has no such column. */
  text(canonical: string): string {
    return cellOf(this.table, this.#row, canonical).trim().normalize('NFC');
  }

  header(canonical: string): string {
    return headerOf(this.table, canonical);
  }

  /** The filled cells of all columns `prefix.<field>`, by field. */
  fields(prefix: Party): PartyFields {
    const filled: [field: string, value: string][] = [];
    for (const { field, canonical } of fieldColumns(this.table)[prefix]) {
      const value = this.text(canonical);
      if (value !== '') filled.push([field, value]);
    }
    return Object.fromEntries(filled);
  }

  warn(words: Words): void {
    this.warnings.push(say(words, this.#language));
  }

  reject(code: RejectionCode, canonical: string, words: Words): null {
    this.rejections.push({ code, column: this.header(canonical), message: say(words, this.#language) });
    return null;
  }
}
