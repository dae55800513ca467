// Reports changes to programs as they are committed. It reads them from the ledger's own history, so that it survives restarts, crosses processes
// and continues where a reader was: some changes may be reported twice, and none is left out.
import { isOfProgram } from '../app/desk/batch-status.ts';
import { moneyStatus } from '../app/desk/money-status.ts';
import { startOfFeed } from '../app/desk/file-views.ts';
import type { FeedPage } from '../app/desk/watched.ts';
import { stopOf } from '../app/desk/page-decisions.ts';
import { type PageReader, say as inWords } from '../base/language.ts';
import type { Job } from '../app/desk/jobs.ts';
import type { Call, EventSource, Room } from './call.ts';
import { onlyOwnOf } from './callers.ts';
import { shownJob } from './work-routes.ts';

/** Between two looks at the history. */
const LOOK_EVERY_MS = 250;
/** Of one look: a reader who was long away costs the payments no more than the others. */
const PAGES_MOST = 10;

/** Rows that are named one by one in one event; of more only the number is told. */
const ROWS_MOST = 200;

/** A proxy ends what says nothing for a minute. */
const SILENCE_MS = 15_000;
const BALANCE_EVERY_MS = 30_000;

/** A person who was signed out does not go on watching, nor does a program whose key has ended. */
const SESSION_EVERY_MS = 1_000;

type Asking = Pick<Call, 'room' | 'by' | 'header' | 'reader'>;

export function followEvents({ room, by, header, reader }: Asking): EventSource {
  return async (write, signal) => {
    const { clock } = room.paydrop;
    const jobs = new Set<string>();
    const begun = new Set<string>();
    const forgets = [room.uploads.onChange((id) => jobs.add(id)), room.jobs.onChange((id) => begun.add(id))];
    const isOwn = ownBatches(room, by);
    let cursor = header('last-event-id') ?? startOfFeed;
    // Something is said soon, whatever there is: Firefox gives a page no response before its first octet.
    let [saidAt, sessionAt] = [-Infinity, clock.monotonic()];
    // The page has just read the balances; a program may ask for nothing but what is told.
    let balanceAt = by.session === null ? -Infinity : clock.monotonic();
    const aside = changesAside({ room, by, reader });
    let unsaid = '';
    /** Whoever has gone is told nothing; and when paydrop ends, it may have closed its book of people already. */
    const isSignedOut = (): boolean => !signal.aborted && hasEnded({ room, by });
    const say = (event: string, data: unknown): void => {
      unsaid += toldAs(event, data);
    };
    const askBalances = balancesOf(room, (lines) => say('balance', { data: lines }));
    try {
      while (!signal.aborted) {
        const changes = await changesBehind(room, cursor, isOwn);
        cursor = changes.place;
        unsaid += changes.text;
        for (const [event, data] of aside()) say(event, data);
        for (const id of jobs) {
          jobs.delete(id);
          const view = await room.uploads.view(id, by.name, reader);
          if (view !== null) say('job', view);
        }
        for (const known of changedJobs(begun, { room, by })) say('job', shownJob(known, reader));
        if (unsaid !== '') {
          saidAt = clock.monotonic();
          const text = unsaid;
          unsaid = '';
          await write(text);
        }
        const now = clock.monotonic();
        if (by.scopes.includes('money:read') && now - balanceAt >= BALANCE_EVERY_MS) {
          balanceAt = now;
          askBalances();
        }
        if (now - sessionAt >= SESSION_EVERY_MS) {
          sessionAt = now;
          if (isSignedOut()) break;
        }
        if (now - saidAt >= SILENCE_MS) unsaid += placeAs(cursor);
        await clock.sleep(LOOK_EVERY_MS, signal);
      }
      if (isSignedOut()) await write(toldAs('session', { ended: true }));
    } finally {
      for (const forget of forgets) forget();
    }
  };
}

/** Nobody waits for them: a service that does not answer keeps nothing back that is known, and lets no session go on. */
function balancesOf({ paydrop, views }: Room, tell: (lines: unknown) => void): () => void {
  let told = '';
  let isAsking = false;
  const ask = async (): Promise<void> => {
    const lines = await moneyStatus(paydrop, views).catch(() => null);
    isAsking = false;
    if (lines === null || JSON.stringify(lines) === told) return;
    told = JSON.stringify(lines);
    tell(lines);
  };
  return () => {
    if (isAsking) return;
    isAsking = true;
    void ask();
  };
}

async function changesBehind(
  { views }: Room,
  behind: string,
  isOwn: ((batch: string) => Promise<boolean>) | null,
): Promise<{ readonly place: string; readonly text: string }> {
  let [place, text] = [behind, ''];
  for (let pages = 0; pages < PAGES_MOST; pages += 1) {
    const page = await views.feed(place);
    if (page.next === place) break;
    // The place is told when all before it has been.
    text += textOf(isOwn === null ? page : await ownPart(page, isOwn)) + placeAs(page.next);
    place = page.next;
  }
  return { place, text };
}

/** Null for whoever sees the files of everybody. Whose a batch is never changes. */
function ownBatches({ paydrop }: Room, by: Call['by']): ((batch: string) => Promise<boolean>) | null {
  const own = onlyOwnOf(by);
  if (own === null) return null;
  const known = new Map<string, Promise<boolean>>();
  return (id) => {
    const isOwn =
      known.get(id) ?? paydrop.ledger.batch(id).then((batch) => batch !== null && isOfProgram(batch, own));
    known.set(id, isOwn);
    return isOwn;
  };
}

async function ownPart(page: FeedPage, isOwn: (batch: string) => Promise<boolean>): Promise<FeedPage> {
  const told: FeedPage['told'][number][] = [];
  for (const event of page.told) if (await isOwn(event.batch)) told.push(event);
  return { ...page, told };
}

/** Without data it is no event, and still where the reader goes on from when it was cut off. */
function placeAs(place: string): string {
  return `id: ${place}\n\n`;
}

/** Those that have changed since the last call. */
function changedJobs(changed: Set<string>, { room, by }: Pick<Call, 'room' | 'by'>): readonly Job[] {
  const jobs = [...changed].flatMap((id) => room.jobs.find(id, by.id) ?? []);
  changed.clear();
  return jobs;
}

/** What stands in no ledger, and has changed since the last call: the stop, and proposed profiles, which are read with the config. Programs decide nothing about those. */
function changesAside({ room: { paydrop }, by, reader }: Pick<Asking, 'room' | 'by' | 'reader'>) {
  let stopped = stopOf(paydrop);
  let profiles = paydrop.config.proposedProfiles;
  return (): readonly (readonly [event: 'trouble' | 'profile', data: object])[] => {
    const [stop, { proposedProfiles }] = [stopOf(paydrop), paydrop.config];
    const isOtherStop = stop?.since !== stopped?.since || (stop === null) !== (stopped === null);
    const isOtherProfile = by.kind === 'person' && proposedProfiles !== profiles;
    stopped = stop;
    profiles = proposedProfiles;
    return [
      ...(isOtherStop ? [['trouble', toldOfStop(stop, reader)] as const] : []),
      ...(isOtherProfile ? [['profile', {}] as const] : []),
    ];
  };
}

/** It is in no ledger: whoever can write into the inbox can stop everything. */
function toldOfStop(stop: ReturnType<typeof stopOf>, reader: PageReader): object {
  const told = stop && { words: inWords(stop.words, reader), since: stop.since };
  return { code: stop === null ? 'stop_lifted' : 'stop_put', stop: told };
}

function hasEnded({ room, by }: Pick<Call, 'room' | 'by'>): boolean {
  const { sessions, keys } = room.door;
  if (by.session !== null) return !sessions.isAlive(by.session.id);
  return by.key !== null && !keys.isAlive(by.key);
}

function toldAs(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Of pages that several readers share. */
const texts = new WeakMap<FeedPage, string>();

function textOf(page: FeedPage): string {
  const text =
    texts.get(page) ??
    toldOfPage(page)
      .map((told) => toldAs(...told))
      .join('');
  texts.set(page, text);
  return text;
}

type EventLines = readonly (readonly [event: 'batch' | 'rows' | 'approval' | 'trouble', data: unknown])[];

/** One event for all that a page tells of the same batch: a step of each of a thousand rows is one thing to look at. */
function toldOfPage({ told: events }: FeedPage): EventLines {
  const told: [EventLines[number][0], unknown][] = [];
  for (const [batch, list] of Map.groupBy(events, (event) => event.batch)) {
    const own = list.filter(({ row }) => row === null);
    const approvals = own.filter(({ code }) => code.startsWith('approval_'));
    const changes = own.filter(({ code }) => !code.startsWith('approval_'));
    const waits = changes.filter(({ waitingFor }) => waitingFor !== undefined && TROUBLE.has(waitingFor));
    if (changes.length > 0) told.push(['batch', { batch, changes: changes.map(withoutPlace) }]);
    if (approvals.length > 0) told.push(['approval', { batch, changes: approvals.map(withoutPlace) }]);
    for (const wait of waits) told.push(['trouble', { ...withoutPlace(wait), batch }]);
    const rows = [...new Set(list.flatMap(({ row }) => row ?? []))];
    if (rows.length > 0) told.push(['rows', { batch, count: rows.length, rows: rows.slice(0, ROWS_MOST) }]);
  }
  return told;
}

/** What a batch waits for, if somebody has to act. */
const TROUBLE: ReadonlySet<string | null> = new Set(['funds', 'credentials', 'service', 'operator']);

function withoutPlace(event: FeedPage['told'][number]) {
  return { ...event, batch: undefined, row: undefined };
}
