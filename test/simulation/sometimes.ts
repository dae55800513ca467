// The rare paths that a simulation is for. A test that never gets there proves nothing about them, so each is counted, and a long run that never
// reached one is a failure of the simulation itself.
import { isClosing, isRelease } from '../invariants/check-decisions.ts';
import {
  hasBeen,
  openCase,
  placed,
  type CaseFile,
  type Evidence,
  type Placed,
} from '../invariants/case-file.ts';

type Sign = (file: CaseFile) => boolean;

const SIGNS = {
  'adopted a transfer after 10011': (file) => wasAnswered(file, 'create', 10011) && file.finals.some(isPaid),
  'confirm answered 10015': (file) => wasAnswered(file, 'confirm', 10015),
  'confirm answered 10016, and the transfer was submitted': (file) =>
    refusedSubjects(file, 10016).some((id) => isHistory(file, id, 'submitted')),
  'confirm answered 10022, and paid in the end': (file) =>
    refusedSubjects(file, 10022).some((id) => isHistory(file, id, 'paid')),
  'confirm answered 10027, and failed': (file) =>
    refusedSubjects(file, 10027).some((id) => isHistory(file, id, 'failed')),
  'confirm answered 10027, and paid all the same': (file) =>
    refusedSubjects(file, 10027).some((id) => isHistory(file, id, 'paid')),
  'quotation adopted after 10002': (file) => wasAnswered(file, 'rates', 10002),
  'create answered 10009, and paid in the end': (file) =>
    wasAnswered(file, 'create', 10009) && file.finals.some(isPaid),
  'attempt 2 paid': (file) => file.finals.some((row) => isPaid(row) && row.transferAttempt >= 2),
  'expired unconfirmed proved': (file) => hasProof(file, 'expired-unconfirmed'),
  'expired with its confirm refused proved': (file) => hasProof(file, 'expired-confirm-refused'),
  'create arrived after its caller had given up': (file) => arrivedLate(file, 'create'),
  'confirm arrived after its caller had given up': (file) => arrivedLate(file, 'confirm'),
  'confirm arrived twice': (file) =>
    placed(file.journal, 'arrived').some(
      ({ call, copy }) => copy > 0 && operationOf(file, call) === 'confirm',
    ),
  'looked up in vain although it existed': (file) => lookedInVain(file),
  'funds ran out, and the row was paid': (file) =>
    [...file.answered.values()].some(({ errorCode }) => errorCode === 10024) && file.finals.some(isPaid),
  'another process took over a row': (file) => wasTakenOver(file),
  'killed between the intent and the confirm': (file) => diedAfter(file, 'confirming'),
  'killed while a confirm was under way': (file) => diedDuring(file, 'confirm'),
  'killed while a create was under way': (file) => diedDuring(file, 'create'),
  'a process was stopped and went on': (file) => hasLife(file, 'freezes'),
  'ledger rebuilt from nothing': (file) =>
    placed(file.journal, 'ledger').some(({ what }) => what === 'rebuilt'),
  'an older ledger was restored': (file) =>
    placed(file.journal, 'ledger').some(({ what, records }) => what === 'restored' && records.length > 0),
  'a rebuilt ledger met a transfer of its own': (file) =>
    placed(file.journal, 'ledger').some(
      ({ what, records }) => what === 'rebuilt' && records.some(({ transferId }) => transferId !== null),
    ),
  'reversed after payout': (file) => file.finals.some(({ cells }) => cells['payout.statusCode'] === '100001'),
  'on its way by the list': (file) => wasListed(file, ['confirmed']),
  'ended by the list': (file) => wasListed(file, ['paid', 'failed']),
  'a forged list was answered': (file) =>
    [...file.answered.values()].some(
      ({ call, damage }) => damage === 'echo' && operationOf(file, call) === 'list',
    ),
  'changed by staff': (file) => placed(file.journal, 'status').some(({ by }) => by === 'staff'),
  'confirmed by somebody else': (file) => placed(file.journal, 'status').some(({ by }) => by === 'other'),
  'held: id_collision': (file) => isHeld(file, 'id_collision'),
  'held: echo_mismatch': (file) => isHeld(file, 'echo_mismatch'),
  'held: quotation_mismatch': (file) => isHeld(file, 'quotation_mismatch'),
  'held: network_undecided': (file) => isHeld(file, 'network_undecided'),
  'released by a person, and paid': (file) =>
    file.finals.some((row) => isPaid(row) && wasReleased(file, row.row) !== undefined),
  'released by a person, and held again': (file) =>
    file.recorded.some(
      ({ record, place }) =>
        record.stage === 'held' && (wasReleased(file, record.row)?.place ?? Infinity) < place,
    ),
  'released with a transfer that only the service can end': (file) =>
    placed(file.journal, 'decided').some(({ order, followed }) => order === 'skip' && followed.length > 0),
  'cancelled by a person': (file) =>
    file.recorded.some(({ event }) => isClosing(event) && event !== CLOSED_BEFORE),
  'cancelled before, and again': (file) => file.recorded.some(({ event }) => event === CLOSED_BEFORE),
  'closing was refused': (file) => wasDecided(file, 'skip'),
  'release was refused': (file) => wasDecided(file, 'try again'),
  'rejected by the service': (file) =>
    file.finals.some(({ stage, cells }) => stage === 'rejected' && cells['payout.errorCode'] !== 'cancelled'),
  'the key was refused, and the row was paid': (file) =>
    hasEnd(file, 'credentials') && file.finals.some(isPaid),
  'paused, and paid in the end': (file) => hasEnd(file, 'paused') && file.finals.some(isPaid),
  'interrupted, and paid in the end': (file) => hasEnd(file, 'interrupted') && file.finals.some(isPaid),
  'the service was out of reach, and the row was paid': (file) =>
    hasEnd(file, 'service') && file.finals.some(isPaid),
} as const satisfies Readonly<Record<string, Sign>>;

export const SOMETIMES = Object.keys(SIGNS);

/** The rare paths that a run took. */
export function pathsTaken(evidence: Evidence): readonly string[] {
  const file = openCase(evidence);
  return Object.entries(SIGNS).flatMap(([name, sign]) => (sign(file) ? [name] : []));
}

/** The event of a closing that a lost ledger had forgotten. */
const CLOSED_BEFORE = 'cancelled before';

/** The first release of a row. */
function wasReleased(file: CaseFile, row: string): Placed<'recorded'> | undefined {
  return file.recorded.find(({ record, event }) => record.row === row && isRelease(event));
}

function wasDecided(file: CaseFile, wanted: string): boolean {
  return placed(file.journal, 'decided').some(({ order, refused }) => order === wanted && refused.length > 0);
}

function isPaid({ stage }: { readonly stage: string }): boolean {
  return stage === 'paid';
}

/** At any time: what a person or a later look ended since was held all the same. */
function isHeld(file: CaseFile, code: string): boolean {
  return (
    file.finals.some(({ heldCode }) => heldCode === code) ||
    file.recorded.some(({ record }) => record.heldCode === code)
  );
}

function wasAnswered(file: CaseFile, operation: string, code: number): boolean {
  return file.sent.some(
    (call) => call.operation === operation && file.answered.get(call.call)?.errorCode === code,
  );
}

function refusedSubjects(file: CaseFile, code: number): readonly string[] {
  return file.sent
    .filter((call) => call.operation === 'confirm' && file.answered.get(call.call)?.errorCode === code)
    .map(({ subject }) => subject);
}

function isHistory(file: CaseFile, id: string, status: string): boolean {
  const known = file.transfers.get(id);
  return known !== undefined && hasBeen(known, status);
}

function hasProof(file: CaseFile, proof: string): boolean {
  return file.recorded.some(({ record }) => record.deadAttempts.some((dead) => dead.proof === proof));
}

function operationOf(file: CaseFile, call: number): string | undefined {
  return file.sent.find((sent) => sent.call === call)?.operation;
}

/** The last that its process had heard was a list. */
function wasListed(file: CaseFile, stages: readonly string[]): boolean {
  const answers = placed(file.journal, 'answered');
  return file.recorded.some(({ life, record, place }) => {
    if (!stages.includes(record.stage)) return false;
    const last = answers.findLast((answer) => answer.life === life && answer.place < place);
    return last?.httpStatus === 200 && operationOf(file, last.call) === 'list';
  });
}

function arrivedLate(file: CaseFile, operation: string): boolean {
  return placed(file.journal, 'arrived').some(({ call, place }) => {
    const answer = file.answered.get(call);
    return answer?.httpStatus === null && answer.place < place && operationOf(file, call) === operation;
  });
}

function lookedInVain(file: CaseFile): boolean {
  return file.sent.some((call) => {
    const answer = file.answered.get(call.call);
    if (call.operation !== 'read' || answer?.errorCode !== 10013) return false;
    const externalId = call.subject.replace(/^ext-/, '').toLowerCase();
    return [...file.transfers.values()].some(
      ({ facts, place }) => facts.externalId.toLowerCase() === externalId && place < answer.place,
    );
  });
}

function wasTakenOver(file: CaseFile): boolean {
  const died = new Map(
    placed(file.journal, 'life').map(({ life, what, place }) => [`${life} ${what}`, place]),
  );
  const last = new Map<string, { readonly life: string; readonly place: number }>();
  return file.recorded.some(({ life, record, place }) => {
    const before = last.get(record.row);
    last.set(record.row, { life, place });
    if (before === undefined || before.life === life) return false;
    return (died.get(`${before.life} dies`) ?? died.get(`${before.life} ends`) ?? Infinity) > place;
  });
}

function diedAfter(file: CaseFile, stage: string): boolean {
  return placed(file.journal, 'life').some(({ life, what, place }) => {
    if (what !== 'dies') return false;
    const last = file.recorded.findLast((entry) => entry.life === life && entry.place < place);
    const sent = file.sent.findLast((entry) => entry.life === life && entry.place < place);
    return last?.record.stage === stage && (sent?.place ?? -1) < last.place;
  });
}

function diedDuring(file: CaseFile, operation: string): boolean {
  return placed(file.journal, 'life').some(({ life, what, place }) => {
    const last = file.sent.findLast((entry) => entry.life === life && entry.place < place);
    return (
      what === 'dies' &&
      last?.operation === operation &&
      (file.answered.get(last.call)?.place ?? Infinity) > place
    );
  });
}

function hasLife(file: CaseFile, happening: string): boolean {
  return placed(file.journal, 'life').some(({ what }) => what === happening);
}

function hasEnd(file: CaseFile, end: string): boolean {
  return placed(file.journal, 'life').some(({ what, detail }) => what === 'ends' && detail.includes(end));
}
