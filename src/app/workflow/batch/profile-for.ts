// Which profile a file is read by. Once a file is taken, its profile is kept with it, so that later edits do not change how it was read.
import { createHash } from 'node:crypto';
import { basename, dirname, join, resolve, sep } from 'node:path';

import { minimatch } from 'minimatch';

import type { Config } from '../../config/config.ts';
import { keptPolicy } from '../../config/policy.ts';
import { type FileProfile, parseProfile } from '../../config/profile-file.ts';
import type { Records } from '../../parts.ts';
import { fileGone, saysOtherwise } from '../../parts/describe-error.ts';
import { folderRuleFor, ownName, readTakenFile, rowsOf } from './read-batch-file.ts';
import { listWords, sameWords } from '../../../base/language.ts';
import { isSameName } from '../../../base/person-name.ts';
import { BatchFolderFault, readNote } from '../../../inbox/batch-note.ts';
import { DOCUMENTS_NOTE } from '../../../inbox/documents.ts';
import { type KeptFacts, type Manifest, readManifest, unreadableManifest } from '../../../inbox/manifest.ts';
import { type InboxFile, findTakenFile, hashFile } from '../../../inbox/take-file.ts';
import { type Workspace, standingFolder } from '../../../inbox/workspace.ts';
import { isBeingRead } from '../../../ledger/batch-states.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import type { ReadFile } from '../../../rows/format.ts';
import type { SftpAccount } from '../../../sftp/account.ts';

type ProfileConfig = Pick<
  Config,
  'fileProfiles' | 'proposedProfiles' | 'workspacePath' | 'folderPaths' | 'schedules' | 'tenants' | 'sftp'
>;

/**
 * The only profile that fits the file, under the rules of its folder; null when it has neither. Throws `FileRefused` when several fit.
 * @param reader the person who uploaded it and is signed in: profiles that this person has proposed count for it too. Null for a file that came any other way.
 */
export function profileFor(
  path: string,
  config: ProfileConfig,
  reader: string | null = null,
): FileProfile | null {
  const rule = folderRuleFor(path, config);
  const ofFolder = rule === null || rule.profile === null ? null : named(rule.profile, config);
  const profile = accountProfile(path, config) ?? ofFolder ?? profileByName(path, config, reader);
  if (rule === null || Object.values(rule.policy).every((value) => value === undefined)) return profile;
  const base = profile ?? NO_PROFILE;
  return { ...base, policy: { ...base.policy, ...rule.policy }, isFolderPolicy: true };
}

/** How a file is read that no profile fits. */
const NO_PROFILE: FileProfile = parseProfile('', '', sameWords(''));

/** The same, but wrong rows of a file are left out, because its sender said so. */
export function skippingRows(profile: FileProfile | null): FileProfile {
  const base = profile ?? NO_PROFILE;
  return { ...base, policy: { ...base.policy, onInvalidRows: 'skip-rows' }, isFolderPolicy: true };
}

function named(name: string, { fileProfiles }: Pick<Config, 'fileProfiles'>): FileProfile | null {
  return fileProfiles.find(({ profile }) => profile.name === name) ?? null;
}

/** No signature covers the name of a file: a name that is changed on its way must not choose how a signed file is read. */
function profileByName(path: string, config: ProfileConfig, reader: string | null): FileProfile | null {
  const profile = fittingProfile(path, profilesOf(config, reader));
  const account = accountAt(path, config);
  if (profile === null || account?.openpgp?.signature !== 'required') return profile;
  const { name } = profile.profile;
  throw new FileRefused('profiles_several', sentence('profileFor.signed', { name, account: account.name }));
}

/** All that may read files of this person: a proposal of his own stands for the confirmed profile of its name. */
function profilesOf(
  { fileProfiles, proposedProfiles = [] }: Pick<ProfileConfig, 'fileProfiles' | 'proposedProfiles'>,
  reader: string | null,
): readonly FileProfile[] {
  const own = proposedProfiles.filter(
    ({ author }) => reader !== null && author !== null && isSameName(author, reader),
  );
  const isOther = ({ profile }: FileProfile) => own.every((each) => each.profile.name !== profile.name);
  return [...own, ...fileProfiles.filter(isOther)];
}

function fittingProfile(path: string, profiles: readonly FileProfile[]): FileProfile | null {
  const fitting = profiles.filter((profile) => fits(path, profile));
  const [only, ...others] = fitting;
  if (others.length === 0) return only ?? null;
  const quoted = fitting.map(({ profile }) => sentence('quoted', { text: profile.name }));
  throw new FileRefused(
    'profiles_several',
    sentence('profileFor.fittingProfile', {
      names: listWords(quoted, 'conjunction'),
      basename: basename(path),
    }),
  );
}

function fits(path: string, profile: FileProfile): boolean {
  const { folder } = profile;
  return fitsName(path, profile) && (folder === null || endsWithFolder(dirname(resolve(path)), folder));
}

function fitsName(path: string, { files }: FileProfile): boolean {
  const name = ownName(path).normalize('NFC');
  const options = { nocase: true, dot: false, nocomment: true, nonegate: true } as const;
  return files.some((pattern) => minimatch(name, pattern.normalize('NFC'), options));
}

/**
 * Whether a profile that somebody proposes at the page could not take its place once it is confirmed: it would replace one that the config names, or that says
 * what the page cannot say, or stand next to another one for the same files, and all of them would be refused.
 */
export function isGuarded(
  name: string,
  readsTheSame: (other: FileProfile) => boolean,
  { fileProfiles, sftp, tenants, schedules }: Guards,
): boolean {
  const isNamed = [...sftp, ...tenants, ...schedules].some(({ profile }) => profile === name);
  return (
    isNamed || fileProfiles.some((each) => (each.profile.name === name ? saysMore(each) : readsTheSame(each)))
  );
}

type Guards = Pick<ProfileConfig, 'fileProfiles' | 'sftp' | 'tenants' | 'schedules'>;

/** For `isGuarded`: of a profile that is proposed for the file at this path. */
export function readsFileAt(path: string): (other: FileProfile) => boolean {
  return (other) => fitsName(path, other);
}

/** For `isGuarded`: of a proposal that somebody is about to confirm. */
export function readsFilesOf({ files: patterns }: FileProfile): (other: FileProfile) => boolean {
  return ({ files }) => files.some((pattern) => patterns.includes(pattern));
}

function saysMore({ folder, policy, profile: { receivers } }: FileProfile): boolean {
  return receivers !== null || folder !== null || Object.values(policy).some((value) => value !== undefined);
}

function endsWithFolder(path: string, folder: string): boolean {
  const wanted = folder.split(/[\\/]/).filter((part) => part !== '' && part !== '.');
  return wanted.join('/') === path.split(sep).slice(-wanted.length).join('/');
}

/** What the manifest of a file keeps of the profile that it was taken by. */
export function profileFacts(profile: FileProfile | null): KeptFacts {
  const { profile: text, policy } = keptTexts(profile);
  return { ...(text === null ? {} : { profile: text }), ...(policy === null ? {} : { policy }) };
}

/** What the batch records of the profile. */
export function profileDigest(profile: FileProfile | null): string | null {
  return digestOf(keptTexts(profile));
}

/** In the form of the manifest. */
type KeptTexts = { readonly profile: string | null; readonly policy: string | null };

function keptTexts(profile: FileProfile | null): KeptTexts {
  if (profile === null) return { profile: null, policy: null };
  // The policy of a folder stands in no profile's text.
  const policy = profile.isFolderPolicy === true ? JSON.stringify(profile.policy) : null;
  return { profile: `# ${profile.profile.name}\n${profile.text}`, policy };
}

function digestOf({ profile, policy }: KeptTexts): string | null {
  if (profile === null && policy === null) return null;
  return createHash('sha256')
    .update(JSON.stringify([profile, policy]))
    .digest('hex');
}

/** The profile that a taken file was read by. Throws when its manifest has another one than its batch recorded. */
export async function takenProfile(
  workspace: Workspace,
  { id, profileDigest: recorded }: Pick<BatchRecord, 'id' | 'profileDigest'>,
): Promise<FileProfile | null> {
  for (;;) {
    const folder = await standingFolder(workspace, id);
    if (folder === null) return null;
    const manifest = await readManifest(folder);
    // A rebuilt ledger knows what the manifest says.
    if (recorded === undefined || digestOf(textsOf(manifest)) === recorded)
      return manifest === null ? null : readProfile(folder, manifest);
    // Another process may have archived it while we read.
    if ((await standingFolder(workspace, id)) === folder) throw saysOtherwise(id);
  }
}

/** The profile that the manifest of a folder keeps. */
export async function profileIn(folder: string): Promise<FileProfile | null> {
  const manifest = await readManifest(folder);
  return manifest === null ? null : readProfile(folder, manifest);
}

function textsOf(manifest: Manifest | null): KeptTexts {
  return { profile: manifest?.profile ?? null, policy: manifest?.policy ?? null };
}

function readProfile(folder: string, manifest: Manifest): FileProfile | null {
  const { profile: text, policy } = textsOf(manifest);
  if (text === null) return null;
  const name = /^# (.*)\n/.exec(text)?.[1] ?? 'profile';
  try {
    const profile = parseProfile(text.slice(text.indexOf('\n') + 1), name, sameWords(folder));
    return policy === null ? profile : { ...profile, policy: keptPolicy.parse(JSON.parse(policy)) };
  } catch (error) {
    // A person's config may be wrong; this profile was right when it was stored here.
    throw unreadableManifest(folder, manifest, error);
  }
}

// Reads the taken file of a batch again: after a kill, or when the outcomes of its rows have to be answered once more.

export type OpenedFile = { readonly file: InboxFile; readonly read: ReadFile };

type Known = Pick<Records, 'workspace' | 'config'>;

/** Throws where it is in none of its places, or is no longer the taken file; `FileRefused` if it cannot be read at its first reading. */
export async function reopenBatch({ workspace, config }: Known, batch: BatchRecord): Promise<OpenedFile> {
  const file = await takenFileOf(workspace, batch);
  try {
    const profile = await takenProfile(workspace, batch);
    const read = await readTakenFile(file.path, config, profile?.profile ?? null);
    return { file, read: rowsOf(batch, read) };
  } catch (error) {
    if (!(error instanceof FileRefused) || isBeingRead(batch)) throw error;
    throw fileGone(batch.id, batch.fileName);
  }
}

async function takenFileOf(workspace: Workspace, batch: BatchRecord): Promise<InboxFile> {
  const file = await findTakenFile(batch.fileName, batch.sha256, batch.id, workspace);
  // The hashed bytes are the bytes that are paid: the ids of its payments are derived from that hash.
  if (file === null || !(await isOriginal(file))) throw fileGone(batch.id, batch.fileName);
  return file;
}

/** False also for a copy that cannot be read at this moment. */
function isOriginal({ path, sha256 }: InboxFile): Promise<boolean> {
  return hashFile(path).then(
    (hash) => hash === sha256,
    () => false,
  );
}

/** Read at its first use, once in each go. */
export class TakenFile {
  readonly #known: Known;
  readonly #batch: BatchRecord;
  #opened: OpenedFile | null;

  /** @param opened as it was when it was taken in this very go. */
  constructor(known: Known, batch: BatchRecord, opened: OpenedFile | null) {
    this.#known = known;
    this.#batch = batch;
    this.#opened = opened;
  }

  async open(): Promise<OpenedFile> {
    return (this.#opened ??= await reopenBatch(this.#known, this.#batch));
  }

  /** Throws where it is in none of its places, or is no longer the taken file. It is not read: nobody should have to wait for that before it is needed. */
  async find(): Promise<void> {
    if (this.#opened === null) await takenFileOf(this.#known.workspace, this.#batch);
  }

  /** Null where it has not been read yet. */
  get table(): ReadFile['table'] | null {
    return this.#opened?.read.table ?? null;
  }
}

// Whether all notes in a batch's folder can be read: checked before any work on the batch, and reported by `status` and `doctor`.

/** The fault of a batch's folder; null when there is none, or no folder. */
export async function faultOfNotes(
  { workspace }: { readonly workspace: Workspace },
  batch: Pick<BatchRecord, 'id' | 'profileDigest'>,
): Promise<BatchFolderFault | null> {
  try {
    await readAll(workspace, batch);
    return null;
  } catch (error) {
    if (error instanceof BatchFolderFault) return error;
    throw error;
  }
}

async function readAll(
  workspace: Workspace,
  batch: Pick<BatchRecord, 'id' | 'profileDigest'>,
): Promise<void> {
  const folder = await standingFolder(workspace, batch.id);
  // Gone, or not there yet: the code that needs it reports that.
  if (folder === null) return;
  await readManifest(folder);
  await readNote(folder, DOCUMENTS_NOTE);
  await takenProfile(workspace, batch);
}

// Each SFTP account has its own folder in the inbox, which shows that a file came from there. If the account names a profile, that profile reads its
// files, whatever their names.

/** The inbox folder for an account's files. */
export function accountFolder({ inbox }: Pick<Workspace, 'inbox'>, { name }: SftpAccount): string {
  return join(inbox, name);
}

/** The account whose inbox folder contains the file, directly or deeper; null when it came another way. */
export function accountOf(
  {
    config,
    workspace,
  }: { readonly config: Pick<Config, 'sftpAccounts'>; readonly workspace: Pick<Workspace, 'inbox'> },
  path: string,
): string | null {
  const found = config.sftpAccounts?.find((account) =>
    path.startsWith(accountFolder(workspace, account) + sep),
  );
  return found?.name ?? null;
}

/** Null for a file of no account, and of one that names none. */
function accountProfile(path: string, config: Partial<Config>): FileProfile | null {
  const named = accountAt(path, config)?.profile ?? null;
  return config.fileProfiles?.find(({ profile }) => profile.name === named) ?? null;
}

function accountAt(
  path: string,
  { sftpAccounts = [], folderPaths, workspacePath }: Partial<Config>,
): SftpAccount | undefined {
  const inbox = folderPaths?.inbox ?? join(workspacePath ?? '', 'inbox');
  return sftpAccounts.find(({ name }) => resolve(path).startsWith(resolve(inbox, name) + sep));
}
