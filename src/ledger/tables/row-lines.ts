// Rows to their tables, and the lines that a write begins from.
import type { DecimalText } from '../../base/decimal.ts';
import { eachOf, find, findEach, sendEach, type Plan, send, findEachLater } from '../plan.ts';
import type { LeasedBatch, NewRow, RowRecord } from '../records.ts';
import type { RowChange } from '../ledger.ts';
import { isWithoutCall } from '../row-rules.ts';
import { FIXED, type Found } from '../seals.ts';
import { fixedOf, newStateOf, textOrNull } from '../stored-rows.ts';
import type { BatchesTable } from './batches.ts';

export type Place = Pick<RowRecord, 'batch' | 'position'>;

/** A write of a row, under the lease of its batch. */
export type RowWrite = { readonly leased: LeasedBatch; readonly row: RowRecord; readonly change: RowChange };

/** The line of a row before and after its write. */
export type WrittenLine = { readonly before: Found; readonly after: Found; readonly item: RowWrite };

export function keyOf({ batch, position }: Found | Place): string {
  return `${String(batch)}/${String(position)}`;
}

type NewLine = {
  readonly fixed: ReturnType<typeof fixedOf>;
  readonly state: ReturnType<typeof newStateOf>;
  readonly dueAt: number | null;
  readonly payOn: string | null;
};

const PLACE = {
  batch: ['text', ({ batch }: Place) => batch],
  position: ['int', ({ position }: Place) => position],
} as const;

const STATE = ['source_currency', 'stage', 'held', 'rejections', 'progress', 'written_by'] as const;

type Column = readonly ['text' | 'int' | 'bigint', (line: NewLine) => string | number | null];

/** What no seal covers. */
const UNSEALED: Readonly<Record<string, Column>> = {
  version: ['int', ({ state }) => state.version],
  due_at: ['bigint', ({ dueAt }) => dueAt],
  pay_on: ['text', ({ payOn }) => payOn],
};

function insertInto(table: string, columns: Readonly<Record<string, Column>>) {
  const names = Object.keys(columns);
  const read = names.map((name) => `l.${name}`);
  return eachOf<NewLine>(
    `INSERT INTO ${table} (${names.join(', ')}) SELECT ${read.join(', ')} FROM lines l`,
    columns,
  );
}

type RowLines = ReturnType<typeof rowLines>;

/** @param digestIn the table in which the store keeps the digest of what never changes of a row. */
export function rowLines(digestIn: 'rows' | 'row_states') {
  const batch: Column = ['text', ({ state }) => state.batch];
  const position: Column = ['int', ({ state }) => state.position];
  const digest: Readonly<Record<string, Column>> = { fixed: ['text', ({ state }) => state.fixed] };
  const ofRow = Object.fromEntries(
    FIXED.map((name): [string, Column] => [
      name,
      [name === 'position' ? 'int' : 'text', ({ fixed }) => fixed[name]],
    ]),
  );
  const ofState = Object.fromEntries(
    STATE.map((name): [string, Column] => [name, ['text', ({ state }) => state[name]]]),
  );
  const [inRow, inState] = digestIn === 'rows' ? [digest, {}] : [{}, digest];
  const addRows = insertInto('rows', { ...ofRow, ...inRow });
  const addStates = insertInto('row_states', { batch, position, ...ofState, ...UNSEALED, ...inState });
  const digestAlone =
    digestIn === 'rows'
      ? '(SELECT fixed FROM rows f WHERE f.batch = s.batch AND f.position = s.position) AS fixed'
      : 's.fixed';
  const unchanged = 's.batch, s.position, s.version, s.source_currency, s.counted_day, s.counted';
  const lines = eachOf<Place>(
    `SELECT ${unchanged}, ${digestAlone} FROM lines l, row_states s WHERE s.batch = l.batch AND s.position = l.position
      ORDER BY s.batch, s.position FOR UPDATE OF s`,
    PLACE,
  );
  const whole = eachOf<Place>(
    `SELECT ${unchanged}, fixed, s.stage, s.held, s.rejections, s.progress, s.written_by, r.payee, r.payee_short, r.account
       FROM lines l, row_states s, rows r
      WHERE s.batch = l.batch AND s.position = l.position AND r.batch = l.batch AND r.position = l.position
      ORDER BY s.batch, s.position FOR UPDATE OF s`,
    PLACE,
  );
  const byKey = function* (asked: ReturnType<typeof lines>): Plan<ReadonlyMap<string, Found>> {
    return new Map((yield* findEach(asked)).map((found) => [keyOf(found), found]));
  };
  return {
    /** The lines of these rows by `keyOf`, which nobody else writes before the commit ends: as far as a write leaves them. */
    toWrite: (places: readonly Place[]) => byKey(lines(places)),
    /** The same, with all that is sealed, and with whom each row pays. */
    whole: (places: readonly Place[]) => byKey(whole(places)),
    /** Gives the lines as they are written. */
    insert: function* (run: string, of: string, rows: readonly NewRow[]): Plan<readonly Found[]> {
      const made = rows.map((row): NewLine => {
        const fixedPart = fixedOf(of, row);
        const dueAt = row.isDue && row.progress.hold === null ? 0 : null;
        return { fixed: fixedPart, state: newStateOf(fixedPart, row, run), dueAt, payOn: row.payOn ?? null };
      });
      yield* sendEach(addRows(made));
      yield* sendEach(addStates(made));
      return made.map(({ state }) => ({ ...state, counted_day: null, counted: null }));
    },
  };
}

/** All or none, and only under the lease of each batch. If a hint came since a row was read, the look may have been too early. */
const WRITE = eachOf<WrittenLine>(
  `UPDATE row_states AS s
      SET stage = l.stage, held = l.held, progress = l.progress, rejections = l.rejections, version = s.version + 1, written_by = l.written_by,
          counted_day = l.counted_day, counted = l.counted,
          due_at = CASE WHEN l.held IS NOT NULL THEN NULL WHEN s.hints <> l.hints AND NOT l.has_no_call THEN 0 ELSE l.due_at END
     FROM lines l
    WHERE s.batch = l.batch AND s.position = l.position AND s.version = l.version
      AND EXISTS (SELECT 1 FROM batches b WHERE b.id = l.batch AND b.owner = $1 AND b.token = l.token AND b.is_free = 0)
      AND s.counted_day IS NOT DISTINCT FROM l.day_before AND s.counted IS NOT DISTINCT FROM l.counted_before`,
  {
    batch: ['text', ({ item }) => item.row.batch],
    position: ['int', ({ item }) => item.row.position],
    version: ['int', ({ item }) => item.row.version],
    hints: ['int', ({ item }) => item.row.hints],
    stage: ['text', ({ after }) => textOrNull(after['stage'])],
    held: ['text', ({ after }) => textOrNull(after['held'])],
    progress: ['text', ({ after }) => textOrNull(after['progress'])],
    rejections: ['text', ({ after }) => textOrNull(after['rejections'])],
    written_by: ['text', ({ after }) => textOrNull(after['written_by'])],
    counted_day: ['text', ({ after }) => textOrNull(after['counted_day'])],
    counted: ['text', ({ after }) => textOrNull(after['counted'])],
    due_at: ['bigint', ({ item }) => item.change.dueAt],
    token: ['bigint', ({ item }) => item.leased.token],
    has_no_call: ['boolean', ({ item }) => isWithoutCall(item.change.progress)],
    day_before: ['text', ({ before }) => textOrNull(before['counted_day'])],
    counted_before: ['text', ({ before }) => textOrNull(before['counted'])],
  },
  true,
);

/** Gives the answer of the store, for which the commit waits. */
export function writeLines(run: string, lines: readonly WrittenLine[]): Plan<Promise<unknown>> {
  return findEachLater(WRITE(lines, [run]));
}

const COUNT = eachOf<Found>(
  `UPDATE row_states AS s SET counted_day = l.counted_day, counted = l.counted FROM lines l WHERE s.batch = l.batch AND s.position = l.position`,
  {
    batch: ['text', ({ batch }) => textOrNull(batch)],
    position: ['int', ({ position }) => Number(position)],
    counted_day: ['text', (line) => textOrNull(line['counted_day'])],
    counted: ['text', ({ counted }) => textOrNull(counted)],
  },
);

/** What lines count for against the limits. */
export function* countLines(lines: readonly Found[]): Plan<void> {
  yield* sendEach(COUNT(lines));
}

/** Removes all rows of a batch; gives those that counted against the limits. */
export function* removeRows(batch: string): Plan<readonly Found[]> {
  const counted = yield* find(
    'SELECT batch, position, source_currency, counted_day, counted FROM row_states WHERE batch = $1 AND counted IS NOT NULL',
    [batch],
  );
  for (const table of ['row_states', 'rows']) yield* send(`DELETE FROM ${table} WHERE batch = $1`, [batch]);
  return counted;
}

const APPROVED = eachOf<Place>(
  'SELECT a.batch, a.position FROM lines l, approved_rows a WHERE a.batch = l.batch AND a.position = l.position',
  PLACE,
);

/** Which of these rows its batch's question was about, by `keyOf`. */
export function* approvedAmong(rows: readonly Place[]): Plan<ReadonlySet<string>> {
  return new Set((yield* findEach(APPROVED(rows))).map(keyOf));
}

// What the writes of rows are made with.

/** What a run knows of rows and batches without asking. Whether it still stands so, each write asks. */
export type RowMemory = {
  readonly line: (row: RowRecord) => Found | null;
  readonly learn: (line: Found) => void;
  readonly forget: (row: Place) => void;
  /** Whether somebody else may have the batch by now, so that it is asked before a write and not with it. */
  readonly doubts: Pick<Set<string>, 'has' | 'add' | 'delete'>;
};

export type RowParts = {
  readonly run: string;
  readonly batches: BatchesTable;
  readonly lines: RowLines;
  readonly memory: RowMemory;
  /** What counts on a day for the payee of a line, under any account, or for its account, under any name; null where the line has none. */
  readonly paidOn: (line: Found, by: 'payee' | 'account', day: string) => Plan<DecimalText | null>;
  /** To be called while the rows of a batch that go are still there: so do the keys by which others find them. */
  readonly forgetKeys: (batch: string) => Plan<void>;
};
