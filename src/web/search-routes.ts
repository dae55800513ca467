// The search over all that is on record, for whoever may see the files in which it stands.
import { ToldError } from '../base/language.ts';
import { found, type SearchOrder, searchOrder } from '../contract/search.ts';
import { type Call, readerOfRows, type Route, route } from './call.ts';
import { onlyOwnOf } from './callers.ts';
import { Problem } from './problems.ts';

async function search(call: Call<SearchOrder>) {
  const asking = { own: onlyOwnOf(call.by), reader: readerOfRows(call), signal: call.signal };
  const json = await call.room.search.find(call.body, asking).catch((error: unknown) => {
    if (error instanceof ToldError) throw new Problem('search_unusable', { words: error.words });
    throw error;
  });
  return { status: 200 as const, json };
}

export const SEARCH_ROUTES: readonly Route[] = [
  route(
    'POST /search',
    'files:read',
    'Files and payments by words of a reference, a name, a document or a file, by an amount, the last four digits of an account or all of it, or the id of a transfer',
    { isToldOnce: true, body: searchOrder, replies: { 200: found }, does: search },
  ),
];
