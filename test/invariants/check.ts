// The checker: everything that must hold of any run, whatever went wrong in it. It is made from the interface's text and the list of invariants
// and uses nothing of the product, so that a misunderstanding there is not repeated here.
import type { FinalRow } from './asked-row.ts';
import { checkDeadInTruth, checkProofs } from './check-attempts.ts';
import {
  checkCallsOfCalmRows,
  checkForgedEchoes,
  checkManners,
  checkMutations,
  checkNoStorm,
  checkOneAtATime,
} from './check-calls.ts';
import { checkClosedIsUnpaid } from './check-decisions.ts';
import {
  checkLedgerKept,
  checkLooksBeforeActing,
  checkNoConfirmAfterRefusal,
  checkStopsWhenKeyIsRefused,
} from './check-doubt.ts';
import {
  checkAnswersAreTrue,
  checkEveryRowAnswered,
  checkNoForgottenReservation,
  checkNothingOpen,
  checkRebuilt,
} from './check-finals.ts';
import { checkBooks, checkOncePerRow, checkWhatWasPaid } from './check-payments.ts';
import { checkLedgerRows, checkOwnTransfers, checkRebuiltAttempts, checkRecords } from './check-records.ts';
import { checkAmountsShown, checkSums } from './check-sums.ts';
import { openCase, type CaseFile, type Evidence, type Violation } from './case-file.ts';

type Check = (file: CaseFile) => readonly Violation[];

/** What must hold at every moment. */
const ALWAYS: readonly Check[] = [
  checkOncePerRow,
  checkWhatWasPaid,
  checkBooks,
  checkMutations,
  checkLooksBeforeActing,
  checkNoConfirmAfterRefusal,
  checkStopsWhenKeyIsRefused,
  checkForgedEchoes,
  checkOneAtATime,
  checkManners,
  checkNoStorm,
  checkDeadInTruth,
  checkProofs,
  checkRecords,
  checkOwnTransfers,
  checkRebuiltAttempts,
  checkLedgerRows,
  checkClosedIsUnpaid,
];

/** What must hold once all has come to rest. */
const AT_REST: readonly Check[] = [
  checkLedgerKept,
  checkCallsOfCalmRows,
  checkEveryRowAnswered,
  checkNothingOpen,
  checkAnswersAreTrue,
  checkNoForgottenReservation,
  checkSums,
  checkAmountsShown,
];

export function check(evidence: Evidence): readonly Violation[] {
  const file = openCase(evidence);
  return [...ALWAYS, ...AT_REST].flatMap((holds) => holds(file));
}

/** The same once more after the ledger was deleted at the end and rebuilt; `evidence` with the journal of both, and the answers before and after. */
export function checkAgain(evidence: Evidence, rebuilt: readonly FinalRow[]): readonly Violation[] {
  const file = openCase(evidence);
  return [...ALWAYS.flatMap((holds) => holds(file)), ...checkRebuilt(file, rebuilt)];
}
