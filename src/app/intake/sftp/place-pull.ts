// The second half of fetching: the file goes into the inbox, and only then the original is moved away. After a kill at any point, repeating it has the
// same result. The temporary name shows whether the rename has happened; if it has, the ledger shows what became of the file, and if somebody removed
// the copy before it was taken, the original is all that is left.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';

import { publishFile, syncFolder } from '../../../base/atomic-file.ts';
import type { Words } from '../../../base/language.ts';
import { type EntryKind, kindOf } from '../../../inbox/inbox-entries.ts';
import { hashFile } from '../../../inbox/take-file.ts';
import { createFolder } from '../../../inbox/workspace.ts';
import type { PullRecord } from '../../../ledger/exchange.ts';
import { sentence } from '../../../messages/messages.ts';
import { controlNames } from '../../../rows/control-totals.ts';
import type { SftpAccount } from '../../../sftp/account.ts';
import { type EnvelopeFaultCode, openEnvelope } from '../../../sftp/openpgp.ts';
import { PROCESSED_FOLDER, hashRemote, isStill, shownName } from '../../../sftp/remote-files.ts';
import { fileChanged } from '../../../sftp/remote-requests.ts';
import type { SftpSession } from '../../../sftp/sftp-session.ts';
import { type RefusalReason, refuseUntaken } from '../../workflow/take/refuse-file.ts';
import { announcedRefused } from '../../workflow/take/same-bytes.ts';
import type { AccountDesk, Candidate } from './files-to-fetch.ts';
import { isRepeated } from './sequence.ts';

/**
 * Returns the reason why the file cannot take its place in the inbox; null when nothing is left to do. Throws `SftpFault`: `file_changed` when the
 * original changed before it was placed.
 */
export async function placePull(
  desk: AccountDesk,
  session: SftpSession,
  pull: PullRecord,
): Promise<Words | null> {
  const { exchange } = desk.paydrop.ledger;
  if (pull.phase === 'fetched' && existsSync(pull.temporary)) {
    if (!(await isStill(session, pull))) {
      // Its owner has taken it back, or writes it again, before it was placed: then it was never here.
      await rm(pull.temporary);
      await exchange.dropPull(pull);
      throw fileChanged(pull.path);
    }
    if (isOccupied(pull)) return occupied(pull);
    await createFolder(dirname(pull.target));
    await rename(pull.temporary, pull.target);
    await desk.paydrop.placed.add(pull.target);
    await syncFolder(dirname(pull.target));
  } else if (pull.phase === 'fetched' && !(await cameHere(desk, pull))) {
    // It is fetched again. If it was here before without a trace, for instance because it was refused, the worst is that the same bytes are reported again.
    await exchange.dropPull(pull);
    return null;
  }
  await markReady(desk, pull);
  const placed = await exchange.changePull(pull, { phase: 'placed' });
  // Another version there now is a file of its own; a missing one was moved away before a kill.
  if (await isSame(desk, session, placed)) await takeAway(desk.account, session, placed);
  await exchange.changePull(placed, { phase: 'done' });
  return null;
}

/** True when it is in the inbox, or the ledger knows that it was taken from there. */
async function cameHere({ paydrop: { ledger } }: AccountDesk, { target, sha256 }: PullRecord) {
  if (existsSync(target) && (await hashFile(target)) === sha256) return true;
  return (await ledger.batches({ sha256 })).length > 0;
}

/**
 * Why a control file waits on the server; null where it may come. In the place of an earlier one whose payments still lie in the inbox, it would
 * vouch for those, and its own payments would go without it.
 */
export async function controlInUse(target: string): Promise<Words | null> {
  if (kindOf(basename(target)) !== 'control' || !existsSync(target)) return null;
  const names = await readdir(dirname(target));
  const isUsed = names.some(
    (name) => kindOf(name) === 'spreadsheet' && controlNames(name).includes(basename(target)),
  );
  return isUsed ? sentence('placePull.controlInUse', namesOf({ target })) : null;
}

/** A document or a control file that comes again replaces the earlier one, as on the server; a file of payments never does. */
function isOccupied({ target }: PullRecord): boolean {
  return !REPLACED.has(kindOf(basename(target))) && existsSync(target);
}

const REPLACED: ReadonlySet<EntryKind> = new Set<EntryKind>(['document', 'control']);

/** The inbox of this machine waits for its own marker. */
async function markReady({ paydrop }: AccountDesk, { target }: PullRecord): Promise<void> {
  const { readyMarker } = paydrop.config.intake;
  if (readyMarker === null || kindOf(basename(target)) !== 'spreadsheet' || !existsSync(target)) return;
  // Replaces the file of that name, and never writes through a link.
  await publishFile(target + readyMarker, []);
}

async function isSame({ compared }: AccountDesk, session: SftpSession, pull: PullRecord): Promise<boolean> {
  if (!(await isStill(session, pull))) return false;
  if (compared.has(pull.id)) return true;
  // Servers give whole seconds: within the same second, another file of the same size may have been put there after an earlier run fetched this one.
  const isEqual = (await hashRemote(session, pull)) === pull.remoteSha256;
  if (isEqual) compared.add(pull.id);
  return isEqual;
}

function occupied(pull: PullRecord): Words {
  return sentence('placePull.occupied', namesOf(pull));
}

function namesOf({ target }: Pick<PullRecord, 'target'>) {
  return { name: shownName(basename(target)), dirname: dirname(target) };
}

// The remote original of a file that was taken: moved to `processed/`, or deleted, as the account says. It never replaces a file there.

async function takeAway(
  { processed, pull: folders, readyMarker }: SftpAccount,
  session: SftpSession,
  { path, remoteSha256, id }: PullRecord,
): Promise<void> {
  // Before its file: a marker that stayed behind would vouch for the next file of that name, half written.
  if (readyMarker !== null) await session.remove(path + readyMarker);
  if (processed === 'delete') await session.remove(path);
  else {
    const folder = folders.find((each) => path.startsWith(`${each}/`)) ?? posix.dirname(path);
    const name = posix.relative(folder, path);
    const target = await freeName(session, posix.join(folder, PROCESSED_FOLDER, name), [
      remoteSha256.slice(0, 8),
      `${remoteSha256.slice(0, 8)}-${String(id)}`,
    ]);
    await session.createFolders(posix.dirname(target));
    await session.rename(path, target);
  }
}

/** The name itself, or the name with the first mark before its extension that is free. */
async function freeName(session: SftpSession, path: string, marks: readonly string[]): Promise<string> {
  const { dir, name, ext } = posix.parse(path);
  const names = [path, ...marks.map((mark) => posix.join(dir, `${name}.${mark}${ext}`))];
  for (const free of names) if ((await session.stat(free)) === null) return free;
  return names.at(-1) ?? path;
}

// What happens to a fetched file before it may enter the inbox: its envelope is opened, and a file without the agreed signature is refused.

/** The content under the temporary name; a refused file has none, and its answer is in the outbox. */
type OpenedFile = {
  readonly sha256: string;
  readonly isRefused: boolean;
  /** Its local name. */
  readonly name: string;
};

export async function openFetched(
  desk: AccountDesk,
  file: Candidate,
  temporary: string,
  sha256: string,
): Promise<OpenedFile> {
  const opened = await openSealed(desk, file, temporary, sha256);
  if (opened.isRefused || !(await isRepeated(desk, file, opened.sha256))) return opened;
  return refuse(desk, file.localName, temporary, opened.sha256, 'sequence_repeated');
}

async function openSealed(
  desk: AccountDesk,
  file: Candidate,
  temporary: string,
  sha256: string,
): Promise<OpenedFile> {
  const { paydrop, account } = desk;
  if (account.openpgp === null) return { sha256, isRefused: false, name: file.localName };
  if (file.name === file.localName) return unsigned(desk, file, temporary, sha256);
  const opened = await openEnvelope(temporary, account.openpgp, paydrop.config.intake.bytesMax);
  if ('fault' in opened) return refuse(desk, file.name, temporary, sha256, opened.fault);
  await publishFile(temporary, [opened.bytes]);
  const plainSha256 = createHash('sha256').update(opened.bytes).digest('hex');
  return { sha256: plainSha256, isRefused: false, name: file.localName };
}

/** Where files must be signed, a plain file has no signature. Documents decide nothing, so they may be plain; approvals and control files decide. */
async function unsigned(
  desk: AccountDesk,
  file: Candidate,
  temporary: string,
  sha256: string,
): Promise<OpenedFile> {
  const mayPass = file.kind === 'document' || desk.account.openpgp?.signature !== 'required';
  return mayPass
    ? { sha256, isRefused: false, name: file.localName }
    : refuse(desk, file.name, temporary, sha256, 'signature_missing');
}

/** Like a file refused on arrival: kept in a folder for its reason, and answered. */
async function refuse(
  { paydrop }: AccountDesk,
  name: string,
  temporary: string,
  sha256: string,
  code: ExchangeRefusalCode,
): Promise<OpenedFile> {
  const folder = join(dirname(temporary), `.fetched-${randomUUID()}`);
  await createFolder(folder);
  const path = join(folder, basename(name));
  await rename(temporary, path);
  const batch = await announcedRefused(paydrop, path);
  await refuseUntaken(paydrop, { path, origin: path, isOurs: true }, batch, refusalOf(code));
  await rm(folder, { recursive: true });
  return { sha256, isRefused: true, name };
}

// Files of an account that are refused before they reach the inbox, in words for their sender.

type ExchangeRefusalCode = EnvelopeFaultCode | 'sequence_repeated';

const REASONS: Readonly<Record<ExchangeRefusalCode, Words>> = {
  not_decrypted: sentence('exchangeRefusals.not_decrypted'),
  signature_missing: sentence('exchangeRefusals.signature_missing'),
  signature_wrong: sentence('exchangeRefusals.signature_wrong'),
  sequence_repeated: sentence('exchangeRefusals.sequence_repeated'),
};

function refusalOf(code: ExchangeRefusalCode): RefusalReason {
  return { code, reason: REASONS[code], rejected: 0, answers: [] };
}
