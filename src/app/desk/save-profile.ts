// Writes a profile that a person has confirmed to where the next file will find it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { stringify } from 'yaml';

import { sameWords } from '../../base/language.ts';
import { publishFile } from '../../base/atomic-file.ts';
import { createFolder } from '../../inbox/workspace.ts';
import { foldHeader } from '../../rows/known-columns.ts';
import { ConfigUnusable } from '../config/config-unusable.ts';
import { PROFILE_EXTENSION } from '../config/load-profiles.ts';
import { IGNORE, parseProfile } from '../config/profile-file.ts';
import type { Proposal } from './propose-profile.ts';
import { sentence } from '../../messages/messages.ts';

/** Gives the path. Throws `ConfigUnusable` when it may not be saved. */
export async function saveProfile(
  folder: string,
  name: string,
  proposal: Proposal,
  mayReplace: boolean,
  payable: number,
): Promise<string> {
  if (!/^[\w-]{1,80}$/.test(name)) throw new ConfigUnusable(sentence('profile.oddName', { name }));
  const [question] = proposal.questions;
  if (question !== undefined) throw new ConfigUnusable(sentence('profile.notSaved', { question }));
  if (payable === 0) throw new ConfigUnusable(sentence('profile.paysNothing'));
  const path = join(folder, `${name}${PROFILE_EXTENSION}`);
  if (existsSync(path) && !mayReplace) throw new ConfigUnusable(sentence('profile.exists', { path }));
  const text = profileText(proposal);
  // What is written is what will be read.
  parseProfile(text, name, sameWords(path));
  await createFolder(folder);
  await publishFile(path, [text]);
  return path;
}

/** The YAML of a proposal, with everything that a person may want to change. */
export function profileText({ profile, files, columns, splits }: Proposal): string {
  const { constants, values, split, same, delimiter, encoding, decimalMark, sheet, layout } = profile;
  const ruleOf = (header: string) => split.get(foldHeader(header))?.by;
  const taken = columns.filter(({ column, from }) => column !== null || from === 'stated');
  const text = stringify(
    {
      files,
      ...(sheet === null ? {} : { sheet }),
      delimiter: delimiter === '\t' ? 'tab' : delimiter,
      encoding,
      decimalMark,
      columns: Object.fromEntries(taken.map(({ header, column }) => [header, column ?? IGNORE])),
      ...(constants.size === 0 ? {} : { constants: Object.fromEntries(constants) }),
      ...(values.size === 0 ? {} : { values: valuesText(values) }),
      ...(split.size === 0
        ? {}
        : {
            split: Object.fromEntries(
              splits.map(({ header, into }) => [header, { into, by: ruleOf(header) }]),
            ),
          }),
      ...(same.size === 0 ? {} : { same: Object.fromEntries(same) }),
      layout,
    },
    { lineWidth: 0 },
  );
  return HEADER + text;
}

function valuesText(values: Proposal['profile']['values']) {
  return Object.fromEntries([...values].map(([column, words]) => [column, Object.fromEntries(words)]));
}

const HEADER = `# How these files are read. "columns" says what each column is (or "ignore"), "constants" what is the same in every row,
# "values" what the file's words mean ("deliveryMethod: { Vir: bankTransfer }"), "split" which column holds two others, "same" which
# column speaks for one that is missing; "layout" is the header that was confirmed:
# a file with another one is refused, so that nothing is guessed. Remove "layout" to take any. "policy" may override the config's.
`;
