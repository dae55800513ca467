// One look at an account's remote folders: finishes what an earlier look left half done, and fetches whole files, each once.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';

import { publishFile } from '../../../base/atomic-file.ts';
import type { Words } from '../../../base/language.ts';
import { isoTime } from '../../../base/clock.ts';
import { START_BYTES } from '../../../inbox/inbox-entries.ts';
import { createFolder } from '../../../inbox/workspace.ts';
import type { PullRecord } from '../../../ledger/exchange.ts';
import { fetchFile, type FoundOther, listTree, shownName } from '../../../sftp/remote-files.ts';
import { endsConnection, SftpFault } from '../../../sftp/account.ts';
import { REFUSED_CONTROL } from '../../../rows/control-totals.ts';
import { beginsAsPayments, isNameOpen } from '../../../rows/formats.ts';
import type { SftpSession } from '../../../sftp/sftp-session.ts';
import { accountFolder } from '../../workflow/batch/profile-for.ts';
import {
  type AccountDesk,
  candidateOf,
  filesToFetch,
  type Candidate,
  type Listed,
} from './files-to-fetch.ts';
import { controlInUse, openFetched, placePull } from './place-pull.ts';
import { inSequence, numberIn } from './sequence.ts';
import { sentence } from '../../../messages/messages.ts';

export type PullLook = {
  /** True when files are still being written, so that a look soon is worthwhile. */
  readonly isUnsettled: boolean;
  readonly fetched: number;
  /** Faults that a person has to repair; everything else went on. */
  readonly troubles: readonly Words[];
};

/** How many unusable names are shown; the first are enough to find the others. */
const NAMES_SHOWN = 5;

/** A dot file, so that the inbox never looks at it. */
const TEMPORARY = '.fetched-';

/** Also matches what a kill left of a file that was being decrypted. */
const LEFTOVER = /^\.{1,2}fetched-/;

/** Throws `SftpFault` when the connection ends, and any error of this machine's disk. */
export async function pullAccount(desk: AccountDesk, session: SftpSession): Promise<PullLook> {
  const troubles: Words[] = [];
  const attempt = troubleCollector(troubles);
  await removeLeftovers(desk);
  for (const pull of await desk.paydrop.ledger.exchange.openPulls(desk.account.name))
    await attempt(() => placePull(desk, session, pull));
  const open = await desk.paydrop.ledger.exchange.openPulls(desk.account.name);
  const found: Candidate[] = [];
  const others: FoundOther[] = [];
  const unsafe: FoundOther[] = [];
  for (const folder of desk.account.pull)
    await attempt(async () => {
      const tree = await listTree(session, folder, desk.account.push);
      others.push(...tree.others);
      unsafe.push(...tree.unsafe);
      found.push(...tree.files.map((file) => candidateOf(desk.account, folder, file)));
      return tree.unsafe.length === 0 ? null : unsafeNames(folder, tree.unsafe);
    });
  const toFetch = filesToFetch(desk, found, others, unsafe);
  troubles.push(...toFetch.troubles);
  let fetched = 0;
  /** Paths on the server. A control file that lies in the inbox counts, although its original cannot be moved away. */
  const placed = new Set(open.filter(isInInbox).map(({ path }) => path));
  const fetchEach = async (files: readonly Candidate[]): Promise<void> => {
    for (const file of files.filter(({ path }) => !open.some((pull) => pull.path === path)))
      await attempt(async () => {
        if (await isForeign(desk, session, file)) return null;
        const inUse = await controlInUse(join(folderOf(desk, file), file.localName));
        if (inUse !== null) return inUse;
        const pull = await fetchOne(desk, session, file);
        fetched += 1;
        const trouble = await placePull(desk, session, pull);
        if (trouble === null) placed.add(file.path);
        return trouble;
      });
  };
  const [first, rest] = split(toFetch.ready, ({ kind }) => kind === 'document' || kind === 'control');
  await fetchEach(first);
  // Nobody can say what a control file demands that is not here: its file of payments must not be paid as if it had none.
  const missingOf = (file: Candidate) => toFetch.controlsOf(file).find(({ path }) => !placed.has(path));
  const [complete, waiting] = split(rest, (file) => missingOf(file) === undefined);
  const { go, troubles: outOfSequence } = await inSequence(desk, complete);
  troubles.push(...waiting.map((file) => waitsForControl(file, missingOf(file))), ...outOfSequence);
  await fetchEach(go);
  return { isUnsettled: toFetch.isUnsettled, fetched, troubles };
}

function split<T>(all: readonly T[], belongs: (each: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(belongs), all.filter((each) => !belongs(each))];
}

function isInInbox({ phase, target }: PullRecord): boolean {
  return phase === 'placed' && existsSync(target);
}

/** A fault of one file or folder must not delay the others; a fault that ends the connection concerns them all. */
function troubleCollector(troubles: Words[]) {
  return async (work: () => Promise<Words | null>): Promise<void> => {
    try {
      const trouble = await work();
      if (trouble !== null) troubles.push(trouble);
    } catch (error) {
      if (!(error instanceof SftpFault) || endsConnection(error)) throw error;
      // A file that is written again while it is fetched is no fault: it settles again.
      if (error.code !== 'file_changed') troubles.push(error.words);
    }
  };
}

/** XML that is no payment message is meant for another program, here or there. An encrypted file shows that only after it was fetched. */
async function isForeign({ foreign }: AccountDesk, session: SftpSession, file: Candidate): Promise<boolean> {
  const { path, name, localName, bytes, modifiedMs } = file;
  if (name !== localName || !isNameOpen(localName)) return false;
  const asItIs = `${path} ${String(bytes)} ${String(modifiedMs)}`;
  if (foreign.has(asItIs)) return true;
  const start = await Array.fromAsync(session.read(path, Math.min(bytes, START_BYTES)));
  if (beginsAsPayments(localName, Buffer.concat(start))) return false;
  foreign.add(asItIs);
  return true;
}

/** The server's folders keep their names, so that equal names in two of them do not collide. */
function folderOf({ paydrop, account }: AccountDesk, file: Candidate): string {
  return join(accountFolder(paydrop.workspace, account), posix.basename(file.folder));
}

async function fetchOne(desk: AccountDesk, session: SftpSession, file: Candidate): Promise<PullRecord> {
  const { paydrop, account, compared } = desk;
  const { workspace, ledger, clock } = paydrop;
  const folder = folderOf(desk, file);
  const temporary = join(accountFolder(workspace, account), `${TEMPORARY}${randomUUID()}`);
  await createFolder(dirname(temporary));
  const remoteSha256 = await fetchFile(session, file, temporary);
  const opened = await openFetched(desk, file, temporary, remoteSha256);
  // Its spreadsheet must not be paid as if it had no control file.
  if (opened.isRefused && file.kind === 'control') await placeRefusedControl(join(folder, file.localName));
  const { path, bytes, modifiedMs } = file;
  const pull = await ledger.exchange.addPull({
    ...{ account: account.name, path, bytes, modifiedMs, temporary, remoteSha256 },
    sha256: opened.sha256,
    number: numberOf(account, file, opened.isRefused),
    target: join(folder, opened.name),
    // A refused file has been answered, and does not go into the inbox.
    phase: opened.isRefused ? 'placed' : 'fetched',
    fetchedAt: isoTime(clock.now()),
    run: ledger.run,
  });
  compared.add(pull.id);
  return pull;
}

/** Stands in for a refused control file: the file of payments that it belongs to is refused because of it. */
async function placeRefusedControl(path: string): Promise<void> {
  await createFolder(dirname(path));
  await publishFile(path, [REFUSED_CONTROL]);
}

/** A refused file leaves its number free. */
function numberOf({ sequence }: AccountDesk['account'], file: Candidate, isRefused: boolean): number | null {
  const hasNumber = sequence !== null && file.kind === 'spreadsheet' && !isRefused;
  return hasNumber ? numberIn(sequence, file.localName) : null;
}

/** Remains of a kill, from a file that was never whole. */
async function removeLeftovers({ paydrop, account }: AccountDesk): Promise<void> {
  const { workspace, ledger } = paydrop;
  const folder = accountFolder(workspace, account);
  await createFolder(folder);
  const known = new Set((await ledger.exchange.openPulls(account.name)).map(({ temporary }) => temporary));
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (LEFTOVER.test(name) && !known.has(path)) await rm(path, { recursive: true, force: true });
  }
}

function waitsForControl({ name }: Candidate, control: Listed | undefined): Words {
  return sentence('pullAccount.waitsForControl', {
    shown: shownName(name),
    control: shownName(control?.name ?? ''),
  });
}

function unsafeNames(folder: string, names: readonly FoundOther[]): Words {
  const shown = names
    .slice(0, NAMES_SHOWN)
    .map(({ name }) => shownName(name))
    .join(', ');
  const count = String(names.length);
  return sentence('pullAccount.unsafeNames', { folder, count, shown });
}
