// Where a row starts in a rebuilt ledger: with what the service and the folder of its batch know of it, and never as if it were new.
import { joinWords, sameWords, type Words } from '../../../base/language.ts';
import type { ClosedUnpaid } from '../../../inbox/manifest.ts';
import { HOLDS, newHold, type HoldCode } from '../../../payouts/hold.ts';
import { FRESH, type Progress } from '../../../payouts/progress.ts';
import { rejectionText } from '../../../payouts/rejection.ts';
import { heldUnseen } from './held-unseen.ts';
import type { ProbedRows } from './probe-rows.ts';
import type { CheckedRow } from '../check/validate-file.ts';

/** @param rebuiltAt the service's time, in ms. */
export function startRebuilt(
  attempts: ProbedRows,
  closed: readonly ClosedUnpaid[],
  rebuiltAt: number,
): (checked: CheckedRow) => Progress {
  const reasons = new Map(closed.map(({ row, reason }) => [row, reason]));
  return ({ row, payout, rejections }) => {
    const probed = attempts.get(row.place);
    const transfer = probed?.last ?? null;
    const known: Progress = {
      ...FRESH,
      transferAttempt: probed?.transferAttempt ?? 1,
      deadAttempts: probed?.deadAttempts ?? [],
      // Another run may have confirmed whatever exists, and may have created what cannot be seen yet.
      confirm: 'sent',
      rebuiltAt,
    };
    const heldFor = (code: HoldCode, reason: Words): Progress => ({
      ...known,
      hold: newHold(code, rebuiltAt, reason),
    });
    const reason = reasons.get(row.place);
    // Closed by a person who had looked; one that has been confirmed after all is told as what it is.
    if (reason !== undefined && (transfer === null || transfer.status === 'created'))
      return { ...heldFor('in_doubt_unsent', reason), transfer };
    if (payout !== null) return known;
    // It may have been readable when it was sent.
    if (transfer === null) return heldUnseen(known, rebuiltAt);
    const faults = sameWords(`(${rejectionText(rejections)})`);
    const unreadable = joinWords([HOLDS.in_doubt_unreadable.words, faults]);
    return { ...heldFor('in_doubt_unreadable', unreadable), transfer };
  };
}
