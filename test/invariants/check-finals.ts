// The end: every row answered once, with what became of it in the books of the service, and nothing left open that could have been ended.
import {
  hasBeen,
  ownerOf,
  placed,
  statusAt,
  type CaseFile,
  type KnownTransfer,
  type Violation,
} from './case-file.ts';
import { isPaidByUs, wasClosed } from './check-decisions.ts';
import type { FinalRow } from './asked-row.ts';

const OPEN: ReadonlySet<string> = new Set(['ready', 'quoted', 'created', 'confirming', 'confirmed']);

/** Refusals after which a row may be called wrong. */
const DEFINITE: ReadonlySet<number | null> = new Set([10001, 10003, 10018, 10019]);

/** Nor was a create executed whose quotation was gone. */
const NO_TO_A_CREATE: ReadonlySet<number | null> = new Set([...DEFINITE, 10007, 10009]);

/** What only a lie, or another user of the account, can lead to. */
const NEEDS_A_LIE: ReadonlySet<string | null> = new Set([
  'quotation_mismatch',
  'echo_mismatch',
  'id_collision',
  'unknown_status',
  'status_went_back',
  'document_refused',
  'document_changed',
  'document_demanded',
]);

/** I-2: each row of the input once, in its order. */
export function checkEveryRowAnswered(file: CaseFile): readonly Violation[] {
  const asked = file.asked.map(({ row }) => row).join();
  const answered = file.finals.map(({ cells }) => cells['payout.row']).join();
  const miscounted = Object.entries(file.totals.outcomes).filter(
    ([outcome, count]) =>
      count !== file.finals.filter(({ cells }) => cells['payout.outcome'] === outcome).length,
  );
  return [
    ...(asked === answered
      ? []
      : [{ invariant: 'I-2', row: null, words: `rows ${asked} are answered as ${answered}` }]),
    ...miscounted.map(([outcome, count]) => ({
      invariant: 'I-2',
      row: null,
      words: `${String(count)} rows are counted as ${outcome}`,
    })),
  ];
}

/** I-15: once nothing goes wrong any more, every row comes to an end. */
export function checkNothingOpen(file: CaseFile): readonly Violation[] {
  return file.finals.flatMap(({ row, stage, heldCode, transferId }) => {
    if (OPEN.has(stage))
      return [{ invariant: 'I-15', row, words: `is still ${stage} long after the last fault` }];
    const isMisled = heldCode === 'document_demanded' && wasUploadInvented(file, transferId);
    return file.isHonest && NEEDS_A_LIE.has(heldCode) && !isMisled
      ? [{ invariant: 'I-15', row, words: `is held (${String(heldCode)}) although nobody lied` }]
      : [];
  });
}

/** A proxy said yes to a document that never reached the service, whose own yes nobody has seen. */
function wasUploadInvented(file: CaseFile, transferId: string | null): boolean {
  return file.sent.some(({ operation, subject, call }) => {
    const answer = file.answered.get(call);
    if (operation !== 'attach' || subject !== transferId || answer?.httpStatus !== 200) return false;
    return placed(file.journal, 'arrived').every(
      (entry) => entry.call !== call || entry.place > answer.place,
    );
  });
}

/** I-16: the answer is true of the service. */
export function checkAnswersAreTrue(file: CaseFile): readonly Violation[] {
  return file.finals.flatMap((final) => {
    const ofRow = [...file.transfers.values()].filter(
      ({ owner, by }) => owner?.row === final.row && by === 'us',
    );
    const words = untruth(file, final, ofRow);
    return words === null ? [] : [{ invariant: 'I-16', row: final.row, words }];
  });
}

function untruth(file: CaseFile, final: FinalRow, ofRow: readonly KnownTransfer[]): string | null {
  const named = ofRow.find(({ facts }) => facts.id === final.transferId);
  switch (final.stage) {
    case 'paid':
      if (named === undefined || !hasBeen(named, 'paid')) return 'is called paid and never was';
      return final.cells['payout.outcome'] === 'paid' ? null : 'is paid and not answered so';
    case 'failed':
      if (named === undefined || !hasBeen(named, 'failed')) return 'is called failed and never was';
      if (ofRow.some((known) => statusAt(known) === 'paid')) return 'is called failed and is paid';
      return named.changes.some(({ statusCode }) => statusCode === final.cells['payout.statusCode'])
        ? null
        : 'is answered with a status code that it never had';
    case 'rejected':
      if (wasClosed(file, final.row))
        return ofRow.some((known) => isPaidByUs(file, known)) ? 'is called cancelled and is paid' : null;
      if (ofRow.some((known) => !isOver(file, known, final))) return 'is called rejected and has a transfer';
      return wasRefused(file, final) ? null : 'is called rejected and was never refused';
    default:
      return null;
  }
}

/** Failed; or never confirmed and proved dead; or never confirmed by us, and made by a create that the process which told of the refusal could not know of. */
function isOver(file: CaseFile, known: KnownTransfer, { deadAttempts }: FinalRow): boolean {
  const status = statusAt(known);
  if (status === 'failed') return true;
  const isUnpaid = status === 'created' && !hasBeen(known, 'submitted');
  if (isUnpaid && deadAttempts.includes(known.facts.id)) return true;
  return known.changes.every(({ by }) => by !== 'confirm') && isUnknowable(file, known);
}

/**
 * The create that made it was sent by another process than the one that called the row rejected, which then has no more than its looks to know
 * of it; or the service took one copy of a request and refused the other. A process that sent it itself, and got no answer, has to find it.
 */
function isUnknowable(file: CaseFile, { place, owner }: KnownTransfer): boolean {
  const rejection = file.recorded.findLast(
    ({ record }) => record.row === owner?.row && record.stage === 'rejected',
  );
  const call = placed(file.journal, 'arrived').findLast((entry) => entry.place < place)?.call;
  const create = file.sent.find((sent) => sent.call === call);
  if (rejection === undefined || create === undefined) return false;
  return create.life !== rejection.life || NO_TO_A_CREATE.has(file.answered.get(create.call)?.errorCode ?? 0);
}

function wasRefused(file: CaseFile, { row }: FinalRow): boolean {
  // A quotation's id does not tell its row here; one definite refusal of any quotation is enough.
  return file.sent.some((call) => {
    const isAbout = call.operation === 'rates' || ownerOf(file, call)?.row === row;
    return isAbout && DEFINITE.has(file.answered.get(call.call)?.errorCode ?? 0);
  });
}

/** I-13: no reservation is forgotten: each one that still holds funds is named by its row. */
export function checkNoForgottenReservation(file: CaseFile): readonly Violation[] {
  return [...file.transfers.values()].flatMap((known) => {
    const { owner, facts, by } = known;
    const final = file.finalOf.get(owner?.row ?? '');
    if (by === 'other' || final === undefined || statusAt(known) !== 'created') return [];
    const isNamed = final.transferId === facts.id || final.deadAttempts.includes(facts.id);
    const isUnseen = final.stage === 'rejected' && isUnknowable(file, known);
    return isNamed || final.stage === 'held' || isUnseen
      ? []
      : [{ invariant: 'I-13', row: final.row, words: `${facts.id} holds funds and is not named` }];
  });
}

/** I-18: a ledger rebuilt from nothing says the same of what was paid and what failed. */
export function checkRebuilt(file: CaseFile, rebuilt: readonly FinalRow[]): readonly Violation[] {
  return file.finals.flatMap((final) => {
    const known = file.transfers.get(final.transferId ?? '');
    if (final.stage === 'rejected' && wasClosed(file, final.row)) return closedAgain(file, final, rebuilt);
    if (known === undefined || (final.stage !== 'paid' && final.stage !== 'failed')) return [];
    const again = rebuilt.find(({ row }) => row === final.row);
    const isSame = again?.stage === statusAt(known) && again.transferId === final.transferId;
    // Reads that lag, or lie, may leave it to a person.
    const stage = again?.stage ?? '';
    const isLeft =
      !file.isHonest && (stage === 'held' || hasBeen(known, stage) || isReportedSo(file, final, stage));
    return isSame || isLeft
      ? []
      : [
          {
            invariant: 'I-18',
            row: final.row,
            words: `was ${final.stage}, and rebuilt it is ${stage}`,
          },
        ];
  });
}

/** A status message says the same of a payment that was refused as of one that failed, and what it said is believed where a read hides the transfer. */
function isReportedSo({ isMessage }: CaseFile, { stage }: FinalRow, again: string): boolean {
  return isMessage && stage === 'failed' && again === 'rejected';
}

/** What was cancelled is closed again, whatever was lost; or it is told how a transfer of it has ended, of which nobody had heard. */
function closedAgain(file: CaseFile, { row }: FinalRow, rebuilt: readonly FinalRow[]): readonly Violation[] {
  const stage = rebuilt.find((again) => again.row === row)?.stage;
  const hasEnded = [...file.transfers.values()].some(
    (known) => known.owner?.row === row && statusAt(known) === stage,
  );
  if (stage === 'rejected' || hasEnded || (stage === 'held' && !file.isHonest)) return [];
  return [{ invariant: 'I-18', row, words: `was cancelled, and rebuilt it is ${String(stage)}` }];
}
