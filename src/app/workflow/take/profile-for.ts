// Which profile a file is read by. Once a file is taken its profile lies beside it, so that nothing that is edited later changes what was read.
import { createHash } from 'node:crypto';
import { basename, dirname, join, resolve, sep } from 'node:path';

import { minimatch } from 'minimatch';

import { publishFile } from '../../../base/atomic-file.ts';
import { parseNote, readNoteText, unreadableNote, type Note } from '../../../inbox/batch-note.ts';
import { standingFolder, type Workspace } from '../../../inbox/workspace.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import { saysOtherwise } from '../../parts/command-errors.ts';
import { accountProfile } from '../../config/account-profile.ts';
import type { Config } from '../../config/config.ts';
import { parseProfile, type FileProfile } from '../../config/profile-file.ts';
import { ownName } from './read-batch-file.ts';
import { folderRuleFor } from './folder-rules.ts';
import { ConfigUnusable } from '../../config/config-unusable.ts';
import { keptPolicy, type PolicyOverrides } from '../../config/policy.ts';
import { sentence } from '../../../messages/messages.ts';
import { sameWords } from '../../../base/language.ts';

const PROFILE_NOTE = {
  name: 'profile.yaml',
  holds: sentence('profileFor.readBy'),
};

/** The policy of its folder, whole. */
const POLICY_NOTE: Note<PolicyOverrides> = {
  name: '.policy.json',
  schema: keptPolicy,
  holds: sentence('profileFor.treatedBy'),
};

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
const NO_PROFILE: FileProfile = parseProfile('', '', sameWords(''));

function named(name: string, { fileProfiles }: Pick<Config, 'fileProfiles'>): FileProfile | null {
  return fileProfiles.find(({ profile }) => profile.name === name) ?? null;
}

function fittingProfile(path: string, { fileProfiles }: Pick<Config, 'fileProfiles'>): FileProfile | null {
  const fitting = fileProfiles.filter((profile) => fits(path, profile));
  const [only, ...others] = fitting;
  if (others.length === 0) return only ?? null;
  const names = (open: string, close: string, and: string) =>
    fitting.map(({ profile }) => `${open}${profile.name}${close}`).join(and);
  throw new FileRefused(
    'profiles_several',
    sentence('profileFor.fittingProfile', {
      names: names('"', '"', ' and '),
      basename: basename(path),
      names2: names('« ', ' »', ' et '),
    }),
  );
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
  const kept = keptTexts(profile);
  if (kept.policy !== null) await publishFile(join(folder, POLICY_NOTE.name), [kept.policy]);
  if (kept.profile !== null) await publishFile(join(folder, PROFILE_NOTE.name), [kept.profile]);
}

/** What the batch of a file that is read by this profile records of it. */
export function profileDigest(profile: FileProfile | null): string | null {
  return digestOf(keptTexts(profile));
}

/** As they lie beside the file. */
type KeptTexts = { readonly profile: string | null; readonly policy: string | null };

function keptTexts(profile: FileProfile | null): KeptTexts {
  if (profile === null) return { profile: null, policy: null };
  // What its folder says of the file is in no profile's text.
  const policy = profile.isFolderPolicy === true ? JSON.stringify(profile.policy) : null;
  return { profile: `# ${profile.profile.name}\n${profile.text}`, policy };
}

function digestOf({ profile, policy }: KeptTexts): string | null {
  if (profile === null && policy === null) return null;
  return createHash('sha256')
    .update(JSON.stringify([profile, policy]))
    .digest('hex');
}

/** The profile that a taken file was read by. Throws when its folder says another one than its batch recorded. */
export async function takenProfile(
  workspace: Workspace,
  { id, profileDigest: recorded }: Pick<BatchRecord, 'id' | 'profileDigest'>,
): Promise<FileProfile | null> {
  for (;;) {
    const folder = await standingFolder(workspace, id);
    if (folder === null) return null;
    const texts = await textsIn(folder);
    // A ledger of an earlier version, or one that is made anew, knows what the folder says.
    if (recorded === undefined || digestOf(texts) === recorded) return readProfile(folder, texts);
    // Another process may have archived it under our eyes.
    if ((await standingFolder(workspace, id)) === folder) throw saysOtherwise(id);
  }
}

/** The profile that lies beside a file. */
export async function profileIn(folder: string): Promise<FileProfile | null> {
  return readProfile(folder, await textsIn(folder));
}

async function textsIn(folder: string): Promise<KeptTexts> {
  const policy = await readNoteText(folder, POLICY_NOTE);
  return { profile: await readNoteText(folder, PROFILE_NOTE), policy };
}

function readProfile(folder: string, { profile: text, policy }: KeptTexts): FileProfile | null {
  if (text === null) return null;
  const profile = parseKept(folder, text);
  return policy === null ? profile : { ...profile, policy: parseNote(folder, POLICY_NOTE, policy) };
}

function parseKept(folder: string, text: string): FileProfile {
  const name = /^# (.*)\n/.exec(text)?.[1] ?? 'profile';
  try {
    return parseProfile(text.slice(text.indexOf('\n') + 1), name, sameWords(join(folder, PROFILE_NOTE.name)));
  } catch (error) {
    // Anybody's config may be wrong; this one was right when it was laid here.
    if (error instanceof ConfigUnusable) throw unreadableNote(folder, PROFILE_NOTE, error);
    throw error;
  }
}
