// By which policy the rows of a taken file are held against others. Where its folder does not tell, all is held that any policy could hold: the batch
// itself goes no further then, and what the others may do must not depend on it.
import { BatchFolderFault } from '../../../inbox/batch-note.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import type { Paydrop } from '../../parts.ts';
import { takenProfile } from '../take/profile-for.ts';
import { policyOf, type PolicyOverrides } from '../../config/policy.ts';

export async function policyFor(
  { config, workspace }: Pick<Paydrop, 'config' | 'workspace'>,
  batch: BatchRecord,
): Promise<Paydrop['config']['policy']> {
  const overrides = takenProfile(workspace, batch).then(
    (profile): PolicyOverrides => profile?.policy ?? {},
    (error: unknown): PolicyOverrides => {
      if (!(error instanceof BatchFolderFault)) throw error;
      return { duplicateWindow: Date.parse(batch.acceptedAt), newAccount: 'hold' };
    },
  );
  return policyOf(config.policy, await overrides);
}
