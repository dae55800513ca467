// The real ledger as one process sees it: the process may die before a commit or right after it, and every record that became durable stands
// in the journal, whether or not its writer lived to know.
import type { Ledger, RowChange } from '../../src/ledger/ledger.ts';
import type { RowRecord } from '../../src/ledger/records.ts';
import type { Life } from './life.ts';
import { rowFacts } from './ledger-copy.ts';
import type { Scheduler } from './scheduler.ts';
import type { Write } from './witness.ts';

export function mortalLedger(
  ledger: Ledger,
  life: Life,
  scheduler: Scheduler,
  write: Write,
  onRegistered: () => void,
  onRecorded: (row: RowRecord, change: RowChange) => void = () => undefined,
): Ledger {
  const mortal =
    <A extends readonly unknown[], R>(name: string, method: (...given: A) => Promise<R>) =>
    (...given: A): Promise<R> =>
      life.act(name, () => scheduler.during(method(...given)));
  const record: Ledger['record'] = async (leased, row, change) => {
    const result = await ledger.record(leased, row, change);
    if (result.written) {
      onRecorded(row, change);
      const facts = rowFacts(row.row, change.progress);
      write({ kind: 'recorded', life: life.id, record: facts, event: change.event });
    }
    return result;
  };
  const addRows: Ledger['addRows'] = async (batch, rows) => {
    await ledger.addRows(batch, rows);
    onRegistered();
  };
  return {
    id: ledger.id,
    run: ledger.run,
    runs: {
      ended: ledger.runs.ended,
      isElsewhere: ledger.runs.isElsewhere.bind(ledger.runs),
      alive: mortal('alive', ledger.runs.alive.bind(ledger.runs)),
      endDead: mortal('endDead', ledger.runs.endDead.bind(ledger.runs)),
      tell: mortal('tell', ledger.runs.tell.bind(ledger.runs)),
      confer: mortal('confer', ledger.runs.confer.bind(ledger.runs)),
      mayCall: ledger.runs.mayCall.bind(ledger.runs),
    },
    notices: ledger.notices,
    exchange: ledger.exchange,
    orders: {
      give: mortal('give', ledger.orders.give.bind(ledger.orders)),
      open: mortal('open', ledger.orders.open.bind(ledger.orders)),
      answer: mortal('answer', ledger.orders.answer.bind(ledger.orders)),
      outcome: mortal('outcome', ledger.orders.outcome.bind(ledger.orders)),
      onGiven: ledger.orders.onGiven.bind(ledger.orders),
    },
    addBatch: mortal('addBatch', ledger.addBatch.bind(ledger)),
    revise: mortal('revise', ledger.revise.bind(ledger)),
    askApproval: mortal('askApproval', ledger.askApproval.bind(ledger)),
    uncovered: mortal('uncovered', ledger.uncovered.bind(ledger)),
    takeOver: mortal('takeOver', ledger.takeOver.bind(ledger)),
    giveBack: mortal('giveBack', ledger.giveBack.bind(ledger)),
    dropBatch: mortal('dropBatch', ledger.dropBatch.bind(ledger)),
    batch: mortal('batch', ledger.batch.bind(ledger)),
    batches: mortal('batches', ledger.batches.bind(ledger)),
    addRows: mortal('addRows', addRows),
    clearRows: mortal('clearRows', ledger.clearRows.bind(ledger)),
    rows: mortal('rows', ledger.rows.bind(ledger)),
    crossCheck: mortal('crossCheck', ledger.crossCheck.bind(ledger)),
    decideWhole: mortal('decideWhole', ledger.decideWhole.bind(ledger)),
    reserve: mortal('reserve', ledger.reserve.bind(ledger)),
    spent: mortal('spent', ledger.spent.bind(ledger)),
    refusalCounts: mortal('refusalCounts', ledger.refusalCounts.bind(ledger)),
    leftToSend: mortal('leftToSend', ledger.leftToSend.bind(ledger)),
    history: {
      events: mortal('events', ledger.history.events),
      verify: mortal('verify', ledger.history.verify),
      holds: mortal('holds', ledger.history.holds),
      tellOf: ledger.history.tellOf,
    },
    transferOf: mortal('transferOf', ledger.transferOf.bind(ledger)),
    hint: mortal('hint', ledger.hint.bind(ledger)),
    reschedule: mortal('reschedule', ledger.reschedule.bind(ledger)),
    duplicateOf: mortal('duplicateOf', ledger.duplicateOf.bind(ledger)),
    paidTo: mortal('paidTo', ledger.paidTo.bind(ledger)),
    stageCounts: mortal('stageCounts', ledger.stageCounts.bind(ledger)),
    dueRows: mortal('dueRows', ledger.dueRows.bind(ledger)),
    nextDueAt: mortal('nextDueAt', ledger.nextDueAt.bind(ledger)),
    record: mortal('record', record),
    makeDue: mortal('makeDue', ledger.makeDue.bind(ledger)),
    account: ledger.account,
    close: mortal('close', ledger.close.bind(ledger)),
  };
}
