// The day under which a rebuilt batch was accepted, so that it gets its old name back and its folder is its own again.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { isoTime } from '../../../base/clock.ts';
import { batchName } from '../../../inbox/batch-name.ts';
import type { Workspace } from '../../../inbox/workspace.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { folderOf } from './standing-copy.ts';
import type { ProbedRows } from './probe-rows.ts';

type Dated = Pick<BatchRecord, 'id' | 'acceptedAt'>;

/** From the batch's folder where it stands, else from its first transfer, else now. */
export async function dateRebuilt(
  workspace: Workspace,
  draft: BatchRecord,
  attempts: ProbedRows,
): Promise<Dated> {
  const standing = await folderOf(workspace, draft);
  const acceptedAt =
    standing === null
      ? (firstCreated(attempts) ?? draft.acceptedAt)
      : await acceptedIn(standing.batch, join(standing.path, draft.fileName));
  return { id: standing?.batch ?? batchName(draft.fileId, acceptedAt), acceptedAt };
}

/** The copy was made when the file was accepted; a restored backup may have lost that moment, but not the day in the name. */
async function acceptedIn(batch: string, copy: string): Promise<string> {
  const day = `${batch.slice(0, 4)}-${batch.slice(4, 6)}-${batch.slice(6, 8)}`;
  const made = await stat(copy).catch(() => null);
  const at = made === null ? '' : isoTime(made.mtimeMs);
  // The end of the day, because a payment must not look older than it is: the window for equal payments would end too early.
  return at.startsWith(day) ? at : `${day}T23:59:59.999Z`;
}

function firstCreated(attempts: ProbedRows): string | null {
  const times = [...attempts.values()]
    .map(({ firstCreatedAt }) => firstCreatedAt)
    .filter((time) => time !== null);
  return times.sort()[0] ?? null;
}
