// What people decide about files: approval, which is signed; decline, pause, release, cancellation; and the stop of everything. Each in the person's own
// name, through the very commands of the command line.
import { z } from 'zod';

import * as commands from '../app/desk/commands.ts';
import * as desk from '../app/desk/page-decisions.ts';
import { compareWithLast } from '../app/desk/compare-files.ts';
import type { Session } from '../app/people/sessions.ts';
import { type Role, ROLES } from '../app/people/people.ts';
import { oneLine } from '../base/person-name.ts';
import { say } from '../base/language.ts';
import { answered, page, signature, stepUp, text } from './bodies.ts';
import { type Call, found, limitOf, list, param, placeOf, type Reply, type Route } from './call.ts';
import { assertSigned } from './callers.ts';
import { DecisionProblem, Problem } from './problems.ts';
import { sessionOf } from './session-routes.ts';

const DECIDERS: readonly Role[] = ['checker', 'treasurer'];

// Approval.

const digest = text.regex(/^[0-9a-f]{64}$/);
const approvalAsked = z.strictObject({ question: digest });
const approval = signature.partial().extend({ question: digest });

async function questionView(call: Call, batch: string): Promise<Awaited<ReturnType<typeof shownQuestion>>> {
  return shownQuestion(call, found(await desk.questionOf(call.room.paydrop, batch), 'approval_not_asked'));
}

function shownQuestion({ by, language }: Pick<Call, 'by' | 'language'>, question: desk.Question) {
  const { words, given, declined, most, ...rest } = question;
  const mayDecide = DECIDERS.some((role) => by.roles.includes(role));
  const refused = mayDecide ? null : ('role_missing' as const);
  const whyNot = desk.isBroughtBy(question, by.name) ? ('approval_same_person' as const) : refused;
  return {
    ...rest,
    words: say(words, language),
    most: Object.entries(most).map(([currency, debit]) => ({ currency, debit })),
    given: given && {
      by: given.by,
      at: given.at,
      via: given.via,
      proof: given.proof,
      isSigned: given.evidence !== undefined,
      digest: given.evidence?.digest ?? null,
    },
    declined: declined && { by: declined.by, at: declined.at, via: declined.via, reason: declined.reason },
    mayAnswer: whyNot === null && question.state === 'waiting',
    whyNot,
    whyNotWords: whyNot === null ? null : new Problem(whyNot).body(language).detail,
  };
}

const listApprovals: Route['does'] = async (call) => {
  const isWaiting = call.query['state'] === 'waiting';
  const questions = await desk.questions(call.room.paydrop);
  const asked = questions.filter(({ state }) => (state === 'waiting') === isWaiting);
  const from = placeOf(call, z.int().min(0)) ?? 0;
  const to = from + limitOf(call);
  const shown = asked.slice(from, to).map((question) => shownQuestion(call, question));
  return list(shown, to < asked.length ? to : null);
};

const readApproval: Route['does'] = async (call) => ({
  status: 200,
  json: await questionView(call, param(call, 'batch')),
});

const readComparison: Route['does'] = async (call) => ({
  status: 200,
  json: found(await compareWithLast(call.room.paydrop, param(call, 'batch')), 'batch_unknown'),
});

const askApproval: Route['does'] = async (call) => {
  const batch = param(call, 'batch');
  const session = sessionOf(call);
  const { question: seen } = call.body as z.output<typeof approvalAsked>;
  const question = await questionView(call, batch);
  if (question.digest !== seen) throw new Problem('approval_outdated');
  if (question.whyNot !== null) throw new Problem(question.whyNot);
  const { passkeys } = call.room.door;
  const asked = await passkeys.ask(purposeOf(session, batch, seen), session.person, call.place, seen);
  return { status: 200, json: { ...asked, question } };
};

function purposeOf({ id }: Session, batch: string, seen: string): string {
  return `approve ${id} ${batch} ${seen}`;
}

/** Whether the person may, and whether the question is still that one, is asked in the commit that decides. */
const approve: Route['does'] = async (call) => {
  const batch = param(call, 'batch');
  const session = sessionOf(call);
  const said = call.body as z.output<typeof approval>;
  const order = { by: call.by.name, said: { digest: said.question } };
  if (call.room.demo !== null)
    return decided(
      call,
      batch,
      await commands.approve(call.room.paydrop, batch, { ...order, via: 'the page of the demo' }),
    );
  if (said.challenge === undefined || said.assertion === undefined) throw new Problem('step_up_needed');
  const shown = { challenge: said.challenge, assertion: said.assertion };
  const { evidence, passkey } = await assertSigned(
    call,
    session,
    shown,
    purposeOf(session, batch, said.question),
  );
  const end = await commands.approve(call.room.paydrop, batch, {
    ...order,
    via: `the page, with the passkey "${passkey}"`,
    proof: 'signature',
    evidence: { digest: said.question, ...evidence },
  });
  return decided(call, batch, end);
};

const reason = text.max(500).transform((said, context) => {
  const line = oneLine(said, REASON_MOST);
  if (line !== null) return line;
  context.issues.push({ code: 'custom', message: 'one line', input: said });
  return z.NEVER;
});
const REASON_MOST = 300;

const refusal = z.strictObject({ reason });

const decline: Route['does'] = async (call) => {
  const batch = param(call, 'batch');
  const said = call.body as z.output<typeof refusal>;
  const { end } = await commands.decline(call.room.paydrop, batch, {
    by: call.by.name,
    via: 'the page',
    reason: said.reason,
  });
  return decided(call, batch, end);
};

async function decided(call: Call, batch: string, end: commands.DecisionEnd): Promise<Reply> {
  if (end.kind === 'refused') {
    if (end.code === 'batch_unknown') throw new Problem('batch_unknown');
    throw new DecisionProblem(end.code, end.words);
  }
  call.room.wake();
  return { status: 200, json: await questionView(call, batch) };
}

// What stops a file, and lets it go on.

const stopping = z.strictObject({ reason });

const pause: Route['does'] = async (call) => {
  const batch = param(call, 'batch');
  const { reason: why } = call.body as z.output<typeof stopping>;
  const end = found(
    await commands.pause(call.room.paydrop, batch, { by: call.by.name, reason: why }),
    'batch_unknown',
  );
  if (end === 'finished') throw new Problem('batch_finished');
  return summaryOf(call, batch);
};

const resume: Route['does'] = async (call) => {
  const batch = param(call, 'batch');
  found(await desk.unpause(call.room.paydrop, batch, call.by.name), 'batch_unknown');
  call.room.wake();
  return summaryOf(call, batch);
};

async function summaryOf({ room }: Call, batch: string): Promise<Reply> {
  return { status: 200, json: found(await room.views.summary(batch), 'batch_unknown') };
}

// Held rows.

const names = z.array(text.max(200)).min(1).max(100_000).nullable().default(null);
const releasing = z.strictObject({
  codes: names,
  rows: names,
  dryRun: z.boolean().default(false),
  seen: text.max(100).nullable().default(null),
  reason: reason.optional(),
  stepUp,
});

function release(skip: boolean): Route['does'] {
  return async (call) => {
    const { paydrop, wake } = call.room;
    const batch = found(await paydrop.ledger.batch(param(call, 'batch')), 'batch_unknown');
    const { codes, rows: named, dryRun, seen, reason: why } = call.body as z.output<typeof releasing>;
    const chosen = { codes, rows: named, skip };
    if (dryRun) return { status: 200, json: await desk.tryRelease(paydrop, batch, chosen) };
    if (why === undefined) throw new Problem('body_wrong');
    const rows = await desk.rowsToRelease(paydrop, batch, { ...chosen, seen, by: call.by.name });
    if (rows === 'own') throw new Problem('own_file');
    if (rows === 'changed') throw new Problem('rows_changed');
    const order = { by: call.by.name, reason: why, rows, skip };
    const { end, isDone } = found(await commands.release(paydrop, batch.id, order), 'batch_unknown');
    wake();
    const counts = Object.entries(end).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.length : value,
    ]);
    return { status: 200, json: { ...Object.fromEntries(counts), isDone } };
  };
}

const listHeld: Route['does'] = async ({ room, by, language }) => {
  const groups = await desk.heldGroups(room.paydrop, by.name);
  return list(
    groups.map(({ words, ...group }) => ({ ...group, words: say(words, language) })),
    null,
  );
};

// The stop of everything.

const lifting = z.strictObject({ reason, stepUp });

const readStop: Route['does'] = ({ room, language }) => {
  const words = desk.standingStop(room.paydrop);
  return Promise.resolve({
    status: 200,
    json: { stop: words === null ? null : { words: say(words, language) } },
  });
};

const putStop: Route['does'] = async (call) => {
  const { reason: why } = call.body as z.output<typeof stopping>;
  desk.putStop(call.room.paydrop, { by: call.by.name, reason: why });
  call.room.door.log(call.by.name, 'stop_put', why);
  return readStop(call);
};

const liftStop: Route['does'] = async (call) => {
  const { reason: why } = call.body as z.output<typeof lifting>;
  if (!desk.liftStop(call.room.paydrop, call.by.name)) throw new Problem('stop_none');
  call.room.door.log(call.by.name, 'stop_lifted', why);
  call.room.wake();
  return readStop(call);
};

const route = (
  method: Route['method'],
  path: string,
  roles: readonly Role[],
  summary: string,
  does: Route['does'],
  more: Pick<Route, 'stepUp' | 'query' | 'body'> = {},
): Route => ({ method, path, who: 'people', roles, summary, does, ...more });

export const DECISION_ROUTES: readonly Route[] = [
  route('GET', '/approvals', ROLES, 'What is asked, and what was', listApprovals, {
    query: z.strictObject({ ...page, state: z.enum(['waiting', 'decided']).default('waiting') }),
  }),
  route('GET', '/files/:batch/approval', ROLES, 'The question about a file, and its answer', readApproval),
  route(
    'GET',
    '/files/:batch/comparison',
    ROLES,
    'How a file differs from the last one of its kind',
    readComparison,
  ),
  route(
    'POST',
    '/files/:batch/approval/options',
    DECIDERS,
    'What a passkey is to sign to approve exactly this',
    askApproval,
    { body: approvalAsked },
  ),
  route('POST', '/files/:batch/approval', DECIDERS, 'Approves, with a signature of the question', approve, {
    body: approval,
  }),
  route('POST', '/files/:batch/decline', DECIDERS, 'Declines', decline, { body: refusal }),
  route('POST', '/files/:batch/pause', DECIDERS, 'Pauses', pause, { body: stopping }),
  route('POST', '/files/:batch/resume', DECIDERS, 'Lifts the pause', resume, { body: answered }),
  route(
    'POST',
    '/files/:batch/release',
    DECIDERS,
    'Releases held rows, by what holds them or by name',
    release(false),
    { stepUp: 'unless-dry-run', body: releasing },
  ),
  route('POST', '/files/:batch/cancellation', DECIDERS, 'Closes held rows unpaid', release(true), {
    stepUp: 'unless-dry-run',
    body: releasing,
  }),
  route('GET', '/held', ROLES, 'Held rows by what holds them, across files', listHeld),
  route('GET', '/stop', ROLES, 'Whether everything is stopped', readStop),
  route('PUT', '/stop', ROLES, 'Stops everything', putStop, { body: stopping }),
  route('DELETE', '/stop', DECIDERS, 'Lifts the stop', liftStop, { stepUp: 'always', body: lifting }),
];
