// What a person says of a file on the command line, before a profile says it.
import { ConfigUnusable } from '../config/config-unusable.ts';
import { parseProfile } from '../config/profile-file.ts';
import type { Stated } from './propose-profile.ts';

export type StatedWords = {
  /** `Header=column`, each. */
  readonly column: readonly string[];
  /** `column=value`, each. */
  readonly constant: readonly string[];
  readonly delimiter?: string | undefined;
  readonly encoding?: string | undefined;
  readonly decimalMark?: string | undefined;
  readonly sheet?: string | undefined;
};

/** The same rules as in a profile's file hold, because that is where it may go. Throws `ConfigUnusable`. */
export function readStated({ column, constant, sheet, ...form }: StatedWords): Stated {
  const yaml = JSON.stringify({
    columns: Object.fromEntries(column.map(split)),
    constants: Object.fromEntries(constant.map(split)),
    ...form,
  });
  const { columns, constants, delimiter, encoding, decimalMark } = parseProfile(
    yaml,
    'stated',
    'the command',
  ).profile;
  return { columns, constants, delimiter, encoding, decimalMark, ...(sheet === undefined ? {} : { sheet }) };
}

/** At the last sign, because a header may hold one. */
function split(text: string): readonly [string, string] {
  const at = text.lastIndexOf('=');
  if (at <= 0 || at === text.length - 1)
    throw new ConfigUnusable(
      `"${text}" must be written with an equals sign between two names, such as "Montant HT=amount".`,
    );
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
