// A file on its way in: sent, checked cell by cell, looked at, given its documents, and submitted.
import { z } from 'zod';

import { type PageReader, say, type Words } from '../base/language.ts';
import { listOf, nothing, page, shortList } from '../contract/schema.ts';
import {
  begunUpload,
  type Correction,
  correction,
  type Draft,
  draft,
  type CellFault,
  fault,
  type FaultQuery,
  faultQuery,
  nextFault,
  payeeCells,
  place,
  sheet,
  type SheetQuery,
  sheetQuery,
  type Submission,
  submission,
  type Submitted,
  submitted,
  upload,
} from '../contract/uploads.ts';
import {
  type Call,
  cursor,
  found,
  list,
  listPart,
  type ListPage,
  param,
  placeOf,
  type Reply,
  type Route,
  route,
} from './call.ts';
import { unusable } from './payee-routes.ts';
import { FileProblem, isProblemCode, Problem } from './problems.ts';

async function receive({ room, fileName, octets, by, header }: Call) {
  const said = header('content-length');
  const length = said === undefined ? null : Number(said);
  const { id, state } = await room.uploads.receive(fileName, octets, { by: by.name }, length);
  return { status: 201 as const, json: { id, state }, headers: { location: `/api/v1/uploads/${id}` } };
}

async function addDocument(call: Call) {
  const { room, fileName, octets, by } = call;
  const changed = found(
    await room.uploads.addDocument(param(call, 'id'), fileName, octets, by.name),
    'upload_unknown',
  );
  if (changed === 'submitted') throw new Problem('upload_submitted');
  return { status: 201 as const, json: { id: changed.id, state: changed.state } };
}

async function readUpload({ room, by, reader, params }: Call) {
  const view = await room.uploads.view(param({ params }, 'id'), by.name, reader);
  return { status: 200 as const, json: found(view, 'upload_unknown') };
}

async function removeUpload(call: Call) {
  const end = found(await call.room.uploads.remove(param(call, 'id'), call.by.name), 'upload_unknown');
  if (end === 'submitted') throw new Problem('upload_submitted');
  return { status: 200 as const, json: {} };
}

async function readFaults(call: Call<unknown, ListPage>) {
  const from = placeOf(call, z.object({ entry: place, fault: place }));
  const { uploads } = call.room;
  const { faults, next } = found(
    await uploads.sheet(param(call, 'id'), call.by.name, (of, at) =>
      of.readFaults(at, from ?? { entry: 0, fault: 0 }, call.query.limit),
    ),
    'upload_unknown',
  );
  return list(inWords(faults, call.reader), cursor(call, next));
}

type UploadFinding = Omit<CellFault, 'message'> & { readonly words: Words };

function inWords(faults: readonly UploadFinding[], reader: PageReader): readonly CellFault[] {
  return faults.map(({ words, ...rest }) => ({ ...rest, message: say(words, reader) }));
}

async function findFault(call: Call<unknown, FaultQuery>) {
  const { row, column, step } = call.query;
  const id = param(call, 'id');
  const way = step === '1' ? 1 : -1;
  const read = await call.room.uploads.sheet(id, call.by.name, async (of, at) => ({
    fault: await of.findFault(at, { row, column }, way),
  }));
  const next = found(read, 'upload_unknown').fault;
  const [fault = null] = inWords(next === null ? [] : [next], call.reader);
  return { status: 200 as const, json: { fault } };
}

async function readSheet(call: Call<unknown, SheetQuery>) {
  const { at, faulty, limit } = call.query;
  const { uploads } = call.room;
  const { header, columns, rows } = found(
    await uploads.sheet(param(call, 'id'), call.by.name, (of, place) =>
      of.readSheet(place, faulty === 'true', at, limit),
    ),
    'upload_unknown',
  );
  const data = rows.map((row) => ({ ...row, faults: inWords(row.faults, call.reader) }));
  const titled = columns.map(
    (known) => known && { column: known.column, title: say(known.words, call.reader) },
  );
  return { status: 200 as const, json: { header, columns: titled, data } };
}

async function correct(call: Call<Correction>) {
  const { cells } = call.body;
  const { uploads } = call.room;
  const made = found(await uploads.correct(param(call, 'id'), cells, call.by.name), 'upload_unknown');
  if (made === 'submitted') throw new Problem('upload_submitted');
  if (made === 'unchecked') throw new Problem('correction_unfit');
  return {
    status: 201 as const,
    json: { id: made.id, state: made.state },
    headers: { location: `/api/v1/uploads/${made.id}` },
  };
}

async function bringAgain(call: Call) {
  const made = await call.room.uploads.bringAgain(param(call, 'batch'), call.by.name);
  const { id, state } = found(made, 'file_not_sent_back');
  return { status: 201 as const, json: { id, state }, headers: { location: `/api/v1/uploads/${id}` } };
}

async function readDraft(call: Call) {
  const cells = found(await call.room.uploads.draft(param(call, 'id'), call.by.name), 'upload_unknown');
  return { status: 200 as const, json: { cells } };
}

async function keepDraft(call: Call<Draft>) {
  const { cells } = call.body;
  const { uploads } = call.room;
  const end = found(await uploads.keepDraft(param(call, 'id'), cells, call.by.name), 'upload_unknown');
  if (end === 'submitted') throw new Problem('upload_submitted');
  return { status: 200 as const, json: { cells } };
}

async function readPayeeCells(call: Call) {
  const { room, by, signal } = call;
  if (!by.scopes.includes('files:read-all')) throw new Problem('role_missing');
  const id = param(call, 'id');
  const { name, rows, most } = found(await room.uploads.toFill(id, by.name), 'upload_unknown');
  const data = await room.payees.cellsFor(rows, most, signal).catch(unusable);
  if (data.length > 0) room.door.logOnce(by.name, 'payees_told', `${name} ${id}`);
  return { status: 200 as const, json: { data } };
}

async function submit(call: Call<Submission>): Promise<Reply<Submitted>> {
  const order = { ...call.body, isProgram: call.by.kind === 'program' };
  const end = found(await call.room.uploads.submit(param(call, 'id'), order, call.by.name), 'upload_unknown');
  switch (end.kind) {
    case 'taken':
      return { status: 202, json: { batch: end.batch } };
    case 'known':
      return { status: 200 as const, json: { batch: end.batch } };
    case 'faulty':
      throw new Problem('rows_to_fix');
    case 'changed':
      throw new Problem('upload_changed');
    case 'refused':
      throw isProblemCode(end.code)
        ? new Problem(end.code, { words: end.words })
        : new FileProblem(end.code, end.words);
  }
}

export const UPLOAD_ROUTES: readonly Route[] = [
  route('POST /uploads', 'files:write', 'Sends a file; it is checked at once, and nothing is registered', {
    body: 'octets',
    replies: { 201: begunUpload },
    does: receive,
  }),
  route(
    'POST /uploads/:id/documents',
    'files:write',
    'Adds a document that a row names; the file is checked again',
    { body: 'octets', replies: { 201: begunUpload }, does: addDocument },
  ),
  route('GET /uploads/:id', 'files:read', 'How far the check has come, and what it found', {
    replies: { 200: upload },
    does: readUpload,
  }),
  route(
    'GET /uploads',
    'files:read',
    'What was sent by whoever asks and is not submitted yet, newest first',
    {
      query: shortList,
      replies: { 200: listOf(upload) },
      does: async (call) => listPart(call, await call.room.uploads.views(call.by.name, call.reader)),
    },
  ),
  route('DELETE /uploads/:id', 'files:write', 'Ends the check of an upload, and keeps nothing of it', {
    replies: { 200: nothing },
    does: removeUpload,
  }),
  route('GET /uploads/:id/faults', 'files:read', 'The faults found so far, cell by cell', {
    query: z.strictObject(page),
    replies: { 200: listOf(fault) },
    does: readFaults,
  }),
  route('GET /uploads/:id/faults/next', 'files:read', 'The fault behind a cell, or before it', {
    query: faultQuery,
    replies: { 200: nextFault },
    does: findFault,
  }),
  route(
    'GET /uploads/:id/rows',
    'files:read',
    'The rows of the file as it was sent, with the faults of each, from one of them on',
    { query: sheetQuery, replies: { 200: sheet }, does: readSheet },
  ),
  route(
    'POST /uploads/:id/corrections',
    ['maker'],
    'Writes the file again with cells corrected, as a new upload in its place; whoever approves it sees them',
    { body: correction, replies: { 201: begunUpload }, does: correct },
  ),
  route('POST /files/:batch/correction', ['maker'], 'Opens a file that was sent back as a new upload', {
    body: nothing,
    replies: { 201: begunUpload },
    does: bringAgain,
  }),
  route('GET /uploads/:id/draft', ['maker'], 'Corrections that were typed and are not checked yet', {
    replies: { 200: draft },
    does: readDraft,
  }),
  route(
    'PUT /uploads/:id/draft',
    ['maker'],
    'Keeps corrections that were typed and are not checked yet, in the place of those before',
    { body: draft, replies: { 200: draft }, does: keepDraft },
  ),
  route(
    'GET /uploads/:id/payees',
    ['maker'],
    'What payments to the same name and account have for the empty cells of rows to fix',
    { replies: { 200: payeeCells }, does: readPayeeCells },
  ),
  route(
    'POST /uploads/:id/submission',
    'files:write',
    'Has the file paid; an upload makes one batch at most',
    {
      body: submission,
      replies: { 200: submitted, 202: submitted },
      does: submit,
    },
  ),
];
