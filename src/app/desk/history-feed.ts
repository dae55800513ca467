// The history as it grows, read once for everybody who follows it: the streams of all viewers and the sums of files. Each of them goes on from its own place.
import { type EventCursor, type EventPage, type Told, toldOf } from '../../ledger/history.ts';
import type { Ledger } from '../../ledger/ledger.ts';

const EVENTS_MOST = 1_000;

/** Some seconds of fast payments. Who is further behind reads the ledger alone. */
const PAGES_KEPT = 64;

export type TimelineEvent = Told & { readonly at: string; readonly row: string | null };

/** `told`: what its events changed, for programs. The same page is the same object for all. */
export type FeedPage = EventPage & { readonly told: readonly (TimelineEvent & { readonly batch: string })[] };

export class HistoryFeed {
  readonly #ledger: Pick<Ledger, 'events'>;
  /** By the place behind which they begin, the oldest first; null: nobody has read on from there. */
  readonly #pages = new Map<EventCursor, FeedPage | null>();

  constructor(ledger: Pick<Ledger, 'events'>) {
    this.#ledger = ledger;
  }

  /** What was committed behind a place. Without events: nothing more than that was committed before the call. */
  async after(place: EventCursor): Promise<FeedPage> {
    const known = this.#pages.get(place);
    if (known !== undefined && known !== null) return known;
    const read = this.#untilKnown(await this.#ledger.events(null, place, EVENTS_MOST));
    const page = {
      ...read,
      told: read.events.flatMap((event) => shown(event).map((each) => ({ ...each, batch: event.batch }))),
    };
    if (page.events.length > 0) this.#keep(place, page);
    return page;
  }

  /** A page ends where another one begins: from there on both readers read the same pages. */
  #untilKnown({ events, next }: EventPage): EventPage {
    const at = events.findIndex(({ cursor }) => this.#pages.has(cursor));
    return at < 0 ? { events, next } : { events: events.slice(0, at + 1), next: events[at]?.cursor ?? next };
  }

  #keep(place: EventCursor, page: FeedPage): void {
    this.#pages.delete(place);
    this.#pages.set(place, page);
    if (!this.#pages.has(page.next)) this.#pages.set(page.next, null);
    for (const oldest of this.#pages.keys()) if (this.#pages.size > PAGES_KEPT) this.#pages.delete(oldest);
  }
}

export function shown(event: EventPage['events'][number]): readonly TimelineEvent[] {
  return toldOf(event).map((told) => ({ at: event.at, row: event.row, ...told }));
}
