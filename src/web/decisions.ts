// What people decide about files besides their approval: pause, release, cancellation; and the stop of everything. Each in the person's own
// name, through the same functions as the command line.
import { z } from 'zod';

import * as commands from '../app/desk/commands.ts';
import * as desk from '../app/desk/page-decisions.ts';
import { ROLES } from '../app/people/people.ts';
import { say } from '../base/language.ts';
import { deciderOf, ROLES_THAT_DECIDE, reason, route } from './approval-routes.ts';
import { answered, heldGroup, listOf, released, stepUp, stop, summary, text, trial } from './bodies.ts';
import { fileReply, found, list, param, type Route } from './call.ts';
import { DecisionProblem, Problem } from './problems.ts';

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
  return fileReply(call, batch);
};

const resume: Route['does'] = async (call) => {
  const batch = param(call, 'batch');
  found(await desk.unpause(call.room.paydrop, batch, call.by.name), 'batch_unknown');
  call.room.lookNow();
  return fileReply(call, batch);
};

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
    const { paydrop, lookNow } = call.room;
    const batch = found(await paydrop.ledger.batch(param(call, 'batch')), 'batch_unknown');
    const { codes, rows: named, dryRun, seen, reason: why } = call.body as z.output<typeof releasing>;
    const chosen = { codes, rows: named, skip };
    if (dryRun) return { status: 200, json: await desk.tryRelease(paydrop, batch, chosen) };
    if (why === undefined) throw new Problem('body_wrong');
    const rows = await desk.rowsToRelease(paydrop, batch, { ...chosen, seen });
    if (rows === 'changed') throw new Problem('rows_changed');
    const order = { ...deciderOf(call), reason: why, rows, skip, via: 'the page' };
    const ended = found(await commands.release(paydrop, batch.id, order), 'batch_unknown');
    if ('code' in ended) throw new DecisionProblem(ended.code, ended.words);
    const { end, isDone } = ended;
    lookNow();
    const counts = Object.entries(end).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.length : value,
    ]);
    return { status: 200, json: { ...Object.fromEntries(counts), isDone } };
  };
}

const listHeld: Route['does'] = async ({ room, by, reader }) => {
  const groups = await desk.heldGroups(room.views, by.name);
  return list(
    groups.map(({ words, ...group }) => ({ ...group, words: say(words, reader) })),
    null,
  );
};

// The stop of everything.

const lifting = z.strictObject({ reason, stepUp });

const readStop: Route['does'] = ({ room, reader }) => {
  const stopped = desk.stopOf(room.paydrop);
  const shown = stopped && { words: say(stopped.words, reader), since: stopped.since };
  return Promise.resolve({ status: 200, json: { stop: shown } });
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
  call.room.lookNow();
  return readStop(call);
};

export const DECISION_ROUTES: readonly Route[] = [
  route('POST', '/files/:batch/pause', ROLES_THAT_DECIDE, 'Pauses', pause, {
    body: stopping,
    replies: { 200: summary },
  }),
  route('POST', '/files/:batch/resume', ROLES_THAT_DECIDE, 'Lifts the pause', resume, {
    body: answered,
    replies: { 200: summary },
  }),
  route(
    'POST',
    '/files/:batch/release',
    ROLES_THAT_DECIDE,
    'Releases held rows, by what holds them or by name',
    release(false),
    { stepUp: 'unless-dry-run', body: releasing, replies: { 200: z.union([trial, released]) } },
  ),
  route('POST', '/files/:batch/cancellation', ROLES_THAT_DECIDE, 'Closes held rows unpaid', release(true), {
    stepUp: 'unless-dry-run',
    body: releasing,
    replies: { 200: z.union([trial, released]) },
  }),
  route('GET', '/held', ROLES, 'Held rows by what holds them, across files', listHeld, {
    replies: { 200: listOf(heldGroup) },
  }),
  route('GET', '/stop', ROLES, 'Whether everything is stopped', readStop, { replies: { 200: stop } }),
  route('PUT', '/stop', ROLES, 'Stops everything', putStop, { body: stopping, replies: { 200: stop } }),
  route('DELETE', '/stop', ROLES_THAT_DECIDE, 'Lifts the stop', liftStop, {
    stepUp: 'always',
    body: lifting,
    replies: { 200: stop },
  }),
];
