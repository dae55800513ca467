// The one table of all that is answered over HTTP: router, scopes, bodies, the OpenAPI document and the tests are made from it. What only people may do
// stands in it too, so that a program is told so.
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';

import { z } from 'zod';

import type { ProgramKey, Scope } from '../app/desk/program-keys.ts';
import type { WebParts } from '../app/daemon/run-daemon.ts';
import { type FileViews, ROW_OUTCOMES } from '../app/desk/file-views.ts';
import * as desk from '../app/desk/commands.ts';
import type { Language } from '../base/language.ts';
import { followEvents } from './event-stream.ts';
import { FileProblem, isProblemCode, Problem } from './problems.ts';

/** What every answer works with. */
export type Room = WebParts & { readonly views: FileViews };

export type Call = {
  readonly room: Room;
  readonly params: Readonly<Record<string, string>>;
  /** As the route's schemas have read them. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** The octets of a route that takes them, and the name that they bear. */
  readonly octets: AsyncIterable<Uint8Array>;
  readonly fileName: string;
  readonly key: ProgramKey;
  readonly language: Language;
  readonly header: (name: string) => string | undefined;
};

export type Reply = {
  readonly status: 200 | 201 | 202;
  readonly headers?: Readonly<Record<string, string>>;
} & (
  | { readonly json: unknown }
  | { readonly bytes: Readable | Uint8Array; readonly type: string }
  | { readonly events: EventSource }
);

/** Writes the text of events until the reader goes away or the server ends. */
export type EventSource = (write: (text: string) => Promise<void>, signal: AbortSignal) => Promise<void>;

export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/v1`, as the router has it. */
  readonly path: string;
  readonly who: Scope | 'people';
  /** For the OpenAPI document, in English. */
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType | 'octets';
  /** By status; a schema, or the kind of what is no JSON. */
  readonly replies: Readonly<Record<number, z.ZodType | 'bytes' | 'events'>>;
  readonly does: (call: Call) => Promise<Reply>;
};

// What the bodies hold.

const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
const moment = z.iso.datetime();
const text = z.string();
const upload = z.object({
  id: z.uuid(),
  state: z.enum(['checking', 'checked', 'refused']),
  rows: z.int(),
  faulty: z.int(),
  documentsMissing: z.int(),
  sums: z.array(z.object({ currency: text.nullable(), amount: decimal })),
  code: text.nullable(),
  reason: text.nullable(),
});
const fault = z.object({ row: text, column: text, index: z.int().nullable(), code: text, message: text });
const summary = z.looseObject({
  batch: text,
  state: z.enum(['checked', 'awaiting-approval', 'scheduled', 'paying', 'tracking', 'closed', 'refused']),
  sandbox: z.boolean(),
  file: z.object({ name: text, sha256: text, rows: z.int() }),
  outcomes: z.record(z.enum(ROW_OUTCOMES), z.int()),
  totals: z.array(
    z.looseObject({
      sourceCurrency: text,
      sendAmount: decimal,
      feeAmount: decimal,
      debited: decimal,
      reserved: decimal,
    }),
  ),
  received: z.array(z.object({ destinationCurrency: text, receiveAmount: decimal })),
  waitingFor: text.nullable(),
  startedAt: moment,
  finishedAt: moment.nullable(),
  answers: z.array(text),
});
const row = z.looseObject({
  row: text,
  outcome: z.enum(ROW_OUTCOMES),
  reason: text,
  errorCode: text,
  externalId: text,
  transferId: text,
});
const event = z.looseObject({ at: moment, code: text, row: text.nullable() });
const answer = z.object({ kind: text, name: text, bytes: z.int(), sha256: text });
const balance = z.object({
  currency: text,
  available: decimal.nullable(),
  reserved: decimal.nullable(),
  promised: decimal,
  unpriced: z.int(),
  free: decimal.nullable(),
  spentToday: decimal,
  perDay: decimal.nullable(),
});
const schedule = z.looseObject({ folder: text, cron: text, timeZone: text, next: z.array(moment) });
const corridor = z.looseObject({ id: text });
const taken = z.object({ batch: text });
const listOf = (item: z.ZodType) => z.object({ data: z.array(item), next: text.nullable() });

/** The most of a page, and what is given where nothing is asked. */
const LIMIT = { most: 200, usual: 50 } as const;
const page = {
  limit: z.coerce.number().int().min(1).max(LIMIT.most).default(LIMIT.usual),
  after: text.optional(),
};

const code = text.regex(/^[\w-]{1,64}$/);
const find = text.min(1).max(100);
const submission = z.strictObject({
  skipRows: z.boolean().default(false),
  again: z.boolean().default(false),
});

// Cursors mean nothing to whoever is given them.

function cursor(of: unknown): string {
  return Buffer.from(JSON.stringify(of)).toString('base64url');
}

/** Null where none was given. Throws a `Problem` for what is none of ours. */
function placeOf<Schema extends z.ZodType>({ query }: Call, schema: Schema): z.output<Schema> | null {
  const { after } = query;
  if (typeof after !== 'string') return null;
  try {
    return schema.parse(JSON.parse(Buffer.from(after, 'base64url').toString('utf8')));
  } catch {
    throw new Problem('cursor_unknown');
  }
}

function list(data: readonly unknown[], next: unknown): Reply {
  return { status: 200, json: { data, next: next === null ? null : cursor(next) } };
}

function found<T>(value: T | null, problem: ConstructorParameters<typeof Problem>[0]): T {
  if (value === null) throw new Problem(problem);
  return value;
}

const limitOf = ({ query }: Call): number => Number(query['limit']);
const param = ({ params }: Call, name: string): string => params[name] ?? '';
const textIn = ({ query }: Call, name: string): string | undefined => query[name] as string | undefined;

// What the routes do.

const receive: Route['does'] = async ({ room, fileName, octets, key }) => {
  const { id, state } = await room.uploads.receive(fileName, octets, key.name);
  return { status: 201, json: { id, state }, headers: { location: `/api/v1/uploads/${id}` } };
};

const addDocument: Route['does'] = async (call) => {
  const { room, fileName, octets, key } = call;
  const changed = found(
    await room.uploads.addDocument(param(call, 'id'), fileName, octets, key.name),
    'upload_unknown',
  );
  if (changed === 'submitted') throw new Problem('upload_submitted');
  return { status: 201, json: { id: changed.id, state: changed.state } };
};

const readUpload: Route['does'] = async (call) => {
  const view = found(await call.room.uploads.view(param(call, 'id'), call.key.name), 'upload_unknown');
  const { batch: _batch, ...shown } = view;
  return { status: 200, json: shown };
};

const readFaults: Route['does'] = async (call) => {
  const from = placeOf(call, z.int().min(0)) ?? 0;
  const { uploads } = call.room;
  const { faults, next } = found(
    await uploads.faults(param(call, 'id'), call.key.name, from, limitOf(call)),
    'upload_unknown',
  );
  return list(faults, next);
};

/** What a body says, as a tag: who has that already need not be told, and who orders by it says which one was seen. */
export function etagOf(body: string): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, ETAG_CHARACTERS)}"`;
}

const ETAG_CHARACTERS = 22;

/** Throws a `Problem` where another state was seen than stands now. */
async function assertSeen(call: Call, read: Route['does']): Promise<void> {
  const seen = call.header('if-match');
  if (seen === undefined || seen === '*') return;
  const now = await read(call);
  if (!('json' in now) || etagOf(JSON.stringify(now.json)) !== seen) throw new Problem('version_differs');
}

const submit: Route['does'] = async (call) => {
  await assertSeen(call, readUpload);
  const order = call.body as z.output<typeof submission>;
  const end = found(
    await call.room.uploads.submit(param(call, 'id'), order, call.key.name),
    'upload_unknown',
  );
  switch (end.kind) {
    case 'taken':
      return { status: 202, json: { batch: end.batch } };
    case 'known':
      return { status: 200, json: { batch: end.batch } };
    case 'faulty':
      throw new Problem('rows_to_fix');
    case 'refused':
      throw isProblemCode(end.code)
        ? new Problem(end.code, { words: end.words })
        : new FileProblem(end.code, end.words);
  }
};

const listFiles: Route['does'] = async (call) => {
  const before = placeOf(call, z.object({ acceptedAt: text, id: text }));
  const { summaries, last } = await call.room.views.summaries(before, limitOf(call));
  return list(summaries, last === null ? null : { acceptedAt: last.acceptedAt, id: last.id });
};

const readFile: Route['does'] = async (call) => ({
  status: 200,
  json: found(await call.room.views.summary(param(call, 'batch')), 'batch_unknown'),
});

const listRows: Route['does'] = async (call) => {
  const from = placeOf(call, z.int().min(0)) ?? 0;
  const outcome = call.query['outcome'] as (typeof ROW_OUTCOMES)[number] | undefined;
  const filter = { outcome, code: textIn(call, 'code'), find: textIn(call, 'find') };
  const { rows, next } = found(
    await call.room.views.rows(param(call, 'batch'), from, limitOf(call), filter),
    'batch_unknown',
  );
  return list(rows, next);
};

const listEvents: Route['does'] = async (call) => {
  const name = textIn(call, 'row') ?? null;
  found(await call.room.paydrop.ledger.batch(param(call, 'batch')), 'batch_unknown');
  const after = placeOf(call, text);
  const { events, next } = found(
    await call.room.views.timeline(param(call, 'batch'), name, after, limitOf(call)),
    'row_unknown',
  );
  return list(events, next);
};

const listAnswers: Route['does'] = async (call) =>
  list(found(await call.room.views.answers(param(call, 'batch')), 'batch_unknown'), null);

const readAnswer: Route['does'] = async (call) => {
  const { content, name, bytes, sha256 } = found(
    await call.room.views.answer(param(call, 'batch'), param(call, 'kind')),
    'answer_unknown',
  );
  const headers = { ...asAttachment(name), 'content-length': String(bytes), etag: `"${sha256}"` };
  return { status: 200, bytes: content, type: 'application/octet-stream', headers };
};

/** What is opened in a browser all the same may do nothing there. */
function asAttachment(name: string): Readonly<Record<string, string>> {
  const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)}`;
  return { 'content-disposition': disposition, 'content-security-policy': "sandbox; default-src 'none'" };
}

const readBalances: Route['does'] = async ({ room }) => list(await desk.money(room.paydrop), null);
const readSchedules: Route['does'] = async ({ room }) => list(await desk.schedules(room.paydrop), null);
const readCorridors: Route['does'] = async ({ room }) => list(await desk.corridors(room.paydrop), null);

const readTemplate: Route['does'] = async (call) => {
  const id = param(call, 'corridor');
  const bytes = found(await desk.templateBytes(call.room.paydrop, id), 'corridor_unknown');
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  return { status: 200, bytes, type, headers: asAttachment(`${id}.template`) };
};

const readFeed: Route['does'] = (call) => Promise.resolve({ status: 200, events: followEvents(call) });

/** A key never decides anything, so nobody comes here with one. */
const forPeople: Route['does'] = () => Promise.reject(new Problem('people_only'));

const decision = (path: string, what: string, method: Route['method'] = 'POST'): Route => ({
  method,
  path,
  who: 'people',
  summary: what,
  replies: {},
  does: forPeople,
});

export const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/uploads',
    who: 'files:write',
    summary: 'Sends a file; it is checked at once, and nothing is registered',
    body: 'octets',
    replies: { 201: upload.pick({ id: true, state: true }) },
    does: receive,
  },
  {
    method: 'POST',
    path: '/uploads/:id/documents',
    who: 'files:write',
    summary: 'Adds a document that a row names; the file is checked again',
    body: 'octets',
    replies: { 201: upload.pick({ id: true, state: true }) },
    does: addDocument,
  },
  {
    method: 'GET',
    path: '/uploads/:id',
    who: 'files:read',
    summary: 'How far the check has come, and what it found',
    replies: { 200: upload },
    does: readUpload,
  },
  {
    method: 'GET',
    path: '/uploads/:id/faults',
    who: 'files:read',
    summary: 'The faults found so far, cell by cell',
    query: z.strictObject(page),
    replies: { 200: listOf(fault) },
    does: readFaults,
  },
  {
    method: 'POST',
    path: '/uploads/:id/submission',
    who: 'files:write',
    summary: 'Has the file paid; an upload makes one batch at most',
    body: submission,
    replies: { 200: taken, 202: taken },
    does: submit,
  },
  {
    method: 'GET',
    path: '/files',
    who: 'files:read',
    summary: 'Summaries, newest first',
    query: z.strictObject(page),
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
  decision('/files/:batch/approval', 'Approves'),
  decision('/files/:batch/decline', 'Declines'),
  decision('/files/:batch/pause', 'Pauses'),
  decision('/files/:batch/resume', 'Resumes'),
  decision('/files/:batch/release', 'Releases held rows'),
  decision('/files/:batch/cancellation', 'Closes rows unpaid'),
  {
    method: 'GET',
    path: '/balances',
    who: 'money:read',
    summary: 'What the accounts hold, and what is promised of it',
    replies: { 200: listOf(balance) },
    does: readBalances,
  },
  {
    method: 'GET',
    path: '/schedules',
    who: 'files:read',
    summary: 'Schedules, with their next times',
    replies: { 200: listOf(schedule) },
    does: readSchedules,
  },
  {
    method: 'GET',
    path: '/corridors',
    who: 'files:read',
    summary: 'What can be paid, with limits and required fields',
    replies: { 200: listOf(corridor) },
    does: readCorridors,
  },
  {
    method: 'GET',
    path: '/templates/:corridor',
    who: 'files:read',
    summary: 'An empty spreadsheet that fits the corridor',
    replies: { 200: 'bytes' },
    does: readTemplate,
  },
  decision('/stop', 'Stops everything', 'PUT'),
  decision('/stop', 'Lifts the stop', 'DELETE'),
  {
    method: 'GET',
    path: '/events',
    who: 'files:read',
    summary: 'What changes, as it is committed',
    replies: { 200: 'events' },
    does: readFeed,
  },
];
