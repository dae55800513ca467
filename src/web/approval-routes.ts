// The approval of a file: the question, a signature of exactly that question, and the refusal.
import * as commands from '../app/desk/commands.ts';
import { compareWithLast } from '../app/desk/compare-files.ts';
import * as desk from '../app/desk/page-decisions.ts';
import type { Session } from '../app/people/sessions.ts';
import { formatAmount } from '../base/currency.ts';
import { say } from '../base/language.ts';
import { isSamePerson, oneLine } from '../base/person-name.ts';
import {
  type Approval,
  approval,
  type ApprovalAsked,
  approvalAsked,
  challengedQuestion,
  type Declining,
  declining,
  type Question,
  question as questionBody,
  type QuestionsQuery,
  questionsQuery,
} from '../contract/approvals.ts';
import { comparison } from '../contract/files.ts';
import { listOf } from '../contract/schema.ts';
import { type Role, ROLES } from '../contract/words.ts';
import { type Call, found, listPart, param, type Reply, type Route, route } from './call.ts';
import { assertSigned } from './callers.ts';
import { DecisionProblem, Problem } from './problems.ts';
import { sessionOf } from './session-routes.ts';

/** Who decides about files of others. */
export const ROLES_THAT_DECIDE: readonly Role[] = ROLES.filter((role) =>
  desk.ROLES_THAT_MAY.approve.includes(role),
);

/** Who decides how the files of others are read. */
export const ROLES_FOR_PROFILES: readonly Role[] = ROLES.filter((role) =>
  desk.ROLES_THAT_MAY.profile.includes(role),
);

/** Whoever asks, once the router has seen the step-up; a click at the demo proves nothing. */
export function deciderOf({ by, room }: Pick<Call, 'by' | 'room'>) {
  const proof = room.demo === null && by.kind === 'person' ? ('signature' as const) : ('typed' as const);
  const others = room.door.people
    .all()
    .filter(({ roles }) => ROLES_THAT_DECIDE.some((role) => roles.includes(role)))
    .map(({ name }) => name);
  return { by: by.name, roles: by.roles, others, isProgram: by.kind !== 'person', proof };
}

/** The same for an approval: a delegate, who has no such role, decides for the approver on leave. */
function approverOf(call: Pick<Call, 'by' | 'room'>): desk.Decider {
  const own = deciderOf(call);
  const person = call.by.session?.person ?? null;
  if (person === null || person.roles.some((role) => ROLES_THAT_DECIDE.includes(role))) return own;
  const lent = call.room.door.delegates.stoodFor(person.id);
  return lent === null ? own : { ...own, standsFor: lent.name, roles: lent.roles };
}

/** What a person says for the record: one line. */
export function lineOf(said: string): string {
  const line = oneLine(said, LINE_MOST);
  if (line === null) throw new Problem('body_wrong');
  return line;
}
const LINE_MOST = 300;

async function questionView(call: Call, batch: string): Promise<Question> {
  return shownQuestion(call, found(await desk.questionOf(call.room.paydrop, batch), 'approval_not_asked'));
}

function shownQuestion(
  { by, reader, room }: Pick<Call, 'by' | 'reader' | 'room'>,
  question: desk.Question,
): Question {
  const { words, first, given, declined, most, totals, sent, subject, ...rest } = question;
  const { warnings, limits, received, fees, ...about } = subject;
  const money = <Sum extends { readonly currency: string; readonly amount: string }>(sum: Sum): Sum => ({
    ...sum,
    amount: formatAmount(sum.amount, sum.currency),
  });
  const printed = <Sum extends { readonly currency: string; readonly debit: string }>(sum: Sum): Sum => ({
    ...sum,
    debit: formatAmount(sum.debit, sum.currency),
  });
  const whyNot = whyNotOf({ by, room }, question);
  const verified = room.door.verified.ofBatch(question.batch);
  return {
    ...rest,
    words: say(words, reader),
    totals: totals.map(printed),
    sent: sent.map(printed),
    subject: {
      ...about,
      received: received.map(money),
      fees: fees.map(money),
      warnings: warnings.map((each) => ({
        ...money(each),
        words: say(each.words, reader),
        verified: verified.get(each.row) ?? null,
      })),
      limits: limits && say(limits, reader),
    },
    most: Object.entries(most).map(([currency, debit]) => printed({ currency, debit })),
    first: first && shownAnswer(room, first),
    given: given && shownAnswer(room, given),
    declined: declined && shownRefusal(declined),
    needsVerification: desk.needsVerification(room.paydrop.config.policy, question),
    soleApprover: soleApproverOf(room, question),
    mayAnswer: whyNot === null && question.state === 'waiting',
    whyNot: whyNot?.code ?? null,
    whyNotWords: whyNot && say(whyNot.words, reader),
  };
}

function shownAnswer(
  { door }: Call['room'],
  { by, standsFor, at, via, proof, evidence, verified }: NonNullable<desk.Question['given']>,
): NonNullable<Question['given']> {
  const passkey = evidence === undefined ? null : door.passkeys.nameOf(evidence.credentialId);
  const signed = { isSigned: evidence !== undefined, digest: evidence?.digest ?? null, passkey };
  return { by, standsFor: standsFor ?? null, at, via, proof, ...signed, verified: verified ?? null };
}

function shownRefusal({
  by,
  standsFor,
  at,
  via,
  reason,
  sendsBack = false,
}: NonNullable<desk.Question['declined']>): NonNullable<Question['declined']> {
  return { by, standsFor: standsFor ?? null, at, via, reason, sendsBack };
}

/** Why whoever asks may not approve; null for somebody who may. */
function whyNotOf(call: Pick<Call, 'by' | 'room'>, question: desk.Question) {
  const { submittedBy, approvalBy, subject } = question;
  const { approvers } = call.room.paydrop.config;
  const may = desk.mayDecide('approve', approverOf(call), submittedBy, {
    ...{ approvers, approvalBy, decided: desk.decidersOf(subject), first: desk.firstOf(question) },
  });
  return 'code' in may ? may : null;
}

/** The one person who may approve it, where that person has also let held rows of it go or verified an account: nobody else looks at either. */
function soleApproverOf(
  { door, paydrop }: Call['room'],
  { submittedBy, approvalBy, subject }: desk.Question,
): string | null {
  const decided = desk.decidersOf(subject);
  if (decided.length === 0) return null;
  const { approvers } = paydrop.config;
  const rules = { approvers, approvalBy };
  const able = door.people
    .all()
    .filter(({ name, roles }) => {
      const decider = { by: name, roles, proof: 'signature' as const };
      return !('code' in desk.mayDecide('approve', decider, submittedBy, rules));
    })
    .map(({ name }) => name);
  const [only, ...more] = able;
  if (only === undefined || more.length > 0) return null;
  return decided.some(({ by }) => isSamePerson(by, only)) ? only : null;
}

async function listApprovals(call: Call<unknown, QuestionsQuery>) {
  const asked = await desk.questions(call.room.paydrop, call.query.state === 'waiting');
  return listPart(
    call,
    asked.map((question) => shownQuestion(call, question)),
  );
}

async function askApproval(call: Call<ApprovalAsked>) {
  const batch = param(call, 'batch');
  const session = sessionOf(call);
  const { question: seen } = call.body;
  const question = found(await desk.questionOf(call.room.paydrop, batch), 'approval_not_asked');
  if (question.digest !== seen) throw new Problem('approval_outdated');
  const whyNot = whyNotOf(call, question);
  if (whyNot !== null) throw new DecisionProblem(whyNot.code, whyNot.words);
  const { passkeys } = call.room.door;
  const asked = await passkeys.ask(purposeOf(session, batch, seen), session.person, call.place, seen);
  return { status: 200 as const, json: { ...asked, question: shownQuestion(call, question) } };
}

function purposeOf({ id }: Session, batch: string, seen: string): string {
  return `approve ${id} ${batch} ${seen}`;
}

/** Whether the person may, and whether the question is still that one, is asked in the commit that decides. */
async function approve(call: Call<Approval>) {
  const batch = param(call, 'batch');
  const session = sessionOf(call);
  const said = call.body;
  const { paydrop, demo } = call.room;
  const order = {
    proof: 'typed' as const,
    verified: said.verified === undefined ? null : lineOf(said.verified),
    said: { digest: said.question },
  };
  if (demo !== null) {
    const shown = { ...deciderOf(call), ...order, via: 'the page of the demo' };
    return decided(call, batch, await commands.approve(paydrop, batch, shown));
  }
  if (said.challenge === undefined || said.assertion === undefined) throw new Problem('step_up_needed');
  const shown = { challenge: said.challenge, assertion: said.assertion };
  const purpose = purposeOf(session, batch, said.question);
  const { evidence, passkey } = await assertSigned(call, session, shown, purpose);
  // A delegate may have ended since the signature was asked for.
  const decider = approverOf(call);
  const end = await commands.approve(paydrop, batch, {
    ...decider,
    ...order,
    via: `the page, with the passkey "${passkey}"`,
    proof: 'signature',
    evidence: { digest: said.question, ...evidence },
  });
  return decided(call, batch, end, decider);
}

async function decline(call: Call<Declining>) {
  const batch = param(call, 'batch');
  const decider = approverOf(call);
  const { end } = await commands.decline(call.room.paydrop, batch, {
    by: call.by.name,
    standsFor: decider.standsFor,
    via: 'the page',
    reason: lineOf(call.body.reason),
    sendsBack: call.body.sendBack,
  });
  return decided(call, batch, end, decider);
}

async function decided(
  call: Call,
  batch: string,
  end: commands.DecisionEnd,
  { standsFor }: Pick<desk.Decider, 'standsFor'> = {},
): Promise<Reply<Question>> {
  if (end.kind === 'refused') {
    if (end.code === 'batch_unknown') throw new Problem('batch_unknown');
    throw new DecisionProblem(end.code, end.words);
  }
  if (standsFor !== undefined && end.kind === 'decided')
    call.room.door.log(call.by.name, 'stood_in', `${batch} ${standsFor}`);
  call.room.lookNow();
  return { status: 200, json: await questionView(call, batch) };
}

export const APPROVAL_ROUTES: readonly Route[] = [
  route('GET /approvals', ROLES, 'What is asked, and what was', {
    query: questionsQuery,
    replies: { 200: listOf(questionBody) },
    does: listApprovals,
  }),
  route('GET /files/:batch/approval', ROLES, 'The question about a file, and its answer', {
    replies: { 200: questionBody },
    does: async (call) => ({ status: 200, json: await questionView(call, param(call, 'batch')) }),
  }),
  route('GET /files/:batch/comparison', ROLES, 'How a file differs from the last one of its kind', {
    replies: { 200: comparison },
    does: async (call) => {
      const compared = await compareWithLast(call.room.paydrop, param(call, 'batch'));
      return { status: 200, json: found(compared, 'batch_unknown') };
    },
  }),
  route(
    'POST /files/:batch/approval/options',
    ROLES_THAT_DECIDE,
    'What a passkey is to sign to approve exactly this',
    { delegates: true, body: approvalAsked, replies: { 200: challengedQuestion }, does: askApproval },
  ),
  route('POST /files/:batch/approval', ROLES_THAT_DECIDE, 'Approves, with a signature of the question', {
    delegates: true,
    body: approval,
    replies: { 200: questionBody },
    does: approve,
  }),
  route('POST /files/:batch/decline', ROLES_THAT_DECIDE, 'Declines', {
    delegates: true,
    body: declining,
    replies: { 200: questionBody },
    does: decline,
  }),
];
