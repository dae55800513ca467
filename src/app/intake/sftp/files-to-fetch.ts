// Decides which files on a server are fetched now: those that nobody writes any more, documents before the spreadsheets that name them.
import { posix } from 'node:path';

import { minimatch } from 'minimatch';

import type { Words } from '../../../base/language.ts';
import { IGNORED, kindOf, type EntryKind, type Settling } from '../../../inbox/inbox-entries.ts';
import { DOCUMENT_BYTES_MAX } from '../../../inbox/inspect-document.ts';
import type { SftpAccount } from '../../../sftp/account.ts';
import { isEncryptedName, plainName } from '../../../sftp/openpgp.ts';
import { type FoundFile, type FoundOther, shownName } from '../../../sftp/remote-files.ts';
import { sentence } from '../../../messages/messages.ts';
import { controlNames } from '../../../rows/control-totals.ts';
import type { Paydrop } from '../../parts.ts';

/** The state of one run's work on one account: the account, the parts that it needs, and what it has seen so far. */
export type AccountDesk = {
  readonly paydrop: Paydrop;
  readonly account: SftpAccount;
  readonly settling: Settling;
  /** Pulls whose originals this run has compared byte for byte, so that it need not read them again. */
  readonly compared: Set<number>;
  /** Files of a kind that other programs use too, with another beginning: they stay where they are. Each is listed as it was when it was looked into. */
  readonly foreign: Set<string>;
};

/** A file of a server, and the configured remote folder where it was found. */
export type Candidate = FoundFile & {
  readonly folder: string;
  readonly kind: EntryKind;
  /** Like `name`, without the extension of the encryption. */
  readonly localName: string;
};

/** A name on the server. */
export type Listed = Pick<FoundFile, 'path' | 'name'>;

type ToFetch = {
  /** In the order in which they are fetched. */
  readonly ready: readonly Candidate[];
  /** What lies on the server under the names of a file's control files, whether it can be fetched or not. */
  readonly controlsOf: (file: Candidate) => readonly Listed[];
  /** True when other files are still being written, so that a look soon is worthwhile. */
  readonly isUnsettled: boolean;
  readonly troubles: readonly Words[];
};

/** A decrypted file is held in memory, several times over. */
const ENCRYPTED_BYTES_MAX = 64_000_000;

/** Files that a spreadsheet needs are fetched before it. */
const ORDER: Readonly<Record<EntryKind, number>> = {
  document: 0,
  control: 1,
  spreadsheet: 2,
  approval: 3,
  other: 4,
};

/**
 * @param others what lies beside them and is no plain file.
 * @param unsafe what lies beside them under names that cannot be used here.
 */
export function filesToFetch(
  desk: AccountDesk,
  found: readonly Candidate[],
  others: readonly FoundOther[],
  unsafe: readonly FoundOther[],
): ToFetch {
  const { account, paydrop, settling } = desk;
  const wanted = found.filter((file) => isWanted(account, file));
  const bytesMax = paydrop.config.intake.bytesMax;
  const fitting = wanted.filter((file) => file.bytes <= limitOf(file, bytesMax));
  // Servers give no inode, and whole seconds only: the size shows that somebody writes.
  const looks = fitting.map((file) => ({ ...file, inode: 0 }));
  const settled = settling.look(looks, paydrop.clock.monotonic());
  const still = fitting.filter(({ path }) => settled.has(path));
  const moving = fitting.filter(({ path }) => !settled.has(path));
  const tooLarge = wanted.filter((file) => !fitting.includes(file));
  const ready = still.filter((file) => isMarked(account, file, found));
  const listed = Map.groupBy([...found, ...others, ...unsafe], ({ path }) => plainName(path));
  return {
    ready: ready.toSorted((a, b) => ORDER[a.kind] - ORDER[b.kind]),
    controlsOf: (file) => controlPaths(file).flatMap((path) => listed.get(path) ?? []),
    isUnsettled: moving.length > 0,
    troubles: [
      ...tooLarge.map(({ name }) => sentence('filesToFetch.tooLarge', { shown: shownName(name) })),
      ...found
        .filter((file) => isLocked(account, file))
        .map(({ name }) => sentence('filesToFetch.locked', { shown: shownName(name) })),
      ...others
        .filter(({ name, isFolder }) => isExpectedAsFile(account, name, isFolder))
        .map(({ name }) => sentence('filesToFetch.notPlain', { shown: shownName(name) })),
    ],
  };
}

/** An encrypted file counts as what it is without its envelope, if the account has the keys to open it. */
export function candidateOf({ openpgp }: SftpAccount, folder: string, file: FoundFile): Candidate {
  const localName = openpgp === null ? file.name : plainName(file.name);
  return { ...file, folder, localName, kind: kindOf(localName) };
}

function isWanted({ files }: SftpAccount, { localName, kind }: Candidate): boolean {
  const own = posix.basename(localName);
  if (IGNORED.test(own) || kind === 'other') return false;
  if (kind !== 'spreadsheet') return true;
  const options = { nocase: true, dot: false, nocomment: true, nonegate: true } as const;
  return files.some((pattern) => minimatch(own.normalize('NFC'), pattern.normalize('NFC'), options));
}

function limitOf({ kind, name, localName }: Candidate, bytesMax: number): number {
  const most = kind === 'document' ? DOCUMENT_BYTES_MAX : bytesMax;
  return name === localName ? most : Math.min(most, ENCRYPTED_BYTES_MAX);
}

/** A spreadsheet waits for its marker. */
function isMarked(
  { readyMarker }: SftpAccount,
  { kind, path }: Candidate,
  found: readonly Candidate[],
): boolean {
  if (kind !== 'spreadsheet' || readyMarker === null) return true;
  return found.some((other) => other.path === path + readyMarker);
}

/** Encrypted, and this machine has no key. */
function isLocked({ openpgp }: SftpAccount, { name }: Candidate): boolean {
  return openpgp === null && isEncryptedName(name) && kindOf(plainName(name)) !== 'other';
}

/** A folder may have any name, except that of a control file. */
function isExpectedAsFile({ openpgp }: SftpAccount, name: string, isFolder: boolean): boolean {
  const kind = kindOf(openpgp === null ? name : plainName(name));
  return isFolder ? kind === 'control' : kind !== 'other';
}

/** Where the control file of a file of payments would lie, by the names without an envelope. */
function controlPaths({ kind, path }: Candidate): readonly string[] {
  if (kind !== 'spreadsheet') return [];
  const plain = plainName(path);
  return controlNames(posix.basename(plain)).map((name) => posix.join(posix.dirname(plain), name));
}
