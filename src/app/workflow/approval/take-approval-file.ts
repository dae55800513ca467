// `<batch>.approve`, dropped by somebody who is allowed to approve, has the effect of the command. It is taken exactly once: if a kill
// interrupts it, it is not repeated, because the question may have changed by then.
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, resolve, sep } from 'node:path';
import { getuid } from 'node:process';

import { accountOf } from '../batch/profile-for.ts';
import type { Paydrop, Records } from '../../parts.ts';
import { type DecisionCode, type DecisionEnd, approveBatch } from './decide-approval.ts';
import { approverOf, approversWithPaths } from '../batch/read-batch-file.ts';
import { isoTime } from '../../../base/clock.ts';
import { FILE_READERS, type Words, say } from '../../../base/language.ts';
import { decodeText } from '../../../base/peoples-text.ts';
import { readPlainFile } from '../../../base/plain-file.ts';
import { approvalName, approvalRefusedName, approvedIn } from '../../../inbox/answer-name.ts';
import { type Claim, claimFile, endClaim, giveBack } from '../../../inbox/claim-file.ts';
import { type InboxEntry, inboxEntries } from '../../../inbox/inbox-entries.ts';
import { hashFile } from '../../../inbox/take-file.ts';
import { waitsForAnswer } from '../../../ledger/approval.ts';
import { sentence } from '../../../messages/messages.ts';
import { publishJson } from '../../../results/write-results.ts';

export const APPROVAL_FILE_CODES = [
  'approval_not_allowed',
  'approval_unreadable',
  'approval_unbound',
  'approval_interrupted',
] as const;
type FileCode = (typeof APPROVAL_FILE_CODES)[number];

type FileEnd = DecisionEnd | Refusal;
type Refusal = { readonly kind: 'refused'; readonly code: FileCode | DecisionCode; readonly words: Words };

/**
 * Takes the file away and carries it out, or answers why not. Null when another process was faster.
 * @param account the SFTP account that brought it, if its way here proves that and the account may approve; else its folder decides.
 */
export async function takeApprovalFile(
  paydrop: Paydrop,
  path: string,
  account: string | null = null,
): Promise<FileEnd | null> {
  // Write permissions and age are checked in the original place: a move to another disk would make the file new.
  const by = account ?? approverOf(paydrop, path);
  const isOpen = account === null && by !== null && !(await isFirmFolder(dirname(path)));
  const found = await lstat(path).catch(() => null);
  if (found === null) return null;
  const claim = await claimFile(paydrop.workspace, path, paydrop.ledger.run, []);
  if (claim === null) return null;
  const end = await obey(paydrop, claim, { by, isOpen, writtenAtMs: found.mtimeMs }).catch(
    async (error: unknown) => {
      // Whether the ledger has heard of it or not: the same file again says the same.
      await giveBack(claim);
      throw error;
    },
  );
  if (end.kind === 'refused') await answerRefused(paydrop, claim, end);
  await endClaim(claim);
  return end;
}

/** Ends a claim that a kill left behind: carried out or not, its owner can see the state of the batch. */
export async function endOrphanedApproval(records: Records, claim: Claim): Promise<void> {
  const batch = await records.ledger.batch(batchIn(claim));
  if (batch !== null && waitsForAnswer(batch))
    await answerRefused(records, claim, refused('approval_interrupted'));
  await endClaim(claim);
}

export function isApproval({ path }: Pick<Claim, 'path'>): boolean {
  return approvedIn(basename(path)) !== null;
}

function batchIn({ path }: Pick<Claim, 'path'>): string {
  const batch = approvedIn(basename(path));
  if (batch === null) throw new Error('The name of an approval is the name of a batch.');
  return batch;
}

async function obey(
  paydrop: Paydrop,
  claim: Claim,
  {
    by,
    isOpen,
    writtenAtMs,
  }: { readonly by: string | null; readonly isOpen: boolean; readonly writtenAtMs: number },
): Promise<FileEnd> {
  if (by === null) return refused('approval_not_allowed');
  const folder = dirname(claim.origin);
  if (isOpen)
    return { ...refused('approval_not_allowed'), words: sentence('takeApprovalFile.openFolder', { folder }) };
  const batch = batchIn(claim);
  const proof = await proofOf(paydrop, claim);
  if (proof === null)
    return {
      kind: 'refused',
      code: 'approval_signature_needed',
      words: sentence('decideApproval.signatureNeeded'),
    };
  const text = await readPlainText(claim.path);
  const said = text === null ? null : readStatement(text);
  if (said === null || (said.batch !== null && said.batch !== batch)) return refused('approval_unreadable');
  const { total, question, sha256 } = said;
  // A signature proves who signed, and must also name the batch and the file: else it would serve for any batch.
  if (proof === 'signature' && (said.batch === null || sha256 === null)) return refused('approval_unbound');
  const via = proof === 'signature' ? 'a signed file' : 'a file in the folder of the approver';
  return approveBatch(paydrop, batch, { by, via, proof, total, said: { question, sha256, writtenAtMs } });
}

/** The proof that a file is its approver's. Null if the account must sign, and this file did not come out of a signed envelope. */
async function proofOf(
  { config, workspace, ledger }: Paydrop,
  claim: Claim,
): Promise<'folder' | 'signature' | null> {
  const name = accountOf({ config, workspace }, claim.origin);
  const account = config.sftpAccounts?.find((each) => each.name === name);
  if (account?.openpgp?.signature !== 'required') return 'folder';
  const sha256 = await hashFile(claim.path).catch(() => null);
  const pulls = sha256 === null ? [] : await ledger.exchange.pullsLike(account.name, sha256);
  // An opened file differs from the fetched one. A file without an envelope is refused when it is fetched, and a file that was put here was not fetched.
  const isOpened = pulls.some((pull) => pull.target === claim.origin && pull.sha256 !== pull.remoteSha256);
  return isOpened ? 'signature' : null;
}

async function answerRefused(records: Records, claim: Claim, end: Refusal): Promise<void> {
  const { workspace, clock, config, log } = records;
  const batch = batchIn(claim);
  const name = approvalRefusedName(batch, accountOf(records, claim.origin));
  await publishJson({ outbox: workspace.outbox, folder: null }, name, {
    batch,
    file: { name: approvalName(batch) },
    code: end.code,
    reason: say(end.words, FILE_READERS[config.language]),
    refusedAt: isoTime(clock.now()),
  });
  log.warn('approval refused', { batch, code: end.code });
}

function refused(code: FileCode): Refusal {
  return { kind: 'refused', code, words: WORDS[code] };
}

const WORDS: Readonly<Record<FileCode, Words>> = {
  approval_not_allowed: sentence('takeApprovalFile.approval_not_allowed'),
  approval_unbound: sentence('takeApprovalFile.approval_unbound'),
  approval_unreadable: sentence('takeApprovalFile.approval_unreadable'),
  approval_interrupted: sentence('takeApprovalFile.approval_interrupted'),
};

// Whether the folder of an approver is trustworthy: somebody who could write into it, or replace it, could approve in that name.

/** Users other than owner and group. */
const WRITABLE_BY_ALL = 0o002;
const WRITABLE_BY_OTHERS = 0o022;
/** In such a folder nobody can move another user's files. */
const STICKY = 0o1000;
const ROOT = 0;

/** The group may write into it, because paydrop itself has to take the file away. False when the folder is missing. */
export async function isFirmFolder(folder: string): Promise<boolean> {
  const path = await realpath(folder).catch(() => null);
  if (path === null || ((await stat(path)).mode & WRITABLE_BY_ALL) !== 0) return false;
  // Also through a link: neither the link nor its target may be replaceable by others.
  return (await isFirmAbove(resolve(folder))) && isFirmAbove(path);
}

async function isFirmAbove(path: string): Promise<boolean> {
  const above = dirname(path);
  if (above === path) return true;
  const { mode, uid } = await stat(above);
  const isOurs = uid === ROOT || uid === getuid?.();
  const isKept = (mode & WRITABLE_BY_OTHERS) === 0 || (mode & STICKY) !== 0;
  return isOurs && isKept && isFirmAbove(above);
}

// The content of an approving file. It may be empty: then its name and its way here say everything. What it does say must be understood and must
// agree, and none of it is repeated anywhere.

/** Four lines; a longer text is something else. */
const BYTES_MOST = 1_000;

type Statement = {
  readonly batch: string | null;
  readonly total: string | null;
  readonly sha256: string | null;
  readonly question: string | null;
};

const NOTHING: Statement = { batch: null, total: null, sha256: null, question: null };

/** The text of a plain file; null when it is none, too long, or gone. No link is followed: it would lead to somebody else's file. */
async function readPlainText(path: string): Promise<string | null> {
  const bytes = await readPlainFile(path, { bytesMax: BYTES_MOST });
  const text = typeof bytes === 'string' ? null : decodeText(bytes);
  // A line in which a letter is lost says nothing that an approval may say.
  return text === null || typeof text === 'string' ? text : text.shown;
}

/** `batch: …`, `sha256: …`, `total: …` and `question: …`, one line each, all optional. Null for anything else. */
export function readStatement(text: string): Statement | null {
  let statement = NOTHING;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    if (line.trim() === '') continue;
    const [, name, value = ''] = /^\s*(batch|total|sha256|question)\s*:\s*(.*?)\s*$/i.exec(line) ?? [];
    if (name === undefined) return null;
    statement = { ...statement, [name.toLowerCase()]: value };
  }
  return statement;
}

// Approvers may have their own folder outside the inbox, where people who bring files cannot write.

/**
 * The files of approvers whose folders are outside the inbox; a folder that does not exist (yet) holds none.
 * @param troubles the fault of each folder at the previous look; kept up to date, so that the log reports it once and not twice a minute.
 */
export async function approvalsElsewhere(
  { config, workspace, log }: Pick<Paydrop, 'config' | 'workspace' | 'log'>,
  troubles: Map<string, string>,
): Promise<readonly InboxEntry[]> {
  const inbox = resolve(workspace.inbox) + sep;
  const found: InboxEntry[] = [];
  for (const { folder: path } of approversWithPaths({ config, workspace })) {
    if (path.startsWith(inbox)) continue;
    const entries = await inboxEntries(path).catch(codeOf);
    if (typeof entries === 'string') {
      if (troubles.get(path) !== entries) log.warn('an approver has no folder', { reason: entries });
      troubles.set(path, entries);
    } else {
      troubles.delete(path);
      found.push(...entries.filter(({ kind }) => kind === 'approval'));
    }
  }
  return found;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
