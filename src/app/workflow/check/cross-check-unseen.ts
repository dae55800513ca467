// What was held for reads that might have hidden it, and was looked for in vain since, is judged as it was when its file first came.
import type { CrossCheck } from '../../../ledger/ledger.ts';
import type { BatchChange, BatchRecord, Encounter, RowRecord } from '../../../ledger/records.ts';
import { liftsItself } from '../../../payouts/hold.ts';
import type { Paydrop } from '../../parts.ts';
import { policyFor } from './validate-file.ts';
import {
  checkAll,
  held,
  heldOpen,
  judgeEncounters,
  judgeMet,
  LIMIT_ROWS,
  marked,
  NEW_ACCOUNT,
  windowStart,
} from './cross-check.ts';
import { newAccountRows } from './unusual.ts';
import { sentence } from '../../../messages/messages.ts';

/** `wasClosed`: what was not sent then had a reason that only a person can know now. */
export async function crossCheckUnseen(
  { ledger, config, workspace, clock }: Paydrop,
  batch: BatchRecord,
  { wasClosed, change }: { readonly wasClosed: boolean; readonly change: BatchChange },
): Promise<void> {
  const policy = await policyFor({ config, workspace }, batch);
  const unknown = policy.newAccount === 'hold' ? await newAccountRows(ledger, batch.id) : null;
  const unsent = wasClosed
    ? held('in_doubt_unsent', sentence('crossCheckUnseen.text', { id: batch.id }))
    : null;
  await checkAll(ledger, batch, {
    limit: LIMIT_ROWS,
    at: null,
    since: windowStart(batch, policy),
    everyRow: true,
    judge: (row, { encounters, sameContent }) => {
      if (!liftsItself(row.progress.hold) || row.payout === null) return null;
      const before = encounters.filter((encounter) => !comesLater(row, encounter));
      // Begun before the ledger was lost: it had been held against its own file by then.
      if (row.progress.transfer !== null) {
        const among = judgeEncounters(
          row,
          before.filter(({ other }) => other.batch !== row.batch),
        );
        return among === null ? goesOn(row) : heldOpen(row, among, clock.now());
      }
      const isUnknown = unknown?.has(row.position) === true;
      const finding =
        judgeMet(row, { encounters: before, sameContent }) ?? (isUnknown ? NEW_ACCOUNT : unsent);
      return finding === null
        ? sent(row)
        : marked(row, finding, 'cross-check after a second look', clock.now());
    },
    change,
  });
}

/** Those of other files that are still held so are held against this one in their turn. */
function comesLater({ batch }: RowRecord, { other }: Encounter): boolean {
  return other.batch !== batch && other.isHeld && other.unseenSince !== null;
}

function sent({ progress }: RowRecord): ReturnType<CrossCheck['judge']> {
  return { progress: { ...progress, hold: null }, event: 'not sent before the ledger was lost' };
}

/** Open all the while, beside a row that has turned out not to be sent: it is looked at before anything more of it is sent. */
function goesOn({ progress }: RowRecord): ReturnType<CrossCheck['judge']> {
  return {
    progress: { ...progress, hold: null, lookedBy: null },
    event: 'nothing else was sent of it before the ledger was lost',
  };
}
