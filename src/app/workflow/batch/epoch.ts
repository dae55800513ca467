// The epoch of a batch, in the ledger and in its manifest. It rises at the start of every go that may send, with every decision of a person, and with every step that permits or
// concludes. A manifest with a higher epoch than the ledger shows that an older ledger was put back, and so does a head that the ledger's history lacks; a manifest that names
// another ledger, that the work went on with that one.
import { join } from 'node:path';

import { headOf } from '../../../inbox/head.ts';
import {
  folderNow,
  manifestEpoch,
  manifestNow,
  writeManifest,
  type FactsAfter,
  type KeptFacts,
  type Manifest,
} from '../../../inbox/manifest.ts';
import type { Workspace } from '../../../inbox/workspace.ts';
import type { BatchState } from '../../../ledger/batch-states.ts';
import type { BatchRevision } from '../../../ledger/ledger.ts';
import type { BatchRecord, LeasedBatch } from '../../../ledger/records.ts';
import type { Records } from '../../parts.ts';
import { olderLedger, otherLedger } from '../../parts/describe-error.ts';

type Known = Pick<Records, 'ledger' | 'workspace'>;

/** Refused, or being rebuilt. */
const NOTHING_TO_LOSE: ReadonlySet<BatchState> = new Set<BatchState>(['refused', 'resolving']);
/** A closed batch is looked at again anyway. */
const KNOWN_AGAIN: ReadonlySet<BatchState> = new Set<BatchState>(['closed', ...NOTHING_TO_LOSE]);

/** True where the manifest knows more than the ledger. */
export function isBehind(
  { workspace }: Pick<Records, 'workspace'>,
  { id, state, epoch = 0 }: BatchRecord,
): boolean {
  return !KNOWN_AGAIN.has(state) && manifestEpoch(workspace, id) > epoch;
}

/** True where the history lacks the last commit that reached the disk: of an older copy from the midst of a go no epoch tells. */
export async function lacksHead(
  { ledger, workspace }: Known,
  { id, state }: Pick<BatchRecord, 'id' | 'state'>,
): Promise<boolean> {
  if (KNOWN_AGAIN.has(state)) return false;
  for (let before = ''; ;) {
    const head = await headOf(workspace, id);
    if (head?.ledger !== ledger.id || (await ledger.history.holds(id, head))) return false;
    // A reading in the midst of a write may be of two halves: only two that are equal count.
    if (head.hash === before) return true;
    before = head.hash;
  }
}

/** True where another ledger wrote the manifest last. This ledger does not know what that one did with the batch, even at the same epoch, or if it closed it. */
export function isOfAnother(
  { ledger }: Pick<Records, 'ledger'>,
  { state }: Pick<BatchRecord, 'state'>,
  manifest: Manifest | null,
): boolean {
  return !NOTHING_TO_LOSE.has(state) && manifest !== null && manifest.ledger !== ledger.id;
}

/** Call it while the ledger is locked. Throws `LedgerForgetful` where the manifest is another ledger's, or knows more than this one. */
function assertAgree(records: Known, batch: BatchRecord): void {
  if (isOfAnother(records, batch, manifestNow(records.workspace, batch.id)))
    throw otherLedger([pathOf(records.workspace, batch)], 1);
  if (isBehind(records, batch)) throw olderLedger([pathOf(records.workspace, batch)], 1);
}

function pathOf(workspace: Workspace, { id, fileName }: BatchRecord): string {
  return join(folderNow(workspace, id) ?? '', fileName);
}

/** The next epoch, to be stored in the same commit as its reason. Throws like every write of a manifest. */
export function nextEpoch(records: Known, batch: BatchRecord): { readonly epoch: number } {
  assertAgree(records, batch);
  return { epoch: Math.max(batch.epoch ?? 0, manifestEpoch(records.workspace, batch.id)) + 1 };
}

/** Throws `LedgerForgetful` where an older copy of the ledger was put back. */
export async function assertLatest(records: Known, of: string | LeasedBatch): Promise<void> {
  const batch = await records.ledger.batch(typeof of === 'string' ? of : of.id);
  if (batch !== null && (await lacksHead(records, batch)))
    throw olderLedger([pathOf(records.workspace, batch)], 1);
}

/** Raises the epoch of a batch, in the ledger and then in its manifest: await it before the first call of this go. */
export async function raiseEpoch(
  records: Known,
  of: string | LeasedBatch,
  facts: KeptFacts = {},
): Promise<void> {
  await raise(records, of);
  await keepManifest(records, of, facts);
}

/** The first epoch of a batch, and its first manifest, in the folder where it is being put together. */
export async function beginEpochs(
  records: Known,
  of: LeasedBatch,
  folder: string,
  facts: KeptFacts,
): Promise<void> {
  await raise(records, of);
  await records.ledger.revise(of, (batch) => {
    write(records, batch, facts, folder);
    return null;
  });
}

async function raise(records: Known, of: string | LeasedBatch): Promise<void> {
  await assertLatest(records, of);
  await records.ledger.revise(of, (batch) => ({ change: nextEpoch(records, batch), event: 'epoch raised' }));
}

/**
 * Keeps a decision in manifest and ledger, in this order, under an epoch that the ledger already has: if it is interrupted in between, no doubt arises, and
 * what forbids holds. Null from `decide` changes neither; returns the batch that it decided on.
 */
export async function decideInBoth(
  records: Known,
  id: string,
  facts: KeptFacts | FactsAfter,
  decide: (batch: BatchRecord) => BatchRevision | null,
): Promise<BatchRecord | null> {
  const { ledger } = records;
  await assertLatest(records, id);
  const seen = await ledger.revise(id, (batch) =>
    decide(batch) === null ? null : { change: nextEpoch(records, batch), event: 'epoch raised' },
  );
  if (seen === null || decide(seen) === null) return seen;
  return ledger.revise(id, (batch) => {
    const revision = decide(batch);
    if (revision !== null) write(records, batch, facts);
    return revision;
  });
}

/**
 * Brings the manifest to the ledger's epoch: after a step that permits, and before the first call that it permits.
 * @param publish publishes what those facts report, while the run still has the batch.
 */
export async function keepManifest(
  records: Known,
  of: string | LeasedBatch,
  facts: KeptFacts | FactsAfter = {},
  publish: () => void = () => undefined,
): Promise<void> {
  await records.ledger.revise(of, (batch) => {
    write(records, batch, facts);
    publish();
    return null;
  });
}

function write(records: Known, batch: BatchRecord, facts: KeptFacts | FactsAfter, folder?: string): void {
  assertAgree(records, batch);
  const { id, epoch = 0, fileName, sha256 } = batch;
  const head = { epoch, ledger: records.ledger.id, batch: id, file: { name: fileName, sha256 } };
  writeManifest(records.workspace, head, facts, folder);
}
