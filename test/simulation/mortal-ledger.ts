// The real ledger as one process sees it: the process may die before a commit or right after it, and every record that became durable stands
// in the journal, whether or not its writer lived to know.
import type { Ledger, RecordResult, RowChange } from '../../src/ledger/ledger.ts';
import type { RowRecord } from '../../src/ledger/records.ts';
import type { After } from '../../src/ledger/sqlite/group-commit.ts';
import type { Life } from './life.ts';
import { rowFacts } from './ledger-copy.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import type { Witness } from './witness.ts';

export function mortalLedger(
  ledger: Ledger,
  life: Life,
  scheduler: Scheduler,
  { write, journal }: Witness,
  onRegistered: () => void,
  onRecorded: (row: RowRecord, change: RowChange) => void = () => undefined,
): Ledger {
  const place = (): number => journal.length;
  const mortal =
    <A extends readonly unknown[], R>(name: string, method: (...given: A) => Promise<R>) =>
    (...given: A): Promise<R> =>
      life.act(name, () => scheduler.during(method(...given)));
  const record = async (row: RowRecord, change: RowChange): Promise<RecordResult> => {
    const toldAt = place();
    const result = await ledger.record(row, change);
    if (result.written) {
      onRecorded(row, change);
      const facts = rowFacts(row.row, change.progress);
      write({ kind: 'recorded', life: life.id, record: facts, event: change.event, toldAt });
    }
    return result;
  };
  // Time goes on while a record waits that nobody waits for.
  const recorded = (row: RowRecord, change: RowChange): Promise<RecordResult> =>
    change.mayWait === true
      ? life.act('record', () => record(row, change))
      : life.act('record', () => scheduler.during(record(row, change)));
  const claim: Ledger['claim'] = async (request) => {
    const rows = await ledger.claim(request);
    write({ kind: 'claimed', life: life.id, rows: rows.map(({ row }) => row) });
    return rows;
  };
  const addRows: Ledger['addRows'] = async (batch, rows) => {
    await ledger.addRows(batch, rows);
    onRegistered();
  };
  return {
    run: ledger.run,
    runs: {
      ended: ledger.runs.ended,
      isElsewhere: ledger.runs.isElsewhere.bind(ledger.runs),
      alive: mortal('alive', ledger.runs.alive.bind(ledger.runs)),
      endDead: mortal('endDead', ledger.runs.endDead.bind(ledger.runs)),
      tell: mortal('tell', ledger.runs.tell.bind(ledger.runs)),
    },
    notices: ledger.notices,
    exchange: ledger.exchange,
    addBatch: mortal('addBatch', ledger.addBatch.bind(ledger)),
    changeBatch: mortal('changeBatch', ledger.changeBatch.bind(ledger)),
    revise: mortal('revise', ledger.revise.bind(ledger)),
    askApproval: mortal('askApproval', ledger.askApproval.bind(ledger)),
    uncovered: mortal('uncovered', ledger.uncovered.bind(ledger)),
    moveOn: mortal('moveOn', ledger.moveOn.bind(ledger)),
    takeOver: mortal('takeOver', ledger.takeOver.bind(ledger)),
    refuseBatch: mortal('refuseBatch', ledger.refuseBatch.bind(ledger)),
    dropBatch: mortal('dropBatch', ledger.dropBatch.bind(ledger)),
    batch: mortal('batch', ledger.batch.bind(ledger)),
    isPaused: mortal('isPaused', ledger.isPaused.bind(ledger)),
    batches: mortal('batches', ledger.batches.bind(ledger)),
    addRows: mortal('addRows', addRows),
    clearRows: mortal('clearRows', ledger.clearRows.bind(ledger)),
    rows: mortal('rows', ledger.rows.bind(ledger)),
    crossCheck: mortal('crossCheck', ledger.crossCheck.bind(ledger)),
    decideWhole: mortal('decideWhole', ledger.decideWhole.bind(ledger)),
    reserve: mortal('reserve', ledger.reserve.bind(ledger)),
    spent: mortal('spent', ledger.spent.bind(ledger)),
    decisions: mortal('decisions', ledger.decisions.bind(ledger)),
    leftToSend: mortal('leftToSend', ledger.leftToSend.bind(ledger)),
    events: mortal('events', ledger.events.bind(ledger)),
    verifyHistory: mortal('verifyHistory', ledger.verifyHistory.bind(ledger)),
    transferOf: mortal('transferOf', ledger.transferOf.bind(ledger)),
    hint: mortal('hint', ledger.hint.bind(ledger)),
    schedule: mortal('schedule', ledger.schedule.bind(ledger)),
    standing: mortal('standing', ledger.standing.bind(ledger)),
    paidTo: mortal('paidTo', ledger.paidTo.bind(ledger)),
    stageCounts: mortal('stageCounts', ledger.stageCounts.bind(ledger)),
    claim: mortal('claim', claim),
    nextDueAt: mortal('nextDueAt', ledger.nextDueAt.bind(ledger)),
    record: recorded,
    flush: mortal('flush', ledger.flush.bind(ledger)),
    unclaim: mortal('unclaim', ledger.unclaim.bind(ledger)),
    makeDue: mortal('makeDue', ledger.makeDue.bind(ledger)),
    bindTo: mortal('bindTo', ledger.bindTo.bind(ledger)),
    close: mortal('close', ledger.close.bind(ledger)),
  };
}

/** On a busy machine what nobody waits for is written much later: then more of it is lost with a process. */
const LATE_TIMES = [1, 1, 30, 600] as const;

/** The time of a ledger passes as its process': one that is dead writes nothing more. */
export function timerOf(life: Life, scheduler: Scheduler, random: Random): After {
  const times = random.fork(`ledger of ${life.id}`).pick(LATE_TIMES);
  const passed = (ms: number) => new Promise<void>((resolve) => void scheduler.after(times * ms, resolve));
  return (ms, call) => void life.act('wait for a commit', () => passed(ms)).then(call);
}
