// The search over all that is on record, for whoever may see the files in which it stands.
import { found, type SearchOrder, searchOrder } from '../contract/search.ts';
import { type Call, type Route, route } from './call.ts';
import { onlyOwnOf } from './callers.ts';

async function search({ room, body, by, reader }: Call<SearchOrder>) {
  return { status: 200 as const, json: await room.search.find(body, { own: onlyOwnOf(by), reader }) };
}

export const SEARCH_ROUTES: readonly Route[] = [
  route(
    'POST /search',
    'files:read',
    'Files and payments by words of a reference, a name, a document or a file, by an amount, the end of an account, or the id of a transfer',
    { body: searchOrder, replies: { 200: found }, does: search },
  ),
];
