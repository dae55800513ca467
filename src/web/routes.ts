// The one table of everything that is answered over HTTP: router, scopes, bodies, the OpenAPI document and the tests are derived from it. It also has
// what only people may do, so that a program is told so.
import { z } from 'zod';

import { corridors } from '../app/desk/commands.ts';
import { type FileFilter, LISTED_STATES } from '../app/desk/batch-status.ts';
import { ROW_OUTCOMES } from '../app/desk/file-views.ts';
import { moneyStatus, scheduleStatuses } from '../app/desk/money-status.ts';
import { templateOf } from '../app/desk/write-template.ts';
import {
  answer,
  balance,
  balanceLine,
  code,
  corridor,
  event,
  find,
  listOf,
  page,
  row,
  schedule,
  shortPage,
  summary,
  text,
} from './bodies.ts';
import {
  asAttachment,
  cursor,
  fileReply,
  found,
  limitOf,
  list,
  listPart,
  param,
  placeOf,
  type Route,
  shownFile,
  textIn,
  MEDIA_TYPES,
} from './call.ts';
import { onlyOwnOf } from './callers.ts';
import { APPROVAL_ROUTES } from './approval-routes.ts';
import { DECISION_ROUTES } from './decisions.ts';
import { followEvents } from './event-stream.ts';
import { PEOPLE_ROUTES } from './people-routes.ts';
import { PROFILE_ROUTES } from './profile-routes.ts';
import { SESSION_ROUTES } from './session-routes.ts';
import { UPLOAD_ROUTES } from './upload-routes.ts';
import { WORK_ROUTES } from './work-routes.ts';

const listFiles: Route['does'] = async (call) => {
  const before = placeOf(call, z.object({ acceptedAt: text, id: text }));
  const filter: FileFilter = {
    state: call.query['state'] as FileFilter['state'],
    find: textIn(call, 'find'),
    own: onlyOwnOf(call.by),
  };
  const { summaries, last } = await call.room.views.summaries(before, limitOf(call), filter);
  const shown = summaries.map((summary) => shownFile(summary, call.reader));
  return list(shown, cursor(call, last && { acceptedAt: last.acceptedAt, id: last.id }));
};

const readFile: Route['does'] = (call) => fileReply(call, param(call, 'batch'));

const listRows: Route['does'] = async (call) => {
  const from = placeOf(call, z.int().min(0)) ?? 0;
  const outcome = call.query['outcome'] as (typeof ROW_OUTCOMES)[number] | undefined;
  const filter = {
    outcome,
    code: textIn(call, 'code'),
    find: textIn(call, 'find'),
    row: textIn(call, 'row'),
    // A program has the values of the result, to the letter.
    reader: call.by.kind === 'program' ? call.reader.language : call.reader,
  };
  const { rows, next } = found(
    await call.room.views.rows(param(call, 'batch'), from, limitOf(call), filter),
    'batch_unknown',
  );
  return list(rows, cursor(call, next));
};

const listEvents: Route['does'] = async (call) => {
  const name = textIn(call, 'row') ?? null;
  found(await call.room.paydrop.ledger.batch(param(call, 'batch')), 'batch_unknown');
  const after = placeOf(call, text);
  const { events, next } = found(
    await call.room.views.timeline(param(call, 'batch'), name, after, limitOf(call)),
    'row_unknown',
  );
  return list(events, cursor(call, next));
};

const listAnswers: Route['does'] = async (call) =>
  listPart(call, found(await call.room.views.answers(param(call, 'batch')), 'batch_unknown'));

const readAnswer: Route['does'] = async (call) => {
  const { content, name, bytes, sha256 } = found(
    await call.room.views.answer(param(call, 'batch'), param(call, 'kind')),
    'answer_unknown',
  );
  call.room.door.log(call.by.name, 'answer_read', name);
  const headers = { ...asAttachment(name), 'content-length': String(bytes), etag: `"${sha256}"` };
  return { status: 200, bytes: content, type: MEDIA_TYPES.bytes, headers };
};

const readBalances: Route['does'] = async (call) =>
  listPart(call, await moneyStatus(call.room.paydrop, call.room.views));
const readBalanceHistory: Route['does'] = (call) =>
  Promise.resolve(listPart(call, call.room.door.balances.lines()));
const readSchedules: Route['does'] = async (call) =>
  listPart(call, await scheduleStatuses(call.room.paydrop, onlyOwnOf(call.by)));
const readCorridors: Route['does'] = async (call) => listPart(call, await corridors(call.room.paydrop));

const readTemplate: Route['does'] = async (call) => {
  const id = param(call, 'corridor');
  const bytes = found(await templateOf(call.room.paydrop, id), 'corridor_unknown');
  return { status: 200, bytes, type: MEDIA_TYPES.workbook, headers: asAttachment(`${id}.template.xlsx`) };
};

const readFeed: Route['does'] = (call) => Promise.resolve({ status: 200, events: followEvents(call) });

export const ROUTES: readonly Route[] = [
  ...UPLOAD_ROUTES,
  {
    method: 'GET',
    path: '/files',
    who: 'files:read',
    summary:
      'Summaries, newest first: of all files or those of a state, with words in the name, the batch or who brought it',
    query: z.strictObject({
      ...page,
      state: z.enum(LISTED_STATES).optional(),
      find: find.optional(),
    }),
    replies: { 200: listOf(summary) },
    does: listFiles,
  },
  {
    method: 'GET',
    path: '/files/:batch',
    who: 'files:read',
    summary: 'The summary of one batch',
    replies: { 200: summary },
    does: readFile,
  },
  {
    method: 'GET',
    path: '/files/:batch/rows',
    who: 'files:read',
    summary: 'Rows with what became of them, by outcome, code, or words in reference and receiver',
    query: z.strictObject({
      ...page,
      outcome: z.enum(ROW_OUTCOMES).optional(),
      code: code.optional(),
      find: find.optional(),
      row: text.min(1).max(100).optional(),
    }),
    replies: { 200: listOf(row) },
    does: listRows,
  },
  {
    method: 'GET',
    path: '/files/:batch/timeline',
    who: 'files:read',
    summary: 'What happened to the batch, or to one row of it, and who did it',
    query: z.strictObject({ ...page, row: text.min(1).max(100).optional() }),
    replies: { 200: listOf(event) },
    does: listEvents,
  },
  {
    method: 'GET',
    path: '/files/:batch/answers',
    who: 'files:read',
    summary: 'The answers that lie in the outbox',
    query: z.strictObject(shortPage),
    replies: { 200: listOf(answer) },
    does: listAnswers,
  },
  {
    method: 'GET',
    path: '/files/:batch/answers/:kind',
    who: 'files:read',
    summary: 'The bytes of one answer',
    replies: { 200: 'bytes' },
    does: readAnswer,
  },
  {
    method: 'GET',
    path: '/balances',
    who: 'money:read',
    summary: 'What the accounts hold, and what is promised of it',
    query: z.strictObject(shortPage),
    replies: { 200: listOf(balance) },
    does: readBalances,
  },
  {
    method: 'GET',
    path: '/balances/history',
    who: 'money:read',
    summary: 'What was available in the last 24 hours, every five minutes',
    query: z.strictObject(shortPage),
    replies: { 200: listOf(balanceLine) },
    does: readBalanceHistory,
  },
  {
    method: 'GET',
    path: '/schedules',
    who: 'files:read',
    summary: 'Schedules, with their next times',
    query: z.strictObject(shortPage),
    replies: { 200: listOf(schedule) },
    does: readSchedules,
  },
  {
    method: 'GET',
    path: '/corridors',
    who: 'files:read',
    summary: 'What can be paid, with limits and required fields',
    query: z.strictObject(shortPage),
    replies: { 200: listOf(corridor) },
    does: readCorridors,
  },
  {
    method: 'GET',
    path: '/templates/:corridor',
    ending: '.xlsx',
    who: 'files:read',
    summary: 'An empty spreadsheet that fits the corridor',
    replies: { 200: 'workbook' },
    does: readTemplate,
  },
  {
    method: 'GET',
    path: '/events',
    who: 'files:read',
    summary: 'What changes, as it is committed',
    replies: { 200: 'events' },
    does: readFeed,
  },
  ...WORK_ROUTES,
  ...PROFILE_ROUTES,
  ...APPROVAL_ROUTES,
  ...DECISION_ROUTES,
  ...SESSION_ROUTES,
  ...PEOPLE_ROUTES,
];
