// The one table of everything that is answered over HTTP: router, scopes, bodies, the OpenAPI document and the tests are derived from it. It also has
// what only people may do, so that a program is told so.
import { buffer } from 'node:stream/consumers';

import { z } from 'zod';

import { corridors } from '../app/desk/commands.ts';
import { moneyStatus, scheduleStatuses } from '../app/desk/money-status.ts';
import { writeProof } from '../app/desk/prove-payments.ts';
import { openJournal } from '../app/desk/write-journal.ts';
import { templateOf } from '../app/desk/write-template.ts';
import { ToldError } from '../base/language.ts';
import {
  answer,
  event,
  type EventsQuery,
  eventsQuery,
  type FilesQuery,
  filesQuery,
  type JournalQuery,
  journalQuery,
  row,
  type RowsQuery,
  rowsQuery,
  fileStatus,
} from '../contract/files.ts';
import { balance, balanceLine, corridor, schedule } from '../contract/money.ts';
import { type ProofQuery, proofQuery } from '../contract/proof.ts';
import { listOf, shortList, text } from '../contract/schema.ts';
import { JOURNAL_ROWS_MOST } from '../contract/words.ts';
import { sentence } from '../messages/messages.ts';
import {
  asAttachment,
  type Call,
  cursor,
  fileReply,
  found,
  list,
  listPart,
  param,
  placeOf,
  readerOfRows,
  type Route,
  route,
  shownFile,
  MEDIA_TYPES,
} from './call.ts';
import { onlyOwnOf } from './callers.ts';
import { APPROVAL_ROUTES } from './approval-routes.ts';
import { DECISION_ROUTES } from './decisions.ts';
import { followEvents } from './event-stream.ts';
import { COMMENT_ROUTES } from './comment-routes.ts';
import { NOTICE_ROUTES } from './notice-routes.ts';
import { PAYEE_ROUTES } from './payee-routes.ts';
import { PEOPLE_ROUTES } from './people-routes.ts';
import { Problem } from './problems.ts';
import { PROFILE_ROUTES } from './profile-routes.ts';
import { SEARCH_ROUTES } from './search-routes.ts';
import { SESSION_ROUTES } from './session-routes.ts';
import { UPLOAD_ROUTES } from './upload-routes.ts';
import { WORK_ROUTES } from './work-routes.ts';

async function listFiles(call: Call<unknown, FilesQuery>) {
  const { state, find, limit } = call.query;
  const before = placeOf(call, z.object({ acceptedAt: text, id: text }));
  const filter = { state, find, own: onlyOwnOf(call.by) };
  const { summaries, last } = await call.room.views.summaries(before, limit, filter);
  const shown = summaries.map((summary) => shownFile(summary, call.reader));
  return list(shown, cursor(call, last && { acceptedAt: last.acceptedAt, id: last.id }));
}

async function listRows(call: Call<unknown, RowsQuery>) {
  const from = placeOf(call, z.int().min(0)) ?? 0;
  const { limit, outcome, code, find, row: name } = call.query;
  const reader = readerOfRows(call);
  const { rows, next } = found(
    await call.room.views.rows(param(call, 'batch'), from, limit, { outcome, code, find, row: name, reader }),
    'batch_unknown',
  );
  return list(rows, cursor(call, next));
}

async function listEvents(call: Call<unknown, EventsQuery>) {
  const { row: name = null, limit } = call.query;
  found(await call.room.paydrop.ledger.batch(param(call, 'batch')), 'batch_unknown');
  const after = placeOf(call, text);
  const { events, next } = found(
    await call.room.views.timeline(param(call, 'batch'), name, after, limit),
    'row_unknown',
  );
  return list(events, cursor(call, next));
}

async function readAnswer(call: Call) {
  const { content, name, bytes, sha256 } = found(
    await call.room.views.answer(param(call, 'batch'), param(call, 'kind')),
    'answer_unknown',
  );
  call.room.door.log(call.by.name, 'answer_read', name);
  const headers = { ...asAttachment(name), 'content-length': String(bytes), etag: `"${sha256}"` };
  return { status: 200 as const, bytes: content, type: MEDIA_TYPES.bytes, headers };
}

async function readProof(call: Call<unknown, ProofQuery>) {
  const { row, language = call.reader.language } = call.query;
  const rows = row === undefined ? null : new Set([row]);
  const written = found(
    await writeProof(call.room.paydrop, param(call, 'batch'), { rows, language }),
    'batch_unknown',
  );
  if ('fault' in written)
    throw written.isUnknown
      ? new Problem('row_unknown')
      : new Problem('query_wrong', { words: written.fault });
  call.room.door.log(call.by.name, 'answer_read', written.name);
  return {
    status: 200 as const,
    bytes: written.bytes,
    type: MEDIA_TYPES.pdf,
    headers: asAttachment(written.name),
  };
}

async function readJournal(call: Call<unknown, JournalQuery>) {
  const batch = param(call, 'batch');
  const { file } = found(await call.room.views.summary(batch), 'batch_unknown');
  const most = JOURNAL_ROWS_MOST;
  if (file.rows > most) throw new Problem('query_wrong', { words: sentence('journal.tooMany', { most }) });
  const opened = await openJournal(call.room.paydrop, { batch, format: call.query.format });
  if ('fault' in opened) throw new Problem('query_wrong', { words: opened.fault });
  const bytes = await buffer(opened.bytes).catch((error: unknown) => {
    if (error instanceof ToldError) throw new Problem('query_wrong', { words: error.words });
    throw error;
  });
  call.room.door.log(call.by.name, 'answer_read', opened.name);
  return { status: 200 as const, bytes, type: MEDIA_TYPES.bytes, headers: asAttachment(opened.name) };
}

async function readTemplate(call: Call) {
  const id = param(call, 'corridor');
  const bytes = found(await templateOf(call.room.paydrop, id), 'corridor_unknown');
  const headers = asAttachment(`${id}.template.xlsx`);
  return { status: 200 as const, bytes, type: MEDIA_TYPES.workbook, headers };
}

export const ROUTES: readonly Route[] = [
  ...UPLOAD_ROUTES,
  route(
    'GET /files',
    'files:read',
    'Summaries, newest first: of all files or those of a state, with words in the name, the batch or who brought it',
    { query: filesQuery, replies: { 200: listOf(fileStatus) }, does: listFiles },
  ),
  route('GET /files/:batch', 'files:read', 'The summary of one batch', {
    replies: { 200: fileStatus },
    does: (call) => fileReply(call, param(call, 'batch')),
  }),
  route(
    'GET /files/:batch/rows',
    'files:read',
    'Rows with what became of them, by outcome, code, or words in reference and receiver',
    { query: rowsQuery, replies: { 200: listOf(row) }, does: listRows },
  ),
  route(
    'GET /files/:batch/timeline',
    'files:read',
    'What happened to the batch, or to one row of it, and who did it',
    { query: eventsQuery, replies: { 200: listOf(event) }, does: listEvents },
  ),
  route('GET /files/:batch/answers', 'files:read', 'The answers that lie in the outbox', {
    query: shortList,
    replies: { 200: listOf(answer) },
    does: async (call) =>
      listPart(call, found(await call.room.views.answers(param(call, 'batch')), 'batch_unknown')),
  }),
  route('GET /files/:batch/answers/:kind', 'files:read', 'The bytes of one answer', {
    replies: { 200: 'bytes' },
    does: readAnswer,
  }),
  route(
    'GET /files/:batch/proof',
    'files:read',
    'A proof of payment of the file, or of one row, as a PDF; a statement where not everything in it is paid',
    { query: proofQuery, replies: { 200: 'pdf' }, does: readProof },
  ),
  route(
    'GET /files/:batch/journal',
    'files:read',
    'The entries that an accountant imports, once the batch is closed',
    { query: journalQuery, replies: { 200: 'bytes' }, does: readJournal },
  ),
  route('GET /balances', 'money:read', 'What the accounts hold, and what is promised of it', {
    query: shortList,
    replies: { 200: listOf(balance) },
    does: async (call) => listPart(call, await moneyStatus(call.room.paydrop, call.room.views)),
  }),
  route(
    'GET /balances/history',
    'money:read',
    'What was available in the last 24 hours, every five minutes',
    {
      query: shortList,
      replies: { 200: listOf(balanceLine) },
      does: (call) => Promise.resolve(listPart(call, call.room.door.balances.lines())),
    },
  ),
  route('GET /schedules', 'files:read', 'Schedules, with their next times', {
    query: shortList,
    replies: { 200: listOf(schedule) },
    does: async (call) => listPart(call, await scheduleStatuses(call.room.paydrop, onlyOwnOf(call.by))),
  }),
  route('GET /corridors', 'files:read', 'What can be paid, with limits and required fields', {
    query: shortList,
    replies: { 200: listOf(corridor) },
    does: async (call) => listPart(call, await corridors(call.room.paydrop)),
  }),
  route('GET /templates/:corridor', 'files:read', 'An empty spreadsheet that fits the corridor', {
    ending: '.xlsx',
    replies: { 200: 'workbook' },
    does: readTemplate,
  }),
  route('GET /events', 'files:read', 'What changes, as it is committed', {
    replies: { 200: 'events' },
    does: (call) => Promise.resolve({ status: 200, events: followEvents(call) }),
  }),
  ...SEARCH_ROUTES,
  ...PAYEE_ROUTES,
  ...WORK_ROUTES,
  ...PROFILE_ROUTES,
  ...APPROVAL_ROUTES,
  ...DECISION_ROUTES,
  ...SESSION_ROUTES,
  ...COMMENT_ROUTES,
  ...NOTICE_ROUTES,
  ...PEOPLE_ROUTES,
];
