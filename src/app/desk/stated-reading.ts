// What a person says of a file on the command line, before a profile says it.
import { ConfigUnusable } from '../config/config-unusable.ts';
import { parseProfile } from '../config/profile-file.ts';
import { SPLIT_RULES } from '../../rows/cell.ts';
import type { Stated } from './propose-profile.ts';
import { sentence } from '../../messages/messages.ts';

export type StatedWords = {
  /** `Header=column`, each. */
  readonly column: readonly string[];
  /** `column=value`, each. */
  readonly constant: readonly string[];
  /** `word=value`, each. */
  readonly value: readonly string[];
  /** `Header=column,column,rule`, each. */
  readonly split: readonly string[];
  /** `column=other column`, each. */
  readonly same: readonly string[];
  readonly delimiter?: string | undefined;
  readonly encoding?: string | undefined;
  readonly decimalMark?: string | undefined;
  readonly sheet?: string | undefined;
};

/** The same rules as in a profile's file hold, because that is where it may go. Throws `ConfigUnusable`. */
export function readStated({ column, constant, value, split, same, sheet, ...form }: StatedWords): Stated {
  const splits = split.map(parted).map(([header, parts]) => [header, splitOf(header, parts)] as const);
  const yaml = JSON.stringify({
    columns: Object.fromEntries(column.map(parted)),
    constants: Object.fromEntries(constant.map(parted)),
    split: Object.fromEntries(splits),
    same: Object.fromEntries(same.map(parted)),
    ...form,
  });
  const { profile } = parseProfile(yaml, 'stated', sentence('profile.command'));
  const { columns, constants, delimiter, encoding, decimalMark } = profile;
  return {
    ...{ columns, constants, split: profile.split, same: profile.same, delimiter, encoding, decimalMark },
    headers: [...column, ...split].map((text) => parted(text)[0]),
    words: value.map(parted),
    ...(sheet === undefined ? {} : { sheet }),
  };
}

function splitOf(header: string, parts: string) {
  const [first, second, by, ...more] = parts.split(',').map((part) => part.trim());
  if (by === undefined || more.length > 0)
    throw new ConfigUnusable(sentence('profile.splitHow', { header, rules: SPLIT_RULES.join(', ') }));
  return { into: [first, second], by };
}

/** At the last sign, because a header may hold one. */
function parted(text: string): readonly [string, string] {
  const at = text.lastIndexOf('=');
  if (at <= 0 || at === text.length - 1) throw new ConfigUnusable(sentence('profile.noEquals', { text }));
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
