// Columns that mean the same: an account as IBAN or as number, a currency told twice. They are taken together where no row contradicts that, and a
// file in which they differ is refused, for nobody can tell which of them is meant.
import { sameWords, type Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import { cellReference } from './cell.ts';
import { FileRefused } from './file-refused.ts';
import { TEXT_REFERENCE_HEADERS } from './header-aliases.ts';
import { foldHeader, headerCurrency, isAmountColumn, withoutSuffix } from './known-columns.ts';
import type { Column, Table } from './row.ts';

type NamesakeGroup = {
  readonly columns: readonly Column[];
  readonly differences: NamesakeDifference[];
  /** Of a receiver's names, the columns in which somebody is named, and those with as many codes as this. */
  readonly named: Set<Column>;
  readonly codes: Map<Column, number>;
};

/** The first row in which two columns say different things. */
type NamesakeDifference = { readonly pair: readonly [Column, Column]; readonly place: string };

/** What the reference says in all rows so far; null once two rows differ. */
type SharedValue = { readonly index: number; text: string | null; rows: number };

type Namesakes = {
  /** Canonical name → the column that is read first. */
  readonly indexOf: Map<string, number>;
  /** Takes the next payment. */
  readonly observe: (place: string, cells: readonly string[]) => void;
  /** After the last payment. Throws `FileRefused` where two columns of one meaning differ. */
  readonly settle: () => Pick<Table, 'columns' | 'indexOf' | 'others' | 'textReference'>;
};

/** Throws `FileRefused` where two columns must not stand beside each other at all. */
export function startNamesakes(columns: readonly Column[], headerPlace: string): Namesakes {
  const all = groupsOf(columns, headerPlace);
  const firms = firmsBesideNames(all);
  const watched = all.filter((group) => group.columns.length > 1 || isOfNames(group));
  const indexOf = new Map(
    all.flatMap(({ columns: [first] }) => (first === undefined ? [] : [entryOf(first)])),
  );
  const shared = sharedReference(columns, indexOf);
  const observe = (place: string, cells: readonly string[]) => {
    for (const group of watched) compare(group, place, cells);
    if (firms !== null) compare(firms, place, cells);
    if (shared !== null) follow(shared, cells);
  };
  const settle = () => {
    const left = watched.map((group) => agreeing(group, headerPlace));
    const dropped = new Set(
      watched.flatMap((group, at) => group.columns.filter((each) => !left[at]?.includes(each))),
    );
    for (const { canonical } of dropped) indexOf.delete(canonical ?? '');
    for (const [first] of left) if (first !== undefined) indexOf.set(...entryOf(first));
    const [twoPayees] = firms?.differences ?? [];
    if (twoPayees?.pair.every((column) => !dropped.has(column)) === true)
      throw columnTwice(twoPayees, headerPlace);
    const text = shared !== null && shared.rows > 1 ? shared.text : null;
    // What all rows share tells none of them from another.
    if (text !== null) indexOf.delete('reference');
    return {
      columns:
        dropped.size === 0
          ? columns
          : columns.map((each) => (dropped.has(each) ? { ...each, canonical: null } : each)),
      indexOf,
      others: new Map(
        left.flatMap(([first, ...others]) =>
          first === undefined || others.length === 0
            ? []
            : [[first.canonical ?? '', others.map(({ index }) => index)] as const],
        ),
      ),
      textReference: text,
    };
  };
  return { indexOf, observe, settle };
}

function entryOf({ canonical, index }: Column): readonly [string, number] {
  return [canonical ?? '', index];
}

function groupsOf(columns: readonly Column[], headerPlace: string): readonly NamesakeGroup[] {
  // Folded, because two unlisted fields that differ by case only are one field to the person who wrote them.
  const groups = Map.groupBy(
    columns.filter(({ canonical }) => canonical !== null),
    ({ canonical }) => foldHeader(canonical ?? ''),
  );
  return [...groups.values()].map((group) => {
    const [first, second] = group;
    // In which batch a row was before is never told by two columns.
    if (first !== undefined && second !== undefined && first.canonical?.startsWith('payout.') === true)
      throw columnTwice({ pair: [first, second], place: '' }, headerPlace);
    return startGroup(group);
  });
}

function startGroup(columns: readonly Column[]): NamesakeGroup {
  return { columns, differences: [], named: new Set(), codes: new Map() };
}

/** `Company` beside `Vendor name` is whom the vendor is paid by, or the vendor: a row that names two firms does not say which of them is paid. */
function firmsBesideNames(groups: readonly NamesakeGroup[]): NamesakeGroup | null {
  const firstOf = (name: string) =>
    groups.map(({ columns: [first] }) => first).find((first) => first?.canonical === name);
  const [firm, name] = [firstOf('receiver.registeredName'), firstOf('receiver.name')];
  return firm === undefined || name === undefined ? null : startGroup([firm, name]);
}

/** `V001`, `EMP-0042`, `0x1f…`: the number of somebody in a list, though it has letters. */
const CODE = /^(?:\p{L}{1,6}[-_./]?\d{3,}|0x[\da-f]{8,})$/iu;
/** A firm may be called like one. */
const CODES_LEAST = 2;

function isOfNames({ columns: [first] }: Pick<NamesakeGroup, 'columns'>): boolean {
  return first?.canonical === 'receiver.name' || first?.canonical === 'receiver.registeredName';
}

function compare(group: NamesakeGroup, place: string, cells: readonly string[]): void {
  const { columns, differences, named, codes } = group;
  const textOf = ({ index }: Column) => (cells[index] ?? '').trim();
  for (const [at, column] of columns.entries()) {
    const text = textOf(column);
    if (/\p{L}/u.test(text) && isOfNames(group)) {
      if (CODE.test(text)) codes.set(column, (codes.get(column) ?? 0) + 1);
      else named.add(column);
    }
    for (const other of columns.slice(at + 1)) {
      const isKnown = differences.some(({ pair }) => pair[0] === column && pair[1] === other);
      if (!isKnown && differs(column, text, textOf(other)))
        differences.push({ pair: [column, other], place });
    }
  }
}

/** Of an account one column may be empty; an amount that stands in one of two columns only may be another amount. */
function differs({ canonical }: Column, one: string, other: string): boolean {
  if (one === other) return false;
  return isAmountColumn(canonical) || (one !== '' && other !== '');
}

/** The columns that are read: a column of codes gives way to one that holds the names, and is no name without one. */
function agreeing(
  { columns, differences, named, codes }: NamesakeGroup,
  headerPlace: string,
): readonly Column[] {
  const isCoded = (column: Column) => !named.has(column) && (codes.get(column) ?? 0) >= CODES_LEAST;
  const left = columns.filter((column) => (named.size > 0 ? named.has(column) : !isCoded(column)));
  const between = differences.find(({ pair }) => pair.every((column) => left.includes(column)));
  if (between !== undefined) throw columnTwice(between, headerPlace);
  return left;
}

function columnTwice(
  { pair: [earlier, later], place }: NamesakeDifference,
  headerPlace: string,
): FileRefused {
  const name = ({ header, index }: Column): Words => {
    const cell = cellReference(headerPlace, index);
    return sentence('columns.name', { trim: header.trim(), cell });
  };
  const [one, other, meaning] = [name(earlier), name(later), earlier.canonical ?? ''];
  const where = place === '' ? sameWords('') : sentence('columns.differIn', { place });
  return new FileRefused('column_twice', sentence('columns.columnTwice', { one, other, meaning, where }));
}

/** The columns of one meaning, each later one with the first: a person decides which of them is read. */
export function columnsTwice(
  columns: readonly Column[],
): readonly { readonly earlier: Column; readonly later: Column }[] {
  const first = new Map<string, Column>();
  return columns.flatMap((later) => {
    if (later.canonical === null) return [];
    const meaning = later.canonical === 'receiver.registeredName' ? 'receiver.name' : later.canonical;
    const earlier = first.get(meaning);
    if (earlier === undefined) first.set(meaning, later);
    return earlier === undefined ? [] : [{ earlier, later }];
  });
}

// `Payment reference` is often the text that the receiver reads, the same in every row: then it tells no payment from another.

const TEXT_REFERENCES: ReadonlySet<string> = new Set(TEXT_REFERENCE_HEADERS.map(foldHeader));

function sharedReference(
  columns: readonly Column[],
  indexOf: ReadonlyMap<string, number>,
): SharedValue | null {
  const index = indexOf.get('reference');
  const header = columns[index ?? -1]?.header;
  return index === undefined ||
    header === undefined ||
    !TEXT_REFERENCES.has(foldHeader(withoutSuffix(header)))
    ? null
    : { index, text: '', rows: 0 };
}

function follow(shared: SharedValue, cells: readonly string[]): void {
  const text = (cells[shared.index] ?? '').trim();
  if (shared.rows === 0) shared.text = text === '' ? null : text;
  else if (text !== shared.text) shared.text = null;
  shared.rows += 1;
}

// `Company` beside a person's names is whom they work for, or who pays them.

const EMPLOYERS: ReadonlySet<string> = new Set(
  'company,société,entreprise,empresa,firma,unternehmen'.split(',').map(foldHeader),
);

/** A file that has one of these says itself which of its receivers are firms. */
const OF_FIRMS: ReadonlySet<string | null> = new Set(['transactionMode', 'receiver.registrationNumber']);

/** Folded. */
const OF_STAFF = /employ|staff|salarie|worker|mitarbeiter|arbeitnehmer|emplead|trabaja|trabalha|funcionari/;

/** The columns, one of a firm left out where the receivers are persons. */
export function withoutEmployer(columns: readonly Column[]): readonly Column[] {
  const isOfPersons = columns.some(
    ({ canonical, header }) =>
      canonical === 'receiver.firstName' ||
      (canonical === 'receiver.name' && OF_STAFF.test(foldHeader(header))),
  );
  if (!isOfPersons || columns.some(({ canonical }) => OF_FIRMS.has(canonical))) return columns;
  return columns.map((column) => {
    const isEmployer =
      column.canonical === 'receiver.registeredName' && EMPLOYERS.has(foldHeader(column.header));
    return isEmployer ? { ...column, canonical: null } : column;
  });
}

// `amount_usd` beside `amount` and `currency` is the same money, told in another currency.

/** The columns, amounts left out that only tell another one again. */
export function withoutConverted(columns: readonly Column[]): readonly Column[] {
  if (!columns.some(({ canonical }) => canonical === 'currency')) return columns;
  const plain = new Set(
    columns.flatMap(({ canonical, header }) =>
      isAmountColumn(canonical) && headerCurrency(header) === null ? [foldHeader(header)] : [],
    ),
  );
  return columns.map((column) => {
    const { canonical, header } = column;
    const isTold = isAmountColumn(canonical) && headerCurrency(header) !== null;
    return isTold && plain.has(foldHeader(withoutSuffix(header))) ? { ...column, canonical: null } : column;
  });
}

// Francophone programs write an account in four columns, which together are its RIB.

const RIB_PARTS = ['code banque,banque', 'code guichet,guichet,code agence,agence', 'clé rib,clé,clef'].map(
  (names) => names.split(',').map(foldHeader),
);
const RIB_ACCOUNT: ReadonlySet<string> = new Set(['compte', 'numerocompte', 'ncompte', 'ndecompte']);

/** The columns, the account one of them that its bank, branch and key stand beside: alone, none of the four is an account. */
export function withRib(columns: readonly Column[]): readonly Column[] {
  const called = (names: readonly string[]) => {
    const found = names.map((name) => columns.find(({ header }) => foldHeader(header) === name));
    return found.find((column) => column !== undefined);
  };
  const [bank, branch, key] = RIB_PARTS.map(called);
  const account = columns.find(
    ({ header, canonical }) => canonical === ACCOUNT || RIB_ACCOUNT.has(foldHeader(header)),
  );
  if (bank === undefined || branch === undefined || key === undefined || account === undefined)
    return columns;
  const parts = [bank, branch, account, key].map(({ index }) => index);
  return columns.map((column) => {
    if (column === account) return { ...column, canonical: ACCOUNT, parts };
    return parts.includes(column.index) ? { ...column, canonical: null } : column;
  });
}

const ACCOUNT = 'delivery.bankAccountNumber';

/** Whether a column is read as a part of the account. */
export function isPart({ index }: Column, columns: readonly Column[]): boolean {
  return columns.some(({ parts }) => parts?.includes(index) === true);
}
