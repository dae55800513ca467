// Who is known to have brought a file, and so cannot approve it: whoever its way here names, its control file, or the folder that it lay in.
import { dirname, resolve, sep } from 'node:path';

import { inPlace, type DroppedFile } from '../../../inbox/take-file.ts';
import { readManifest } from '../../../inbox/manifest.ts';
import { controlSubmitter } from '../../../rows/control-totals.ts';
import type { Paydrop } from '../../parts.ts';
import { controlBeside } from './read-batch-file.ts';

/** Empty when nobody is known. Throws `FileRefused` for a control file that cannot be read. */
export async function submittersOf(
  paydrop: Pick<Paydrop, 'config' | 'workspace'>,
  { path, origin, submittedBy = [] }: DroppedFile,
): Promise<readonly string[]> {
  const control = controlBeside(path);
  const named = [
    ...submittedBy,
    control === null ? null : await controlSubmitter(control),
    approverOf(paydrop, origin),
  ];
  return [...new Set(named.filter((name) => name !== null))];
}

/** The approver whose folder a file lies in, or below; null when it is nobody's. */
export function approverOf(
  { config, workspace }: Pick<Paydrop, 'config' | 'workspace'>,
  path: string,
): string | null {
  const folder = resolve(dirname(path)) + sep;
  const found = config.approvers.find((each) =>
    folder.startsWith(resolve(workspace.inbox, each.folder) + sep),
  );
  return found?.name ?? null;
}

/**
 * As its manifest keeps them; where it does not, as the control files say beside the copy and beside the file that was typed.
 * @param copy the path of the file in the folder of its batch.
 */
export async function keptSubmitters(
  paydrop: Paydrop,
  copy: string,
  typed: string,
): Promise<readonly string[]> {
  const kept = (await readManifest(dirname(copy)))?.submittedBy;
  if (kept !== undefined) return kept;
  const found = [copy, typed].map((path) => submittersOf(paydrop, inPlace(path)));
  return [...new Set((await Promise.all(found)).flat())];
}
