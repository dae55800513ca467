// What stops the run of a file from outside of its rows: the file `STOP` in the inbox, and a share of refusals that a person should look at.
import { joinWords, type Words } from '../../../base/language.ts';
import type { Goal } from '../../../delivery/goal.ts';
import { watchStopFile } from '../../../inbox/stop-file.ts';
import { decisionAbout, type BatchRecord } from '../../../ledger/records.ts';
import { BEFORE_CONFIRM, type Stage, type StageOrHeld } from '../../../payouts/lifecycle.ts';
import {
  decisionOf,
  describeShare,
  isOverShare,
  minus,
  plus,
  type Decisions,
} from '../../../payouts/refusal-share.ts';
import type { Stop } from '../../../payouts/verdict.ts';
import type { Paydrop } from '../../parts.ts';
import { sentence } from '../../../messages/messages.ts';

export type StopOfRun = {
  /** To be asked before every step; null to go on. */
  readonly stop: () => Stop | null;
  /** To be told of every row that moved. */
  readonly moved: (from: Stage, to: StageOrHeld, errorCode: string | null) => void;
};

export async function stopOfRun(paydrop: Paydrop, batch: BatchRecord, goal: Goal): Promise<StopOfRun> {
  const stopFile = watchStopFile(paydrop.workspace, paydrop.clock);
  // What is on its way is followed whatever was refused, and prices cost nothing.
  const share = goal === 'submitted' ? paydrop.config.limits.refusalShare : null;
  let seen = share === null ? NOTHING : await unseenDecisions(paydrop, batch.id);
  return {
    stop: () => {
      const words = stopFile();
      if (words !== null) return { by: 'stop-file', words };
      return share !== null && isOverShare(seen, share)
        ? { by: 'refusals', words: joinWords([describeShare(seen, share), waysOut(batch.id)]) }
        : null;
    },
    moved: (from, to, errorCode) => {
      if (BEFORE_CONFIRM.has(from) && !BEFORE_CONFIRM.has(to)) seen = plus(seen, decisionOf(to, errorCode));
    },
  };
}

const NOTHING: Decisions = { decided: 0, refused: 0 };

/** Those that nobody has looked at yet. */
async function unseenDecisions({ ledger }: Paydrop, id: string): Promise<Decisions> {
  const batch = await ledger.batch(id);
  const seen = batch === null ? null : decisionAbout(batch, 'refusals');
  return minus(await ledger.decisions(id), seen?.saw ?? NOTHING);
}

function waysOut(id: string): Words {
  return sentence('stopOfRun.waysOut', { id });
}
