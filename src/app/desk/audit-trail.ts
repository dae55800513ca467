// The audit trail: who did what, in one list. What was done at the page stands in the log of access, and what people decided about files by whatever
// door in the history of the ledger; a decision that stands in both is listed once.
import { isSamePerson } from '../../base/person-name.ts';
import type { AuditEntry, AuditFilter } from '../../contract/people.ts';
import type { Access } from '../../contract/words.ts';
import { readAnswerName } from '../../inbox/answer-name.ts';
import { FROM_START, type Told, toldOf } from '../../ledger/history.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { writeCsv } from '../../rows/csv/csv-file.ts';
import { type CsvForm, PLAIN_FORM } from '../../rows/form.ts';
import { type AccessEntry, accessLog, type PeopleFile } from '../people/people-file.ts';

/** What the trail is made of. */
export type AuditSources = {
  readonly ledger: Pick<Ledger, 'batch' | 'batches' | 'history'>;
  readonly file: PeopleFile;
};

/** How much of either history is listed already; null for none of it. */
export type AuditPlace = { readonly seq: number | null; readonly decision: string | null };

type Filter = AuditFilter & { readonly batches: readonly BatchRecord[] };

const PAGE = 500;

export const AUDIT_NAME = 'audit.csv';
const COLUMNS = ['at', 'who', 'what', 'file', 'about', 'seq'] as const;
/** Of the tables that the page gives: with a byte order mark, by which spreadsheet programs know UTF-8. */
export const TABLE_FORM: CsvForm = { ...PLAIN_FORM, encoding: { name: 'utf-8', bom: true }, newline: '\r\n' };

/** The bytes of a table of them all. */
export function auditTable(sources: AuditSources, asked: AuditFilter): AsyncIterable<Uint8Array> {
  return writeCsv(TABLE_FORM, tableLines(sources, asked), new Set());
}

async function* tableLines(sources: AuditSources, asked: AuditFilter) {
  yield [COLUMNS];
  for await (const { entry } of auditTrail(sources, asked))
    yield [COLUMNS.map((column) => String(entry[column] ?? ''))];
}

/** The entries behind a place, the newest first, each with the place behind it. */
export async function* auditTrail(
  { ledger, file }: AuditSources,
  asked: AuditFilter,
  { seq, decision }: AuditPlace = { seq: null, decision: null },
): AsyncGenerator<{ readonly entry: AuditEntry; readonly place: AuditPlace }> {
  const filter = { ...asked, batches: await batchesOf(ledger, asked.file) };
  const decisions = (await decisionsOf(ledger, file, filter)).values();
  const ofPage = entriesOf(file, filter, seq);
  const place = { seq, decision };
  let [own, other] = [ofPage.next().value, decisions.next().value];
  while (other !== undefined && decision !== null && other.id >= decision) other = decisions.next().value;
  while (own !== undefined || other !== undefined) {
    if (own !== undefined && (other === undefined || own.at >= other.at)) {
      yield { entry: own, place: { ...place, seq: (place.seq = own.seq) } };
      own = ofPage.next().value;
    } else if (other !== undefined) {
      yield { entry: other, place: { ...place, decision: (place.decision = other.id) } };
      other = decisions.next().value;
    }
  }
}

/** All of them, or those whose name or batch has these words. */
async function batchesOf(ledger: AuditSources['ledger'], words = ''): Promise<readonly BatchRecord[]> {
  const known = await ledger.batches();
  const sought = words.toLowerCase();
  return known.filter(({ id, fileName }) => `${id} ${fileName}`.toLowerCase().includes(sought));
}

// What was done at the page.

function* entriesOf(file: PeopleFile, filter: Filter, seq: number | null): Generator<AuditEntry, undefined> {
  const { person = null, what, from = null, to = null } = filter;
  const about = filter.file === undefined ? null : [filter.file, ...filter.batches.map(({ id }) => id)];
  for (let before = seq; ;) {
    const page = accessLog(file, {
      who: person,
      what: what === undefined ? null : [what],
      about,
      from,
      to,
      before,
      limit: PAGE,
    });
    for (const entry of page) yield shownAccess(entry);
    before = page.at(-1)?.seq ?? null;
    if (page.length < PAGE) return;
  }
}

/** About a file, or a row of it. */
const OF_ROWS: ReadonlySet<Access> = new Set<Access>([
  'account_verified',
  'verification_withdrawn',
  'commented',
  'stood_in',
]);

/** What an owner looks at twice. */
const WEAK: ReadonlySet<Access> = new Set<Access>(['roles_given_alone', 'sign_in_refused']);

function shownAccess(entry: AccessEntry): AuditEntry {
  const { seq, what, about } = entry;
  const ofAnswer = (): string | null => readAnswerName(about ?? '')?.batch ?? null;
  const ofRow = OF_ROWS.has(what) ? (about?.split(' ')[0] ?? null) : null;
  const file = DECISIONS.has(what) ? about : what === 'answer_read' ? ofAnswer() : ofRow;
  return { ...entry, id: `page-${String(seq)}`, file, isWeak: WEAK.has(what) };
}

// What people decided about files.

/** An approval that is asked for again, or a pause that comes back, is told by its own event each time. */
const KINDS: Partial<Readonly<Record<Told['code'], Access>>> = {
  approval_first_given: 'approved',
  approval_given: 'approved',
  approval_declined: 'declined',
  batch_paused: 'paused',
  batch_resumed: 'resumed',
  decided: 'released',
};

const DECISIONS: ReadonlySet<Access> = new Set<Access>([...Object.values(KINDS), 'closed_unpaid']);

/** The same order at the page is in the log once it is in the ledger: that takes no longer. */
const SAME_WITHIN_MS = 60_000;

async function decisionsOf(
  ledger: AuditSources['ledger'],
  file: PeopleFile,
  filter: Filter,
): Promise<readonly AuditEntry[]> {
  const all = { who: null, what: [...DECISIONS], about: null, from: null, to: null, before: null, limit: -1 };
  const atPage = Map.groupBy(accessLog(file, all), ({ about }) => about);
  const found: AuditEntry[] = [];
  for (const { id, decisions, approval } of filter.batches) {
    if (decisions.length === 0 && approval?.kind !== 'asked') continue;
    const own = atPage.get(id) ?? [];
    for await (const entry of decisionsAbout(ledger, id))
      if (isAsked(entry, filter) && !own.some((other) => isSame(entry, other))) found.push(entry);
  }
  return found.sort((one, other) => (one.id < other.id ? 1 : -1));
}

async function* decisionsAbout(ledger: AuditSources['ledger'], batch: string): AsyncGenerator<AuditEntry> {
  let number = 0;
  let cancelled: AuditEntry | null = null;
  for (let place = FROM_START; ;) {
    const { events, next } = await ledger.history.events({ batch, position: null }, place, PAGE);
    for (const event of events)
      for (const { code, by, reason, about: of } of toldOf(event)) {
        const what = of === 'cancel' ? 'closed_unpaid' : KINDS[code];
        if (what === undefined || by === undefined) continue;
        number += 1;
        const id = `${event.at} ${batch} ${String(number).padStart(6, '0')}`;
        const about = reason === undefined || reason === '' ? null : reason;
        const entry = { id, seq: null, at: event.at, who: by, what, about, file: batch, isWeak: false };
        // What holds a file up is lifted by the order that cancels the whole of it, and nothing is released by that.
        if (what === 'released' && cancelled !== null && isOneOrder(entry, cancelled)) continue;
        if (what === 'closed_unpaid') cancelled = entry;
        yield entry;
      }
    if (events.length < PAGE) return;
    place = next;
  }
}

function isAsked({ at, who, what }: AuditEntry, { person, what: kind, from, to }: Filter): boolean {
  return (
    (person === undefined || isSamePerson(who ?? '', person)) &&
    (kind === undefined || what === kind) &&
    (from === undefined || at >= from) &&
    (to === undefined || at < to)
  );
}

function isOneOrder(lifted: AuditEntry, cancelled: AuditEntry): boolean {
  const isOfOne = lifted.who === cancelled.who && lifted.about === cancelled.about;
  return isOfOne && Date.parse(lifted.at) - Date.parse(cancelled.at) <= SAME_WITHIN_MS;
}

function isSame(decision: AuditEntry, access: AccessEntry): boolean {
  return (
    decision.what === access.what &&
    isSamePerson(decision.who ?? '', access.who ?? '') &&
    Math.abs(Date.parse(decision.at) - Date.parse(access.at)) <= SAME_WITHIN_MS
  );
}
