// What the config says of a folder of the inbox. Once it names one, a folder that it does not name is left alone: a misspelt name must not make
// money leave under other rules, or on another day.
import { isAbsolute, join, relative, resolve, sep } from 'node:path';

import type { Config } from '../../config/config.ts';
import type { PolicyOverrides } from '../../config/policy.ts';
import type { Schedule } from '../../config/schedule-config.ts';

export type FolderRule = {
  /** Below the inbox. */
  readonly folder: string;
  /** The name of the profile that its files are read by; null for whichever fits. */
  readonly profile: string | null;
  readonly policy: PolicyOverrides;
  /** Null: paid as soon as they come. */
  readonly schedule: Schedule | null;
};

type FolderConfig = Pick<Config, 'workspacePath' | 'folderPaths' | 'schedules' | 'tenants' | 'sftp'>;

/** The rule of the folder that a file lies in, or below; null when the config names none. */
export function folderRuleFor(path: string, config: FolderConfig): FolderRule | null {
  const below = relative(inboxOf(config), resolve(path)).split(sep).join('/').normalize('NFC');
  const fitting = rulesOf(config).filter(({ folder }) => below.startsWith(`${folder.normalize('NFC')}/`));
  // Of two that lie in each other the inner one says more.
  return fitting.sort((a, b) => b.folder.length - a.folder.length)[0] ?? null;
}

/** False for a file in a folder that the config does not name, while it names others. */
export function isNamedPlace(path: string, config: FolderConfig): boolean {
  const folder = relative(inboxOf(config), resolve(path)).split(sep).slice(0, -1).join('/');
  if (folder === '' || rulesOf(config).length === 0 || folderRuleFor(path, config) !== null) return true;
  return accountFolders(config).some((name) => `${folder}/`.startsWith(`${name}/`));
}

/**
 * Through which door a file comes: the folder of a tenant, of a schedule or of an SFTP account, or the inbox itself, which is the empty text. Null
 * for a file that lies elsewhere, and that an operator names. What came through one door is none of another's business.
 */
export function doorOf(path: string, config: FolderConfig): string | null {
  const below = relative(inboxOf(config), resolve(path)).split(sep).join('/');
  if (below.startsWith('../') || isAbsolute(below)) return null;
  const account = accountFolders(config).find((name) => below.startsWith(`${name}/`));
  return account ?? folderRuleFor(path, config)?.folder ?? '';
}

/** The files of an account come into a folder of its name. */
function accountFolders({ sftp }: FolderConfig): readonly string[] {
  return sftp.map(({ name }) => name);
}

function rulesOf({ schedules, tenants }: FolderConfig): FolderRule[] {
  return [
    ...schedules.map((schedule) => ({ ...schedule, schedule })),
    ...tenants.map((tenant) => ({ ...tenant, schedule: null })),
  ];
}

function inboxOf({ workspacePath, folderPaths }: FolderConfig): string {
  return resolve(folderPaths.inbox ?? join(workspacePath, 'inbox'));
}
