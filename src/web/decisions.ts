// What people decide about files besides their approval: pause, release, cancellation; and the stop of everything. Each in the person's own
// name, through the same functions as the command line.
import { z } from 'zod';

import * as commands from '../app/desk/commands.ts';
import * as desk from '../app/desk/page-decisions.ts';
import { say } from '../base/language.ts';
import { type Stating, stating } from '../contract/approvals.ts';
import {
  heldGroup,
  heldRow,
  type HeldRowsQuery,
  heldRowsQuery,
  type Lifting,
  lifting,
  type Released,
  released,
  type ReleaseTrial,
  releaseTrial,
  type Releasing,
  releasing,
  type Stop,
  stop,
} from '../contract/decisions.ts';
import { fileStatus } from '../contract/files.ts';
import { listOf, nothing } from '../contract/schema.ts';
import { ROLES } from '../contract/words.ts';
import { deciderOf, lineOf, ROLES_THAT_DECIDE } from './approval-routes.ts';
import {
  type Call,
  cursor,
  fileReply,
  found,
  list,
  param,
  placeOf,
  type Reply,
  type Route,
  route,
} from './call.ts';
import { DecisionProblem, Problem } from './problems.ts';

// What stops a file, and lets it go on.

async function pause(call: Call<Stating>) {
  const batch = param(call, 'batch');
  const order = { by: call.by.name, reason: lineOf(call.body.reason) };
  const end = found(await commands.pause(call.room.paydrop, batch, order), 'batch_unknown');
  if (end === 'finished') throw new Problem('batch_finished');
  return fileReply(call, batch);
}

async function resume(call: Call) {
  const batch = param(call, 'batch');
  found(await desk.unpause(call.room.paydrop, batch, call.by.name), 'batch_unknown');
  call.room.lookNow();
  return fileReply(call, batch);
}

// Held rows.

function release(skip: boolean) {
  return async (call: Call<Releasing>): Promise<Reply<ReleaseTrial | Released>> => {
    const { paydrop, lookNow } = call.room;
    const batch = found(await paydrop.ledger.batch(param(call, 'batch')), 'batch_unknown');
    const { codes, rows: named, dryRun, seen, reason: why } = call.body;
    const chosen = { codes, rows: named, skip };
    if (dryRun) return { status: 200, json: await desk.tryRelease(paydrop, batch, chosen) };
    if (why === undefined) throw new Problem('body_wrong');
    const rows = await desk.rowsToRelease(paydrop, batch, { ...chosen, seen });
    if (rows === 'changed') throw new Problem('rows_changed');
    const order = { ...deciderOf(call), reason: lineOf(why), rows, skip, via: 'the page' };
    const ended = found(await commands.release(paydrop, batch.id, order), 'batch_unknown');
    if ('code' in ended) throw new DecisionProblem(ended.code, ended.words);
    const { end, isDone } = ended;
    lookNow();
    const counts = {
      released: end.released.length,
      onlySkip: end.onlySkip.length,
      followed: end.followed.length,
      left: end.left.length,
      notHeld: end.notHeld.length,
      closedBefore: end.closedBefore.length,
    };
    return { status: 200, json: { ...end, ...counts, isDone, isRecorded: end.isRecorded === true } };
  };
}

const RELEASE = {
  stepUp: 'unless-dry-run',
  body: releasing,
  replies: { 200: z.union([releaseTrial, released]) },
} as const;

async function listHeld({ room, by, reader }: Call) {
  const groups = await desk.heldGroups(room.views, by.name);
  return list(
    groups.map(({ words, ...group }) => ({ ...group, words: say(words, reader) })),
    null,
  );
}

async function listHeldRows(call: Call<unknown, HeldRowsQuery>) {
  const { limit, code } = call.query;
  const from = placeOf(call, z.int().min(0)) ?? 0;
  const { rows, next } = found(
    await call.room.views.held(param(call, 'batch'), from, { limit, code }, call.reader),
    'batch_unknown',
  );
  return list(rows, cursor(call, next));
}

// The stop of everything.

function readStop({ room, reader }: Call): Promise<Reply<Stop>> {
  const stopped = desk.stopOf(room.paydrop);
  const shown = stopped && { words: say(stopped.words, reader), since: stopped.since };
  return Promise.resolve({ status: 200, json: { stop: shown } });
}

async function putStop(call: Call<Stating>) {
  const why = lineOf(call.body.reason);
  desk.putStop(call.room.paydrop, { by: call.by.name, reason: why });
  call.room.door.log(call.by.name, 'stop_put', why);
  return readStop(call);
}

async function liftStop(call: Call<Lifting>) {
  const why = lineOf(call.body.reason);
  if (!desk.liftStop(call.room.paydrop, call.by.name)) throw new Problem('stop_none');
  call.room.door.log(call.by.name, 'stop_lifted', why);
  call.room.lookNow();
  return readStop(call);
}

export const DECISION_ROUTES: readonly Route[] = [
  route('POST /files/:batch/pause', ROLES_THAT_DECIDE, 'Pauses', {
    body: stating,
    replies: { 200: fileStatus },
    does: pause,
  }),
  route('POST /files/:batch/resume', ROLES_THAT_DECIDE, 'Lifts the pause', {
    body: nothing,
    replies: { 200: fileStatus },
    does: resume,
  }),
  route(
    'POST /files/:batch/release',
    ROLES_THAT_DECIDE,
    'Releases held rows, by what holds them or by name',
    { ...RELEASE, does: release(false) },
  ),
  route('POST /files/:batch/cancellation', ROLES_THAT_DECIDE, 'Closes held rows unpaid', {
    ...RELEASE,
    does: release(true),
  }),
  route('GET /held', ROLES, 'Held rows by what holds them, across files', {
    replies: { 200: listOf(heldGroup) },
    does: listHeld,
  }),
  route('GET /files/:batch/held', ROLES, 'The held rows, each beside the payment that it meets', {
    query: heldRowsQuery,
    replies: { 200: listOf(heldRow) },
    does: listHeldRows,
  }),
  route('GET /stop', ROLES, 'Whether everything is stopped', { replies: { 200: stop }, does: readStop }),
  route('PUT /stop', ROLES, 'Stops everything', { body: stating, replies: { 200: stop }, does: putStop }),
  route('DELETE /stop', ROLES_THAT_DECIDE, 'Lifts the stop', {
    stepUp: 'always',
    body: lifting,
    replies: { 200: stop },
    does: liftStop,
  }),
];
