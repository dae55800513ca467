// From the inbox into a batch: the file is claimed, then taken, and only then do the originals of its documents leave the inbox.
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
import type { BatchResult } from '../workflow/batch/work.ts';
import type { Paydrop } from '../parts.ts';
import type { ReadyFile } from '../workflow/ready-files.ts';
import { carryTaken, takeOrRefuse, type TakenOrRefused } from '../workflow/process-batch.ts';
import type { RunControl } from '../parts/run-options.ts';
import { batchOfClaim } from '../workflow/take/same-bytes.ts';
import { type Taken } from '../workflow/take/take-batch.ts';

/** The result for a claimed file; `carry` continues with it for as long as that takes. */
export type TakenDrop = {
  readonly batch: string | null;
  readonly carry: (control: RunControl) => Promise<BatchResult>;
};

/** Takes a file in parallel with the daemon's looks, and has the result carried on. */
export type TakeBeside = (name: string, take: () => Promise<TakenDrop | null>) => void;

/** Hands a file to the daemon: otherwise its looks would mistake a batch that is being taken for one that a kill has left. */
export function takenBeside(
  takeBeside: TakeBeside,
  paydrop: Paydrop,
  name: string,
  file: DroppedFile,
  again: boolean,
): Promise<TakenOrRefused> {
  return new Promise((resolve, reject) => {
    takeBeside(name, async () => {
      const taken = await takeOrRefuse(paydrop, file, again).catch((error: unknown) => {
        reject(error instanceof Error ? error : new Error('unknown'));
        return null;
      });
      if (taken === null) return null;
      resolve(taken);
      if (taken.kind !== 'taken') return null;
      return { batch: taken.batch.id, carry: (control) => carryTaken(paydrop, file.path, taken, control) };
    });
  });
}

/** Documents of a claimed file that are still in the inbox: all of them, and those that no other file needs. */
type Documents = { readonly seen: Seen; readonly toRemove: Seen };

const NO_DOCUMENTS: Documents = { seen: new Map(), toRemove: new Map() };

/**
 * Null when another process was faster, or when the file or one that belongs to it is being written again: then it settles once more.
 * @param keep says which documents another file of the inbox still needs.
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
  // A file that was given back is still ready; a marker that was set meanwhile belongs to the next file of this name.
  if (drop !== null && marker !== file.path && marked !== null)
    await removeAsSeen(new Map([[marker, marked]]));
  return drop;
}

/** Takes a file that is claimed by this process, or was claimed by one that was killed. */
async function takeClaimed(
  paydrop: Paydrop,
  claim: Claim,
  documents: Documents = NO_DOCUMENTS,
): Promise<TakenDrop | null> {
  const taken = await takeWhole(paydrop, claim, documents).catch(async (error: unknown) => {
    // The disk is full, or the ledger cannot be written: nothing was taken, so the file goes back to its place.
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
  // A taken file lies safely in its batch's folder; a refused file still has to be copied.
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
  // A batch is always made of the whole file; any other result may come from half of it.
  if (taken.kind !== 'taken' && !(await isStill())) return null;
  if (taken.kind === 'refused' && taken.refusal.code === 'file_changed') return null;
  if (taken.kind === 'repeated') await keepRepeated(paydrop, claim, taken);
  return taken;
}

/**
 * Continues with claims that a kill left behind. If the file had been taken, only the claim's end is missing.
 * @param onFault called with a claim that cannot be taken now: it stays for the next time, and the others are taken.
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
  // The same bytes were dropped once more: that file still needs its own answer.
  if (!isItself) return takeClaimed(paydrop, claim);
  await endClaim(claim);
  return null;
}

/** The documents were copied and synced, and are known by their hashes; one that was written since is another document. */
async function removeAsSeen(seen: Seen): Promise<void> {
  for (const [path, signature] of seen)
    if ((await signatureAt(path)) === signature) await rm(path, { force: true });
}

/** A file with known bytes is kept where people look for unpaid files, with the answer that says so. */
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
