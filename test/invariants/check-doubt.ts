// What has to follow a response that settles nothing, or one that settles everything.
import {
  ownerOf,
  placed,
  wasNotExecuted,
  wasStopped,
  type CaseFile,
  type Placed,
  type Violation,
} from './case-file.ts';
import type { Operation } from './journal.ts';

/** I-6: after a mutation that got no usable answer, its process looks before it sends the same again. */
export function checkLooksBeforeActing(file: CaseFile): readonly Violation[] {
  return file.sent.flatMap((call, index) => {
    if (call.operation !== 'create' && call.operation !== 'confirm') return [];
    const before = file.sent
      .slice(0, index)
      .findLast(
        (other) =>
          other.life === call.life && other.operation === call.operation && other.subject === call.subject,
      );
    if (before === undefined || !isOpen(file, before) || hasLooked(file, before, call)) return [];
    if (wasStopped(file, call)) return [];
    const row = ownerOf(file, call)?.row ?? null;
    return [
      { invariant: 'I-6', row, words: `${call.line} again without a look at what became of the first` },
    ];
  });
}

function isOpen(file: CaseFile, call: Placed<'sent'>): boolean {
  return (file.answered.get(call.call)?.errorCode ?? null) === null && !wasNotExecuted(file, call);
}

/** A read about the same row that was answered in between. */
function hasLooked(file: CaseFile, before: Placed<'sent'>, call: Placed<'sent'>): boolean {
  const row = ownerOf(file, call)?.row;
  return file.sent.some((read) => {
    const isBetween = read.place > before.place && read.place < call.place && read.life === call.life;
    const answer = file.answered.get(read.call);
    if (read.operation !== 'read' || !isBetween || (answer?.httpStatus ?? null) === null) return false;
    const subject = read.subject.replace(/^ext-/, '');
    return (
      file.owners.get(subject.toLowerCase())?.row === row || file.transfers.get(subject)?.owner?.row === row
    );
  });
}

/** I-7: what the payout network has refused (10027) is not confirmed again by anybody who can know of it. */
export function checkNoConfirmAfterRefusal(file: CaseFile): readonly Violation[] {
  const ledgers = placed(file.journal, 'ledger');
  return file.sent.flatMap((call) => {
    if (call.operation !== 'confirm') return [];
    const since = ledgers.findLast(({ place }) => place < call.place)?.place ?? -1;
    const isKnown = file.sent.some((other) => {
      const answer = file.answered.get(other.call);
      if (other.operation !== 'confirm' || other.subject !== call.subject || answer?.errorCode !== 10027)
        return false;
      if (answer.damage !== null || answer.place < since) return false;
      return file.recorded.some(
        ({ place, life, record }) =>
          place > answer.place &&
          place < call.place &&
          life === answer.life &&
          record.transferId === call.subject,
      );
    });
    const row = ownerOf(file, call)?.row ?? null;
    const records = file.recorded.filter(
      ({ place, record }) => place > since && place < call.place && record.row === row,
    );
    // A process that was under way when another one heard of it may be late by one call; one that wrote the row after that was not.
    const isLate = records.at(-1)?.life !== call.life;
    return isKnown && !isLate
      ? [{ invariant: 'I-7', row, words: `confirm of ${call.subject} after the network refused it` }]
      : [];
  });
}

/** They change nothing. */
const LOOKS: ReadonlySet<Operation> = new Set(['read', 'list']);

/** What was under way when the key was refused has been sent by then. */
const SENT_AFTER_REFUSAL_MOST_MS = 500;

/** I-30: a process whose key is refused asks for nothing more, unless a look that it took all the same has shown that the key is good again. */
export function checkStopsWhenKeyIsRefused(file: CaseFile): readonly Violation[] {
  const refusals = [...file.answered.values()].filter(isKeyRefused);
  return file.sent.flatMap((call) => {
    const refusal = refusals.find(
      ({ life, place, at }) =>
        life === call.life && place < call.place && call.at > at + SENT_AFTER_REFUSAL_MOST_MS,
    );
    return refusal !== undefined &&
      !LOOKS.has(call.operation) &&
      !wasStopped(file, call) &&
      !hasGoneOn(file, refusal, call) &&
      !restsOnEarlierLook(file, refusal, call) &&
      !isTakenBack(file, refusal, call)
      ? [{ invariant: 'I-30', row: null, words: `${call.line} after the key was refused` }]
      : [];
  });
}

function isKeyRefused({ httpStatus, errorCode }: Placed<'answered'>): boolean {
  return httpStatus === 403 && errorCode === null;
}

/** A daemon whose run has ended with it tries again after a while. */
function hasGoneOn({ lives }: CaseFile, refusal: Placed<'answered'>, call: Placed<'sent'>): boolean {
  return lives.some(
    ({ life, what, place }) =>
      life === call.life && what === 'goes on' && place > refusal.place && place < call.place,
  );
}

/** Its step was under way when another call was refused: it waited for the answer to a look, and the key was good when that was sent. */
function restsOnEarlierLook(file: CaseFile, refusal: Placed<'answered'>, call: Placed<'sent'>): boolean {
  return file.sent.some(({ call: number, life, place, operation }) => {
    const answer = file.answered.get(number);
    const isLook = life === call.life && place < refusal.place && LOOKS.has(operation);
    return isLook && answer !== undefined && answer.place < call.place && answer.at === call.at;
  });
}

function isTakenBack(file: CaseFile, refusal: Placed<'answered'>, { place }: Placed<'sent'>): boolean {
  const later = file.sent.filter((look) => look.life === refusal.life && look.place > refusal.place);
  const last = later
    .flatMap((look) => file.answered.get(look.call) ?? [])
    .findLast((answer) => answer.place < place && answer.httpStatus !== null && answer.damage === null);
  return last !== undefined && !isKeyRefused(last);
}

/** I-19: what the ledger says at the end is what was last recorded. */
export function checkLedgerKept(file: CaseFile): readonly Violation[] {
  const since = placed(file.journal, 'ledger').at(-1)?.place ?? -1;
  return file.finals.flatMap(({ row, stage }) => {
    const last = file.recorded.findLast(({ place, record }) => place > since && record.row === row);
    return last === undefined || last.record.stage === stage
      ? []
      : [{ invariant: 'I-19', row, words: `was recorded as ${last.record.stage} and stands as ${stage}` }];
  });
}
