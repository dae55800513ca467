// The second half of fetching: into the inbox, and only then away from where it lay. After a kill at any point doing it again ends the same:
// whether the rename happened is told by the temporary name, which is there or has gone, and in that case by what it became: the original is all
// that is left of a file whose copy somebody has removed.
import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

import { syncFolder } from '../../../base/atomic-file.ts';
import type { Words } from '../../../base/language.ts';
import { hashFile } from '../../../inbox/hash-file.ts';
import { kindOf, type EntryKind } from '../../../inbox/inbox-entries.ts';
import { createFolder } from '../../../inbox/workspace.ts';
import type { PullRecord } from '../../../ledger/exchange.ts';
import { hashRemote, isStill, shownName } from '../../../sftp/remote-files.ts';
import type { SftpSession } from '../../../sftp/sftp-session.ts';
import type { AccountDesk } from './account-desk.ts';
import { takeAway } from './take-away.ts';
import { sentence } from '../../../messages/messages.ts';

/** Gives what keeps the file from its place in the inbox; null when there is nothing left to do. */
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
      return null;
    }
    if (isOccupied(pull)) return occupied(pull);
    await createFolder(dirname(pull.target));
    await rename(pull.temporary, pull.target);
    await syncFolder(dirname(pull.target));
  } else if (pull.phase === 'fetched' && !(await cameHere(desk, pull))) {
    // Fetched anew: of what came here unseen, because it was refused for instance, the same bytes are told again at the worst.
    await exchange.dropPull(pull);
    return null;
  }
  await markReady(desk, pull);
  const placed = await exchange.changePull(pull, { phase: 'placed' });
  // Another version that lies there by now is a file of its own; what has gone was taken away before a kill.
  if (await isSame(desk, session, placed)) await takeAway(desk.account, session, placed);
  await exchange.changePull(placed, { phase: 'done' });
  return null;
}

/** True when it lies in the inbox, or the ledger knows that it was taken from there. */
async function cameHere({ paydrop: { ledger } }: AccountDesk, { target, sha256 }: PullRecord) {
  if (existsSync(target) && (await hashFile(target)) === sha256) return true;
  return (await ledger.batches()).some((batch) => batch.sha256 === sha256);
}

/** A document or a control file that comes again replaces the earlier one, as it has on the server; a file of payments never does. */
function isOccupied({ target }: PullRecord): boolean {
  return !REPLACED.has(kindOf(basename(target))) && existsSync(target);
}

const REPLACED: ReadonlySet<EntryKind> = new Set<EntryKind>(['document', 'control']);

/** The inbox of this machine waits for a marker of its own. */
async function markReady({ paydrop }: AccountDesk, { target }: PullRecord): Promise<void> {
  const { readyMarker } = paydrop.config.intake;
  if (readyMarker === null || kindOf(basename(target)) !== 'spreadsheet' || !existsSync(target)) return;
  await writeFile(target + readyMarker, '');
}

async function isSame({ compared }: AccountDesk, session: SftpSession, pull: PullRecord): Promise<boolean> {
  if (!(await isStill(session, pull))) return false;
  if (compared.has(pull.id)) return true;
  // Since an earlier run fetched it, another file of the same size may have been laid there within the second that servers tell.
  const isEqual = (await hashRemote(session, pull)) === pull.remoteSha256;
  if (isEqual) compared.add(pull.id);
  return isEqual;
}

function occupied({ target }: PullRecord): Words {
  const name = shownName(basename(target));
  return sentence('placePull.occupied', { name, dirname: dirname(target) });
}
