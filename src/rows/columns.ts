// A header row becomes columns: what each is called in the file, and what it means to us. Two headers for one meaning are never guessed apart.
import type { Words } from '../base/language.ts';
import { FileRefused } from './file-refused.ts';
import { foldHeader } from './fold-header.ts';
import { EMAIL_HEADERS, PHONE_HEADERS, SURNAME_HEADERS } from './header-aliases.ts';
import { canonicalOf } from './known-columns.ts';
import { cellReference } from './name-cell.ts';
import type { Column } from './row.ts';
import { sentence } from '../messages/messages.ts';

/** A profile's own headers, folded → canonical name, or null for a column that it ignores; they win over ours. */
export type HeaderAliases = ReadonlyMap<string, string | null>;

const PHONES: ReadonlySet<string> = new Set(PHONE_HEADERS.map(foldHeader));
const EMAILS: ReadonlySet<string> = new Set(EMAIL_HEADERS.map(foldHeader));
const CONCEPTS: ReadonlySet<string> = new Set(
  ['Concepto', 'Concepto de pago', 'Verwendungszweck'].map(foldHeader),
);
const SURNAMES: ReadonlySet<string> = new Set(SURNAME_HEADERS.map(foldHeader));

/** The columns of a header row, trailing cells without a name left off. */
export function mapHeader(header: readonly string[], aliases: HeaderAliases): readonly Column[] {
  const names = header.slice(0, header.findLastIndex((name) => name.trim() !== '') + 1);
  const certain = names.map((name) => certainly(name, aliases));
  const present = new Set(certain);
  return names.map((name, index) => {
    const folded = foldHeader(name);
    const isDecided = aliases.has(folded);
    const canonical = certain[index] ?? (isDecided ? null : byNeighbours(folded, present));
    return { index, header: name, canonical };
  });
}

function certainly(header: string, aliases: HeaderAliases): string | null {
  const alias = aliases.get(foldHeader(header));
  return alias === undefined ? canonicalOf(header) : alias;
}

/** Headers whose meaning the other columns decide. */
function byNeighbours(folded: string, present: ReadonlySet<string | null>): string | null {
  const party = present.has('delivery.bankAccountNumber') || present.has('delivery.cardNumber');
  if (PHONES.has(folded)) return party ? 'receiver.msisdn' : 'delivery.msisdn';
  if (EMAILS.has(folded)) return party ? 'receiver.email' : 'delivery.email';
  // Often a remark; where nothing else says what the payment is for, it does.
  if (CONCEPTS.has(folded)) return present.has('purposeOfRemittance') ? null : 'purposeOfRemittance';
  if (!SURNAMES.has(folded)) return null;
  if (present.has('receiver.firstName')) return 'receiver.lastName';
  // `Nombre` beside `Apellidos`, and `Nome` beside `Apelido`, is the first name.
  return ['nombre', 'nome'].includes(folded) && present.has('receiver.lastName')
    ? 'receiver.firstName'
    : 'receiver.name';
}

/** Canonical name → index; a name that two columns claim refuses the file. */
export function indexColumns(columns: readonly Column[], headerPlace: string): ReadonlyMap<string, number> {
  const seen = new Map<string, Column>();
  for (const column of columns) {
    if (column.canonical === null) continue;
    // Folded, because two unlisted fields that differ by case only are one field to the person who wrote them.
    const key = foldHeader(column.canonical);
    const earlier = seen.get(key);
    if (earlier !== undefined) throw columnTwice(earlier, column, headerPlace);
    seen.set(key, column);
  }
  return new Map([...seen.values()].map(({ canonical, index }) => [canonical ?? '', index]));
}

function columnTwice(earlier: Column, later: Column, headerPlace: string): FileRefused {
  const name = ({ header, index }: Column): Words => {
    const cell = cellReference(headerPlace, index);
    return sentence('columns.name', { trim: header.trim(), cell });
  };
  const [one, other, meaning] = [name(earlier), name(later), earlier.canonical ?? ''];
  return new FileRefused('column_twice', sentence('columns.columnTwice', { one, other, meaning }));
}
