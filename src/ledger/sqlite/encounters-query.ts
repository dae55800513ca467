// Which rows of a batch meet another row. A row that failed, was rejected or was itself a duplicate does not stand in the way of a new one,
// unless a person closed it while a transfer of it may still pay, or its money had been paid before it came back.
import { HOLD_CODES, liftsItself } from '../../payouts/hold.ts';

/** Codes of holds that paydrop lifts by itself, once it can see what they wait for. */
const ITSELF = HOLD_CODES.filter((code) => liftsItself({ code }))
  .map((code) => `'${code}'`)
  .join(', ');

const MAY_STILL_PAY = `other.stage = 'rejected' AND json_extract(other.progress, '$.transfer') IS NOT NULL AND json_extract(other.progress, '$.confirm') IS NOT NULL`;

/** 100001, reversed after payout: why it came back is for a person to find out before it goes out again. */
const CAME_BACK = `other.stage = 'failed' AND json_extract(other.progress, '$.transfer.statusCode') = '100001'`;

const STANDS_BESIDES = `(${MAY_STILL_PAY}) OR (${CAME_BACK})`;
const STANDS = `(other.stage NOT IN ('failed', 'rejected', 'duplicate') OR ${STANDS_BESIDES})`;

/** In one file a row that was found to be a duplicate a moment ago, with the rows before, is in the way as it would be if all were looked at at once. */
const STANDS_HERE = `(other.stage NOT IN ('failed', 'rejected') OR ${STANDS_BESIDES})`;

/** Nothing was created for it, and nobody is asked about it. */
const IS_UNSENT = `other.held IS NULL AND other.stage IN ('ready', 'quoted')`;

/** After a loss of the ledger reads may not show yet what was sent of it, or of the one that it waits for. */
const UNSEEN = `json_extract(other.progress, '$.rebuiltAt') IS NOT NULL AND (
  (${IS_UNSENT} AND json_extract(other.progress, '$.transfer') IS NULL) OR other.held IN (${ITSELF}))`;

/** Of two rows that are checked at the same moment, the one that was checked first counts for the other; what has a transfer counts whatever its batch. */
const COUNTS = `(b.state IN (SELECT value FROM json_each(?3)) OR (other.position < json_extract(b.record, '$.checked.to') AND json_extract(b.record, '$.checked.isDone') IS NULL)
  OR json_extract(other.progress, '$.transfer') IS NOT NULL OR (?6 AND b.state = 'resolving' AND json_extract(b.record, '$.unseenUntil') IS NOT NULL AND ${UNSEEN}))`;

/** For the queries whose other row may be of the same batch. */
const MEETS = `CASE WHEN other.batch = mine.batch THEN ${STANDS_HERE} ELSE ${STANDS} AND ${COUNTS} END`;

/** A row that nobody has approved yet is as uncertain as one that is held: it may be declined. */
const NOT_APPROVED = `${IS_UNSENT} AND (json_extract(b.record, '$.approval.kind') = 'open'
  OR (json_extract(b.record, '$.approval.kind') = 'asked' AND json_extract(b.record, '$.approval.given') IS NULL))`;

/**
 * So is a row of a file that may yet be refused as a whole: for a price that is not known yet, or is out of bounds, or because it does not fit
 * into the life of its prices. Asked once a query, of the few batches that are on their way to being accepted: the second condition on their state,
 * which the first implies, leads to the index of those that are open.
 */
const NOT_ACCEPTED = `${IS_UNSENT} AND other.batch IN (
  SELECT f.id FROM batches f
   WHERE f.state IN ('checking', 'pricing') AND f.state NOT IN ('closed', 'refused')
     AND (json_extract(f.record, '$.whole') IS NOT NULL
       OR (json_extract(f.record, '$.onInvalidRows') = 'refuse-file' AND (
         EXISTS (SELECT 1 FROM rows p WHERE p.batch = f.id AND p.stage IN ('ready', 'quoted') AND p.due_at IS NOT NULL)
         OR (f.state = 'pricing' AND EXISTS (SELECT 1 FROM rows p WHERE p.batch = f.id AND p.stage = 'rejected'))))))`;

/** And one of a file that stands for its time: taken out of its folder before, it is withdrawn, and nobody is paid by it. */
const MAY_BE_WITHDRAWN = `${IS_UNSENT} AND b.state IN ('checking', 'pricing', 'accepted')
  AND json_extract(b.record, '$.payAt.standing') IS NOT NULL AND NOT EXISTS (SELECT 1 FROM json_each(b.record, '$.decisions') d WHERE d.value ->> '$.about' = 'time')`;

/** And one of a file that is paid whole or not at all, before it is decided that all of it is: what is reserved may be let go. */
const NOT_WHOLE_YET = `other.held IS NULL AND other.stage IN ('ready', 'quoted', 'created', 'confirming') AND b.state IN ('accepted', 'reserving')
  AND json_extract(b.record, '$.whole') = 'reserving'`;

const STAGE = `CASE WHEN other.held IS NOT NULL OR (${NOT_APPROVED}) OR (${NOT_ACCEPTED}) OR (${MAY_BE_WITHDRAWN}) OR (${NOT_WHOLE_YET})
  THEN 'held' ELSE other.stage END`;

const DOCUMENT_OF_OTHER = `json_extract(other.payout, '$.documentReferenceNumber')`;

/** Counted from the acceptance, by the service's time where it told one. */
const IS_RECENT = `coalesce(json_extract(b.record, '$.checked.at'), b.accepted_at) >= ?2`;

const FOUND = `other.batch, other.row, other.fingerprint, ${STAGE} AS stage, b.accepted_at,
  other.held IS NOT NULL AS is_held, ${IS_RECENT} AS is_recent, CASE WHEN ${UNSEEN} THEN json_extract(other.progress, '$.rebuiltAt') END AS unseen_since`;

/** `?1` is a reference, `?2` and `?3` as below: the start of the window, and the states in which a batch counts. What is paid, or certain to be tried, comes before what is not decided. */
export const STANDING_QUERY = `
  SELECT ${FOUND} FROM rows other JOIN batches b ON b.id = other.batch
   WHERE other.reference_key = reference_key(?1) AND other.reference = ?1 AND ${STANDS} AND ${COUNTS}
   ORDER BY (${STAGE}) = 'held', b.accepted_at DESC, other.batch, other.position DESC LIMIT 1`;

/** `?1` is a payment (see `paymentKey`), `?4` the reference and `?5` the document of the row that would meet it. */
export const SAME_PAYMENT_QUERY = `
  SELECT ${FOUND} FROM rows other JOIN batches b ON b.id = other.batch
   WHERE other.payment = ?1 AND ${STANDS} AND ${COUNTS} AND CASE WHEN ?4 IS NULL THEN ${IS_RECENT} OR other.stage <> 'paid'
     ELSE ${IS_RECENT} AND (other.reference IS NULL OR other.reference <> ?4)
       AND NOT coalesce(reference_key(?5) <> reference_key(${DOCUMENT_OF_OTHER}), FALSE) END
   ORDER BY (${STAGE}) = 'held', b.accepted_at DESC, other.batch, other.position DESC LIMIT 1`;

const MINE = 'mine.batch = ?1 AND mine.position >= ?4 AND mine.position < ?5';

/** What waits for a person because it has my content is not in the way of mine: of two batches that are checked at the same moment both would wait. */
const NOT_FOR_MINE = `NOT coalesce(other.held = 'same_content'
  AND b.content_fingerprint = (SELECT content_fingerprint FROM batches WHERE id = ?1), FALSE)`;

/** The rows that mine say they come from. Each of their batches is read once, which costs less than an index that nearly no file needs. */
const COMES_FROM = `
  SELECT mine.position, 'same-row' AS kind, ${FOUND}
    FROM (SELECT DISTINCT substr(mine.lineage, 1, instr(mine.lineage, '/') - 1) AS batch
            FROM rows mine WHERE ${MINE} AND mine.lineage IS NOT NULL AND mine.reference IS NULL) named
    CROSS JOIN rows other ON other.batch = named.batch
    CROSS JOIN rows mine ON mine.lineage = other.batch || '/' || other.row
    CROSS JOIN batches b ON b.id = other.batch
   WHERE ${MINE} AND mine.reference IS NULL AND ${STANDS} AND ${COUNTS}`;

/** Both rows name a document, and not the same: two invoices of one amount are two payments. */
const OTHER_DOCUMENT = `coalesce(reference_key(json_extract(mine.payout, '$.documentReferenceNumber')) <> reference_key(${DOCUMENT_OF_OTHER}), FALSE)`;

/**
 * `?1` is the batch, `?2` the earliest acceptance of another batch that is recent, `?3` the states in which
 * a batch counts, `?4` and `?5` the positions from and before which, `?6` whether what nothing is seen of yet counts too. The joins go from my rows to the others, so that the cost is that of mine.
 */
export const ENCOUNTERS_QUERY = `
  SELECT mine.position, 'same-reference' AS kind, ${FOUND}
    FROM rows mine
    CROSS JOIN rows other ON other.reference_key = mine.reference_key AND other.reference = mine.reference
                         AND (other.batch <> mine.batch OR other.position <> mine.position)
    CROSS JOIN batches b ON b.id = other.batch
   WHERE ${MINE} AND ${MEETS}
  UNION ALL
  SELECT mine.position, 'similar-reference', ${FOUND}
    FROM rows mine
    CROSS JOIN rows other ON other.reference_key = mine.reference_key AND other.reference <> mine.reference
                         AND other.fingerprint = mine.fingerprint AND mine.reference_key <> ''
    CROSS JOIN batches b ON b.id = other.batch
   WHERE ${MINE} AND ${MEETS}
  UNION ALL ${COMES_FROM}
  UNION ALL
  SELECT mine.position, 'same-row', ${FOUND}
    FROM rows mine
    CROSS JOIN rows other ON other.lineage = mine.lineage AND other.batch <> mine.batch
    CROSS JOIN batches b ON b.id = other.batch
   WHERE ${MINE} AND mine.reference IS NULL AND ${STANDS} AND ${COUNTS} AND ${NOT_FOR_MINE}
  UNION ALL
  SELECT mine.position, 'same-payment', ${FOUND}
    FROM rows mine
    CROSS JOIN rows other ON other.payment = mine.payment AND (other.batch <> mine.batch OR other.position <> mine.position)
    CROSS JOIN batches b ON b.id = other.batch
   WHERE ${MINE} AND mine.reference IS NULL AND ${MEETS}
     AND CASE WHEN other.batch = mine.batch THEN other.reference IS NULL AND other.fingerprint = mine.fingerprint
              ELSE (${IS_RECENT} OR other.stage <> 'paid') AND ${NOT_FOR_MINE} END
  UNION ALL
  SELECT mine.position, 'other-reference', ${FOUND}
    FROM rows mine
    CROSS JOIN rows other ON other.payment = mine.payment AND other.batch <> mine.batch
                         AND (other.reference IS NULL OR other.reference <> mine.reference)
    CROSS JOIN batches b ON b.id = other.batch
   WHERE ${MINE} AND mine.reference IS NOT NULL AND ${STANDS} AND ${COUNTS} AND ${IS_RECENT} AND NOT ${OTHER_DOCUMENT}
  ORDER BY 1, 2 DESC`;
