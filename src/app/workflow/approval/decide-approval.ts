// `approve` and `decline`: a named person answers the question on record, and no other. The decision and the check against the question are one
// commit, so that of two answers exactly one counts.
import type { Records } from '../../parts.ts';
import { scheduledWords } from '../batch/decide-pay-at.ts';
import { dayWords, isTotal, rowsWords, shownSums } from './question-words.ts';
import { type SaidOfQuestion, mismatchOf, questionCode } from './matches-request.ts';
import { type Decider, mayDecide } from '../batch/may-decide.ts';
import { assertLatest, keepManifest, nextEpoch } from '../batch/epoch.ts';
import { isoTime } from '../../../base/clock.ts';
import { joinWords, type Words } from '../../../base/language.ts';
import {
  type ApprovalAnswer,
  type ApprovalSum,
  type Asked,
  decidersOf,
  firstOf,
  questionDigest,
  type Refusal,
  type SignedEvidence,
  waitsForAnswer,
} from '../../../ledger/approval.ts';
import { type BatchState, PAYING } from '../../../ledger/batch-states.ts';
import type { BatchRevision } from '../../../ledger/ledger.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { waitFor } from '../../../ledger/wait.ts';
import { sentence } from '../../../messages/messages.ts';

export const DECISION_CODES = [
  'batch_unknown',
  'approval_not_asked',
  'approval_same_person',
  'approval_same_user',
  'approval_not_approver',
  'approval_signature_needed',
  'approval_role_missing',
  'approval_released_it',
  'approval_second_person',
  'approval_unverified',
  'people_only',
  'approval_outdated',
  'approval_total_differs',
  'approval_question_missing',
  'approval_question_differs',
  'approval_other_file',
  'approval_older',
  'approval_declined',
  'approval_too_late',
] as const;
export type DecisionCode = (typeof DECISION_CODES)[number];

export type DecisionOrder = Decider & {
  readonly via: string;
  /** How changed accounts were verified, where somebody says so. */
  readonly verified?: string | null;
  /** The total that the person saw, in the form of `describeSums`; null when it was not given. */
  readonly total?: string | null;
  /** The evidence, where the person has signed the question itself. */
  readonly evidence?: SignedEvidence;
  /** What the answer says about its question; absent where it says nothing. */
  readonly said?: Partial<SaidOfQuestion>;
};

export type DeclineOrder = DecisionOrder & { readonly reason: string; readonly sendsBack?: boolean };

export type DecisionEnd =
  | { readonly kind: 'decided' | 'decided-before'; readonly words: Words }
  | { readonly kind: 'refused'; readonly code: DecisionCode; readonly words: Words };

type Judged = { readonly end: DecisionEnd; readonly revision: BatchRevision | null };

/** It sends nothing; the run that carries the batch goes on. */
export function approveBatch(records: Decides, id: string, order: DecisionOrder): Promise<DecisionEnd> {
  const { approvers, policy } = records.config;
  return decide(records, id, order, 'approval', (asked, answer, batch) => {
    const { approvalBy, subject } = asked;
    const may = mayDecide('approve', order, batch.submittedBy ?? [], {
      approvers,
      approvalBy,
      decided: decidersOf(subject),
      first: firstOf(asked),
    });
    const { changedAccounts: changed } = subject.warned;
    if (!('code' in may) && needsVerification(policy, asked) && (order.verified ?? '').trim() === '')
      return no('approval_unverified', sentence('decideApproval.unverified', { changed }));
    return 'code' in may
      ? no(may.code, may.words)
      : judgeApproval(asked, { ...answer, by: may.by, ...verifiedBy(order) }, batch, order);
  });
}

/** Whether so many accounts have changed that whoever approves says how they were verified. */
export function needsVerification(
  { verifyAbove }: Pick<Records['config']['policy'], 'verifyAbove'>,
  { subject }: Pick<Asked, 'subject'>,
): boolean {
  return verifyAbove !== null && subject.warned.changedAccounts > verifyAbove;
}

function verifiedBy({ verified = null }: DecisionOrder): Pick<ApprovalAnswer, 'verified'> {
  return verified === null ? {} : { verified };
}

/** Nothing more is sent; the run that carries the batch closes it. */
export function declineBatch(records: Decides, id: string, order: DeclineOrder): Promise<DecisionEnd> {
  const { reason, sendsBack = false } = order;
  return decide(records, id, order, 'decline', (asked, answer, batch) =>
    judgeDecline(asked, { ...answer, reason, ...(sendsBack ? { sendsBack } : {}) }, batch),
  );
}

type Decides = Pick<Records, 'ledger' | 'clock' | 'workspace' | 'config' | 'log'>;

async function decide(
  records: Decides,
  id: string,
  order: Pick<DecisionOrder, 'by' | 'standsFor' | 'via' | 'systemUser' | 'proof' | 'evidence'>,
  what: 'approval' | 'decline',
  judge: (asked: Asked, answer: ApprovalAnswer, batch: BatchRecord) => Judged,
): Promise<DecisionEnd> {
  const { ledger, clock } = records;
  let end = no('batch_unknown', UNKNOWN);
  const { by, standsFor, via, systemUser, proof = 'typed', evidence } = order;
  const answer = {
    by,
    ...(standsFor === undefined ? {} : { standsFor }),
    at: isoTime(clock.now()),
    via,
    proof,
    ...(systemUser === undefined ? {} : { systemUser }),
    ...(evidence === undefined ? {} : { evidence }),
  };
  await assertLatest(records, id);
  await ledger.revise(id, (batch) => {
    const { approval, state } = batch;
    end =
      approval?.kind === 'asked' && ANSWERABLE.has(state)
        ? judge(approval, answer, batch)
        : no('approval_not_asked', notAskedWords(batch));
    const { revision } = end;
    return revision && { ...revision, change: { ...revision.change, ...nextEpoch(records, batch) } };
  });
  if (end.revision !== null) await keepManifest(records, id);
  const code = end.end.kind === 'refused' ? { code: end.end.code } : {};
  if (end.end.kind !== 'decided-before') records.log.info(what, { batch: id, by, ...code });
  return end.end;
}

/** States in which a question may be open; for a closed batch, the answer is still reported. */
const ANSWERABLE: ReadonlySet<BatchState> = new Set<BatchState>(['accepted', ...PAYING, 'closed']);

/** It no longer waits for this answer; the run that carries it reports what it waits for next, such as the second of two. */
const ANSWERED = { wait: null } as const;

/** A file of a later day waits for that day from the moment of its approval. */
function approvedWait({ state, payAt }: BatchRecord, now: number): Pick<BatchRecord, 'wait'> {
  const isLater = state === 'accepted' && payAt !== undefined && Date.parse(payAt.at) > now;
  return isLater ? { wait: waitFor('schedule', scheduledWords(payAt), payAt.at) } : ANSWERED;
}

function judgeApproval(
  asked: Asked,
  answer: ApprovalAnswer,
  batch: BatchRecord,
  { total = null, said = {} }: DecisionOrder,
): Judged {
  if (asked.declined !== null) return no('approval_declined', declinedWords(asked.declined));
  if (asked.isOutdated) return no('approval_outdated', outdatedWords(batch));
  if (total !== null && !isTotal(total, asked.totals))
    return no('approval_total_differs', totalWords(asked, total));
  if (asked.given !== null)
    return { end: { kind: 'decided-before', words: givenWords(asked.given) }, revision: null };
  const doubt = mismatchOf(batch, asked, { ...NOTHING_SAID, ...said });
  if (doubt !== null) return no(doubt.code, doubt.words);
  if (asked.needed === 2 && asked.first === undefined)
    return yes(firstWords(answer), {
      change: { approval: { ...asked, first: answer }, ...ANSWERED },
      event: `approved by ${namesOf(answer)}, the first of two`,
    });
  return yes(approvedWords(batch, asked, answer), {
    change: {
      approval: { ...asked, given: answer },
      ...approvedWait(batch, Date.parse(answer.at)),
    },
    event: `approved by ${namesOf(answer)}`,
  });
}

function judgeDecline(asked: Asked, declined: Refusal, batch: BatchRecord): Judged {
  if (asked.declined !== null)
    return { end: { kind: 'decided-before', words: declinedWords(asked.declined) }, revision: null };
  const isUnderWay = batch.state !== 'accepted' && asked.given !== null;
  if (isUnderWay || batch.state === 'closed') return no('approval_too_late', TOO_LATE);
  return yes(declinedWords(declined), {
    change: { approval: { ...asked, declined }, ...ANSWERED },
    event: `declined by ${namesOf(declined)}`,
  });
}

function namesOf({ by, standsFor }: ApprovalAnswer): string {
  return standsFor === undefined ? by : `${by} for ${standsFor}`;
}

function yes(words: Words, revision: BatchRevision): Judged {
  return { end: { kind: 'decided', words }, revision };
}

function no(code: DecisionCode, words: Words): Judged {
  return { end: { kind: 'refused', code, words }, revision: null };
}

function approvedWords(batch: BatchRecord, asked: Asked, { by, standsFor, at }: ApprovalAnswer): Words {
  const { id, fileName, sha256: hash } = batch;
  const about = { by, standsFor, counted: rowsWords(asked.rows), fileName, hash, maxDrift: asked.maxDrift };
  const day = dayWords(batch, Date.parse(at));
  return joinWords([
    sentence('decideApproval.approved', { ...about, sums: shownSums(asked.totals) }),
    ...day,
    sentence('decideApproval.goesOn', { id, isLater: day.length > 0 }),
  ]);
}

function firstWords(first: ApprovalAnswer): Words {
  return joinWords([sentence('approval.first', first), sentence('approval.second')]);
}

function givenWords(given: ApprovalAnswer): Words {
  return sentence('decideApproval.given', given);
}

function declinedWords(declined: Refusal): Words {
  return sentence('decideApproval.declined', declined);
}

function totalWords({ totals }: Asked, said: string): Words {
  return sentence('decideApproval.total', { asked: shownSums(totals), said });
}

function notAskedWords({ state, payAt }: BatchRecord): Words {
  if (payAt?.standing?.withdrawn === true) return sentence('decideApproval.notAsked.withdrawn');
  return state === 'closed' || state === 'refused'
    ? sentence('decideApproval.notAsked.finishedApprovalAsked')
    : sentence('decideApproval.notAsked.approvalAskedYet');
}

function outdatedWords({ id }: BatchRecord): Words {
  return sentence('decideApproval.outdated', { id });
}

const UNKNOWN: Words = sentence('decideApproval.unknown');

const NOTHING_SAID: SaidOfQuestion = { question: null, sha256: null, writtenAtMs: null };

const TOO_LATE: Words = sentence('decideApproval.tooLate');

// What `status` says about an approval: the question, and who answered what.

export type ApprovalStatus = {
  readonly rows: number;
  readonly totals: readonly ApprovalSum[];
  readonly preview: string;
  readonly askedAt: string;
  /** How many different people have to approve it, and the first of two. */
  readonly needed: number;
  readonly first: ApprovalAnswer | null;
  readonly given: Asked['given'];
  readonly declined: Asked['declined'];
};

/** Null where no question was asked. */
export function approvalStatus({ approval }: Pick<BatchRecord, 'approval'>): ApprovalStatus | null {
  if (approval?.kind !== 'asked') return null;
  const { rows, totals, preview, askedAt, given, declined, needed = 1, first = null } = approval;
  return { rows, totals, preview, askedAt, needed, first, given, declined };
}

/** The present question about a batch, ready to show, compare and sign. */
export type Question = Omit<
  Asked,
  'kind' | 'coverage' | 'isOutdated' | 'isChecked' | 'mayFollowAnother' | 'needed' | 'first'
> &
  Pick<ApprovalStatus, 'needed' | 'first'> & {
    readonly batch: string;
    /** Who must not approve it. */
    readonly submittedBy: readonly string[];
    readonly file: { readonly name: string; readonly sha256: string };
    /** The short name of the question, and the digest that is signed. */
    readonly code: string;
    readonly digest: string;
    readonly state: 'waiting' | 'approved' | 'declined' | 'outdated';
  };

/** Null where no question was asked. */
export function questionOfBatch(batch: BatchRecord): Question | null {
  const { id, fileName, sha256, submittedBy = [], approval } = batch;
  if (approval?.kind !== 'asked') return null;
  const { isOutdated, given, declined, round, askedAt, rows, totals, sent, most, maxDrift } = approval;
  const { words, preview, previewSha256, approvalBy, subject, needed = 1, first = null } = approval;
  const answered = declined !== null ? 'declined' : isOutdated ? 'outdated' : 'approved';
  return {
    batch: id,
    file: { name: fileName, sha256 },
    code: questionCode(batch, approval),
    digest: questionDigest(batch, approval),
    ...{ round, askedAt, rows, totals, sent, most, maxDrift },
    ...{ words, preview, submittedBy, approvalBy, subject, needed, first, given, declined },
    ...(previewSha256 === undefined ? {} : { previewSha256 }),
    state: waitsForAnswer(batch) ? 'waiting' : given === null && declined === null ? 'outdated' : answered,
  };
}

/** The answer in a sentence; null while there is none. */
export function answerWords({
  id,
  state,
  approval,
  wait,
}: Pick<BatchRecord, 'id' | 'state' | 'approval' | 'wait'>): Words | null {
  if (approval?.kind !== 'asked') return null;
  const { given, declined, first } = approval;
  if (declined !== null) return declinedWords(declined);
  if (given === null) return first === undefined ? null : firstWords(first);
  // If it also waits for a time or a limit, that wait has its own words.
  const isNext = state === 'accepted' && (wait === null || wait.for === 'approval');
  return joinWords([
    ...(first === undefined ? [] : [sentence('approval.first', first)]),
    sentence('approvalStatus.answer.approvedByOn', { ...given, isNext, id }),
  ]);
}
