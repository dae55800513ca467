// Which rows of a batch meet another row. A row that failed, was rejected or was itself a duplicate does not stand in the way of a new one.

/** `?1` is the batch, `?2` the earliest acceptance of another batch that counts for rows without a reference. */
export const ENCOUNTERS_QUERY = `
  SELECT mine.position, 'same-reference' AS kind, other.batch, other.row, other.fingerprint, other.stage, b.accepted_at
    FROM rows mine
    JOIN rows other ON other.reference = mine.reference AND other.batch <> mine.batch
    JOIN batches b ON b.id = other.batch
   WHERE mine.batch = ?1 AND other.stage NOT IN ('failed', 'rejected', 'duplicate')
  UNION ALL
  SELECT mine.position, 'same-payment' AS kind, other.batch, other.row, other.fingerprint, other.stage, b.accepted_at
    FROM rows mine
    JOIN rows other ON other.fingerprint = mine.fingerprint AND (other.batch <> mine.batch OR other.position <> mine.position)
    JOIN batches b ON b.id = other.batch
   WHERE mine.batch = ?1 AND mine.reference IS NULL
     AND ((other.batch = mine.batch AND other.reference IS NULL) OR (other.batch <> mine.batch AND b.accepted_at >= ?2))
     AND other.stage NOT IN ('failed', 'rejected', 'duplicate')
  ORDER BY 1, 2 DESC`;
