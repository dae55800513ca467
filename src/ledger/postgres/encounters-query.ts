// What rows have in common with others, found by their indexes: candidates, for which encounters.ts decides whether they meet. Each join goes from the
// own rows to the others, so that the cost is that of the own.
import type { Payout } from '../../payouts/payout.ts';
import { paymentKey, referenceKey } from '../../payouts/duplicates.ts';
import { type Against, byPosition, type Candidate, encounterOf, foremost, inOrder } from '../encounters.ts';
import { readRecord } from '../ledger-unusable.ts';
import type { BatchRecord, Encounter } from '../records.ts';
import type { Found } from '../seals.ts';
import { readProgress, textOrNull } from '../stored-rows.ts';
import type { BatchesTable } from './batches-table.ts';
import type { Query } from './connect.ts';
import type { PositionRange } from './rows-table.ts';

const OTHER = `o.batch, o.position, o.row, o.reference, o.fingerprint, s.progress, s.written_by`;
const MINE = `m.batch = $1 AND m.position >= $2 AND m.position < $3`;
const OWN = `m.position AS own_position, m.reference AS own_reference, m.fingerprint AS own_fingerprint`;
const STATE = `JOIN row_states s ON s.batch = o.batch AND s.position = o.position`;
const NOT_ITSELF = `(o.batch <> m.batch OR o.position <> m.position)`;

const CANDIDATES = `
  SELECT 'same-reference' AS kind, ${OWN}, ${OTHER}, NULL AS own_payout, NULL AS payout
    FROM rows m JOIN rows o ON o.reference_key = m.reference_key AND o.reference = m.reference AND ${NOT_ITSELF} ${STATE}
   WHERE ${MINE}
  UNION ALL
  SELECT 'similar-reference', ${OWN}, ${OTHER}, NULL, NULL
    FROM rows m JOIN rows o ON o.reference_key = m.reference_key AND o.reference <> m.reference
                          AND o.fingerprint = m.fingerprint AND m.reference_key <> '' ${STATE}
   WHERE ${MINE}
  UNION ALL
  SELECT 'comes-from', ${OWN}, ${OTHER}, NULL, NULL
    FROM rows m JOIN rows o ON o.batch = split_part(m.lineage, '/', 1) AND m.lineage = o.batch || '/' || o.row ${STATE}
   WHERE ${MINE} AND m.lineage IS NOT NULL AND m.reference IS NULL
  UNION ALL
  SELECT 'same-row', ${OWN}, ${OTHER}, NULL, NULL
    FROM rows m JOIN rows o ON o.lineage = m.lineage AND o.batch <> m.batch ${STATE}
   WHERE ${MINE} AND m.reference IS NULL
  UNION ALL
  SELECT 'same-payment', ${OWN}, ${OTHER}, NULL, NULL
    FROM rows m JOIN rows o ON o.payment = m.payment AND ${NOT_ITSELF}
                          AND (o.batch <> m.batch OR (o.reference IS NULL AND o.fingerprint = m.fingerprint)) ${STATE}
   WHERE ${MINE} AND m.reference IS NULL
  UNION ALL
  SELECT 'other-reference', ${OWN}, ${OTHER}, m.payout, o.payout
    FROM rows m JOIN rows o ON o.payment = m.payment AND o.batch <> m.batch AND (o.reference IS NULL OR o.reference <> m.reference)
    JOIN batches b ON b.id = o.batch AND b.recent_from >= $4 ${STATE}
   WHERE ${MINE} AND m.reference IS NOT NULL`;

/** By the position of each own row that meets another. */
export async function encountersOf(
  query: Query,
  batches: BatchesTable,
  own: BatchRecord,
  { from, to }: PositionRange,
  others: Omit<Against, 'own'>,
): Promise<ReadonlyMap<number, readonly Encounter[]>> {
  const found = await query(CANDIDATES, [own.id, from, to, others.since]);
  const known = await batchesOf(query, batches, found);
  const met = found.flatMap((each) => {
    const other = known.get(String(each['batch']));
    const encounter = other === undefined ? null : encounterOf(toCandidate(each), other, { own, ...others });
    return encounter === null ? [] : [encounter];
  });
  return byPosition(inOrder(met));
}

async function batchesOf(
  query: Query,
  batches: BatchesTable,
  found: readonly Found[],
): Promise<ReadonlyMap<string, BatchRecord>> {
  const ids = [...new Set(found.map(({ batch }) => String(batch)))];
  const records = ids.length === 0 ? [] : await batches.of(query, ids);
  return new Map(records.map((record) => [record.id, record]));
}

function toCandidate(found: Found): Candidate {
  return {
    kind: String(found['kind']) as Candidate['kind'],
    own: {
      position: Number(found['own_position']),
      reference: textOrNull(found['own_reference']),
      fingerprint: textOrNull(found['own_fingerprint']),
      document: documentIn(found['own_payout']),
    },
    other: {
      batch: String(found['batch']),
      position: Number(found['position']),
      row: String(found['row']),
      reference: textOrNull(found['reference']),
      fingerprint: textOrNull(found['fingerprint']),
      progress: readProgress(String(found['progress']), String(found['written_by'])),
      document: documentIn(found['payout']),
    },
  };
}

function documentIn(payout: Found[string]): string | null {
  if (typeof payout !== 'string') return null;
  return (readRecord(payout) as Payout).documentReferenceNumber;
}

const ONE_ROW = `NULL::int AS own_position, NULL::text AS own_reference, NULL::text AS own_fingerprint, NULL AS own_payout, o.payout`;

const SAME_REFERENCE = `
  SELECT 'same-reference' AS kind, ${ONE_ROW}, ${OTHER} FROM rows o ${STATE}
   WHERE o.reference_key = $1 AND o.reference = $2`;

const SAME_PAYMENT = `SELECT 'same-payment' AS kind, ${ONE_ROW}, ${OTHER} FROM rows o ${STATE} WHERE o.payment = $1`;

/** See `Ledger.standing`. */
export async function standingOf(
  query: Query,
  batches: BatchesTable,
  payout: Payout | string,
  since: string,
): Promise<Pick<Encounter, 'kind' | 'other'> | null> {
  const reference = typeof payout === 'string' ? payout : payout.reference;
  const against: Against = { own: null, since, countsUnseen: false };
  if (reference !== null) {
    const found = await query(SAME_REFERENCE, [referenceKey(reference), reference]);
    const met = await firstOf(query, batches, found.map(toCandidate), against);
    if (met !== null) return { kind: 'same-reference', other: met.other };
  }
  const payment = typeof payout === 'string' ? null : paymentKey(payout);
  if (typeof payout === 'string' || payment === null) return null;
  const own = { position: 0, reference, fingerprint: null, document: payout.documentReferenceNumber };
  const kind = reference === null ? 'same-payment' : 'other-reference';
  const candidates = (await query(SAME_PAYMENT, [payment]))
    .map((each): Candidate => ({ ...toCandidate(each), kind, own }))
    .filter(({ other }) => reference === null || other.reference !== reference);
  const met = await firstOf(query, batches, candidates, against);
  return met === null ? null : { kind, other: met.other };
}

async function firstOf(
  query: Query,
  batches: BatchesTable,
  candidates: readonly Candidate[],
  against: Against,
): Promise<Encounter | null> {
  const known = await batchesOf(
    query,
    batches,
    candidates.map(({ other }) => other).map(({ batch }) => ({ batch })),
  );
  return foremost(
    candidates.flatMap((candidate) => {
      const other = known.get(candidate.other.batch);
      const encounter = other === undefined ? null : encounterOf(candidate, other, against);
      return encounter === null ? [] : [{ encounter, position: candidate.other.position }];
    }),
  );
}
