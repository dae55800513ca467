// Which profile a file is read by. Once a file is taken its profile lies beside it, so that nothing that is edited later changes what was read.
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';

import { minimatch } from 'minimatch';

import { publishFile } from '../../base/atomic-file.ts';
import { standingFolder, type Workspace } from '../../inbox/workspace.ts';
import { FileRefused } from '../../rows/file-refused.ts';
import { accountProfile } from '../sftp/account-profile.ts';
import type { Config } from '../config.ts';
import { parseProfile, type FileProfile } from './profile-file.ts';
import { ownName } from '../read-batch-file.ts';
import { folderRuleFor } from '../schedule/folder-rules.ts';
import type { PolicyOverrides } from '../settings/policy.ts';

/** What a file's profile is called beside it. */
const TAKEN_NAME = 'profile.yaml';

/** The policy of its folder, whole; a dot file, so that no document can be called so. */
const POLICY_NAME = '.policy.json';

type ProfileConfig = Pick<
  Config,
  'fileProfiles' | 'workspacePath' | 'folderPaths' | 'schedules' | 'tenants' | 'sftp'
>;

/** The only profile that fits the file, under the rules of its folder; null when it has neither. Throws `FileRefused` when several fit. */
export function profileFor(path: string, config: ProfileConfig): FileProfile | null {
  const rule = folderRuleFor(path, config);
  const ofFolder = rule === null || rule.profile === null ? null : named(rule.profile, config);
  const profile = accountProfile(path, config) ?? ofFolder ?? fittingProfile(path, config);
  if (rule === null || Object.values(rule.policy).every((value) => value === undefined)) return profile;
  const base = profile ?? NO_PROFILE;
  return { ...base, policy: { ...base.policy, ...rule.policy }, isFolderPolicy: true };
}

/** How files are read that no profile fits. */
const NO_PROFILE: FileProfile = parseProfile('', '', 'no profile');

function named(name: string, { fileProfiles }: Pick<Config, 'fileProfiles'>): FileProfile | null {
  return fileProfiles.find(({ profile }) => profile.name === name) ?? null;
}

function fittingProfile(path: string, { fileProfiles }: Pick<Config, 'fileProfiles'>): FileProfile | null {
  const fitting = fileProfiles.filter((profile) => fits(path, profile));
  const [only, ...others] = fitting;
  if (others.length === 0) return only ?? null;
  const names = (open: string, close: string, and: string) =>
    fitting.map(({ profile }) => `${open}${profile.name}${close}`).join(and);
  throw new FileRefused('profiles_several', {
    en: `The profiles ${names('"', '"', ' and ')} all say that they are for ${basename(path)}.`,
    fr: `Les profils ${names('« ', ' »', ' et ')} disent tous qu'ils sont pour ${basename(path)}.`,
  });
}

function fits(path: string, { files, folder }: FileProfile): boolean {
  const name = ownName(path).normalize('NFC');
  const options = { nocase: true, dot: false, nocomment: true, nonegate: true } as const;
  if (!files.some((pattern) => minimatch(name, pattern.normalize('NFC'), options))) return false;
  return folder === null || endsWithFolder(dirname(resolve(path)), folder);
}

function endsWithFolder(path: string, folder: string): boolean {
  const wanted = folder.split(/[\\/]/).filter((part) => part !== '' && part !== '.');
  return wanted.join('/') === path.split(sep).slice(-wanted.length).join('/');
}

/** Lays the profile beside a file that was taken by it. */
export async function keepProfile(folder: string, profile: FileProfile | null): Promise<void> {
  if (profile === null) return;
  // What its folder says of the file is in no profile's text.
  if (profile.isFolderPolicy === true)
    await publishFile(join(folder, POLICY_NAME), [JSON.stringify(profile.policy)]);
  await publishFile(join(folder, TAKEN_NAME), [`# ${profile.profile.name}\n${profile.text}`]);
}

/** The profile that a taken file was read by. */
export async function takenProfile(workspace: Workspace, batch: string): Promise<FileProfile | null> {
  const folder = await standingFolder(workspace, batch);
  return folder === null ? null : profileIn(folder);
}

/** The profile that lies beside a file. */
export async function profileIn(folder: string): Promise<FileProfile | null> {
  const text = await readFile(join(folder, TAKEN_NAME), 'utf8').catch(noneThere);
  if (text === null) return null;
  const name = /^# (.*)\n/.exec(text)?.[1] ?? 'profile';
  const profile = parseProfile(text.slice(text.indexOf('\n') + 1), name, join(folder, TAKEN_NAME));
  const policy = await readFile(join(folder, POLICY_NAME), 'utf8').catch(noneThere);
  return policy === null ? profile : { ...profile, policy: JSON.parse(policy) as PolicyOverrides };
}

function noneThere(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
