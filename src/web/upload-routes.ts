// A file on its way in: sent, checked cell by cell, looked at, given its documents, and submitted.
import { z } from 'zod';

import { type PageReader, say, type Words } from '../base/language.ts';

import {
  answered,
  correction,
  draft,
  fault,
  listOf,
  page,
  sheet,
  shortPage,
  submission,
  taken,
  upload,
} from './bodies.ts';
import { cursor, found, limitOf, list, listPart, param, placeOf, type Route } from './call.ts';
import { FileProblem, isProblemCode, Problem } from './problems.ts';

const receive: Route['does'] = async ({ room, fileName, octets, by, header }) => {
  const said = header('content-length');
  const length = said === undefined ? null : Number(said);
  const { id, state } = await room.uploads.receive(fileName, octets, { by: by.name }, length);
  return { status: 201, json: { id, state }, headers: { location: `/api/v1/uploads/${id}` } };
};

const addDocument: Route['does'] = async (call) => {
  const { room, fileName, octets, by } = call;
  const changed = found(
    await room.uploads.addDocument(param(call, 'id'), fileName, octets, by.name),
    'upload_unknown',
  );
  if (changed === 'submitted') throw new Problem('upload_submitted');
  return { status: 201, json: { id: changed.id, state: changed.state } };
};

const readUpload: Route['does'] = async (call) => {
  const view = found(
    await call.room.uploads.view(param(call, 'id'), call.by.name, call.reader),
    'upload_unknown',
  );
  return { status: 200, json: view };
};

const listUploads: Route['does'] = async (call) =>
  listPart(call, await call.room.uploads.views(call.by.name, call.reader));

const removeUpload: Route['does'] = async (call) => {
  const end = found(await call.room.uploads.remove(param(call, 'id'), call.by.name), 'upload_unknown');
  if (end === 'submitted') throw new Problem('upload_submitted');
  return { status: 200, json: {} };
};

/** More rows no file has. */
const PLACE_MOST = 10_000_000;
const place = z.coerce.number().int().min(0).max(PLACE_MOST);

const readFaults: Route['does'] = async (call) => {
  const from = placeOf(call, z.object({ entry: place, fault: place }));
  const { uploads } = call.room;
  const { faults, next } = found(
    await uploads.sheet(param(call, 'id'), call.by.name, (of, at) =>
      of.readFaults(at, from ?? { entry: 0, fault: 0 }, limitOf(call)),
    ),
    'upload_unknown',
  );
  return list(inWords(faults, call.reader), cursor(call, next));
};

type Shown = z.output<typeof fault>;
type Found = Omit<Shown, 'message'> & { readonly words: Words };

function inWords(faults: readonly Found[], reader: PageReader): readonly Shown[] {
  return faults.map(({ words, ...rest }) => ({ ...rest, message: say(words, reader) }));
}

const cell = z.strictObject({
  row: place,
  column: z.coerce.number().int().min(-1).max(PLACE_MOST),
  step: z.enum(['1', '-1']),
});

const findFault: Route['does'] = async (call) => {
  const { row, column, step } = call.query as z.output<typeof cell>;
  const id = param(call, 'id');
  const way = step === '1' ? 1 : -1;
  const read = await call.room.uploads.sheet(id, call.by.name, async (of, at) => ({
    fault: await of.findFault(at, { row, column }, way),
  }));
  const next = found(read, 'upload_unknown').fault;
  const [fault = null] = inWords(next === null ? [] : [next], call.reader);
  return { status: 200, json: { fault } };
};

const part = z.strictObject({
  at: place.default(0),
  limit: page.limit,
  faulty: z.enum(['true', 'false']).default('false'),
});

const readSheet: Route['does'] = async (call) => {
  const { at, faulty } = call.query as z.output<typeof part>;
  const { uploads } = call.room;
  const { header, columns, rows } = found(
    await uploads.sheet(param(call, 'id'), call.by.name, (of, place) =>
      of.readSheet(place, faulty === 'true', at, limitOf(call)),
    ),
    'upload_unknown',
  );
  const data = rows.map((row) => ({ ...row, faults: inWords(row.faults, call.reader) }));
  const titled = columns.map(
    (known) => known && { column: known.column, title: say(known.words, call.reader) },
  );
  return { status: 200, json: { header, columns: titled, data } };
};

const correct: Route['does'] = async (call) => {
  const { cells } = call.body as z.output<typeof correction>;
  const { uploads } = call.room;
  const made = found(await uploads.correct(param(call, 'id'), cells, call.by.name), 'upload_unknown');
  if (made === 'submitted') throw new Problem('upload_submitted');
  if (made === 'unchecked') throw new Problem('correction_unfit');
  return {
    status: 201,
    json: { id: made.id, state: made.state },
    headers: { location: `/api/v1/uploads/${made.id}` },
  };
};

const readDraft: Route['does'] = async (call) => {
  const cells = found(await call.room.uploads.draft(param(call, 'id'), call.by.name), 'upload_unknown');
  return { status: 200, json: { cells } };
};

const keepDraft: Route['does'] = async (call) => {
  const { cells } = call.body as z.output<typeof draft>;
  const { uploads } = call.room;
  const end = found(await uploads.keepDraft(param(call, 'id'), cells, call.by.name), 'upload_unknown');
  if (end === 'submitted') throw new Problem('upload_submitted');
  return { status: 200, json: { cells } };
};

const submit: Route['does'] = async (call) => {
  const said = call.body as z.output<typeof submission>;
  const order = { ...said, isProgram: call.by.kind === 'program' };
  const end = found(await call.room.uploads.submit(param(call, 'id'), order, call.by.name), 'upload_unknown');
  switch (end.kind) {
    case 'taken':
      return { status: 202, json: { batch: end.batch } };
    case 'known':
      return { status: 200, json: { batch: end.batch } };
    case 'faulty':
      throw new Problem('rows_to_fix');
    case 'changed':
      throw new Problem('upload_changed');
    case 'refused':
      throw isProblemCode(end.code)
        ? new Problem(end.code, { words: end.words })
        : new FileProblem(end.code, end.words);
  }
};

export const UPLOAD_ROUTES: readonly Route[] = [
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
    path: '/uploads',
    who: 'files:read',
    summary: 'What was sent by whoever asks and is not submitted yet, newest first',
    query: z.strictObject(shortPage),
    replies: { 200: listOf(upload) },
    does: listUploads,
  },
  {
    method: 'DELETE',
    path: '/uploads/:id',
    who: 'files:write',
    summary: 'Ends the check of an upload, and keeps nothing of it',
    replies: { 200: answered },
    does: removeUpload,
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
    method: 'GET',
    path: '/uploads/:id/faults/next',
    who: 'files:read',
    summary: 'The fault behind a cell, or before it',
    query: cell,
    replies: { 200: z.object({ fault: fault.nullable() }) },
    does: findFault,
  },
  {
    method: 'GET',
    path: '/uploads/:id/rows',
    who: 'files:read',
    summary: 'The rows of the file as it was sent, with the faults of each, from one of them on',
    query: part,
    replies: { 200: sheet },
    does: readSheet,
  },
  {
    method: 'POST',
    path: '/uploads/:id/corrections',
    who: 'people',
    roles: ['maker'],
    summary:
      'Writes the file again with cells corrected, as a new upload in its place; whoever approves it sees them',
    body: correction,
    replies: { 201: upload.pick({ id: true, state: true }) },
    does: correct,
  },
  {
    method: 'GET',
    path: '/uploads/:id/draft',
    who: 'people',
    roles: ['maker'],
    summary: 'Corrections that were typed and are not checked yet',
    replies: { 200: draft },
    does: readDraft,
  },
  {
    method: 'PUT',
    path: '/uploads/:id/draft',
    who: 'people',
    roles: ['maker'],
    summary: 'Keeps corrections that were typed and are not checked yet, in the place of those before',
    body: draft,
    replies: { 200: draft },
    does: keepDraft,
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
];
