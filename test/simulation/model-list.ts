// The list of the model service: a window of at most 7 days, page by page in the order of creation, as the service was at some moment, which
// may lie further back for one page than for another.
import { Refusal } from './model-refusal.ts';
import type { Transfer } from './model-records.ts';
import { transferView } from './model-wire.ts';
import type { Holes } from './plan.ts';

const WINDOW_MOST_MS = 7 * 24 * 3_600_000;

export type ListAsked = {
  readonly path: string;
  readonly nextKey: string | undefined;
  /** What came to be after that is not shown. */
  readonly at: number;
  readonly holes: Holes;
};

export type ListPage = { readonly json: unknown; readonly headers: Readonly<Record<string, string>> };

export function pageOf(transfers: readonly Transfer[], { path, nextKey, at, holes }: ListAsked): ListPage {
  const query = new URL(path, 'http://model').searchParams;
  const [start, end] = [timeOf(query.get('startTime')), timeOf(query.get('endTime'))];
  if (end < start) throw new Refusal(10001);
  if (end - start > WINDOW_MOST_MS) throw new Refusal(10023);
  const shown = transfers
    .filter(({ createdAt }) => createdAt >= start && createdAt <= end)
    .flatMap((transfer) => {
      const state = transfer.past.findLast((past) => past.at <= at)?.state;
      return state === undefined ? [] : [transferView(transfer, state, holes)];
    });
  const from = nextKey === undefined ? 0 : Number(nextKey);
  const page = shown.slice(from, from + holes.listPageRows);
  // A full page tells of a next one, also where nothing comes after it.
  const isFull = page.length === holes.listPageRows;
  return {
    json: holes.listIsWrapped ? { transfers: page } : page,
    headers: isFull ? { 'x-next-key': String(from + page.length) } : {},
  };
}

function timeOf(text: string | null): number {
  const time = Date.parse(text ?? '');
  if (Number.isNaN(time)) throw new Refusal(10001);
  return time;
}
