// Bugs in what holds several machines apart that share a database: fences, leases, locks, and the heads of chains.
import type { Mutant } from './mutant.ts';

const SEAM = 'test/ledger/postgres-ledger.test.ts';
const CLUSTER = 'test/ledger/cluster.test.ts';
const SHARED = 'test/delivery/shared-limits.test.ts';
const MOVE = 'test/ledger/migrate.test.ts';

export const MUTANTS_OF_CLUSTERS: readonly Mutant[] = [
  {
    name: 'a run is given up while a commit of it is under way',
    file: 'ledger/postgres/runs-lines.ts',
    find: 'WHERE run = $1 AND ended_at IS NULL FOR SHARE) AS standing',
    replace: 'WHERE run = $1 AND ended_at IS NULL) AS standing',
    shownBy: CLUSTER,
  },
  {
    name: 'a run that was given up goes on writing',
    file: 'ledger/postgres/runs-lines.ts',
    find: 'WHERE run = $1 AND ended_at IS NULL FOR SHARE) AS standing',
    replace: 'WHERE run = $1 FOR SHARE) AS standing',
    shownBy: CLUSTER,
  },
  {
    name: 'a batch is taken over from a process that lives',
    file: 'ledger/batch-rules.ts',
    find: '(batch.isFree === true || !isElsewhere)',
    replace: '(batch.isFree === true || !isElsewhere || true)',
    shownBy: SEAM,
  },
  {
    name: 'a row is written by a run that has its batch no more',
    file: 'ledger/tables/row-lines.ts',
    find: 'b.owner = $1 AND b.token = l.token AND b.is_free = 0)',
    replace: '$1 <> b.id)',
    shownBy: SEAM,
  },
  {
    name: 'of reservations that share a commit none sees what the others count',
    file: 'ledger/tables/sums.ts',
    find: '.reduce((sum, { amount }) => addDecimals(sum, amount), known);',
    replace: '.reduce((sum) => sum, known);',
    shownBy: SEAM,
  },
  {
    name: 'of reservations for one payee that share a commit none sees what the others count',
    file: 'ledger/tables/reservations.ts',
    find: "    yield* sums.write('file');\n",
    replace: '',
    shownBy: SEAM,
  },
  {
    name: 'the notices that a dead run had claimed stay claimed',
    file: 'ledger/tables/run-line.ts',
    find: '  yield* endNoticesOf(run);\n',
    replace: '',
    shownBy: SEAM,
  },
  {
    name: 'the SFTP account that a dead run had stays its own',
    file: 'ledger/tables/run-line.ts',
    find: '  yield* endAccountsOf(run);\n',
    replace: '',
    shownBy: SEAM,
  },
  {
    name: 'a batch is taken over although it was taken over since it was seen',
    file: 'ledger/tables/batch-writes.ts',
    find: 'if (batch === null || !standsAs(batch, seen)) return null;',
    replace: 'if (batch === null || !standsAs(batch, { ...seen, token: batch.token })) return null;',
    shownBy: SEAM,
  },
  {
    name: 'who confers reads before it waits for the others',
    file: 'ledger/postgres/runs-table.ts',
    find: `      await query(\`SELECT pg_advisory_xact_lock(hashtext('paydrop confers in ' || current_schema()))\`);
      const [found, ended] = await Promise.all([carryOutBy(query, this.#look()), query(PARTED, [PARTED_MS])]);`,
    replace: `      const [found, ended] = await Promise.all([carryOutBy(query, this.#look()), query(PARTED, [PARTED_MS])]);
      await query(\`SELECT pg_advisory_xact_lock(hashtext('paydrop confers in ' || current_schema()))\`);`,
    shownBy: CLUSTER,
  },
  {
    name: 'a database that went back is taken for the one before',
    file: 'ledger/postgres/history.ts',
    find: 'if (hash === this.#acknowledged.hash) return;',
    replace: 'if (hash !== null) return;',
    shownBy: CLUSTER,
  },
  {
    name: 'who was not there all the while judges by a lock that is gone',
    file: 'ledger/postgres/runs-table.ts',
    find: 'systemClock.monotonic() - this.#lifeSince > place.giveUpAfterMs;',
    replace: 'this.#lifeSince >= 0;',
    shownBy: CLUSTER,
  },
  {
    name: 'a row is written over what another one has written since',
    file: 'ledger/tables/row-lines.ts',
    find: 'WHERE s.batch = l.batch AND s.position = l.position AND s.version = l.version\n',
    replace: 'WHERE s.batch = l.batch AND s.position = l.position\n',
    shownBy: SEAM,
  },
  {
    name: 'a ledger that was closed keeps a connection for what came late',
    file: 'ledger/postgres/group-commit.ts',
    find: 'if (this.#isClosed) await this.#drop();',
    replace: '',
    shownBy: CLUSTER,
  },
  {
    name: 'a ledger that was moved can still be opened',
    file: 'ledger/movable-ledger.ts',
    find: "if (move === null || move.state === 'arrived') return;",
    replace: "if (move === null || move.state === 'arrived' || move.state === 'moved') return;",
    shownBy: MOVE,
  },
  {
    name: 'a run that was opened before the move writes behind it',
    file: 'ledger/postgres/runs-table.ts',
    find: '    await assertStays(life, run);\n',
    replace: '',
    shownBy: MOVE,
  },
  {
    name: 'a ledger is moved while a run is open on it',
    file: 'ledger/tables/moves.ts',
    find: 'if ((yield* isWorkedWith()) || JSON.stringify(yield* moveOf()) !== JSON.stringify(seen)) return false;',
    replace: 'if (JSON.stringify(yield* moveOf()) !== JSON.stringify(seen)) return false;',
    shownBy: MOVE,
  },
  {
    name: 'the copy can be opened before the old ledger is closed',
    file: 'app/desk/migrate.ts',
    find: "const arriving: LedgerMove = { state: 'arriving', move, other: names.from };",
    replace: "const arriving: LedgerMove = { state: 'arrived', move, other: names.from };",
    shownBy: MOVE,
  },
  {
    name: 'the chain of a ledger that came back vouches for nothing before it',
    file: 'ledger/seals.ts',
    find: 'return { seq: 0, last, hash: headsDigest(chains) };',
    replace: "return { seq: 0, last, hash: '' };",
    shownBy: MOVE,
  },
  {
    name: 'a move that was held up puts an old copy over the ledger of today',
    file: 'ledger/movable-ledger.ts',
    find: "return isEmpty || move?.state === 'arriving' || move?.state === 'moved';",
    replace: 'return isEmpty || move !== null;',
    shownBy: MOVE,
  },
  {
    name: 'what a dead run held of the limits is free while its calls still count',
    file: 'delivery/shared-limits.ts',
    find: 'agoMs < countedMs(this.#all.perSecond)',
    replace: 'agoMs < 0',
    shownBy: SHARED,
  },
  {
    name: 'calls are only spread over the second, however unevenly they travel',
    file: 'delivery/rate-control.ts',
    find: 'return over < 0 ? 0 :',
    replace: 'return over < Infinity ? 0 :',
    shownBy: SHARED,
  },
];
