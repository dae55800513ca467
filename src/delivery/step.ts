// The one switch on stage: which call a payout needs next. Every call of a payout starts here, and every fault of one ends in `judge`.
import { isFault } from '../service/errors.ts';
import type { Verdict } from '../payouts/verdict.ts';
import { attach } from './attach.ts';
import { confirm } from './confirm.ts';
import { create } from './create.ts';
import { findTransfer } from './find-transfer.ts';
import { judge } from './judge.ts';
import { quote } from './quote.ts';
import type { DeliveryTools, DueRow } from './tools.ts';
import { track } from './track.ts';

/** Makes the next call for a due row and says what came of it. It changes nothing but the service. */
export async function step(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  try {
    return await nextCall(due, tools);
  } catch (error) {
    if (isFault(error)) return judge(error, due.row.progress, tools.clock.now());
    throw error;
  }
}

function nextCall(due: DueRow, tools: DeliveryTools): Promise<Verdict> {
  const { stage } = due.row.progress;
  switch (stage) {
    case 'ready':
      return due.mustLook ? findTransfer(due, tools) : quote(due, tools);
    case 'quoted':
      return due.mustLook ? findTransfer(due, tools) : create(due, tools);
    case 'created':
      return due.mustLook ? track(due, tools) : attach(due, tools);
    case 'documented':
      return due.mustLook ? track(due, tools) : confirm(due, tools);
    case 'confirmed':
    case 'paid':
    case 'failed':
      return track(due, tools);
    case 'held':
    case 'rejected':
    case 'duplicate':
      throw new Error(`A payout in stage ${stage} has no next call.`);
  }
}
