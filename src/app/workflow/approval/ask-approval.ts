// Asks for the approval of exactly the rows that would be sent, at the prices that they have now: the preview first, then the question on
// record. Whoever is to be told of it is told with what the batch waits for.
import { isoTime } from '../../../base/clock.ts';
import { joinWords, type Words } from '../../../base/language.ts';
import type { RunEnd } from '../../../delivery/runner.ts';
import { waitsForAnswer, type Asked } from '../../../ledger/approval.ts';
import { approvalName } from '../../../inbox/batch-name.ts';
import { policyOf } from '../../config/policy.ts';
import { takenProfile } from '../take/profile-for.ts';
import { batchOf } from '../close/finish-batch.ts';
import { publishPreview } from './approval-preview.ts';
import type { ApprovalWork } from './approval-work.ts';
import { byFileWords } from './matches-request.ts';
import { questionWords } from './approval-words.ts';
import { mostOf, sumsToSend } from './sums-to-send.ts';

/** To be called once every row has its price. Null when nothing is left that could be sent; `why` stands before the question. */
export async function askApproval(work: ApprovalWork, why: readonly Words[]): Promise<RunEnd | null> {
  const { paydrop, batch } = work;
  const { ledger, log } = paydrop;
  const { approval } = await batchOf(paydrop, batch.id);
  const round = (approval?.kind === 'asked' ? approval.round : 0) + 1;
  const asked = await questionOf(work, round, why);
  if (asked === null) return null;
  const { question, positions } = asked;
  if (await ledger.askApproval(batch.id, question, positions))
    log.info('approval asked', { batch: batch.id });
  const now = await batchOf(paydrop, batch.id);
  // Another process may have asked first, and may have its answer by now: then the next go finds it.
  return waitingEnd(
    now.approval?.kind === 'asked' && waitsForAnswer(now) ? now.approval.words : question.words,
  );
}

async function questionOf(
  work: ApprovalWork,
  round: number,
  why: readonly Words[],
): Promise<{ readonly question: Omit<Asked, 'coverage'>; readonly positions: readonly number[] } | null> {
  const { paydrop, batch } = work;
  const { positions, totals, sent, held } = await sumsToSend(paydrop.ledger, batch.id);
  if (positions.length === 0) return null;
  const { name: preview, lines } = await publishPreview(work);
  const profile = await takenProfile(paydrop.workspace, batch);
  const { maxDrift } = policyOf(paydrop.config.policy, profile?.policy);
  const { submittedBy = [], sha256 } = await batchOf(paydrop, batch.id);
  // It is not the first where there is a reason to ask anew, and none before it has to be on record.
  const mayFollowAnother = round > 1 || why.length > 0;
  const askedAt = isoTime(paydrop.clock.now());
  const rows = positions.length;
  const { approvalBy } = paydrop.config.policy;
  const about = { sha256, rows, totals, sent, preview, submittedBy, approvalBy };
  const asked = { ...about, round, mayFollowAnother, askedAt };
  const isByFile = mayFollowAnother && paydrop.config.approvers.length > 0;
  const byFile = isByFile ? [byFileWords(approvalName(batch.id), asked)] : [];
  const question = {
    ...asked,
    kind: 'asked',
    most: mostOf({ sent, totals }, maxDrift),
    maxDrift,
    words: joinWords([
      ...why,
      questionWords(batch.id, asked, { held, lines, approvers: paydrop.config.approvers }),
      ...byFile,
    ]),
    isOutdated: false,
    given: null,
    isChecked: false,
    declined: null,
  } as const;
  return { question, positions };
}

/** How a run ends that waits for an approval. */
export function waitingEnd(words: Words): RunEnd {
  return { kind: 'operator', stop: { by: 'approval', words } };
}
