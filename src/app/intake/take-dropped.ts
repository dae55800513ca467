// From the inbox into a batch: the file is claimed, taken, and only then do the originals of its documents leave the inbox.
import { copyFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';

import {
  claimFile,
  endClaim,
  giveBack,
  leaveClaim,
  takeOverClaims,
  type Claim,
} from '../../inbox/claim-file.ts';
import { type DroppedFile, hashFile, move } from '../../inbox/take-file.ts';
import { areAsSeen, signatureAt, type Seen } from '../../inbox/inbox-entries.ts';
import { createFolder } from '../../inbox/workspace.ts';
import { endOrphanedApproval, isApproval } from '../workflow/approval/take-approval-file.ts';
import type { BatchResult } from '../workflow/work.ts';
import type { Paydrop } from '../parts.ts';
import type { ReadyFile } from '../workflow/take/ready-files.ts';
import { carryTaken, takeOrRefuse, type TakenOrRefused } from '../workflow/process-batch.ts';
import type { RunControl } from '../parts/run-options.ts';
import { batchOfClaim } from '../workflow/take/same-bytes.ts';
import { type Taken } from '../workflow/take/take-batch.ts';

/** What a claimed file became; `carry` goes on with it for as long as that takes. */
export type TakenDrop = {
  readonly batch: string | null;
  readonly carry: (control: RunControl) => Promise<BatchResult>;
};

/** What belongs to a claimed file and lies in the inbox still: all its documents, and those of them that no other file needs. */
type Documents = { readonly seen: Seen; readonly toRemove: Seen };

const NO_DOCUMENTS: Documents = { seen: new Map(), toRemove: new Map() };

/**
 * Null when somebody else was faster, or somebody writes the file, or what belongs to it, since it was looked at: then it settles once more.
 * @param keep tells of documents that another file of the inbox still needs.
 */
export async function takeDropped(
  paydrop: Paydrop,
  file: ReadyFile,
  keep: (document: string) => boolean,
): Promise<TakenDrop | null> {
  const { workspace, ledger, config } = paydrop;
  const claim = await claimFile(workspace, file.path, ledger.run, file.beside, file.seen);
  if (claim === null) return null;
  const marker = file.path + (config.intake.readyMarker ?? '');
  const marked = await signatureAt(marker);
  const seen = new Map([...file.seen].filter(([path]) => file.documents.includes(path)));
  const toRemove = new Map([...seen].filter(([path]) => !keep(path)));
  const drop = await takeClaimed(paydrop, claim, { seen, toRemove });
  // What was given back is still ready; a marker that was set meanwhile is that of the next file of this name.
  if (drop !== null && marker !== file.path && marked !== null)
    await removeAsSeen(new Map([[marker, marked]]));
  return drop;
}

/** Takes a file that is claimed, by this process or by one that was killed over it. */
async function takeClaimed(
  paydrop: Paydrop,
  claim: Claim,
  documents: Documents = NO_DOCUMENTS,
): Promise<TakenDrop | null> {
  const taken = await takeWhole(paydrop, claim, documents).catch(async (error: unknown) => {
    // A full disk, or a ledger that cannot be written: nothing was taken, so the file lies where its owner put it.
    await giveBack(claim);
    throw error;
  });
  if (taken === null) {
    await giveBack(claim);
    return null;
  }
  const carry = async (control: RunControl): Promise<BatchResult> => {
    const result = await carryTaken(paydrop, claim.path, taken, control, claim.origin);
    await endClaim(claim);
    return result;
  };
  // What was taken lies safely in its batch's folder; of what was refused the copy is still to be made.
  if (taken.kind !== 'refused') await endClaim(claim);
  if (taken.kind === 'taken') await removeAsSeen(documents.toRemove);
  return { batch: taken.kind === 'taken' ? taken.batch.id : null, carry };
}

/** Null when somebody still writes it. */
async function takeWhole(
  paydrop: Paydrop,
  claim: Claim,
  documents: Documents,
): Promise<TakenOrRefused | null> {
  const { path, origin, signature } = claim;
  const isStill = (): Promise<boolean> => areAsSeen(new Map([...documents.seen, [path, signature]]));
  const file: DroppedFile = { path, origin, claim: claim.claim, isStill };
  const taken = await takeOrRefuse(paydrop, file);
  // A batch was made of the whole; anything else may have been said of a half.
  if (taken.kind !== 'taken' && !(await isStill())) return null;
  if (taken.kind === 'refused' && taken.refusal.code === 'file_changed') return null;
  if (taken.kind === 'repeated') await keepRepeated(paydrop, claim, taken);
  return taken;
}

/**
 * Goes on with claims that a kill left behind. One whose file had been taken lacks only its end.
 * @param onFault told of one that cannot be taken now: it stays for the next time, and the others are taken.
 */
export async function takeOrphans(
  paydrop: Paydrop,
  onFault: (error: unknown) => void,
): Promise<readonly TakenDrop[]> {
  const { workspace, ledger, log } = paydrop;
  const onOneFault = (error: unknown): void => {
    log.error('orphaned claim failed', { reason: error instanceof Error ? error.name : 'unknown' });
    onFault(error);
  };
  const isAlive = (run: string): boolean => run === ledger.run || ledger.runs.isElsewhere(run);
  const drops: TakenDrop[] = [];
  for (const claim of await takeOverClaims(workspace, ledger.run, isAlive, onOneFault)) {
    try {
      const drop = await takeOrphan(paydrop, claim);
      if (drop !== null) drops.push(drop);
    } catch (error) {
      onOneFault(error);
      await leaveClaim(claim).catch(onOneFault);
    }
  }
  return drops;
}

async function takeOrphan(paydrop: Paydrop, claim: Claim): Promise<TakenDrop | null> {
  if (isApproval(claim)) {
    await endOrphanedApproval(paydrop, claim);
    return null;
  }
  const isItself = (await batchOfClaim(paydrop, await hashFile(claim.path), claim.claim)) !== null;
  // The same bytes dropped once more are no less an answer that is owed.
  if (!isItself) return takeClaimed(paydrop, claim);
  await endClaim(claim);
  return null;
}

/** Documents were copied, synced, and are known by their hashes; one that somebody has written since is another. */
async function removeAsSeen(seen: Seen): Promise<void> {
  for (const [path, signature] of seen)
    if ((await signatureAt(path)) === signature) await rm(path, { force: true });
}

/** The same bytes again are kept where people look for what was not paid, beside the answer that says so. */
async function keepRepeated(
  { workspace }: Paydrop,
  claim: Claim,
  { batch, answer }: Extract<Taken, { readonly kind: 'repeated' }>,
): Promise<void> {
  const folder = join(workspace.refused, batch.id);
  await createFolder(folder);
  await move(claim.path, join(folder, basename(claim.path)));
  await copyFile(join(workspace.outbox, answer), join(folder, answer));
}
