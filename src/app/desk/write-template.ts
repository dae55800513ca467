// `template`: writes the empty spreadsheet of a corridor, and never over a file that may have been filled in.
import { stat } from 'node:fs/promises';
import { dirname, extname } from 'node:path';

import { publishFile } from '../../base/atomic-file.ts';
import { templateFor } from '../../results/template.ts';
import type { PayoutCorridor } from '../../service/wire.ts';
import type { Paydrop } from '../parts.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import { loadCorridors, nearestCorridors } from '../workflow/check/check-rules.ts';
import { sentence } from '../../messages/messages.ts';

export type TemplateOrder = {
  readonly corridor: string;
  readonly path: string;
  readonly mayReplace: boolean;
};

/** Throws `ConfigUnusable` for a corridor that there is not, or a place where no template may be written. */
export async function writeTemplate(
  { service, sender, config }: Paydrop,
  { corridor: id, path, mayReplace }: TemplateOrder,
): Promise<void> {
  await checkPlace(path, mayReplace);
  const corridor = findCorridor(id, await loadCorridors(service));
  await publishFile(path, [await templateFor(corridor, sender, config.language)]);
}

/** Its bytes; null for a corridor that there is not, or that is switched off. */
export async function templateOf(
  { service, sender, config }: Paydrop,
  id: string,
): Promise<Uint8Array | null> {
  const corridor = (await loadCorridors(service)).find((each) => each.id === id);
  return corridor?.isEnabled === true ? templateFor(corridor, sender, config.language) : null;
}

async function checkPlace(path: string, mayReplace: boolean): Promise<void> {
  if (extname(path).toLowerCase() !== '.xlsx')
    throw new ConfigUnusable(sentence('template.place.notXlsx', { path }));
  const [found, folder] = await Promise.all(
    [path, dirname(path)].map((each) => stat(each).catch(() => null)),
  );
  if (folder?.isDirectory() !== true)
    throw new ConfigUnusable(sentence('template.place.noFolder', { folder: dirname(path) }));
  if (found?.isDirectory() === true) throw new ConfigUnusable(sentence('template.place.folder', { path }));
  if (found?.isFile() === true && !mayReplace)
    throw new ConfigUnusable(sentence('template.place.exists', { path }));
}

/** Ids shown when there is none of the name asked for. */
const SHOWN_MOST = 5;

function findCorridor(id: string, corridors: readonly PayoutCorridor[]): PayoutCorridor {
  const corridor = corridors.find((each) => each.id === id);
  if (corridor?.isEnabled === true) return corridor;
  if (corridor !== undefined) throw new ConfigUnusable(sentence('template.switchedOff', { id }));
  const near = nearestCorridors(id, corridors, SHOWN_MOST);
  throw new ConfigUnusable(sentence('template.noCorridor', { id, near: near.join(', ') }));
}
