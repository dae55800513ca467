// I-8: a row is given a new transfer only when the one before it is proved dead, by evidence that had reached us by then.
import {
  placed,
  statusAt,
  type CaseFile,
  type KnownTransfer,
  type Placed,
  type Violation,
} from './case-file.ts';
import type { Proof } from './journal.ts';

const FENCE_UNCONFIRMED_MS = 60_000;
const FENCE_CONFIRMED_MS = 16 * 60_000;

/** By the books of the service: whatever the ledger believed, the earlier transfer was over when the next was created. */
export function checkDeadInTruth(file: CaseFile): readonly Violation[] {
  return [...file.transfers.values()].flatMap((known) => {
    const { owner, place, at, by } = known;
    if (owner === null || owner.attempt === 1 || by === 'other') return [];
    const before = [...file.transfers.values()].find(
      (other) => other.owner?.row === owner.row && other.owner.attempt === owner.attempt - 1,
    );
    const words = wrongSuccession(before, place, at);
    return words === null
      ? []
      : [
          {
            invariant: 'I-8',
            row: owner.row,
            words: `attempt ${String(owner.attempt)} came to be although ${words}`,
          },
        ];
  });
}

function wrongSuccession(before: KnownTransfer | undefined, place: number, at: number): string | null {
  if (before === undefined || before.place > place) return 'the one before it does not exist';
  const status = statusAt(before, place);
  if (status === 'submitted' || status === 'paid') return `the one before it was ${status}`;
  return at > before.facts.expiredAt ? null : 'the one before it could still be confirmed';
}

/** By the journal of calls: each proof on record rests on answers that say so. */
export function checkProofs(file: CaseFile): readonly Violation[] {
  const seen = new Set<string>();
  return file.recorded.flatMap((entry) =>
    entry.record.deadAttempts.flatMap((proof) => {
      const key = `${entry.record.row} ${String(proof.attempt)} ${proof.proof} ${proof.transferId}`;
      if (seen.has(key)) return [];
      seen.add(key);
      const words = wrongProof(file, proof, entry);
      return words === null
        ? []
        : [
            {
              invariant: 'I-8',
              row: entry.record.row,
              words: `${proof.proof} of ${proof.transferId}: ${words}`,
            },
          ];
    }),
  );
}

function wrongProof(file: CaseFile, proof: Proof, entry: Placed<'recorded'>): string | null {
  const known = file.transfers.get(proof.transferId);
  if (known === undefined) return 'there is no such transfer';
  const reads = placed(file.journal, 'answered')
    .filter(
      ({ place, transferId, status }) =>
        place < entry.place && transferId === proof.transferId && status === 'created',
    )
    .flatMap(({ serverTime }) => (serverTime === null ? [] : [serverTime]));
  const confirms = file.sent.filter(
    (call) =>
      call.place < entry.place &&
      call.operation === 'confirm' &&
      call.subject === proof.transferId &&
      file.answered.get(call.call)?.damage !== 'unsent',
  );
  switch (proof.proof) {
    case 'expired-unconfirmed': {
      const isSent = confirms.some((confirm) => !isForgotten(file, proof, confirm, entry));
      return wrongReads(reads, known.facts.expiredAt, isSent ? FENCE_CONFIRMED_MS : FENCE_UNCONFIRMED_MS);
    }
    case 'expired-confirm-refused': {
      if (!confirms.some(({ call }) => file.answered.get(call)?.errorCode === 10016))
        return 'no confirm was refused as too late';
      return wrongReads(reads, known.facts.expiredAt, FENCE_CONFIRMED_MS);
    }
    case 'later-attempt-exists':
      return laterExists(file, known, entry.place) ? null : 'no later attempt exists';
    default:
      return 'an unknown proof';
  }
}

/** A refused confirm shortens nothing: another copy of it may have been taken. */
function wrongReads(reads: readonly number[], expiredAt: number, fenceMs: number): string | null {
  return reads.some((time) => time > expiredAt + fenceMs) ? null : 'no read beyond the fence said created';
}

/**
 * After the confirm the ledger was put back to a copy that knows the transfer, and nothing of an intent to confirm it. Nobody can know better; a
 * ledger that has to find the transfer first does know that it may have been confirmed.
 */
function isForgotten(
  file: CaseFile,
  { transferId }: Proof,
  confirm: Placed<'sent'>,
  { place }: Placed<'recorded'>,
): boolean {
  const restored = placed(file.journal, 'ledger').filter(
    (entry) => entry.place > confirm.place && entry.place < place && entry.what === 'restored',
  );
  return restored.some(
    ({ records, asOf }) =>
      records.some((record) => record.transferId === transferId && record.stage === 'created') &&
      !mayKnowOfConfirm(file, transferId, asOf ?? 0),
  );
}

/** The ledger at that moment had an intent to confirm the transfer on record, or had had to find the transfer, confirmed by somebody else. */
function mayKnowOfConfirm(file: CaseFile, transferId: string, place: number): boolean {
  const putBack = placed(file.journal, 'ledger').findLast(
    (entry) => entry.place < place && entry.what === 'restored',
  );
  const since = putBack?.place ?? -1;
  const isIntended = file.recorded.some(
    (entry) =>
      entry.place > since &&
      entry.place < place &&
      entry.record.transferId === transferId &&
      entry.record.stage === 'confirming',
  );
  if (isIntended || putBack === undefined) return isIntended;
  if (putBack.records.some((record) => record.transferId === transferId))
    return mayKnowOfConfirm(file, transferId, putBack.asOf ?? 0);
  return (file.transfers.get(transferId)?.place ?? Infinity) < putBack.place;
}

function laterExists(file: CaseFile, { owner }: KnownTransfer, place: number): boolean {
  return [...file.transfers.values()].some(
    (other) =>
      other.place < place &&
      other.owner?.row === owner?.row &&
      (other.owner?.attempt ?? 0) > (owner?.attempt ?? 0),
  );
}
