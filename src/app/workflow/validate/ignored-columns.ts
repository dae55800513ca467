// The columns of a file that paydrop does not read, in words: whoever brings the file may think that they count.
import { joinWords, type Words } from '../../../base/language.ts';
import { sentence } from '../../../messages/messages.ts';
import { withFileName } from '../../../rows/file-refused.ts';
import type { ReadFile } from '../../../rows/format.ts';
import { isLocalBankCode, nearColumn, plainHeader } from '../../../rows/known-columns.ts';
import { isPart } from '../../../rows/namesakes.ts';
import type { Column } from '../../../rows/row.ts';
import { saysPaid } from '../../../rows/said-of-rows.ts';

/** A header may be as long as a cell, which is too long for a screen. */
const HEADER_MOST = 80;

/** What can be said of single headers, then the others together. @param unread the file to describe by a profile; null where somebody has described it. */
export function ignoredWords(table: ReadFile['table'], unread: string | null): readonly Words[] {
  const headers = ignoredColumns(table).map(({ header }) => header);
  const others = headers.filter((header) => singleWords(header, table.columns) === null).map(shortened);
  const isOne = others.length === 1;
  const hint = unread === null ? [] : [withFileName(sentence('checkFile.ignoredHint', { isOne }), unread)];
  const stops = table.unknown.filter(
    ({ header, index }) => saysPaid(header) && table.blank?.has(index) !== true,
  );
  return [
    ...stops.map(({ header }) => sentence('checkFile.stops', { header: shortened(header) })),
    ...headers.flatMap((header) => singleWords(header, table.columns) ?? []),
    ...(others.length === 0
      ? []
      : [joinWords([sentence('checkFile.ignored', { headers: others, isOne }), ...hint])]),
  ];
}

/** A header that is nearly one of ours, for a column that the file lacks, is hardly an accident. */
function singleWords(header: string, columns: readonly Column[]): Words | null {
  const near = nearColumn(header);
  const hasSwift = columns.some(({ canonical }) => canonical === 'delivery.bankAccountSwiftCode');
  if (isLocalBankCode(header) && !hasSwift) return sentence('checkFile.bankCode', { header: header.trim() });
  return near === null || columns.some(({ canonical }) => canonical === near)
    ? null
    : sentence('checkFile.meant', { header: shortened(header), near: plainHeader(near) });
}

function shortened(header: string): string {
  return header.length > HEADER_MOST ? `${header.slice(0, HEADER_MOST).toWellFormed()}…` : header;
}

/** A layout that leaves out bank codes does not supply what corridors ask for. */
export function ignoredColumns({ columns, unknown }: ReadFile['table']): readonly Column[] {
  return columns.filter(
    (column) =>
      (unknown.includes(column) && !saysPaid(column.header)) ||
      (column.canonical === null && isLocalBankCode(column.header) && !isPart(column, columns)),
  );
}

/** So many are named to programs. */
const NAMED_MOST = 50;

/** Their headers, for programs. */
export function namesOf(columns: readonly Column[]): readonly string[] {
  return columns.slice(0, NAMED_MOST).map(({ header }) => shortened(header.trim()));
}
