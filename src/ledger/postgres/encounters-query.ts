// What rows have in common with others, found by their indexes: candidates, for which encounters.ts decides whether they meet. Each join goes from the
// own rows to the others, so that the cost is that of the own.
import { WITHOUT_DATE } from '../encounters.ts';
import { find, type Plan, send } from '../plan.ts';
import type { Found } from '../seals.ts';
import { type PositionRange, ROW_COLUMNS, ROWS } from '../tables/rows.ts';

const OTHER = `o.batch, o.position, o.row, o.reference, o.fingerprint, s.progress, s.written_by`;
const MINE = `m.batch = $1 AND m.position >= $2 AND m.position < $3`;
const OWN = `m.position AS own_position, m.reference AS own_reference, m.fingerprint AS own_fingerprint`;
const STATE = `JOIN row_states s ON s.batch = o.batch AND s.position = o.position`;
const DOCUMENT_OF = (row: string): string => `${row}.payout::json ->> 'documentReferenceNumber'`;
const NOT_ITSELF = `(o.batch <> m.batch OR o.position <> m.position)`;

/** Of two equal payments of which mine has no reference: of its own file the other has none either. */
const EQUALS = `${NOT_ITSELF} AND (o.batch <> m.batch OR (o.reference IS NULL AND o.fingerprint = m.fingerprint))`;

/** A row that comes from this place. */
const FROM_PLACE = (place: string): string =>
  `rows m JOIN rows o ON o.lineage IS NOT NULL AND ${WITHOUT_DATE('o.lineage')} = ${place} AND o.batch <> m.batch`;

/** Rows in recent batches alone: a batch is named by its day, so that the older ones lie in front, and are not read. It is no join, by which all rows of recent batches would be read. */
const RECENT = `o.batch >= (SELECT min(id) FROM (SELECT id FROM batches WHERE recent_from >= $4 OFFSET 0) recent)
  AND (SELECT b.recent_from FROM batches b WHERE b.id = o.batch) >= $4`;

const REQUESTED_OF = (row: string): string =>
  `CASE ${row}.payout::json -> 'requested' ->> 'side' WHEN 'source' THEN ${row}.source_currency ELSE ${row}.payout::json ->> 'targetCurrency' END`;

const WAY = (row: string): string =>
  `${row}.account, ${REQUESTED_OF(row)} AS requested, ${row}.payout::json ->> 'targetCurrency' AS target, ${DOCUMENT_OF(row)} AS document`;

/** What is asked for in which currency stands in the payment, which is read once of each row: a file may pay one account in every row, and each of them is compared with each. */
const WAYS = `
  WITH mine AS MATERIALIZED (SELECT ${OWN}, ${WAY('m')} FROM rows m WHERE ${MINE} AND m.account IS NOT NULL),
  theirs AS MATERIALIZED (
    SELECT ${OTHER}, ${WAY('o')}
      FROM rows o ${STATE}
     WHERE o.account IN (SELECT account FROM mine) AND o.batch <> $1 AND ${RECENT})`;

const CANDIDATES = `${WAYS}
  SELECT 'same-reference' AS kind, ${OWN}, ${OTHER}, NULL AS own_document, NULL AS document
    FROM rows m JOIN rows o ON o.reference_key = m.reference_key AND o.reference = m.reference AND ${NOT_ITSELF} ${STATE}
   WHERE ${MINE}
  UNION ALL
  SELECT 'similar-reference', ${OWN}, ${OTHER}, NULL, NULL
    FROM rows m JOIN rows o ON o.reference_key = m.reference_key AND o.reference <> m.reference
                          AND o.fingerprint = m.fingerprint AND m.reference_key <> '' ${STATE}
   WHERE ${MINE}
  UNION ALL
  SELECT 'comes-from', ${OWN}, ${OTHER}, NULL, NULL
    FROM rows m JOIN batches b ON ${WITHOUT_DATE('b.id')} = ${WITHOUT_DATE(`split_part(m.lineage, '/', 1)`)}
                JOIN rows o ON o.batch = b.id AND ${WITHOUT_DATE('m.lineage')} = ${WITHOUT_DATE('o.batch')} || '/' || o.row ${STATE}
   WHERE ${MINE} AND m.lineage IS NOT NULL AND m.reference IS NULL
  UNION ALL
  SELECT 'same-row', ${OWN}, ${OTHER}, NULL, NULL
    FROM ${FROM_PLACE(WITHOUT_DATE('m.lineage'))} ${STATE}
   WHERE ${MINE} AND m.lineage IS NOT NULL AND m.reference IS NULL
  UNION ALL
  SELECT 'same-row', ${OWN}, ${OTHER}, NULL, NULL
    FROM ${FROM_PLACE(`${WITHOUT_DATE('m.batch')} || '/' || m.row`)} ${STATE}
   WHERE ${MINE} AND m.reference IS NULL
  UNION ALL
  SELECT 'same-payment', ${OWN}, ${OTHER}, NULL, NULL
    FROM rows m JOIN rows k ON k.payment = m.payment JOIN row_states s ON s.batch = k.batch AND s.position = k.position AND s.stage <> 'paid'
    JOIN batches b ON b.id = k.batch AND b.recent_from < $4 JOIN rows o ON o.batch = k.batch AND o.position = k.position AND ${EQUALS}
   WHERE ${MINE} AND m.reference IS NULL
  UNION ALL
  SELECT 'same-payment', ${OWN}, ${OTHER}, NULL, NULL
    FROM rows m JOIN rows o ON o.payment = m.payment AND ${EQUALS} AND ${RECENT} ${STATE}
   WHERE ${MINE} AND m.reference IS NULL
  UNION ALL
  SELECT 'other-reference', ${OWN}, ${OTHER}, ${DOCUMENT_OF('m')}, ${DOCUMENT_OF('o')}
    FROM rows m JOIN rows o ON o.payment = m.payment AND o.batch <> m.batch AND (o.reference IS NULL OR o.reference <> m.reference) AND ${RECENT} ${STATE}
   WHERE ${MINE} AND m.reference IS NOT NULL
  UNION ALL
  SELECT 'other-way', m.own_position, m.own_reference, m.own_fingerprint,
         o.batch, o.position, o.row, o.reference, o.fingerprint, o.progress, o.written_by, m.document, o.document
    FROM mine m JOIN theirs o ON o.account = m.account AND o.target = m.target AND o.requested <> m.requested
   WHERE m.own_reference IS NULL OR o.reference IS NULL OR o.reference <> m.own_reference`;

/** Rows of an earlier batch have no index by their name: their own are found among all of it at once. */
const ALL_AT_ONCE = "SELECT set_config('enable_hashjoin', 'on', true)";

/** See `KeysOfStore`. */
export function* candidates(
  batch: string,
  { from, to }: PositionRange,
  since: string,
): Plan<readonly Found[]> {
  yield* send(ALL_AT_ONCE);
  return yield* find(CANDIDATES, [batch, from, to, since]);
}

const ONE_ROW = `SELECT NULL AS own_document, ${DOCUMENT_OF('o')} AS document, ${OTHER} FROM rows o ${STATE}`;

export const BY_REFERENCE = `${ONE_ROW} WHERE o.reference_key = $1 AND o.reference = $2`;

export const BY_PAYMENT = `${ONE_ROW} JOIN batches b ON b.id = o.batch WHERE o.payment = $1 AND (s.stage <> 'paid' OR b.recent_from >= $2)`;

/** The day of the last one that is asked for: a batch is named by its day, and what lies before it is not read. */
const DAY_OF_LAST = `SELECT left(r.batch, 8) FROM ${ROWS} WHERE r.payee = $1 AND s.stage = 'paid' ORDER BY r.batch DESC LIMIT 1 OFFSET $2 - 1`;

/** See `Ledger.paidTo`. */
export const PAID_TO = `
  SELECT r.account, (SELECT accepted_at FROM batches WHERE id = r.batch) AS accepted_at, ${ROW_COLUMNS} FROM ${ROWS}
   WHERE r.payee = $1 AND r.batch >= coalesce((${DAY_OF_LAST}), '') AND s.stage = 'paid' ORDER BY accepted_at DESC, r.batch, r.position DESC LIMIT $2`;

/** Of the files of which anything counts on the day: what a payee got in others is not read. */
const paidBy = (...keys: readonly string[]): string => `
  WITH of_day AS MATERIALIZED (SELECT key AS batch FROM spent WHERE scope = 'file' AND day = $1),
  of_payee AS MATERIALIZED (${keys
    .map(
      (key) => `
    SELECT batch, position FROM rows WHERE ${key} AND batch >= (SELECT min(batch) FROM of_day)`,
    )
    .join(' UNION')})
  SELECT s.counted FROM of_payee r JOIN row_states s ON s.batch = r.batch AND s.position = r.position
   WHERE s.counted_day = $1 AND s.source_currency = $2 AND r.batch IN (SELECT batch FROM of_day)`;

/** See `paidOnBy`. */
export const PAID_ON = {
  payee: paidBy('payee IN ($3, $4)', 'payee_short IN ($3, $4)'),
  account: paidBy('account = $3'),
};
