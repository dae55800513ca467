// The epoch of a batch, in the ledger and in the manifest beside its file. It rises at the start of every go that may send, with every decision of a
// person, and with every step that permits or concludes. A manifest that is ahead of the ledger shows that an older copy of the ledger was put back; one that names another ledger,
// that the work went on with that one.
import { join } from 'node:path';

import {
  folderNow,
  manifestEpoch,
  manifestNow,
  writeManifest,
  type FactsAfter,
  type KeptFacts,
  type Manifest,
} from '../../inbox/manifest.ts';
import type { Workspace } from '../../inbox/workspace.ts';
import type { BatchState } from '../../ledger/batch-states.ts';
import type { BatchRevision } from '../../ledger/ledger.ts';
import type { BatchRecord, Held } from '../../ledger/records.ts';
import type { Records } from '../parts.ts';
import { olderLedger, otherLedger } from '../parts/describe-error.ts';

type Known = Pick<Records, 'ledger' | 'workspace'>;

/** What was refused, or is being rebuilt. */
const NOTHING_TO_LOSE: ReadonlySet<BatchState> = new Set<BatchState>(['refused', 'resolving']);
/** What was closed is looked at again anyway. */
const KNOWN_AGAIN: ReadonlySet<BatchState> = new Set<BatchState>(['closed', ...NOTHING_TO_LOSE]);

/** True where the manifest knows more than the ledger. */
export function isBehind(
  { workspace }: Pick<Records, 'workspace'>,
  { id, state, epoch = 0 }: BatchRecord,
): boolean {
  return !KNOWN_AGAIN.has(state) && manifestEpoch(workspace, id) > epoch;
}

/** True where another ledger wrote the manifest last. What it did with the batch this one does not know, be it at the same epoch, or closed. */
export function isOfAnother(
  { ledger }: Pick<Records, 'ledger'>,
  { state }: Pick<BatchRecord, 'state'>,
  manifest: Manifest | null,
): boolean {
  return !NOTHING_TO_LOSE.has(state) && manifest !== null && manifest.ledger !== ledger.id;
}

/** To be called while the ledger is locked. Throws `LedgerForgetful` where the manifest is another ledger's, or knows more than this one. */
function assertAgree(records: Known, batch: BatchRecord): void {
  if (isOfAnother(records, batch, manifestNow(records.workspace, batch.id)))
    throw otherLedger([pathOf(records.workspace, batch)], 1);
  if (isBehind(records, batch)) throw olderLedger([pathOf(records.workspace, batch)], 1);
}

function pathOf(workspace: Workspace, { id, fileName }: BatchRecord): string {
  return join(folderNow(workspace, id) ?? '', fileName);
}

/** The next epoch, to be kept in the commit of what it stands for. Throws as every write of a manifest. */
export function nextEpoch(records: Known, batch: BatchRecord): { readonly epoch: number } {
  assertAgree(records, batch);
  return { epoch: Math.max(batch.epoch ?? 0, manifestEpoch(records.workspace, batch.id)) + 1 };
}

/** Raises the epoch of a batch, in the ledger and then in its manifest: to be awaited before the first call that this go makes. */
export async function raiseEpoch(
  records: Known,
  of: string | Held,
  facts: KeptFacts | FactsAfter = {},
): Promise<void> {
  await records.ledger.revise(of, (batch) => ({ change: nextEpoch(records, batch), event: 'epoch raised' }));
  await keepManifest(records, of, facts);
}

/**
 * Keeps a decision in manifest and ledger, in this order, under an epoch that the ledger has before: should it be cut short in between, no doubt arises, and
 * what forbids holds. Null from `decide` leaves both; gives the batch that it decided on.
 */
export async function decideInBoth(
  records: Known,
  id: string,
  facts: KeptFacts | FactsAfter,
  decide: (batch: BatchRecord) => BatchRevision | null,
): Promise<BatchRecord | null> {
  const { ledger } = records;
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
 * Brings the manifest to the epoch that the ledger has: after a step that permits, and before the first call that it permits.
 * @param publish what those facts tell of, in the same turn of the batch.
 */
export async function keepManifest(
  records: Known,
  of: string | Held,
  facts: KeptFacts | FactsAfter = {},
  publish: () => void = () => undefined,
): Promise<void> {
  await records.ledger.revise(of, (batch) => {
    write(records, batch, facts);
    publish();
    return null;
  });
}

function write(records: Known, batch: BatchRecord, facts: KeptFacts | FactsAfter): void {
  assertAgree(records, batch);
  const { id, epoch = 0, fileName, sha256 } = batch;
  const head = { epoch, ledger: records.ledger.id, batch: id, file: { name: fileName, sha256 } };
  writeManifest(records.workspace, head, facts);
}
