// Bugs in the ledger and in the order of record and deed.
import type { Mutant } from './mutant.ts';

export const MUTANTS_OF_RECORDS: readonly Mutant[] = [
  {
    name: 'the confirm is sent before its intent is on record',
    file: 'delivery/calls.ts',
    find: 'return created(due.row.payout, transfer, tools.serviceClock.latestNow(), learned);',
    replace: `if (due.row.payout.document === null) await tools.service.confirmTransfer(transfer.id).catch(() => null);
  return created(due.row.payout, transfer, tools.serviceClock.latestNow(), learned);`,
  },
  {
    name: 'the create of a later attempt is sent before its price is on record',
    file: 'delivery/lane.ts',
    find: ' || deadAttempts.length > 0) return false;',
    replace: ' || deadAttempts.length > 9) return false;',
  },
  {
    name: 'a row on the lane is confirmed before its intent is on record',
    file: 'delivery/lane.ts',
    find: 'const intended = await note(due, made);',
    replace: `const { transfer = null } = (made as { learned: { transfer?: { transferId: string } | null } }).learned;
      if (transfer !== null) await tools.service.confirmTransfer(transfer.transferId).catch(() => null);
      const intended = await note(due, made);`,
  },
  {
    name: 'a fault on the lane is swallowed',
    file: 'delivery/lane.ts',
    find: 'return settle(due, afterFault(fault, due, tools));',
    replace: 'return afterFault(fault, due, tools).kind === null ? null : due.row;',
  },
  {
    name: 'a row of which nobody knows how it stands takes the lane',
    file: 'delivery/lane.ts',
    find: 'if (mustLook(due) || payout.document',
    replace: 'if (payout.document',
  },
  {
    name: 'a commit does not last',
    file: 'ledger/sqlite/group-commit.ts',
    find: "this.#database.exec('COMMIT');",
    replace: `const counted = globalThis as { commits?: number };
      counted.commits = (counted.commits ?? 0) + 1;
      const isLost = counted.commits % 40 === 39 && this.#database.prepare('SELECT 1 FROM rows').get() !== undefined;
      this.#database.exec(isLost ? 'ROLLBACK' : 'COMMIT');`,
  },
  {
    name: 'a record is overwritten by whoever comes last',
    file: 'ledger/sqlite/rows-table.ts',
    find: 'AND position = ? AND version = ?`;',
    replace: 'AND position = ? AND ? IS NOT NULL`;',
  },
  {
    name: 'a record that was not written counts as written',
    file: 'ledger/sqlite/sqlite-ledger.ts',
    find: 'const written = this.#rowWrites.write(row, change);',
    replace: 'const written = this.#rowWrites.write(row, change) || true;',
  },
  {
    name: 'claims are ignored',
    file: 'ledger/sqlite/claims-table.ts',
    find: 'AND (lease_until IS NULL OR lease_until <= ?4)',
    replace: 'AND ?4 > 0',
  },
  {
    name: 'a claim outlives its step',
    file: 'ledger/sqlite/rows-table.ts',
    find: "endClaim: writeOf(', lease_owner = NULL, lease_until = NULL')",
    replace: "endClaim: writeOf(', lease_until = lease_until + 9000000000000')",
  },
  {
    name: 'a row that waits is never due again',
    file: 'delivery/when-due.ts',
    find: "if (verdict.kind === 'waiting') return verdict.lookAgainMs;",
    replace: "if (verdict.kind === 'waiting') return verdict.lookAgainMs * 100_000;",
  },
  {
    name: 'a payout that was paid may be paid again',
    file: 'delivery/judge-transfer.ts',
    find: `            stage: 'paid',
            learned: { ...ended(progress, known, look), why: null },`,
    replace: `            stage: progress.stage === 'confirmed' ? 'paid' : 'ready',
            learned: { ...ended(progress, known, look), why: null },`,
  },
  {
    name: 'an owner is told that an unfinished rebuild is done',
    file: 'delivery/runner.ts',
    find: "if (dueAt === null) return { kind: 'done' };",
    replace: "if (dueAt !== 0) return { kind: 'done' };",
  },
  {
    name: 'rows read again from the ledger lose their order',
    file: 'ledger/sqlite/rows-table.ts',
    find: 'WHERE batch = ? AND position >= ? ORDER BY position LIMIT +?`',
    replace: 'WHERE batch = ? AND position >= ? ORDER BY position DESC LIMIT +?`',
  },
];
