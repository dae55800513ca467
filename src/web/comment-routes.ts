// Comments on a file and on its rows: whoever is signed in reads and makes them, and nobody changes one.
import {
  comment,
  type Commenting,
  commenting,
  type CommentsQuery,
  commentsQuery,
} from '../contract/comments.ts';
import { listOf } from '../contract/schema.ts';
import { ROLES } from '../contract/words.ts';
import { lineOf } from './approval-routes.ts';
import { type Call, found, listPart, param, type Route, route } from './call.ts';

async function listComments(call: Call<unknown, CommentsQuery>) {
  const batch = await knownBatch(call);
  const { row } = call.query;
  const all = call.room.door.comments.of(batch);
  return listPart(call, row === undefined ? all : all.filter((each) => each.row === row));
}

async function addComment(call: Call<Commenting>) {
  const batch = await knownBatch(call);
  const { row = null, text } = call.body;
  // A comment on a row that is not there would be read by nobody.
  if (row !== null) found(await call.room.views.timeline(batch, row, null, 1), 'row_unknown');
  const { comments } = call.room.door;
  comments.add(batch, { row, by: call.by.name, text: lineOf(text) });
  return { status: 201 as const, json: found(comments.of(batch).at(-1) ?? null, 'batch_unknown') };
}

async function knownBatch(call: Pick<Call, 'room' | 'params'>): Promise<string> {
  return found(await call.room.paydrop.ledger.batch(param(call, 'batch')), 'batch_unknown').id;
}

export const COMMENT_ROUTES: readonly Route[] = [
  route('GET /files/:batch/comments', ROLES, 'What people say about a file and its rows', {
    query: commentsQuery,
    replies: { 200: listOf(comment) },
    does: listComments,
  }),
  route('POST /files/:batch/comments', ROLES, 'Says something about a file, or about a row of it', {
    body: commenting,
    replies: { 201: comment },
    does: addComment,
  }),
];
