// Which rows of a batch meet another row. A row that failed, was rejected or was itself a duplicate does not block a new one, unless a person
// cancelled it while a transfer of it may still pay, or its money had been paid before it came back.
import { HOLD_CODES, liftsItself } from '../../payouts/hold.ts';
import type { Encounter } from '../records.ts';

// The kinds of keys by which rows are found (see `keys-table.ts`).

export const REFERENCE = '1';
export const PAYMENT = '2';
export const PAYEE = '3';
export const ACCOUNT = '4';

/** What two writings of one reference have in common; the reference itself where it has neither letter nor digit, which no such text is. */
export const REFERENCE_OF = (key: string, reference: string): string =>
  `coalesce(nullif(${key}, ''), ${reference})`;

/** Codes of holds that paydrop lifts by itself, once it can see what they wait for. */
const ITSELF = HOLD_CODES.filter((code) => liftsItself({ code }))
  .map((code) => `'${code}'`)
  .join(', ');

const MAY_STILL_PAY = `other.stage = 'rejected' AND json_extract(other.progress, '$.transfer') IS NOT NULL AND json_extract(other.progress, '$.confirm') IS NOT NULL`;

/** 100001, reversed after payout: why it came back is for a person to find out before it goes out again. */
const CAME_BACK = `other.stage = 'failed' AND json_extract(other.progress, '$.transfer.statusCode') = '100001'`;

const STANDS_BESIDES = `(${MAY_STILL_PAY}) OR (${CAME_BACK})`;
const STANDS = `(other.stage NOT IN ('failed', 'rejected', 'duplicate') OR ${STANDS_BESIDES})`;

/** A row of the same file may have become a duplicate a moment ago, because of the rows before. It blocks as it would if all were judged at once. */
const STANDS_HERE = `(other.stage NOT IN ('failed', 'rejected') OR ${STANDS_BESIDES})`;

/** Nothing was created for it, and nobody is asked about it. */
const IS_UNSENT = `other.held IS NULL AND other.stage IN ('ready', 'quoted')`;

/** After a loss of the ledger, reads may not show yet what was sent of it, or of the row that it waits for. */
const UNSEEN = `json_extract(other.progress, '$.rebuiltAt') IS NOT NULL AND (
  (${IS_UNSENT} AND json_extract(other.progress, '$.transfer') IS NULL) OR other.held IN (${ITSELF}))`;

/** Of two rows that are checked at the same moment, the one that was checked first counts for the other; a row with a transfer counts in any batch. */
const COUNTS = `(other.position < b.checked_to OR coalesce(json_extract(other.progress, '$.transfer'), json_extract(other.progress, '$.hold.foreign')) IS NOT NULL OR (?5 AND b.counts = 'unseen' AND ${UNSEEN}))`;

/** For the queries whose other row may be of the same batch. */
const MEETS = `CASE WHEN other.batch = mine.batch THEN ${STANDS_HERE} ELSE ${STANDS} AND ${COUNTS} END`;

/** An unconfirmed row of a batch that may still pay nothing is as uncertain as a held one. */
const STAGE = `CASE WHEN other.held IS NOT NULL OR (b.counts = 'tentative' AND other.stage IN ('ready', 'quoted', 'created', 'confirming'))
  THEN 'held' ELSE other.stage END`;

const DOCUMENT_OF_OTHER = `json_extract(other.payout, '$.documentReferenceNumber')`;

const IS_RECENT = `b.recent_from >= ?2`;

const FOUND = `other.batch, other.row, other.fingerprint, ${STAGE} AS stage, b.accepted_at,
  other.held IS NOT NULL AS is_held, ${IS_RECENT} AS is_recent, CASE WHEN ${UNSEEN} THEN json_extract(other.progress, '$.rebuiltAt') END AS unseen_since`;

/** The row that has a key, and its batch. */
const OTHER = `whole_rows other ON other.batch = k.batch AND other.position = k.position CROSS JOIN batches b ON b.id = k.batch`;

/** `?1` is a reference, `?2` the start of the window. A row that is paid, or certain to be tried, precedes an undecided one. */
export const STANDING_QUERY = `
  SELECT ${FOUND} FROM row_keys k CROSS JOIN ${OTHER}
   WHERE k.kind = ${REFERENCE} AND k.key = ${REFERENCE_OF('reference_key(?1)', '?1')} AND other.reference = ?1 AND ${STANDS} AND ${COUNTS}
   ORDER BY (${STAGE}) = 'held', b.accepted_at DESC, other.batch, other.position DESC LIMIT 1`;

/** `?1` is a payment (see `paymentKey`), `?3` the reference and `?4` the document of the row that would meet it. */
export const SAME_PAYMENT_QUERY = `
  SELECT ${FOUND} FROM row_keys k CROSS JOIN ${OTHER}
   WHERE k.kind = ${PAYMENT} AND k.key = ?1 AND ${STANDS} AND ${COUNTS} AND CASE WHEN ?3 IS NULL THEN ${IS_RECENT} OR other.stage <> 'paid'
     ELSE ${IS_RECENT} AND (other.reference IS NULL OR other.reference <> ?3)
       AND NOT coalesce(reference_key(?4) <> reference_key(${DOCUMENT_OF_OTHER}), FALSE) END
   ORDER BY (${STAGE}) = 'held', b.accepted_at DESC, other.batch, other.position DESC LIMIT 1`;

const MINE = 'mine.batch = ?1 AND mine.position >= ?3 AND mine.position < ?4';

/** My rows, and the keys of other rows that are theirs too. */
const MY_REFERENCES = `rows mine CROSS JOIN row_keys k ON k.kind = ${REFERENCE} AND k.key = ${REFERENCE_OF('mine.reference_key', 'mine.reference')}`;
const MY_PAYMENTS = `rows mine CROSS JOIN row_keys k ON k.kind = ${PAYMENT} AND k.key = mine.payment`;
const NOT_MINE = '(k.batch <> mine.batch OR k.position <> mine.position)';

/** A row that is held because it has my content does not block mine: of two batches that are checked at the same moment both would wait. */
const NOT_FOR_MINE = `NOT coalesce(other.held = 'same_content'
  AND b.content_fingerprint = (SELECT content_fingerprint FROM batches WHERE id = ?1), FALSE)`;

/** The rows that mine say they come from. Each of their batches is read once, which costs less than an index that nearly no file needs. */
const COMES_FROM = `
  SELECT mine.position, 'same-row' AS kind, ${FOUND}
    FROM (SELECT DISTINCT substr(mine.lineage, 1, instr(mine.lineage, '/') - 1) AS batch
            FROM rows mine WHERE ${MINE} AND mine.lineage IS NOT NULL AND mine.reference IS NULL) named
    CROSS JOIN whole_rows other ON other.batch = named.batch
    CROSS JOIN rows mine ON mine.lineage = other.batch || '/' || other.row
    CROSS JOIN batches b ON b.id = other.batch
   WHERE ${MINE} AND mine.reference IS NULL AND ${STANDS} AND ${COUNTS}`;

/** Both rows name a document, and not the same: two invoices of one amount are two payments. */
const OTHER_DOCUMENT = `coalesce(reference_key(json_extract(mine.payout, '$.documentReferenceNumber')) <> reference_key(${DOCUMENT_OF_OTHER}), FALSE)`;

/**
 * `?1` is the batch, `?2` the earliest acceptance of another batch that is recent, `?3` and `?4` the positions from and before which, `?5` whether
 * unseen rows count too. The joins go from my rows to the others, so that the cost is that of mine.
 */
export const ENCOUNTERS_QUERY = `
  SELECT mine.position, CASE other.reference WHEN mine.reference THEN 'same-reference' ELSE 'similar-reference' END AS kind, ${FOUND}
    FROM ${MY_REFERENCES} AND ${NOT_MINE} CROSS JOIN ${OTHER}
   WHERE ${MINE} AND (other.reference = mine.reference OR other.fingerprint = mine.fingerprint) AND ${MEETS}
  UNION ALL ${COMES_FROM}
  UNION ALL
  SELECT mine.position, 'same-row', ${FOUND}
    FROM rows mine
    CROSS JOIN whole_rows other ON other.lineage = mine.lineage AND other.batch <> mine.batch
    CROSS JOIN batches b ON b.id = other.batch
   WHERE ${MINE} AND mine.reference IS NULL AND ${STANDS} AND ${COUNTS} AND ${NOT_FOR_MINE}
  UNION ALL
  SELECT mine.position, 'same-payment', ${FOUND}
    FROM ${MY_PAYMENTS} AND ${NOT_MINE} CROSS JOIN ${OTHER}
   WHERE ${MINE} AND mine.reference IS NULL AND ${MEETS}
     AND CASE WHEN other.batch = mine.batch THEN other.reference IS NULL AND other.fingerprint = mine.fingerprint
              ELSE (${IS_RECENT} OR other.stage <> 'paid') AND ${NOT_FOR_MINE} END
  UNION ALL
  SELECT mine.position, 'other-reference', ${FOUND}
    FROM ${MY_PAYMENTS} AND k.batch <> mine.batch CROSS JOIN ${OTHER}
   WHERE ${MINE} AND mine.reference IS NOT NULL AND (other.reference IS NULL OR other.reference <> mine.reference) AND ${STANDS} AND ${COUNTS} AND ${IS_RECENT} AND NOT ${OTHER_DOCUMENT}
  ORDER BY 1, 2 DESC`;

// Encounters come in one list; a row is judged by all of its own at once.

export function byPosition(encounters: readonly Encounter[]): ReadonlyMap<number, readonly Encounter[]> {
  const groups = new Map<number, Encounter[]>();
  for (const encounter of encounters) {
    const group = groups.get(encounter.position);
    if (group === undefined) groups.set(encounter.position, [encounter]);
    else group.push(encounter);
  }
  return groups;
}
