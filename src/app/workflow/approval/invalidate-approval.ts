// Rows that are released may not have been part of what was asked: the question is looked at again before anything is answered or sent.
import type { Records } from '../../parts.ts';

/** Does nothing where nobody was asked. */
export async function outdateApproval({ ledger }: Pick<Records, 'ledger'>, id: string): Promise<void> {
  await ledger.revise(id, ({ approval }) =>
    approval?.kind !== 'asked' || approval.declined !== null
      ? null
      : { change: { approval: { ...approval, isOutdated: true } }, event: 'approval outdated by a release' },
  );
}
