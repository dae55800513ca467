// `<batch>.approve`, dropped by somebody who is allowed to approve, does what the command does. It is taken exactly once: what a kill interrupts
// is not tried again, because the question may be another one by then.
import { lstat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

import { say, type Words } from '../../../base/language.ts';
import { isoTime } from '../../../base/clock.ts';
import { approvalRefusedName } from '../../../inbox/answer-name.ts';
import { approvalName, approvedIn } from '../../../inbox/batch-name.ts';
import { claimFile, endClaim, type Claim } from '../../../inbox/claim-file.ts';
import { waitsForAnswer } from '../../../ledger/approval.ts';
import { publishJson } from '../../../results/write-results.ts';
import type { Paydrop } from '../../parts.ts';
import { accountOf } from '../../config/account-folder.ts';
import { hashFile } from '../../../inbox/hash-file.ts';
import { approveBatch, SIGNATURE_NEEDED, type DecisionCode, type DecisionEnd } from './decide-approval.ts';
import { isFirmFolder } from './trusted-folder.ts';
import { readPlainText, readStatement } from './read-approval.ts';
import { approverOf } from '../take/submitters.ts';
import { sentence } from '../../../messages/messages.ts';

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
 * Takes the file away and obeys it, or answers why not. Null when somebody else was faster.
 * @param account who brought it, where its way here proves that and that account is allowed to approve; else its folder tells.
 */
export async function takeApprovalFile(
  paydrop: Paydrop,
  path: string,
  account: string | null = null,
): Promise<FileEnd | null> {
  // Who may write there is asked while it lies there, and how old it is: on its way to another disk it becomes new.
  const by = account ?? (await approverHere(paydrop, path));
  const found = await lstat(path).catch(() => null);
  if (found === null) return null;
  const claim = await claimFile(paydrop.workspace, path, paydrop.ledger.run, []);
  if (claim === null) return null;
  const end = await obey(paydrop, claim, { by, writtenAtMs: found.mtimeMs });
  if (end.kind === 'refused') await answerRefused(paydrop, claim, end);
  await endClaim(claim);
  return end;
}

/** Ends a claim that a kill left behind: obeyed or not, its owner can see how the batch stands. */
export async function endOrphanedApproval(paydrop: Paydrop, claim: Claim): Promise<void> {
  const batch = await paydrop.ledger.batch(batchIn(claim));
  if (batch !== null && waitsForAnswer(batch))
    await answerRefused(paydrop, claim, refused('approval_interrupted'));
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

async function approverHere(paydrop: Paydrop, path: string): Promise<string | null> {
  const approver = approverOf(paydrop, path);
  return approver !== null && (await isFirmFolder(dirname(path))) ? approver : null;
}

async function obey(
  paydrop: Paydrop,
  claim: Claim,
  { by, writtenAtMs }: { readonly by: string | null; readonly writtenAtMs: number },
): Promise<FileEnd> {
  if (by === null) return refused('approval_not_allowed');
  const batch = batchIn(claim);
  const proof = await proofOf(paydrop, claim);
  if (proof === null) return { kind: 'refused', code: 'approval_signature_needed', words: SIGNATURE_NEEDED };
  const text = await readPlainText(claim.path);
  const said = text === null ? null : readStatement(text);
  if (said === null || (said.batch !== null && said.batch !== batch)) return refused('approval_unreadable');
  const { total, question, sha256 } = said;
  // A signature says who, and must say what as well: else it would serve for any batch.
  if (proof === 'signature' && (said.batch === null || sha256 === null)) return refused('approval_unbound');
  const via = proof === 'signature' ? 'a signed file' : 'a file in the folder of the approver';
  return approveBatch(paydrop, batch, { by, via, proof, total, said: { question, sha256, writtenAtMs } });
}

/** What shows that a file is its approver's. Null where their account has to sign, and this file did not come out of a signed envelope. */
async function proofOf(
  { config, workspace, ledger }: Paydrop,
  claim: Claim,
): Promise<'folder' | 'signature' | null> {
  const name = accountOf({ config, workspace }, claim.origin);
  const account = config.sftpAccounts?.find((each) => each.name === name);
  if (account?.openpgp?.signature !== 'required') return 'folder';
  const sha256 = await hashFile(claim.path).catch(() => null);
  const pulls = sha256 === null ? [] : await ledger.exchange.pullsLike(account.name, sha256);
  // What was opened differs from what was fetched; a file without an envelope is refused when it is fetched, and one that was laid here was not fetched.
  const isOpened = pulls.some((pull) => pull.target === claim.origin && pull.sha256 !== pull.remoteSha256);
  return isOpened ? 'signature' : null;
}

async function answerRefused(paydrop: Paydrop, claim: Claim, end: Refusal): Promise<void> {
  const { workspace, clock, config, log } = paydrop;
  const batch = batchIn(claim);
  const name = approvalRefusedName(batch, accountOf(paydrop, claim.origin));
  await publishJson({ outbox: workspace.outbox, folder: null }, name, {
    batch,
    file: { name: approvalName(batch) },
    code: end.code,
    reason: say(end.words, config.language),
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
