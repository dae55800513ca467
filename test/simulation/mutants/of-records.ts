// Bugs in the ledger and in the order of record and deed.
import type { Mutant } from './mutant.ts';

export const MUTANTS_OF_RECORDS: readonly Mutant[] = [
  {
    name: 'the confirm is sent before its intent is on record',
    file: 'delivery/make-call.ts',
    find: 'const differs = transferDifferences(row, value, price, id).length > 0;',
    replace: `const differs = transferDifferences(row, value, price, id).length > 0;
  if (row.row.payout.document === null) await tools.service.confirmTransfer(value.id).catch(() => null);`,
  },
  {
    name: 'an intent to confirm is kept like a price',
    file: 'delivery/carry-row.ts',
    find: "case 'intend':",
    replace: `case 'intend':
        return this.#changed(at, { on: 'intend' });`,
  },
  {
    name: 'a call without an answer leaves nothing on record',
    file: 'delivery/carry-row.ts',
    find: 'await this.#recorder.record(at, writing, way);',
    replace:
      'await this.#recorder.record(at.fault instanceof Unanswered ? { ...at, state: at.saved } : at, writing, way);',
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
    name: 'a record that was not written counts as written',
    file: 'ledger/tables/row-writes.ts',
    find: 'written: written.has(item), standings: Promise.resolve(known)',
    replace: 'written: written.has(item) || true, standings: Promise.resolve(known)',
    shownBy: 'test/ledger/sqlite-ledger.test.ts',
  },
  {
    name: 'a row is carried by two runs of one process at once',
    file: 'delivery/rows-under-way.ts',
    find: 'if (rows.has(position)) return false;',
    replace: '',
    shownBy: 'test/delivery/many-hands.test.ts',
  },
  {
    name: 'a hint that meets a look counts as looked at',
    file: 'ledger/tables/row-lines.ts',
    find: 'WHEN s.hints <> l.hints AND',
    replace: 'WHEN s.hints < l.hints AND',
    shownBy: 'test/ledger/sqlite-ledger.test.ts',
  },
  {
    name: 'a row that waits is never due again',
    file: 'delivery/carry-row.ts',
    find: 'return Math.max(triedAgainAt, now, Math.ceil(state.due));',
    replace: 'return Math.max(triedAgainAt, now, Math.ceil(now + (state.due - now) * 100_000));',
  },
  {
    name: 'a payout that was paid may be paid again',
    file: 'payouts/row-machine/on-transfer.ts',
    find: "    case 'paid':",
    replace: `    case 'paid':
      if (row.confirmedAt === null) return nextAttempt(row, transfer, 'expired-unconfirmed', row.vouchedBy);`,
  },
  {
    name: 'an owner is told that an unfinished rebuild is done',
    file: 'delivery/runner.ts',
    find: "if (dueAt === null) return { kind: 'done' };",
    replace: "if (dueAt !== 0) return { kind: 'done' };",
  },
  {
    name: 'rows read again from the ledger lose their order',
    file: 'ledger/tables/rows.ts',
    find: 's.position >= $2 ORDER BY s.position LIMIT $3`',
    replace: 's.position >= $2 ORDER BY s.position DESC LIMIT $3`',
  },
];
