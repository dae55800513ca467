// A row under validation: its cells by canonical name, and the faults found so far, each under the header that a person sees.
import { mapWords, type Words } from '../base/language.ts';
import { composed, plainDigits } from '../base/plain-text.ts';
import { type KeyOfTable, sentence, sentenceOfFile, type Values } from '../messages/messages.ts';
import { shownAmount } from '../rows/amount-column.ts';
import {
  hasFormOfIban,
  isDecodedTwice,
  isAccountColumn,
  isDamaged,
  isIban,
  isSheetError,
  isShortened,
  isTelephoneToCompare,
  malformed,
  mustBeText,
  TELEPHONES,
  textOfCell,
} from '../rows/cell.ts';
import { FileRefused } from '../rows/file-refused.ts';
import { isLegacyEncoding } from '../rows/form.ts';
import { AMOUNT_COLUMNS, headerCurrency, namedHeader } from '../rows/known-columns.ts';
import { namedElement } from '../rows/pain001/elements.ts';
import type { WrittenCurrency } from '../rows/read-amount.ts';
import { type Row, type Table, cellOf, columnsSaid, headerOf, ribFault } from '../rows/row.ts';
import type { PartyFields } from '../service/payout-service.ts';
import type { Rejection, RejectionCode } from './rejection.ts';

type Party = 'sender' | 'receiver' | 'delivery';

type FieldColumns = Readonly<
  Record<Party, readonly { readonly field: string; readonly canonical: string }[]>
>;

/** What a table says about all its rows. */
type Prepared = {
  readonly fields: FieldColumns;
  readonly checks: readonly ColumnCheck[];
  readonly currencies: ReadonlyMap<string, WrittenCurrency | null>;
};

/** Computed once for each table: a million rows need the same. */
const known = new WeakMap<Table, Prepared>();

function prepared(table: Table): Prepared {
  const found = known.get(table);
  if (found !== undefined) return found;
  const made = {
    fields: fieldColumns(table),
    checks: table.columns.flatMap(columnCheck),
    currencies: new Map(AMOUNT_COLUMNS.map((name) => [name, headerCurrency(headerOf(table, name))])),
  };
  known.set(table, made);
  return made;
}

function fieldColumns(table: Table): FieldColumns {
  const names = columnsSaid(table);
  const columnsOf = (party: Party) =>
    names
      .filter((name) => name.startsWith(`${party}.`))
      .map((canonical) => ({ field: canonical.slice(party.length + 1), canonical }));
  return {
    sender: columnsOf('sender'),
    receiver: columnsOf('receiver'),
    delivery: columnsOf('delivery'),
  };
}

export class RowReader {
  readonly table: Table;
  readonly rejections: Rejection[] = [];
  readonly warnings: Words[] = [];
  readonly questions: { readonly code: 'telephone_elsewhere'; readonly words: Words }[] = [];
  readonly #row: Row;
  readonly #prepared: Prepared;

  constructor(table: Table, row: Row) {
    this.table = table;
    this.#prepared = prepared(table);
    this.#row = row;
  }

  /** The row's number as its owner counts. */
  get place(): string {
    return this.#row.place;
  }

  /** The sender for the account that the row is paid from; undefined where the usual sending party applies. */
  get sender(): PartyFields | undefined {
    return this.#row.sender;
  }

  get documentStems(): readonly string[] {
    return this.#row.documentStems ?? [];
  }

  /** The cell as it is sent, in NFC; empty when the file has no such column. */
  text(canonical: string): string {
    const text = composed(textOfCell(cellOf(this.table, this.#row, canonical), canonical));
    // Full-width digits, and those of other scripts, are the same number.
    return TELEPHONES.includes(canonical) ? plainDigits(text) : text;
  }

  /** The cell of an amount, with the currency that a workbook shows beside the number. */
  amountText(canonical: string): string {
    return composed(shownAmount(this.table, this.#row, canonical));
  }

  header(canonical: string): string {
    return headerOf(this.table, canonical);
  }

  /** The currency that the header of an amount column names; null where it names none. */
  headerCurrency(canonical: (typeof AMOUNT_COLUMNS)[number]): WrittenCurrency | null {
    return this.#prepared.currencies.get(canonical) ?? null;
  }

  get checks(): readonly ColumnCheck[] {
    return this.#prepared.checks;
  }

  /** The filled cells of all columns `prefix.<field>`, by field. A `-` where an account belongs is none. */
  fields(prefix: Party): PartyFields {
    const filled: [field: string, value: string][] = [];
    for (const { field, canonical } of this.#prepared.fields[prefix]) {
      const value = this.text(canonical);
      const isPlaceholder = prefix === 'delivery' && !/[\p{L}\p{N}]/u.test(value);
      if (value !== '' && !isPlaceholder) filled.push([field, value]);
    }
    return Object.fromEntries(filled);
  }

  /** A sentence for the owner of the file, who has a table or a payment message. */
  words<Key extends KeyOfTable>(key: Key, ...values: Values<Key>): Words {
    return sentenceOfFile(this.table.message !== undefined, key, ...values);
  }

  /** A column with its name for programs; of a payment message, the element. */
  named(canonical: string): Words {
    return this.table.message === undefined ? namedHeader(canonical) : namedElement(canonical);
  }

  warn(words: Words): void {
    this.warnings.push(words);
  }

  reject(code: RejectionCode, canonical: string, words: Words, more: Pick<Rejection, 'isBelow'> = {}): null {
    const column = this.header(canonical);
    this.rejections.push({ code, column, canonical, words: shortened(words), ...more });
    return null;
  }
}

/** Far more than any sentence with an honest cell in it. A cell may have a million characters, and screens, mails and answers repeat such sentences. */
const SAID_MOST = 1_500;

function shortened(words: Words): Words {
  const cut = (all: string) => all.slice(0, SAID_MOST).toWellFormed() + (all.length > SAID_MOST ? '…' : '');
  return mapWords(words, cut);
}

// Text that is not what it seems: invisible characters, and numbers that a spreadsheet program has already destroyed.

/** Controls, direction marks and zero-width characters: they make two different accounts look alike. */
const UNPRINTABLE = /[\p{Cc}\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFFFD]/u;

/** No field of a party or an account is longer; a longer text was pasted by mistake. */
const LENGTH_MAX = 500;

/** Fields besides accounts whose digits are a name, not a quantity. */
const DIGIT_FIELDS = ['registrationNumber'];

/** The checks for each cell of a column. */
type ColumnCheck = {
  readonly index: number;
  readonly canonical: string;
  readonly isAccount: boolean;
  readonly isDigits: boolean;
  readonly isName: boolean;
  readonly isBankAccount: boolean;
  readonly saysIban: boolean;
  /** The columns of an account in parts. */
  readonly parts: readonly number[] | undefined;
};

function columnCheck({ index, header, canonical, parts }: Table['columns'][number]): readonly ColumnCheck[] {
  if (canonical === null || canonical.startsWith('payout.')) return [];
  const isAccount = isAccountColumn(canonical);
  return [
    {
      index,
      canonical,
      isAccount,
      isDigits: isAccount || DIGIT_FIELDS.some((field) => canonical.endsWith(`.${field}`)),
      isName: NAMES.includes(canonical),
      isBankAccount: canonical === 'delivery.bankAccountNumber',
      saysIban: canonical === 'delivery.bankAccountNumber' && /iban/i.test(header),
      parts,
    },
  ];
}

/** Visible ASCII. */
const IS_PLAIN = /^[\x20-\x7e]*$/;

/** Rejects characters and values that no payment can carry, in every column that has a meaning. */
export function checkText(reader: RowReader, row: Row): void {
  for (const check of reader.checks) {
    const { index, canonical } = check;
    const cell = row.cells[index] ?? '';
    if (cell === '' && row.kinds === undefined) continue;
    const text = textOfCell(cell, canonical);
    const unprintable = IS_PLAIN.test(text) ? null : unprintableWords(text);
    if (unprintable !== null) reader.reject('text_unprintable', canonical, unprintable);
    if (text.length > LENGTH_MAX) {
      reader.reject(
        'text_too_long',
        canonical,
        sentence('checkText.cellCharactersMost', { length: text.length, lengthMax: LENGTH_MAX }),
      );
    }
    const kind = row.kinds?.[index] ?? 'text';
    const rib = check.parts === undefined || text === '' ? null : ribFault(row, check.parts);
    if (rib !== null) reader.reject('iban_wrong', canonical, rib);
    if (check.parts === undefined && mustBeText(check.isAccount, kind, text)) {
      const key = isTelephoneToCompare(canonical, kind, text)
        ? 'checkText.compareTelephone'
        : 'checkText.keptWhichLoses';
      reader.reject('number_not_text', canonical, sentence(key, { text }));
    } else if (isSheetError(text)) {
      reader.reject('number_destroyed', canonical, sentence('checkText.sheetError', { text }));
    } else if (check.isDigits && isShortened(text)) {
      reader.reject(
        'number_destroyed',
        canonical,
        reader.words('checkText.numberSpreadsheetProgram', { text }),
      );
    } else if (text !== '') checkKind(reader, check, text);
  }
}

/** What the text holds that no payment can carry; null where it holds nothing of the kind. */
function unprintableWords(text: string): Words | null {
  if (!UNPRINTABLE.test(text)) return null;
  return UNPRINTABLE.test(text.replace(/[\r\n]/g, ''))
    ? sentence('checkText.cellHoldsCharacter')
    : sentence('checkText.cellHoldsLineBreak');
}

/** A damaged name in a file that nobody has vouched for puts the letters of all its names in doubt, also of those that look right. */
function assertLettersArePlausible(reader: RowReader, canonical: string, text: string): void {
  const { form, meaning, message } = reader.table;
  // A message states its encoding: what is damaged in it was damaged in the program that wrote it, and that payment alone is told.
  if (form.kind !== 'csv' || meaning !== undefined || message !== undefined) return;
  if (!isLegacyEncoding(form.encoding.name) && !isDecodedTwice(text)) return;
  const where = { text, place: reader.place, header: reader.header(canonical) };
  throw new FileRefused('encoding_uncertain', sentence('checkText.damagedFile', where));
}

const NAMES = [
  ...['name', 'firstName', 'lastName', 'registeredName'].map((field) => `receiver.${field}`),
  'delivery.bankAccountHolderFullName',
];

/** Rejects text that is no telephone number, name or IBAN: the wrong column was mapped, or a word stands where the value is missing. */
function checkKind(
  reader: RowReader,
  { canonical, isAccount, isName, isBankAccount, saysIban }: ColumnCheck,
  text: string,
): void {
  const wrong = isAccount ? malformed(canonical, text) : null;
  if (wrong !== null) reader.reject(wrong.code, canonical, wrong.words);
  if (isName && isDamaged(text)) assertLettersArePlausible(reader, canonical, text);
  if (isName && isDamaged(text))
    reader.reject('text_unprintable', canonical, reader.words('checkText.damagedName', { text }));
  if (isName && !/[a-z]/i.test(text) && !/\p{L}/u.test(text))
    reader.reject('name_without_letters', canonical, reader.words('checkText.nameWithoutLetters', { text }));
  const isMeantAsIban = saysIban ? /^[A-Z]{2}\d{2}/i.test(text) : isBankAccount && hasFormOfIban(text);
  if (isMeantAsIban && !isIban(text))
    reader.reject('iban_wrong', canonical, sentence('mapPayment.iban', { iban: text }));
}
