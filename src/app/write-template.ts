// `template`: writes the empty spreadsheet of a corridor, and never over a file that may have been filled in.
import { existsSync } from 'node:fs';

import { publishFile } from '../base/atomic-file.ts';
import { templateFor } from '../results/template.ts';
import type { PayoutCorridor } from '../service/wire.ts';
import type { Paydrop } from './compose.ts';
import { ConfigUnusable } from './config.ts';
import { loadCorridors } from './load-corridors.ts';

export type TemplateOrder = {
  readonly corridor: string;
  readonly path: string;
  readonly mayReplace: boolean;
};

/** Throws `ConfigUnusable` for a corridor that there is not, or a file that there is. */
export async function writeTemplate(
  { service, sender }: Paydrop,
  { corridor: id, path, mayReplace }: TemplateOrder,
): Promise<void> {
  if (!mayReplace && existsSync(path))
    throw new ConfigUnusable(`There is a file ${path} already. Choose another name with -o, or say --force.`);
  const corridors = await loadCorridors(service);
  const corridor = corridors.find((each) => each.id === id);
  if (corridor === undefined) throw new ConfigUnusable(unknownCorridor(id, corridors));
  await publishFile(path, [await templateFor(corridor, sender)]);
}

/** Names shown when there is none of the name asked for. */
const SHOWN_MOST = 5;

function unknownCorridor(id: string, corridors: readonly PayoutCorridor[]): string {
  const near = corridors.filter((corridor) => corridor.id.startsWith(id.slice(0, 3).toLowerCase()));
  const shown = (near.length > 0 ? near : corridors).slice(0, SHOWN_MOST).map((corridor) => corridor.id);
  return `There is no corridor "${id}". There are ${shown.join(', ')}${corridors.length > shown.length ? ' and others' : ''}; "paydrop corridors" lists them all.`;
}
