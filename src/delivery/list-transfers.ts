// Every transfer that was created within a period, page by page. The service shows at most 7 days at a time, and says neither how its pages
// end nor whether its bounds are inclusive: windows overlap, a transfer that comes twice is given once, and pages that go round in circles end.
import { isoTime } from '../base/clock.ts';
import { Unanswered } from '../service/errors.ts';
import { LIST_WINDOW_MAX_MS, type Transfer } from '../service/wire.ts';
import type { Answer, TransferListQuery, TransferPage } from '../service/payout-service.ts';
import type { DeliveryTools } from './tools.ts';

/** Below the 7 days of the interface, so that no difference between two clocks or roundings makes it too wide. */
export const LIST_WINDOW_MS = LIST_WINDOW_MAX_MS - 3_600_000;

/** Windows overlap by more than any rounding of `createdAt`. */
const OVERLAP_MS = 60_000;

/** With a hundred transfers a page, a million in one window. */
const PAGES_MOST = 10_000;

/** Milliseconds since 1970, both ends included. */
export type Period = { readonly fromMs: number; readonly toMs: number };

/** One page, and the service's own time when it gave it. */
export type ListedPage = { readonly transfers: readonly Transfer[]; readonly serverTime: number | null };

type Lister = Pick<DeliveryTools, 'service' | 'serviceClock'>;

/** Pages of a period of any length. Throws a `Fault` when the service does not tell. */
export async function* listTransfers(tools: Lister, { fromMs, toMs }: Period): AsyncGenerator<ListedPage> {
  // The transfers of the window before: only those can come again.
  let before: ReadonlySet<string> = new Set();
  for (let startMs = fromMs; ; startMs += LIST_WINDOW_MS - OVERLAP_MS) {
    const endMs = Math.min(startMs + LIST_WINDOW_MS, toMs);
    const given = new Set<string>();
    for await (const { transfers, serverTime } of pagesOf(tools, { fromMs: startMs, toMs: endMs })) {
      const fresh = transfers.filter(({ id }) => !before.has(id) && !given.has(id));
      for (const { id } of transfers) given.add(id);
      yield { transfers: fresh, serverTime };
    }
    if (endMs >= toMs) return;
    before = given;
  }
}

async function* pagesOf(
  { service, serviceClock }: Lister,
  { fromMs, toMs }: Period,
): AsyncGenerator<ListedPage> {
  const window = { startTime: isoTime(fromMs), endTime: isoTime(toMs) };
  const keys = new Set<string>();
  for (let nextKey: string | null = null; ;) {
    const query: TransferListQuery = nextKey === null ? window : { ...window, nextKey };
    const { value, serverTime }: Answer<TransferPage> = await serviceClock.ask(() =>
      service.transfers(query),
    );
    yield { transfers: value.transfers, serverTime };
    nextKey = value.nextKey;
    if (nextKey === null) return;
    if (keys.has(nextKey) || keys.size >= PAGES_MOST) throw endless(serverTime);
    keys.add(nextKey);
  }
}

function endless(serverTime: number | null): Unanswered {
  return new Unanswered(
    'malformed',
    { operation: 'transfers', httpStatus: 200, serverTime, retryAfterMs: null },
    'The pages of the list have no end.',
  );
}
