// What rows have in common with others, found by their keys: candidates, of which encounters.ts says whether they meet. Each join goes from the own rows to
// the others, so that the cost is that of the own.
import { WITHOUT_DATE } from '../encounters.ts';
import { find, findOne, type Plan } from '../plan.ts';
import type { Found } from '../seals.ts';
import { type PositionRange, ROW_COLUMNS } from '../tables/rows.ts';

// The kinds of keys by which rows are found (see `keys-table.ts`).

export const REFERENCE = '1';
export const PAYMENT = '2';
export const PAYEE = '3';
export const ACCOUNT = '4';

/** What two writings of one reference have in common, and the reference itself where it holds neither letter nor digit: which no such text is. */
export const REFERENCE_OF = (key: string, reference: string): string =>
  `coalesce(nullif(${key}, ''), ${reference})`;

const OTHER = `o.batch, o.position, o.row, o.reference, o.fingerprint, o.progress, o.written_by`;
const MINE = `m.batch = ?1 AND m.position >= ?2 AND m.position < ?3`;
const OWN = `m.position AS own_position, m.reference AS own_reference, m.fingerprint AS own_fingerprint`;
const NOT_ITSELF = `(k.batch <> m.batch OR k.position <> m.position)`;

const DOCUMENT_OF = (row: string): string => `${row}.payout ->> '$.documentReferenceNumber'`;

/** The row that has a key. */
const WHOLE = `CROSS JOIN whole_rows o ON o.batch = k.batch AND o.position = k.position`;

/**
 * Keys of rows in recent batches alone: a salary has equals in every month, and nearly all of them are too old to count. A batch is named by its day, so that the older ones lie in front,
 * and are not read.
 */
const RECENT = `k.batch >= (SELECT min(id) FROM batches INDEXED BY batches_recent WHERE recent_from >= ?4)`;
const RECENT_WHOLE = `CROSS JOIN batches b ON b.id = k.batch AND b.recent_from >= ?4 ${WHOLE}`;

/** Of a key: its row is not paid, so that it counts however old it is. */
const UNPAID = `EXISTS (SELECT 1 FROM row_states u INDEXED BY rows_unpaid WHERE u.batch = k.batch AND u.position = k.position AND u.stage <> 'paid')`;

const BY_REFERENCE = `rows m CROSS JOIN row_keys k ON k.kind = ${REFERENCE} AND k.key = ${REFERENCE_OF('m.reference_key', 'm.reference')} AND ${NOT_ITSELF} ${WHOLE}`;
const BY_PAYMENT = `rows m CROSS JOIN row_keys k ON k.kind = ${PAYMENT} AND k.key = m.payment AND ${NOT_ITSELF}`;

const REQUESTED_OF = (row: string): string =>
  `iif(${row}.payout ->> '$.requested.side' = 'source', ${row}.source_currency, ${row}.payout ->> '$.targetCurrency')`;

const WAY = (row: string): string =>
  `${row}.account, ${REQUESTED_OF(row)} AS requested, ${row}.payout ->> '$.targetCurrency' AS target, ${DOCUMENT_OF(row)} AS document`;

/**
 * Rows of recent files to the same account whose amount is in another currency. What has the same reference is met by that. What is asked for in which currency
 * stands in the payment, which is read once of each row: a file may pay one account in every row, and each of them is compared with each.
 */
const OTHER_WAYS = `
  WITH mine AS MATERIALIZED (SELECT ${OWN}, ${WAY('m')} FROM rows m WHERE ${MINE} AND m.account IS NOT NULL),
  theirs AS MATERIALIZED (
    SELECT ${OTHER}, ${WAY('o')}
      FROM (SELECT DISTINCT account FROM mine) accounts
     CROSS JOIN row_keys k ON k.kind = ${ACCOUNT} AND k.key = accounts.account AND k.batch <> ?1 AND ${RECENT} ${RECENT_WHOLE})
  SELECT 'other-way' AS kind, mine.own_position, mine.own_reference, mine.own_fingerprint,
         o.batch, o.position, o.row, o.reference, o.fingerprint, o.progress, o.written_by, mine.document AS own_document, o.document
    FROM mine JOIN theirs o ON o.account = mine.account AND o.target = mine.target AND o.requested <> mine.requested
   WHERE mine.own_reference IS NULL OR o.reference IS NULL OR o.reference <> mine.own_reference`;

/** How many there are, and how many of them have a reference: what the others or those alone are asked for is not asked where there are none. */
const MINE_NAMED = `SELECT count(*) AS mine, count(reference) AS named FROM rows m WHERE ${MINE}`;

const OF_NAMED = `
  SELECT CASE o.reference WHEN m.reference THEN 'same-reference' ELSE 'similar-reference' END AS kind, ${OWN}, ${OTHER}, NULL AS own_document, NULL AS document
    FROM ${BY_REFERENCE}
   WHERE ${MINE} AND (o.reference = m.reference OR o.fingerprint = m.fingerprint)
  UNION ALL
  SELECT 'other-reference', ${OWN}, ${OTHER}, ${DOCUMENT_OF('m')}, ${DOCUMENT_OF('o')}
    FROM ${BY_PAYMENT} AND ${RECENT} ${RECENT_WHOLE}
   WHERE ${MINE} AND o.batch <> m.batch AND m.reference IS NOT NULL AND (o.reference IS NULL OR o.reference <> m.reference)`;

/** A row that comes from this place. */
const FROM_PLACE = (place: string): string =>
  `rows m CROSS JOIN whole_rows o ON o.lineage IS NOT NULL AND ${WITHOUT_DATE('o.lineage')} = ${place} AND o.batch <> m.batch`;

/** Of two equal payments: mine has no reference, and of its own file neither has the other. */
const EQUALS = `m.reference IS NULL AND (o.batch <> m.batch OR (o.reference IS NULL AND o.fingerprint = m.fingerprint))`;

/** The rows that mine say they come from: each of their batches is read once, which costs less than an index that nearly no file needs. */
const OF_UNNAMED = `
  SELECT 'comes-from' AS kind, ${OWN}, ${OTHER}, NULL AS own_document, NULL AS document
    FROM (SELECT DISTINCT substr(m.lineage, 1, instr(m.lineage, '/') - 1) AS batch
            FROM rows m WHERE ${MINE} AND m.lineage IS NOT NULL AND m.reference IS NULL) named
    CROSS JOIN batches b ON ${WITHOUT_DATE('b.id')} = ${WITHOUT_DATE('named.batch')}
    CROSS JOIN whole_rows o ON o.batch = b.id
    CROSS JOIN rows m ON ${WITHOUT_DATE('m.lineage')} = ${WITHOUT_DATE('o.batch')} || '/' || o.row
   WHERE ${MINE} AND m.lineage IS NOT NULL AND m.reference IS NULL
  UNION ALL
  SELECT 'same-row', ${OWN}, ${OTHER}, NULL, NULL
    FROM ${FROM_PLACE(WITHOUT_DATE('m.lineage'))}
   WHERE ${MINE} AND m.lineage IS NOT NULL AND m.reference IS NULL
  UNION ALL
  SELECT 'same-row', ${OWN}, ${OTHER}, NULL, NULL
    FROM ${FROM_PLACE(`${WITHOUT_DATE('m.batch')} || '/' || m.row`)}
   WHERE ${MINE} AND m.reference IS NULL
  UNION ALL
  SELECT 'same-payment', ${OWN}, ${OTHER}, NULL, NULL
    FROM ${BY_PAYMENT} AND ${UNPAID} CROSS JOIN batches b ON b.id = k.batch AND b.recent_from < ?4 ${WHOLE} WHERE ${MINE} AND ${EQUALS}
  UNION ALL
  SELECT 'same-payment', ${OWN}, ${OTHER}, NULL, NULL FROM ${BY_PAYMENT} AND ${RECENT} ${RECENT_WHOLE} WHERE ${MINE} AND ${EQUALS}`;

/** The day of the last one that is asked for: a batch is named by its day, and what lies before it is not read. */
const DAY_OF_LAST = `
  SELECT substr(k.batch, 1, 8) FROM row_keys k CROSS JOIN whole_rows r ON r.batch = k.batch AND r.position = k.position
   WHERE k.kind = ${PAYEE} AND k.key = $1 AND r.payee = $1 AND r.stage = 'paid' ORDER BY k.batch DESC, k.position DESC LIMIT 1 OFFSET $2 - 1`;

/** See `Ledger.paidTo`. */
export const PAID_TO = `
  SELECT r.account, b.accepted_at, ${ROW_COLUMNS}
    FROM row_keys k CROSS JOIN rows r ON r.batch = k.batch AND r.position = k.position
    JOIN row_states s ON s.batch = k.batch AND s.position = k.position JOIN batches b ON b.id = r.batch
   WHERE k.kind = ${PAYEE} AND k.key = $1 AND k.batch >= coalesce((${DAY_OF_LAST}), '') AND r.payee = $1 AND s.stage = 'paid'
   ORDER BY b.accepted_at DESC, r.batch, r.position DESC LIMIT $2`;

/** What a payee got in files of which nothing counts on the day is not read. */
const paidBy = (kind: string, keys: string): string => `
  SELECT s.counted
    FROM (SELECT DISTINCT batch, position FROM row_keys k
           WHERE kind = ${kind} AND key IN ${keys} AND batch >= (SELECT min(key) FROM spent INDEXED BY spent_by_day WHERE scope = 'file' AND day = $1)
             AND EXISTS (SELECT 1 FROM spent f WHERE f.scope = 'file' AND f.key = k.batch AND f.day = $1)) k
    CROSS JOIN row_states s ON s.batch = k.batch AND s.position = k.position
   WHERE s.counted_day = $1 AND s.source_currency = $2`;

/** See `paidOnBy`. */
export const PAID_ON = { payee: paidBy(PAYEE, '($3, $4)'), account: paidBy(ACCOUNT, '($3)') };

/** See `KeysOfStore`. Each join goes from the own rows to the others. */
export function* candidates(
  batch: string,
  { from, to }: PositionRange,
  since: string,
): Plan<readonly Found[]> {
  const mine = yield* findOne(MINE_NAMED, [batch, from, to]);
  const [count, named] = [Number(mine?.['mine']), Number(mine?.['named'])];
  const values = [batch, from, to, since];
  return [
    ...(named > 0 ? yield* find(OF_NAMED, values) : []),
    ...(named < count ? yield* find(OF_UNNAMED, values) : []),
    ...(yield* find(OTHER_WAYS, values)),
  ];
}

const ONE_ROW = `SELECT NULL AS own_document, ${DOCUMENT_OF('o')} AS document, ${OTHER} FROM row_keys k ${WHOLE}`;

export const BY_REFERENCE_OF = `${ONE_ROW} WHERE k.kind = ${REFERENCE} AND k.key = ${REFERENCE_OF('$1', '$2')} AND o.reference = $2`;

export const BY_PAYMENT_SINCE = `${ONE_ROW} WHERE k.kind = ${PAYMENT} AND k.key = $1
  AND (${UNPAID} OR EXISTS (SELECT 1 FROM batches b WHERE b.id = k.batch AND b.recent_from >= $2))`;
