// Which sheet is paid is never guessed: the one that is named, else the only one whose header fits and below whose header something stands.
import { joinWords, type Words } from '../../base/language.ts';
import { FileRefused } from '../file-refused.ts';
import { requireHeader } from '../require-header.ts';
import type { FoundHeader } from '../find-header.ts';
import type { SheetLook } from './look-at-sheet.ts';

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
    throw new FileRefused('sheet_not_found', {
      en: `There is no sheet «${wanted}»; the workbook has ${list(looks).en}.`,
      fr: `Il n'y a pas de feuille « ${wanted} » ; le classeur contient ${list(looks).fr}.`,
    });
  if (look.sheet.isHidden) throw hidden(look);
  return look;
}

function onlyFitting(looks: readonly SheetLook[]): SheetLook {
  const fitting = looks.filter(({ header, hasRows }) => header?.hasAmount === true && hasRows);
  const unseen = fitting.find(({ sheet }) => sheet.isHidden);
  if (unseen !== undefined) throw hidden(unseen);
  const [only, ...others] = fitting;
  if (others.length > 0)
    throw new FileRefused('sheets_ambiguous', {
      en: `The sheets ${list(fitting).en} all hold rows that could be paid.`,
      fr: `Les feuilles ${list(fitting).fr} contiennent toutes des lignes qui pourraient être payées.`,
    });
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
  if (look === undefined)
    throw new FileRefused('empty_file', {
      en: 'The workbook has no sheet with cells that can be seen.',
      fr: "Le classeur n'a aucune feuille avec des cellules visibles.",
    });
  return look;
}

function hidden({ sheet }: SheetLook): FileRefused {
  return new FileRefused('hidden_sheet', {
    en: `The sheet «${sheet.name}» is hidden and holds rows that could be paid.`,
    fr: `La feuille « ${sheet.name} » est masquée et contient des lignes qui pourraient être payées.`,
  });
}

function list(looks: readonly SheetLook[]): Words {
  const names = looks.map(({ sheet: { name } }) => ({ en: `«${name}»`, fr: `« ${name} »` }));
  return joinWords(names, ', ');
}
