// Which sheet is paid is never guessed: the one that is named, else the only one whose header fits and below whose header something stands.
import { joinWords, type Words } from '../../base/language.ts';
import { FileRefused } from '../file-refused.ts';
import { requireHeader } from '../require-header.ts';
import type { FoundHeader } from '../find-header.ts';
import type { SheetLook } from './look-at-sheet.ts';
import { sentence } from '../../messages/messages.ts';

export type ChosenSheet = { readonly look: SheetLook; readonly header: FoundHeader };

/** `wanted` is the sheet that a profile names. Throws `FileRefused`. */
export function chooseSheet(looks: readonly SheetLook[], wanted: string | null): ChosenSheet {
  const look = wanted === null ? onlyFitting(looks) : named(looks, wanted);
  return { look, header: requireHeader(look.first, look.header) };
}

/** The sheet to look at when no header is known: the one that is named, else the first that can be seen and holds most rows. */
export function peekSheet(looks: readonly SheetLook[], wanted: string | null): SheetLook {
  return wanted === null ? fullest(looks) : named(looks, wanted);
}

function fullest(looks: readonly SheetLook[]): SheetLook {
  const visible = looks.filter(({ sheet }) => !sheet.isHidden);
  const [look] = [...visible].sort((a, b) => b.first.length - a.first.length);
  return look ?? nearest(looks);
}

function named(looks: readonly SheetLook[], wanted: string): SheetLook {
  const fold = (name: string) => name.trim().normalize('NFC').toLowerCase();
  const look = looks.find(({ sheet }) => fold(sheet.name) === fold(wanted));
  if (look === undefined)
    throw new FileRefused('sheet_not_found', sentence('chooseSheet.named', { wanted, list: list(looks) }));
  if (look.sheet.isHidden) throw hidden(look);
  return look;
}

function onlyFitting(looks: readonly SheetLook[]): SheetLook {
  const fitting = looks.filter(({ header, hasRows }) => header?.hasAmount === true && hasRows);
  const unseen = fitting.find(({ sheet }) => sheet.isHidden);
  if (unseen !== undefined) throw hidden(unseen);
  const [only, ...others] = fitting;
  if (others.length > 0)
    throw new FileRefused('sheets_ambiguous', sentence('chooseSheet.onlyFitting', { list: list(fitting) }));
  return only ?? nearest(looks);
}

/** None fits; the refusal is then about the one that comes nearest to it. */
function nearest(looks: readonly SheetLook[]): SheetLook {
  const visible = looks.filter(({ sheet }) => !sheet.isHidden);
  const look =
    visible.find(({ header }) => header?.hasAmount === true) ??
    visible.find(({ header }) => header !== null) ??
    visible.find(({ first }) => first.length > 0) ??
    visible[0];
  if (look === undefined) throw new FileRefused('empty_file', sentence('chooseSheet.nearest'));
  return look;
}

function hidden({ sheet }: SheetLook): FileRefused {
  return new FileRefused('hidden_sheet', sentence('chooseSheet.hidden', { name: sheet.name }));
}

function list(looks: readonly SheetLook[]): Words {
  const names = looks.map(({ sheet: { name } }) => sentence('chooseSheet.list', { name }));
  return joinWords(names, ', ');
}
