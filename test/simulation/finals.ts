// The answers at the end of a schedule, from the real results, in the form in which the checker reads them.
import type { DatabaseSync } from 'node:sqlite';

import { systemClock } from '../../src/base/clock.ts';
import { SqliteLedger } from '../../src/ledger/sqlite/sqlite-ledger.ts';
import { attemptNumberOf, stageOrHeld } from '../../src/payouts/progress.ts';
import { payoutCells, RESULT_COLUMNS } from '../../src/results/payout-cells.ts';
import { summarize } from '../../src/results/summary.ts';
import type { FinalRow, FinalTotals } from '../invariants/asked-row.ts';
import { processAt } from '../ledger/machines.ts';
import { recordsIn } from './ledger-copy.ts';
import { BATCH } from './session.ts';

export function finalRows(database: DatabaseSync): readonly FinalRow[] {
  return recordsIn(database).map((record) => {
    const { deadAttempts, transfer, hold } = record.progress;
    const cells = payoutCells(record, '.', null, 'en');
    return {
      row: record.row,
      stage: stageOrHeld(record.progress),
      cells: Object.fromEntries(RESULT_COLUMNS.map((column, index) => [column, cells[index] ?? ''])),
      deadAttempts: deadAttempts.map((dead) => dead.transfer.transferId),
      transferId: transfer?.transferId ?? null,
      transferAttempt: attemptNumberOf(record.progress),
      heldCode: hold?.code ?? null,
    };
  });
}

export async function finalTotals(database: DatabaseSync): Promise<FinalTotals> {
  const ledger = new SqliteLedger(database, { run: 'reader', machine: processAt() }, systemClock);
  const batch = await ledger.batch(BATCH);
  if (batch === null) return { outcomes: {}, debited: {}, reserved: {}, received: {} };
  const { outcomes, totals, received } = await summarize(ledger, batch);
  return {
    outcomes,
    debited: Object.fromEntries(totals.map(({ sourceCurrency, debited }) => [sourceCurrency, debited])),
    reserved: Object.fromEntries(totals.map(({ sourceCurrency, reserved }) => [sourceCurrency, reserved])),
    received: Object.fromEntries(
      received.map(({ destinationCurrency, receiveAmount }) => [destinationCurrency, receiveAmount]),
    ),
  };
}
