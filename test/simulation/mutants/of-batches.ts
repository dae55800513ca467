// Bugs in what a batch is allowed, and in who may conclude anything about the whole of it: epochs, manifests, lost ledgers, limits and approvals.
import type { Mutant } from './mutant.ts';

const EPOCHS = 'test/app/epoch.test.ts';
const OLDER = 'test/app/older-ledger.test.ts';
const SEAM = 'test/ledger/sqlite-ledger.test.ts';
const POWER_CUT = 'test/power-cut/power-cut.test.ts';

export const MUTANTS_OF_BATCHES: readonly Mutant[] = [
  {
    name: 'a go does not raise the epoch',
    file: 'app/workflow/batch/epoch.ts',
    find: "await records.ledger.revise(of, (batch) => ({ change: nextEpoch(records, batch), event: 'epoch raised' }));",
    replace:
      "await records.ledger.revise(of, (batch) => (batch.epoch ? null : { change: nextEpoch(records, batch), event: 'epoch raised' }));",
    shownBy: EPOCHS,
  },
  {
    name: 'the manifest does not learn of the go before its first call',
    file: 'app/workflow/batch/epoch.ts',
    find: '  await keepManifest(records, of, facts);',
    replace:
      "  if (manifestEpoch(records.workspace, typeof of === 'string' ? of : of.id) < 2) await keepManifest(records, of, facts);",
    shownBy: EPOCHS,
  },
  {
    name: 'a go is in the manifest before it is in the ledger',
    file: 'app/workflow/batch/epoch.ts',
    find: "await records.ledger.revise(of, (batch) => ({ change: nextEpoch(records, batch), event: 'epoch raised' }));",
    replace: `await records.ledger.revise(of, (batch) => {
    write(records, { ...batch, ...nextEpoch(records, batch) }, {});
    return null;
  });
  await records.ledger.revise(of, (batch) => ({ change: { epoch: (batch.epoch ?? 0) + 1 }, event: 'epoch raised' }));`,
    shownBy: EPOCHS,
  },
  {
    name: 'a manifest that is ahead of its ledger is no doubt',
    file: 'app/workflow/batch/epoch.ts',
    find: 'manifestEpoch(workspace, id) > epoch;',
    replace: 'manifestEpoch(workspace, id) < epoch;',
    shownBy: EPOCHS,
  },
  {
    name: 'a head that the history lacks is no doubt',
    file: 'app/workflow/batch/epoch.ts',
    find: 'if (head.hash === before) return true;',
    replace: 'if (head.hash === before) return false;',
    shownBy: OLDER,
  },
  {
    name: 'an older ledger writes over the head that it lacks',
    file: 'inbox/head.ts',
    find: 'return this.#ledger.history.holds(batch, head);',
    replace: 'return head.ledger !== batch;',
    shownBy: OLDER,
  },
  {
    name: 'a rebuild leaves the head of what was lost',
    file: 'app/workflow/resolve-doubt/rebuild-ledger.ts',
    find: 'await removeHead(paydrop.workspace, batch.id);',
    replace: '',
    shownBy: OLDER,
  },
  {
    name: 'an approval does not ask the head',
    file: 'app/workflow/approval/decide-approval.ts',
    find: 'await assertLatest(records, id);',
    replace: '',
    shownBy: OLDER,
  },
  {
    name: 'a go and a decision do not ask the head',
    file: 'app/workflow/batch/epoch.ts',
    find: 'if (batch !== null && (await lacksHead(records, batch)))',
    replace: 'if (batch !== null && batch.state === batch.id)',
    shownBy: OLDER,
  },
  {
    name: 'a commit is held whatever its hash',
    file: 'ledger/tables/events.ts',
    find: 'batch = $1 AND hash = $2',
    replace: 'batch = $1 AND hash <> $2',
    shownBy: SEAM,
  },
  {
    name: 'a manifest of another ledger is no doubt',
    file: 'app/workflow/batch/epoch.ts',
    find: 'manifest !== null && manifest.ledger !== ledger.id;',
    replace: 'manifest !== null && manifest.ledger !== ledger.id && manifest.ledger === manifest.batch;',
    shownBy: EPOCHS,
  },
  {
    name: 'a batch that another process takes further seems older',
    file: 'app/workflow/resolve-doubt/known-batches.ts',
    find: 'return now?.state === batch.state && now.epoch === batch.epoch;',
    replace: 'return now?.state === batch.state;',
    shownBy: OLDER,
  },
  {
    name: 'an older copy learns by itself although it does not know every batch',
    file: 'app/workflow/resolve-doubt/settle-rebuilt.ts',
    find: 'if (older.length > 0 && lost.length === 0) {',
    replace: 'if (older.length > 0) {',
    shownBy: OLDER,
  },
  {
    name: 'the next epoch is that of the ledger alone',
    file: 'app/workflow/batch/epoch.ts',
    find: 'Math.max(batch.epoch ?? 0, manifestEpoch(records.workspace, batch.id)) + 1',
    replace: '(batch.epoch ?? 0) + 1',
    shownBy: EPOCHS,
  },
  {
    name: 'what forbids is in the ledger alone',
    file: 'app/workflow/batch/epoch.ts',
    find: 'if (revision !== null) write(records, batch, facts);',
    replace: '',
    shownBy: EPOCHS,
  },
  {
    name: 'the lowest of two manifests counts',
    file: 'inbox/manifest.ts',
    find: 'return Math.max(0, ...names.map(epochOf));',
    replace: 'return names.map(epochOf).filter((each) => each > 0).toSorted((a, b) => a - b)[0] ?? 0;',
    shownBy: EPOCHS,
  },
  {
    name: 'a manifest goes back to an earlier epoch',
    file: 'inbox/manifest.ts',
    find: 'const epoch = Math.max(known, head.epoch);',
    replace: 'const epoch = head.epoch;',
    shownBy: EPOCHS,
  },
  {
    name: 'a file that is paid whole is stopped while reads may hide that it was paid',
    file: 'app/workflow/all-or-nothing/survey-whole.ts',
    find: 'this.hiddenUntil = doubtEndsAt(this.#doubtSince);',
    replace: 'this.hiddenUntil = this.#doubtSince;',
    shownBy: 'test/app/whole-after-loss.test.ts',
  },
  {
    name: 'a lost ledger stops nothing',
    file: 'app/workflow/resolve-doubt/known-batches.ts',
    find: 'if (files.length === 0) return;',
    replace: 'if (files.length >= 0) return;',
    shownBy: 'test/app/older-ledger.test.ts',
  },
  {
    name: 'a row of a lost ledger that nobody has seen yet stands in nobody’s way',
    file: 'ledger/encounters.ts',
    find: "(countsUnseen && commitmentOf(otherBatch) === 'unseen' && isUnseen(other, otherBatch))",
    replace: "(countsUnseen && commitmentOf(otherBatch) === 'none' && isUnseen(other, otherBatch))",
    shownBy: 'test/app/rebuilt-unseen.test.ts',
  },
  {
    name: 'a carrier writes a batch that another one has taken over since',
    file: 'ledger/tables/batch-writes.ts',
    find: 'if (batch.owner !== this.#parts.run || batch.token !== token || batch.isFree === true)',
    replace: 'if (batch.owner !== this.#parts.run && token < 0)',
    shownBy: SEAM,
  },
  {
    name: 'a file is decided about although an order waits',
    file: 'ledger/tables/batch-writes.ts',
    find: '|| (yield* isOrdered(known.id))',
    replace: '',
    shownBy: SEAM,
  },
  {
    name: 'a go ends with an order in the mailbox of its batch',
    file: 'ledger/tables/batch-writes.ts',
    find: 'if (!left && (yield* isOrdered(id))) return false;',
    replace: '',
    shownBy: SEAM,
  },
  {
    name: 'an order forbids nothing before it is carried out',
    file: 'ledger/tables/orders.ts',
    find: '(paused = 1 OR EXISTS (',
    replace: '(paused = 1 AND EXISTS (',
    shownBy: SEAM,
  },
  {
    name: 'a row counts beside what it counted for',
    file: 'ledger/row-rules.ts',
    find: "const sum = subtractDecimals(others, isIn && before !== null ? before.amount : '0');",
    replace: "const sum = subtractDecimals(others, isIn && before === null ? '0' : '0');",
    shownBy: SEAM,
  },
  {
    name: 'a row that somebody else has written is counted',
    file: 'ledger/tables/reservations.ts',
    find: "if (line?.['version'] !== row.version) return 'gone';",
    replace: "if (line === undefined) return 'gone';",
    shownBy: SEAM,
  },
  {
    name: 'an approval covers rows that it did not know',
    file: 'ledger/tables/approved-rows.ts',
    find: 'AND NOT EXISTS (SELECT 1 FROM approved_rows a WHERE a.batch = r.batch AND a.position = r.position)`',
    replace: 'AND NOT EXISTS (SELECT 1 FROM approved_rows a WHERE a.batch = r.batch)`',
    shownBy: 'test/app/approval/approve.test.ts',
  },
  {
    name: 'a commit that is awaited does not reach the disk',
    file: 'ledger/sqlite/group-commit.ts',
    find: 'await log.sync();',
    replace: '',
    shownBy: POWER_CUT,
  },
  {
    name: 'a read tells of a commit that has not reached the disk',
    file: 'ledger/sqlite/group-commit.ts',
    find: 'await this.#synced;',
    replace: '',
    shownBy: SEAM,
  },
  {
    name: 'an answer has its name before its content is on the disk',
    file: 'base/atomic-file.ts',
    find: '    await file.sync();',
    replace: '',
    shownBy: POWER_CUT,
  },
  {
    name: 'the folder of a batch is lost with what is synced in it',
    file: 'inbox/take-file.ts',
    find: 'await syncFolder(dirname(folder));',
    replace: 'await syncFolder(folder);',
    shownBy: POWER_CUT,
  },
  {
    name: 'a file that waits for its day is certain to be paid',
    file: 'ledger/batch-rules.ts',
    find: 'if (BEFORE_SENDING.has(state) && waitsForTime) return true;',
    replace: 'if (BEFORE_SENDING.has(state) && waitsForTime && payAt.standing !== undefined) return true;',
    shownBy: 'test/app/schedule/scheduled-file.test.ts',
  },
  {
    name: 'a claim of another machine keeps the place that its file had there',
    file: 'inbox/claim-file.ts',
    find: 'return { ...note, origin: join(here, relative(inbox, origin)) };',
    replace: 'return note;',
    shownBy: 'test/app/watch/take-dropped.test.ts',
  },
];
