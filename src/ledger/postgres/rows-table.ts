// Rows from their tables, and as they are registered.
import type { NewRow, RowRecord } from '../records.ts';
import type { Found } from '../seals.ts';
import { fixedOf, newStateOf } from '../stored-rows.ts';
import { CACHED_ROW_COLUMNS } from '../tables/rows.ts';
import type { Query } from './connect.ts';
import type { Tx } from './group-commit.ts';

const LINES = `
  SELECT ${CACHED_ROW_COLUMNS} FROM unnest($1::text[], $2::int[]) AS w (batch, position)
    JOIN row_states s ON s.batch = w.batch AND s.position = w.position JOIN rows r ON r.batch = s.batch AND r.position = s.position
   ORDER BY s.batch, s.position FOR UPDATE OF s`;

type Place = Pick<RowRecord, 'batch' | 'position'>;

/** The lines of these rows, which nobody else writes before the commit ends. */
export async function lockedLines(
  query: Query,
  places: readonly Place[],
): Promise<ReadonlyMap<string, Found>> {
  const found = await query(LINES, [
    places.map(({ batch }) => batch),
    places.map(({ position }) => position),
  ]);
  return new Map(found.map((each) => [keyOf(each), each]));
}

export function keyOf({ batch, position }: Found | Place): string {
  return `${String(batch)}/${String(position)}`;
}

/** The lines of rows that this run has taken up, as it wrote them last: a step need not read again what it knows. Whether it still stands so, the write asks. */
export class KnownLines {
  readonly #lines = new Map<string, Found>();

  get(row: RowRecord): Found | null {
    const found = this.#lines.get(keyOf(row));
    return found?.['version'] === row.version ? found : null;
  }

  set(line: Found): void {
    // Whatever was taken up and never written must not stay for ever.
    if (this.#lines.size >= LINES_MAX) this.#lines.clear();
    this.#lines.set(keyOf(line), line);
  }

  forget(row: Place): void {
    this.#lines.delete(keyOf(row));
  }
}

const LINES_MAX = 5_000;

// Registering.

const ADD_ROWS = `
  INSERT INTO rows (batch, position, row, source_currency, reference, reference_key, lineage, fingerprint, payment, payee, payee_short, account, payout, fixed)
  SELECT $1, * FROM unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[],
                           $12::text[], $13::text[], $14::text[])`;

const ADD_STATES = `
  INSERT INTO row_states (batch, position, source_currency, stage, held, rejections, progress, version, written_by, due_at)
  SELECT $1, position, source_currency, stage, held, rejections, progress, 0, written_by, due_at
    FROM unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[])
      AS s (position, source_currency, stage, held, rejections, progress, written_by, due_at)`;

/** Gives the records as they are written. */
export function insertRows(
  { query }: Tx,
  run: string,
  batch: string,
  rows: readonly NewRow[],
): readonly Found[] {
  const made = rows.map((row) => {
    const fixed = fixedOf(batch, row);
    const dueAt = row.isDue && row.progress.hold === null ? 0 : null;
    return { fixed, state: newStateOf(fixed, row, run), dueAt };
  });
  const fixedColumn = (name: keyof (typeof made)[number]['fixed']) => made.map(({ fixed }) => fixed[name]);
  const stateColumn = (name: keyof (typeof made)[number]['state']) => made.map(({ state }) => state[name]);
  const names = [
    'position',
    'row',
    'source_currency',
    'reference',
    'reference_key',
    'lineage',
    'fingerprint',
    'payment',
    'payee',
    'payee_short',
    'account',
    'payout',
  ] as const;
  const ofState = [
    'position',
    'source_currency',
    'stage',
    'held',
    'rejections',
    'progress',
    'written_by',
  ] as const;
  void query(ADD_ROWS, [batch, ...names.map(fixedColumn), stateColumn('fixed')]);
  void query(ADD_STATES, [batch, ...ofState.map(stateColumn), made.map(({ dueAt }) => dueAt)]);
  return made.map(({ state }) => ({ ...state, counted_day: null, counted: null }));
}

/** Removes all rows of a batch; gives those that counted against the limits. */
export async function removeRows(query: Query, batch: string): Promise<readonly Found[]> {
  const counted = await query(
    'SELECT batch, position, source_currency, counted_day, counted FROM row_states WHERE batch = $1 AND counted IS NOT NULL',
    [batch],
  );
  for (const table of ['row_states', 'rows']) await query(`DELETE FROM ${table} WHERE batch = $1`, [batch]);
  return counted;
}
