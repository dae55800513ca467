// Asks for the approval of exactly the rows that would be sent, at their present prices: the preview first, then the question on record. The
// notice to the approvers goes out with the notice of what the batch waits for.
import { isoTime } from '../../../base/clock.ts';
import { joinWords, type Words } from '../../../base/language.ts';
import type { RunEnd } from '../../../delivery/runner.ts';
import { type Asked, isWithin, mostOf, type MostDebit } from '../../../ledger/approval.ts';
import { isAnyUnsent } from '../../../payouts/lifecycle.ts';
import type { Config } from '../../config/config.ts';
import { pageOf } from '../../config/listeners.ts';
import { policyOf } from '../../config/policy.ts';
import { approvalByNow } from '../batch/may-decide.ts';
import { limitsStop } from '../carry/stops.ts';
import { takenProfile } from '../batch/profile-for.ts';
import { approversWithPaths } from '../batch/read-batch-file.ts';
import { batchOf, type Work } from '../batch/work.ts';
import { lastPreview, publishPreview } from './approval-preview.ts';
import { SubjectRows } from './question-subject.ts';
import { questionWords } from './question-words.ts';
import { RowSums } from './sums-to-send.ts';

/** Call it once every row has its price. Null when nothing is left that could be sent; `why` precedes the question. */
export async function askApproval(work: Work, why: readonly Words[]): Promise<RunEnd | null> {
  const { paydrop, batch } = work;
  const { ledger, log } = paydrop;
  const { approval } = await batchOf(paydrop, batch.id);
  // Also after a lost ledger: a question's preview keeps its number, and its bytes.
  const round = 1 + Math.max(approval?.kind === 'asked' ? approval.round : 0, await lastPreview(work));
  const asked = await questionOf(work, round, why);
  if (asked === null) return null;
  const { question, positions } = asked;
  await ledger.askApproval(batch, question, positions);
  log.info('approval asked', { batch: batch.id });
  return waitingEnd(question.words);
}

async function questionOf(
  work: Work,
  round: number,
  why: readonly Words[],
): Promise<{ readonly question: Omit<Asked, 'coverage'>; readonly positions: readonly number[] } | null> {
  const { paydrop, batch } = work;
  const counts = await paydrop.ledger.stageCounts(batch.id);
  if (!isAnyUnsent(counts, 'all')) return null;
  const [sums, shown] = [new RowSums(), new SubjectRows()];
  const published = await publishPreview(work, round, (row, warnings) => {
    sums.take(row);
    shown.take(row, warnings);
  });
  const { name: preview, sha256: previewSha256, lines } = published;
  const { positions, totals, sent } = sums.all();
  // The last row may have ended meanwhile.
  if (positions.length === 0) return null;
  const profile = await takenProfile(paydrop.workspace, batch);
  const { maxDrift } = policyOf(paydrop.config.policy, profile?.policy);
  // If there is a reason to ask again, this is not the first question, even if no earlier one is on record.
  const mayFollowAnother = round > 1 || why.length > 0;
  const askedAt = isoTime(paydrop.clock.now());
  const rows = positions.length;
  const { web } = paydrop.config;
  const approvalBy = approvalByNow(paydrop.config);
  const met = await limitsStop(paydrop, batch);
  const now = await batchOf(paydrop, batch.id);
  const subject = { ...shown.subject(now, profile), limits: met?.words ?? null };
  const said = { preview, previewSha256, approvalBy, round, mayFollowAnother, askedAt };
  const most = mostOf({ sent, totals }, maxDrift);
  const asked = { rows, totals, sent, subject, ...neededFor(most, paydrop.config.policy), ...said };
  const question = {
    ...asked,
    kind: 'asked',
    most,
    maxDrift,
    words: joinWords([
      ...why,
      questionWords(batch, asked, { lines, approvers: approversWithPaths(paydrop), page: pageOf(web) }),
    ]),
    isOutdated: false,
    given: null,
    isChecked: false,
    declined: null,
  } as const;
  return { question, positions };
}

/** Two people have to approve what may exceed the amounts, or is in another currency. */
function neededFor(
  most: MostDebit,
  { twoApproversAbove: two }: Pick<Config['policy'], 'twoApproversAbove'>,
): Pick<Asked, 'needed'> {
  const isForOne =
    two === null || Object.entries(most).every(([currency, debit]) => isWithin(two, currency, debit));
  return isForOne ? {} : { needed: 2 };
}

/** The end of a run that waits for an approval. */
export function waitingEnd(words: Words): RunEnd {
  return { kind: 'operator', stop: { by: 'approval', words } };
}
