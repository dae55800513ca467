// The time at which a batch is to be paid, beside its file: a ledger that is made anew must not pay a salary a month early.
import { z } from 'zod';

import { readNote, writeNote, type Note } from '../../../inbox/batch-note.ts';
import { standingFolder, type Workspace } from '../../../inbox/workspace.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';

type Timed = Pick<BatchRecord, 'payAt'>;

const payAt = z.object({
  at: z.string(),
  timeZone: z.string(),
  missed: z.enum(['pay', 'hold']),
  standing: z
    .object({ series: z.string(), next: z.string(), withdrawn: z.boolean().exactOptional() })
    .exactOptional(),
});

export const PAY_AT_NOTE: Note<Required<Timed>> = {
  name: '.pay-at.json',
  schema: z.object({ payAt }),
  holds: sentence('keepPayAt.holds'),
};

/** Durable when it resolves. */
export async function keepPayAt(folder: string, batch: Timed): Promise<void> {
  if (batch.payAt !== undefined) await writeNote(folder, PAY_AT_NOTE, { payAt: batch.payAt });
}

/** What its folder says of the time of a batch; nothing for one that was paid as soon as it could be. */
export async function keptPayAt(workspace: Workspace, batch: string): Promise<Timed> {
  const folder = await standingFolder(workspace, batch);
  return (folder === null ? null : await readNote(folder, PAY_AT_NOTE)) ?? {};
}
