// A program whose export changes its columns may mean something else by those that stayed, so the difference is told before anything is paid.
import { joinWords, type Words } from '../base/language.ts';
import { FileRefused } from './file-refused.ts';
import { foldHeader } from './fold-header.ts';
import { columnLetters } from './name-cell.ts';
import type { Column, Table } from './row.ts';
import { sentence } from '../messages/messages.ts';

/** The headers that make up the layout of a table: our own columns, which an answer has added, are not among them. */
export function layoutOf({ columns }: Pick<Table, 'columns'>): readonly string[] {
  return columns.filter((column) => !isOurs(column)).map(({ header }) => header.trim());
}

function isOurs({ canonical }: Column): boolean {
  return canonical?.startsWith('payout.') === true;
}

/** Throws `FileRefused` when the columns are not those that were confirmed, in their order. */
export function checkLayout(
  table: Pick<Table, 'columns' | 'headerPlace'>,
  profile: string,
  confirmed: readonly string[] | null,
): void {
  if (confirmed === null) return;
  const differences = compareLayouts(confirmed, layoutOf(table));
  if (differences.length === 0) return;
  throw new FileRefused(
    'layout_changed',
    sentence('layout.checkLayout', {
      headerPlace: table.headerPlace,
      profile,
      joinWords: joinWords(differences, '; '),
      joinWords2: joinWords(differences, ' ; '),
    }),
  );
}

/** What a person would say of the change: columns that are gone, that are new, and that have moved. */
function compareLayouts(confirmed: readonly string[], found: readonly string[]): readonly Words[] {
  const before = confirmed.map(foldHeader);
  const now = found.map(foldHeader);
  const gone = confirmed.filter((_, index) => !now.includes(before[index] ?? ''));
  const added = found.filter((_, index) => !before.includes(now[index] ?? ''));
  const stayed = (all: readonly string[], other: readonly string[]) =>
    all.filter((name) => other.includes(name));
  const order = stayed(now, before);
  const moved = stayed(before, now).find((name, index) => name !== order[index]);
  return [
    ...gone.map(goneWords),
    ...added.map((header) => newWords(header, columnLetters(found.indexOf(header)))),
    ...(moved === undefined ? [] : [movedWords(moved, confirmed, found)]),
  ];
}

function goneWords(header: string): Words {
  const { en, fr } = quoted(header);
  return sentence('layout.gone', { counted: { en, fr } });
}

function newWords(header: string, letters: string): Words {
  const { en, fr } = quoted(header);
  return sentence('layout.new', { counted: { en, fr }, letters });
}

function movedWords(folded: string, confirmed: readonly string[], found: readonly string[]): Words {
  const at = (headers: readonly string[]) =>
    columnLetters(headers.findIndex((header) => foldHeader(header) === folded));
  const header = confirmed.find((each) => foldHeader(each) === folded) ?? folded;
  const { en, fr } = quoted(header);
  return sentence('layout.moved', { counted: { en, fr }, at: at(confirmed), at2: at(found) });
}

function quoted(header: string): Words {
  return header === '' ? sentence('layout.quoted.withoutName') : sentence('layout.quoted.text', { header });
}
