// From the inbox into a batch: the file is claimed, taken, and only then do the originals of its documents leave the inbox.
import { copyFile, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { claimFile, endClaim, giveBack, orphanedClaims, type Claim } from '../../inbox/claim-file.ts';
import { hashFile } from '../../inbox/hash-file.ts';
import { createFolder } from '../../inbox/workspace.ts';
import { isOtherRunHere } from '../../ledger/open-ledger.ts';
import { endOrphanedApproval, isApproval } from '../approval/take-approval-file.ts';
import type { BatchResult } from '../batch-result.ts';
import type { Paydrop } from '../compose.ts';
import type { ReadyFile } from './inbox-watch.ts';
import { carryTaken, takeOrRefuse } from '../process-batch.ts';
import type { RunControl } from '../run-options.ts';
import { isNothing, type Taken } from '../take-batch.ts';

/** What a claimed file became; `carry` goes on with it for as long as that takes. */
export type TakenDrop = {
  readonly batch: string | null;
  readonly carry: (control: RunControl) => Promise<BatchResult>;
};

/** Null when somebody else was faster. `keep` tells of documents that another file of the inbox still needs. */
export async function takeDropped(
  paydrop: Paydrop,
  file: ReadyFile,
  keep: (document: string) => boolean,
): Promise<TakenDrop | null> {
  const { workspace, ledger, config } = paydrop;
  const claim = await claimFile(workspace, file.path, ledger.run, file.beside);
  if (claim === null) return null;
  const { readyMarker } = config.intake;
  if (readyMarker !== null) await rm(file.path + readyMarker, { force: true });
  return takeClaimed(
    paydrop,
    claim,
    file.documents.filter((document) => !keep(document)),
  );
}

/** Takes a file that is claimed, by this process or by one that was killed over it. */
export async function takeClaimed(
  paydrop: Paydrop,
  claim: Claim,
  documents: readonly string[],
): Promise<TakenDrop | null> {
  const taken = await takeOrRefuse(paydrop, claim).catch(async (error: unknown) => {
    // A full disk, or a ledger that cannot be written: nothing was taken, so the file lies where its owner put it.
    await giveBack(claim);
    throw error;
  });
  if (taken.kind === 'refused' && taken.refusal.code === 'file_changed') {
    // Somebody still writes it: it settles once more.
    await giveBack(claim);
    return null;
  }
  if (taken.kind === 'taken') await removeDocuments(documents);
  if (taken.kind === 'repeated') await keepRepeated(paydrop, claim, taken);
  const carry = async (control: RunControl): Promise<BatchResult> => {
    const result = await carryTaken(paydrop, claim.path, taken, control);
    await endClaim(claim);
    return result;
  };
  // What was taken lies safely in its batch's folder; of what was refused the copy is still to be made.
  if (taken.kind !== 'refused') await endClaim(claim);
  return { batch: taken.kind === 'taken' ? taken.batch.id : null, carry };
}

/** Goes on with claims that a kill left behind. One whose file had been taken lacks only its end. */
export async function takeOrphans(paydrop: Paydrop): Promise<readonly TakenDrop[]> {
  const { workspace, ledger } = paydrop;
  const drops: TakenDrop[] = [];
  const orphans = await orphanedClaims(
    workspace,
    (run) => run === ledger.run || isOtherRunHere(run, ledger.run),
  );
  for (const claim of orphans) {
    if (isApproval(claim)) {
      await endOrphanedApproval(paydrop, claim);
      continue;
    }
    const known = await ledger.batchOfFile(await hashFile(claim.path));
    // Taken by this very claim, unless somebody else's batch has the same bytes: then its owner is still to be told.
    if (known?.takenBy === claim.run && !isNothing(paydrop, known)) await endClaim(claim);
    else drops.push(...[await takeClaimed(paydrop, claim, [])].filter((drop) => drop !== null));
  }
  return drops;
}

async function removeDocuments(documents: readonly string[]): Promise<void> {
  // They were copied, synced, and are known by their hashes.
  for (const document of documents) await rm(document, { force: true });
}

/** The same bytes again are kept where people look for what was not paid, beside the answer that says so. */
async function keepRepeated(
  { workspace }: Paydrop,
  claim: Claim,
  { batch, answer }: Extract<Taken, { readonly kind: 'repeated' }>,
): Promise<void> {
  const folder = join(workspace.refused, batch.id);
  await createFolder(folder);
  await rename(claim.path, join(folder, basename(claim.path)));
  await copyFile(join(workspace.outbox, answer), join(folder, answer));
}
