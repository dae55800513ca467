// A file on its way in: sent, checked cell by cell, looked at, given its documents, and submitted.
import { z } from 'zod';

import * as commands from '../app/desk/commands.ts';
import { columnChoices } from '../app/desk/try-profile.ts';
import { isGuarded } from '../app/desk/page-decisions.ts';
import { EXIT } from '../base/exit-codes.ts';
import { say } from '../base/language.ts';
import {
  correction,
  fault,
  listOf,
  page,
  profileSaved,
  proposal,
  reading,
  sheet,
  submission,
  taken,
  text,
  upload,
} from './bodies.ts';
import { type Call, found, limitOf, list, param, placeOf, type Route, withoutCommands } from './call.ts';
import { FileProblem, isProblemCode, Problem } from './problems.ts';

const receive: Route['does'] = async ({ room, fileName, octets, by, language }) => {
  const { id, state } = await room.uploads.receive(fileName, octets, { by: by.name, language });
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
    await call.room.uploads.view(param(call, 'id'), call.by.name, call.language),
    'upload_unknown',
  );
  return { status: 200, json: view };
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
  return list(faults, next);
};

const cell = z.strictObject({
  row: place,
  column: z.coerce.number().int().min(-1).max(PLACE_MOST),
  step: z.enum(['1', '-1']),
});

const findFault: Route['does'] = async (call) => {
  const { row, column, step } = call.query as z.output<typeof cell>;
  const id = param(call, 'id');
  const way = step === '1' ? 1 : -1;
  const next = await call.room.uploads.sheet(id, call.by.name, async (of, at) => ({
    fault: await of.findFault(at, { row, column }, way),
  }));
  return { status: 200, json: found(next, 'upload_unknown') };
};

const part = z.strictObject({
  at: place.default(0),
  limit: page.limit,
  faulty: z.enum(['true', 'false']).default('false'),
});

const readSheet: Route['does'] = async (call) => {
  const { at, faulty } = call.query as z.output<typeof part>;
  const { uploads } = call.room;
  const { header, rows } = found(
    await uploads.sheet(param(call, 'id'), call.by.name, (of, place) =>
      of.readSheet(place, faulty === 'true', at, limitOf(call)),
    ),
    'upload_unknown',
  );
  return { status: 200, json: { header, data: rows } };
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

const submit: Route['does'] = async (call) => {
  const order = call.body as z.output<typeof submission>;
  const end = found(await call.room.uploads.submit(param(call, 'id'), order, call.by.name), 'upload_unknown');
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

// How the columns of a file are read, where their headers do not say it: by the very command that proposes a profile at a terminal.

async function proposed(call: Call): Promise<commands.ProposedProfile> {
  const { uploads } = call.room;
  const config = { ...call.room.paydrop.config, language: call.language };
  const paydrop = { ...call.room.paydrop, config };
  const path = found(await uploads.pathOf(param(call, 'id'), call.by.name), 'upload_unknown');
  const { columns, constants, values, decimalMark } = call.body as z.output<typeof reading>;
  const pairs = (said: Readonly<Record<string, string>>) =>
    Object.entries(said).map(([of, is]) => `${of}=${is}`);
  const stated = {
    column: pairs(columns),
    constant: pairs(constants),
    value: pairs(values),
    split: [],
    same: [],
  };
  return unlessUnfit(() =>
    commands.profile(paydrop, path, {
      stated: { ...stated, ...(decimalMark === undefined ? {} : { decimalMark }) },
      ...('name' in (call.body as object) ? { name: (call.body as z.output<typeof profileSaved>).name } : {}),
    }),
  );
}

/** What cannot be read so is told in its own words. */
async function unlessUnfit<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, words } = await commands.describe(error);
    if (code !== EXIT.usage && code !== EXIT.refused) throw error;
    throw new Problem('profile_unfit', { words });
  }
}

const readColumns: Route['does'] = async (call) => {
  const { name, proposal: found_, trial } = await proposed(call);
  const { files, headerPlace, columns, questions } = found_;
  return {
    status: 200,
    json: {
      ...{ name, files, headerPlace, columns },
      known: columnChoices().map(({ column, words }) => ({ column, words: say(words, call.language) })),
      questions: questions.map((words) => withoutCommands(say(words, call.language))),
      trial: trial && { rows: trial.rows, payable: trial.payable, faults: trial.faults },
    },
  };
};

/** A daemon reads its config again within a moment. */
const OBEYED_WITHIN_MS = 10_000;
const LOOK_MS = 50;

const saveColumns: Route['does'] = async (call) => {
  const { room, by } = call;
  const { name, mayReplace } = call.body as z.output<typeof profileSaved>;
  const { save, proposal: shown } = await proposed(call);
  const path = found(await room.uploads.pathOf(param(call, 'id'), by.name), 'upload_unknown');
  if (isGuarded(path, { name, files: shown.files }, room.paydrop.config))
    throw new Problem('profile_guarded');
  const standing = () => room.paydrop.config.fileProfiles.find(({ profile }) => profile.name === name);
  const before = standing();
  if (before !== undefined && !mayReplace) throw new Problem('profile_exists');
  await unlessUnfit(() => save(mayReplace));
  room.door.log(by.name, 'profile_saved', name);
  room.lookNow();
  const { clock } = room.paydrop;
  const until = clock.monotonic() + OBEYED_WITHIN_MS;
  while (standing() === before && clock.monotonic() < until) await clock.sleep(LOOK_MS);
  await room.uploads.checkAgain(param(call, 'id'), by.name);
  return { status: 201, json: { name } };
};

export const UPLOAD_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/uploads/:id/reading',
    who: 'people',
    roles: ['maker'],
    summary:
      'How the columns of a file would be read by what a person says of them, and what its rows would say to it',
    body: reading,
    replies: { 200: proposal },
    does: readColumns,
  },
  {
    method: 'POST',
    path: '/uploads/:id/profile',
    who: 'people',
    roles: ['maker'],
    summary: 'Keeps that as a profile for files of this name, and checks the file again',
    body: profileSaved,
    replies: { 201: z.object({ name: text }) },
    does: saveColumns,
  },
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
    method: 'POST',
    path: '/uploads/:id/submission',
    who: 'files:write',
    summary: 'Has the file paid; an upload makes one batch at most',
    body: submission,
    replies: { 200: taken, 202: taken },
    does: submit,
  },
];
