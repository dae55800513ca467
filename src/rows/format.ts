// What a kind of file must offer, and what its reader is asked and gives: the one page that a further kind has to answer. The list of the kinds is
// `formats.ts`. Answers go back in the form that its reader gives the table (`form.ts`), or under the extension of `answersAs`; a kind that is written
// in no form of today adds its own to `Form`, and `bytesOf` in `results/write-results.ts` does not compile until it can write that one too.
import type { NameOrder } from '../contract/words.ts';
import type { FileRefusalCode } from './file-refused.ts';
import type { DecimalMark, Delimiter, EncodingName, Form } from './form.ts';
import type { HeaderKind } from './header.ts';
import type { HeaderAliases } from './known-columns.ts';
import type { Row, Table } from './row.ts';

export type ReadOptions = {
  /** `intake.rowsMax` and `intake.bytesMax` of the config. */
  readonly rowsMax: number;
  readonly bytesMax: number;
  /** Ends the reading, and each later one of its rows. */
  readonly signal?: AbortSignal | undefined;
  /** `auto` lets each column decide, and refuses the file where it cannot. */
  readonly decimalMark: DecimalMark | 'auto';
  readonly delimiter?: Delimiter | 'auto';
  readonly encoding?: EncodingName | 'auto';
  /** The sheet of a workbook that a profile names; else the only one whose header fits is read. */
  readonly sheet?: string;
  /** A list that pays nobody: it needs no column of amounts. */
  readonly isList?: boolean;
  /** Where the header stands, as a profile says it. */
  readonly header?: HeaderKind;
  /** Headers of a profile, folded by `foldHeader` → canonical name. */
  readonly headerAliases?: HeaderAliases;
  /** The accounts that a payment message may debit; where there are none, and not any will do, no message is taken. */
  readonly debtors?: readonly Debtor[];
  /** Any account will do: with play money, and for a message that was taken already. */
  readonly isAnyDebtor?: boolean;
  /** What a profile says of payment messages. */
  readonly message?: MessageRules;
};

export type Debtor = {
  readonly account: string;
  /** Of the account, where messages may leave it out; null where they always say it. */
  readonly currency: string | null;
  /** Who sends what this account pays; null for the usual sending party. */
  readonly sender: Readonly<Record<string, string>> | null;
  /** False where its messages come from another folder than this one. */
  readonly isFromHere: boolean;
};

/** Elements that ask for what the service cannot do; a house that writes one without meaning it says so in its profile. */
export const IGNORABLE = [
  'ChqInstr',
  'IntrmyAgt1',
  'IntrmyAgt2',
  'IntrmyAgt3',
  'CdtrAgtAcct',
  'InstrForCdtrAgt',
  'InstrForDbtrAgt',
  'MndtRltdInf',
  'ChrgBr',
  'UltmtCdtr',
  'UltmtDbtr',
  'XchgRateInf',
  'LclInstrm',
  'ChrgsAcct',
] as const;

/** Elements of a message that may hold the purpose as text, where banks have no other place for it. */
export const PURPOSE_ELEMENTS = ['InstrForCdtrAgt', 'InstrForDbtrAgt'] as const;

/** What one house means by its payment messages. */
export type MessageRules = {
  /** The reference, as a text with elements in braces: `{PmtInfId}/{EndToEndId}`. */
  readonly reference: string;
  /** Null: only a comma tells which part is the family name. */
  readonly personNames: NameOrder | null;
  readonly ignored: readonly (typeof IGNORABLE)[number][];
  /** Scheme of an account in capital letters → the delivery method that it stands for, beside those that every message may use. */
  readonly accountSchemes: ReadonlyMap<string, string>;
  /** The name of the document, with elements in braces: `{RfrdDocInf}.pdf`; null where the message names it, or its own ids do. */
  readonly documents: string | null;
  readonly purposeFrom: (typeof PURPOSE_ELEMENTS)[number] | null;
};

export const USUAL_MESSAGE: MessageRules = {
  reference: '{EndToEndId}',
  personNames: null,
  ignored: [],
  accountSchemes: new Map(),
  documents: null,
  purposeFrom: null,
};

export type ReadFile = {
  readonly table: Table;
  /**
   * The payout rows in the order of the file; each call reads the file anew, so memory stays bounded. Throws `FileRefused` when the file has changed.
   * @param copy where a copy of the very same bytes is read instead.
   */
  readonly rows: (copy?: string) => AsyncIterable<Row>;
  /** Of the payments of one day of a message: all of it. */
  readonly whole?: ReadFile;
};

/** What can be seen of a file before anything is known of it. */
export type Peek = {
  /** At least the rows in which a header may stand. */
  readonly rows: readonly (readonly string[])[];
  readonly delimiter: Delimiter | null;
  readonly sheet: string | null;
};

/** How a file is written, as a profile says it of the next one. */
export type WrittenAs = {
  readonly delimiter: Delimiter | 'auto';
  readonly encoding: EncodingName | 'auto';
  readonly sheet: string | null;
  /** Whether its amounts are text with a mark; the numbers of a workbook have none. */
  readonly hasMarks: boolean;
};

/** Surveys the whole file: its table, its rows with the places that a person sees, its own totals checked. Throws `FileRefused`. */
type FormatReader = (path: string, options: ReadOptions) => Promise<ReadFile>;

/** A kind of file. */
export type Format = {
  /** The end of a file's name, in small letters with its dot → how it is read. A kind that is never taken has a reader that says why. */
  readonly readers: ReadonlyMap<string, FormatReader>;
  /** The first rows as they stand, for a file whose header nobody knows yet. Throws `FileRefused`. */
  readonly peek: (path: string, options: ReadOptions) => Promise<Peek>;
  /** The extension of the answers, without its dot; null where they have the input's own. */
  readonly answersAs: string | null;
  /** What a profile that is made from such a file says of how it is written. */
  readonly writtenAs: (form: Form) => WrittenAs;
  /** The codes by which a file is refused that was only cut off: an upload may go on with it. */
  readonly whenCut: readonly FileRefusalCode[];
  /** Refuses a file by its first bytes alone. Throws `FileRefused`. */
  readonly refuseByStart: (start: Buffer, options: ReadOptions) => void;
  /** Whether a file that starts so is of this kind; absent where its name alone says so. */
  readonly begins?: (start: Buffer) => boolean;
  /** The name that a file bears inside, and that no second one may bear. Throws `FileRefused`. Absent where files bear none. */
  readonly messageName?: (path: string, options: ReadOptions) => Promise<string | null>;
  /** What a program may be told of a file that is refused. Throws `FileRefused`. Absent where no program asks. */
  readonly refusedMessage?: (path: string, options: ReadOptions) => Promise<RefusedMessage | null>;
};

/** A message that is refused, as far as it can be read. */
export type RefusedMessage = ReadFile & {
  /** As it calls itself, to the letter, and its kind, as `pain.001.001.09`. */
  readonly msgId: string;
  readonly name: string;
};
