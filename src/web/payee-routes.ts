// Everybody who was paid, for whoever may see the files of everybody; and what a person verifies about an account.
import { Readable } from 'node:stream';

import { z } from 'zod';

import { PAYEES_NAME } from '../app/desk/payees.ts';
import { ToldError } from '../base/language.ts';
import { type Lifting, lifting } from '../contract/decisions.ts';
import {
  payeeHistory,
  payees,
  type PayeesFilter,
  payeesFilter,
  type PayeesQuery,
  payeesQuery,
  rowPayee,
  type RowPayeeQuery,
  rowPayeeQuery,
  type Verifying,
  verifying,
  type Withdrawing,
  withdrawing,
} from '../contract/payees.ts';
import { nothing, text } from '../contract/schema.ts';
import { ROLES } from '../contract/words.ts';
import { sentence } from '../messages/messages.ts';
import { deciderOf, lineOf, ROLES_THAT_DECIDE } from './approval-routes.ts';
import {
  asAttachment,
  type Call,
  cursor,
  found,
  MEDIA_TYPES,
  param,
  placeOf,
  readerOfRows,
  type Route,
  route,
} from './call.ts';
import { DecisionProblem, Problem } from './problems.ts';

const place = z.object({ batch: text, position: z.int(), reading: z.int() });

async function listPayees(call: Call<unknown, PayeesQuery>) {
  const { find = null, limit } = call.query;
  const order = { find, after: placeOf(call, place), limit, signal: call.signal };
  const page = await call.room.payees.list(order).catch(unusable);
  const json = { data: page.payees, next: cursor(call, page.next), isWhole: page.isWhole };
  return { status: 200 as const, json };
}

async function exportPayees(call: Call<unknown, PayeesFilter>) {
  const { find = null } = call.query;
  if (!(await call.room.payees.isWhole().catch(unusable)))
    throw new Problem('search_unusable', { words: sentence('find.notWhole') });
  call.room.door.log(call.by.name, 'answer_read', PAYEES_NAME);
  const bytes = Readable.from(call.room.payees.table(find, call.signal));
  const headers = asAttachment(PAYEES_NAME);
  return { status: 200 as const, bytes, type: MEDIA_TYPES.table, headers };
}

async function readPayee(call: Call) {
  const known = await call.room.payees
    .history(param(call, 'payee'), readerOfRows(call), call.signal)
    .catch(unusable);
  return { status: 200 as const, json: found(known, 'payee_unknown') };
}

/** Throws the `Problem` of an index without a place, and any other error as it is. */
export function unusable(error: unknown): never {
  if (error instanceof ToldError) throw new Problem('search_unusable', { words: error.words });
  throw error;
}

async function payeeOfRow(call: Call<unknown, RowPayeeQuery>) {
  const known = await call.room.payees.ofRow(param(call, 'batch'), call.query.row);
  return { status: 200 as const, json: rowPayee.parse(found(known, 'row_unknown')) };
}

async function verify(call: Call<Verifying>) {
  const { batch, row, how: said } = call.body;
  const [how, { payees: known, door }] = [lineOf(said), call.room];
  const order = { batch, row, how, decider: deciderOf(call) };
  const end = found(await known.verify(door.verified, param(call, 'payee'), order), 'row_unknown');
  if (end !== 'verified') throw new DecisionProblem(end.code, end.words);
  return { status: 200 as const, json: rowPayee.parse(await known.ofRow(batch, row)) };
}

async function withdraw(call: Call<Withdrawing>) {
  const { batch, row, how: said } = call.body;
  const { payees: known, door } = call.room;
  const order = { batch, row, how: lineOf(said), by: call.by.name };
  if (!(await known.withdraw(door.verified, param(call, 'payee'), order))) throw new Problem('row_unknown');
  return { status: 200 as const, json: rowPayee.parse(await known.ofRow(batch, row)) };
}

function erase(call: Call<Lifting>) {
  const { payees: known, door } = call.room;
  const order = { by: call.by.name, reason: lineOf(call.body.reason) };
  if (!known.erase(door.file, param(call, 'payee'), order)) throw new Problem('payee_unknown');
  return Promise.resolve({ status: 200 as const, json: {} });
}

export const PAYEE_ROUTES: readonly Route[] = [
  route(
    'GET /payees',
    'files:read-all',
    'Everybody who was paid, the last one first, or those with words in the name or the last four digits of an account',
    { query: payeesQuery, replies: { 200: payees }, does: listPayees },
  ),
  route('GET /payees/table', 'files:read-all', 'The same as a table, all of it', {
    query: payeesFilter,
    replies: { 200: 'table' },
    does: exportPayees,
  }),
  route('GET /payees/:payee', 'files:read-all', 'The accounts, sums and last payments of one payee', {
    replies: { 200: payeeHistory },
    does: readPayee,
  }),
  route(
    'GET /files/:batch/payee',
    'files:read-all',
    'Whom a row pays, and whether its account was verified',
    {
      query: rowPayeeQuery,
      replies: { 200: rowPayee },
      does: payeeOfRow,
    },
  ),
  route(
    'POST /payees/:payee/verified',
    ROLES_THAT_DECIDE,
    'Says that the account of a row was verified with the payee',
    { stepUp: 'always', body: verifying, replies: { 200: rowPayee }, does: verify },
  ),
  route('DELETE /payees/:payee/verified', ROLES, 'Withdraws what was verified of the account of a row', {
    body: withdrawing,
    replies: { 200: rowPayee },
    does: withdraw,
  }),
  route('DELETE /payees/:payee', ['admin'], 'Erases what is known of a payee besides the books', {
    stepUp: 'always',
    body: lifting,
    replies: { 200: nothing },
    does: erase,
  }),
];
