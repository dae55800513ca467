// What was sent: no step without its record, no confirm of something doubtful, nothing twice at once, nothing to anybody else.
import { ownerOf, placed, wasStopped, type CaseFile, type Placed, type Violation } from './case-file.ts';
import { differences } from './differences.ts';
import type { RowFacts, TransferFacts } from './journal.ts';

/** Longer after its expiry nobody may confirm a transfer any more: a quarter of an hour, and what a stopped process and clocks that differ add. */
const CONFIRM_AFTER_EXPIRY_MOST_MS = 17 * 60_000;

/**
 * I-6: a create follows the record of its attempt, whose id says all about it but the price; a confirm follows the record of the intent. I-7:
 * nothing that differs is confirmed.
 */
export function checkMutations(file: CaseFile): readonly Violation[] {
  const history = new Histories(file);
  return file.sent.flatMap((call): readonly Violation[] => {
    if (call.operation !== 'create' && call.operation !== 'confirm') return [];
    const owner = ownerOf(file, call);
    if (owner === null)
      return [
        { invariant: 'I-8', row: null, words: `${call.line} is about ${call.subject}, which no row has` },
      ];
    const records = history.before(call.place, owner.row);
    const wrong =
      call.operation === 'create'
        ? wrongCreate(file, call, owner.attempt, records)
        : wrongConfirm(file, call, records);
    return wrong.map((violation) => ({ row: owner.row, ...violation }));
  });
}

type Wrong = Omit<Violation, 'row'>;

function wrongCreate(
  file: CaseFile,
  { quotationId, subject }: Placed<'sent'>,
  attempt: number,
  records: readonly RowFacts[],
): readonly Wrong[] {
  const isIntended = records.some((record) => record.transferAttempt === attempt);
  const quotation = placed(file.journal, 'quotation').find(({ quotation: { id } }) => id === quotationId);
  return [
    ...(isIntended ? [] : [{ invariant: 'I-6', words: `create of ${subject} without a record before it` }]),
    ...(quotation?.isAsAsked === false
      ? [{ invariant: 'I-7', words: `create on ${String(quotationId)}, which is not what was asked` }]
      : []),
  ];
}

function wrongConfirm(file: CaseFile, call: Placed<'sent'>, records: readonly RowFacts[]): readonly Wrong[] {
  const { subject, at } = call;
  const known = file.transfers.get(subject);
  const asked = file.askedOf.get(known?.owner?.row ?? '');
  if (known === undefined || asked === undefined) return [];
  // One on record as confirmed may be confirmed again: what answered may not have been the service.
  const isIntended = records.some(
    ({ stage, transferId }) => (stage === 'confirming' || stage === 'confirmed') && transferId === subject,
  );
  const wrong = [...differences(asked, known.facts), ...priceDifferences(file, known.facts)];
  const isLate =
    file.isHonest && at > known.facts.expiredAt + CONFIRM_AFTER_EXPIRY_MOST_MS && !wasStopped(file, call);
  return [
    ...(isIntended
      ? []
      : [{ invariant: 'I-6', words: `confirm of ${subject} without its intent on record` }]),
    ...(wrong.length > 0 || known.by === 'other'
      ? [
          {
            invariant: 'I-7',
            words: `confirm of ${subject}, which is not this row's payment (${wrong.join(', ')})`,
          },
        ]
      : []),
    ...(isLate ? [{ invariant: 'I-30', words: `confirm of ${subject} long after its expiry` }] : []),
  ];
}

/** A transfer has the amounts of the quotation that it was made from. */
function priceDifferences(file: CaseFile, facts: TransferFacts): readonly string[] {
  const quotation = placed(file.journal, 'quotation').find(
    ({ quotation: { id } }) => id === facts.quotationId,
  );
  if (quotation === undefined) return ['quotationId'];
  const { sourceAmount, feeAmount, destinationAmount } = quotation.quotation;
  return [
    ...(facts.sendAmount === sourceAmount ? [] : ['sendAmount']),
    ...(facts.feeAmount === feeAmount ? [] : ['feeAmount']),
    ...(facts.receiveAmount === destinationAmount ? [] : ['receiveAmount']),
  ];
}

/** The records of a row that the ledger has held since it last stood with other contents. */
class Histories {
  readonly #file: CaseFile;
  readonly #ledgers: readonly Placed<'ledger'>[];

  constructor(file: CaseFile) {
    this.#file = file;
    this.#ledgers = placed(file.journal, 'ledger');
  }

  before(place: number, row: string): readonly RowFacts[] {
    const ledger = this.#ledgers.findLast((entry) => entry.place < place);
    const since = this.#file.recorded.filter(
      (entry) => entry.place < place && entry.place > (ledger?.place ?? -1) && entry.record.row === row,
    );
    const stood = (ledger?.records ?? []).filter((record) => record.row === row);
    return [...stood, ...since.map(({ record }) => record)];
  }
}

function wasOvertaken(
  file: CaseFile,
  row: string,
  answer: Placed<'answered'>,
  next: Placed<'recorded'>,
): boolean {
  // What it knew of the row is as old as its call.
  const since = file.sent.find(({ call }) => call === answer.call)?.place ?? answer.place;
  return file.recorded.some(
    ({ place, life, record }) =>
      place > since && place < next.place && life !== answer.life && record.row === row,
  );
}

/** I-7: an answer that says another payment is believed by nobody: the next record of that process for the row holds it. */
export function checkForgedEchoes(file: CaseFile): readonly Violation[] {
  return [...file.answered.values()].flatMap((answer) => {
    const row = rowOfAnswer(file, answer);
    if (answer.damage !== 'echo' || row === null) return [];
    const next = file.recorded.find(
      ({ place, life, record }) => place > answer.place && life === answer.life && record.row === row,
    );
    if (next === undefined || next.record.stage === 'held') return [];
    // Another process had the row by then, and the ledger refused what this one made of the answer.
    if (wasOvertaken(file, row, answer, next)) return [];
    // A call after the look got no answer: nothing of what was said is on record, and nothing was concluded from it.
    if (next.record.transferId === null && isLookAlone(file, answer, next)) return [];
    // What a rebuild only counts is read once more before it is believed.
    const isReadAgain = [...file.answered.values()].some(
      (other) =>
        other.life === answer.life &&
        other.place > answer.place &&
        other.place < next.place &&
        rowOfAnswer(file, other) === row,
    );
    if (isReadAgain) return [];
    return [
      { invariant: 'I-7', row, words: `an answer that says another payment led to ${next.record.stage}` },
    ];
  });
}

/** The answer was to a look, and the record after it leaves the row where it was. */
function isLookAlone(file: CaseFile, { call }: Placed<'answered'>, next: Placed<'recorded'>): boolean {
  const isLook = file.sent.some((sent) => sent.call === call && sent.operation === 'read');
  const before = factsBefore(file, next);
  // A price that was got meanwhile says nothing of the transfer.
  const isWhereItWas = before?.stage === next.record.stage || next.record.stage === 'quoted';
  return isLook && isWhereItWas && before?.transferAttempt === next.record.transferAttempt;
}

/** What the ledger said of the row until then. */
function factsBefore(file: CaseFile, { place, record: { row } }: Placed<'recorded'>): RowFacts | undefined {
  return new Histories(file).before(place, row).at(-1);
}

/** The row whose externalId was created or looked up. */
function rowOfAnswer(file: CaseFile, { call }: Placed<'answered'>): string | null {
  const subject = file.sent.find((sent) => sent.call === call)?.subject ?? '';
  return file.owners.get(subject.replace(/^ext-/, '').toLowerCase())?.row ?? null;
}

/** I-9: at most one request about the same thing is under way; of two processes too, unless one of them could not know of the other. */
export function checkOneAtATime(file: CaseFile): readonly Violation[] {
  const open = new Map<string, Placed<'sent'>[]>();
  return file.sent.flatMap((call) => {
    if (call.operation !== 'create' && call.operation !== 'confirm') return [];
    const key = `${call.operation} ${call.subject}`;
    const before = open.get(key) ?? [];
    open.set(key, [...before.filter(({ life }) => life !== call.life), call]);
    if (wasStopped(file, call) || !before.some((other) => isUnderWay(file, other, call))) return [];
    const row = ownerOf(file, call)?.row ?? null;
    return [{ invariant: 'I-9', row, words: `${call.line} while the same is under way` }];
  });
}

function isUnderWay(file: CaseFile, other: Placed<'sent'>, { life, place }: Placed<'sent'>): boolean {
  if ((file.answered.get(other.call)?.place ?? Infinity) < place) return false;
  if (other.life === life) return true;
  const isGone = file.lives.some(
    (entry) => entry.life === other.life && entry.place < place && entry.what === 'dies',
  );
  return file.areClocksRight && !isGone && !wasStopped(file, { life: other.life, place });
}

/** I-26: the key goes with every request, and I-30: nothing is created by a read. */
export function checkManners(file: CaseFile): readonly Violation[] {
  return file.sent.flatMap(({ apiKey, line }) => [
    ...(apiKey === file.apiKey ? [] : [{ invariant: 'I-26', row: null, words: `${line} with another key` }]),
    ...(/^GET \/rates(\?|$)/.test(line)
      ? [{ invariant: 'I-30', row: null, words: `${line} creates by a read` }]
      : []),
  ]);
}

/** Of those with a usable answer, and again of those without: every call of a row that was tried before begins with a look at its earlier transfer. */
// Two outages in one minute leave some forty tries without an answer.
const READS_A_MINUTE_MOST = { usable: 40, unusable: 60 };

/** I-31: nobody storms the service about one thing, whatever went wrong. */
export function checkNoStorm(file: CaseFile): readonly Violation[] {
  const times = new Map<string, number[]>();
  return file.sent
    .flatMap(({ life, operation, subject, at, line, call }) => {
      if (operation !== 'read') return [];
      const kind = isUsable(file.answered.get(call)) ? 'usable' : 'unusable';
      const most = READS_A_MINUTE_MOST[kind];
      const key = `${life} ${subject} ${kind}`;
      const ofKey = times.get(key) ?? [];
      times.set(key, ofKey);
      ofKey.push(at);
      const first = ofKey.at(-most);
      return first === undefined || at - first > 60_000
        ? []
        : [
            {
              invariant: 'I-31',
              row: null,
              words: `${line} ${String(most)} times within a minute`,
            },
          ];
    })
    .slice(0, 1);
}

function isUsable(answer: Placed<'answered'> | undefined): boolean {
  return answer !== undefined && (answer.status !== null || answer.errorCode !== null);
}

/** Reads that follow a payout of half an hour at the period of the tests, with room. */
const READS_OF_CALM_ROW_MOST = 90;

/** I-31: without faults a row takes one call of each kind, and I-15: one process carries all to their end. */
export function checkCallsOfCalmRows(file: CaseFile): readonly Violation[] {
  if (!file.isCalm) return [];
  const rates = file.sent.filter(({ operation }) => operation === 'rates').length;
  const reads = file.sent.filter(({ operation }) => operation === 'read' || operation === 'list').length;
  const rows = file.asked.length;
  const perRow = file.asked.flatMap(({ row }) => {
    const ofRow = file.sent.filter((call) => ownerOf(file, call)?.row === row);
    const many = (['create', 'attach', 'confirm'] as const).filter(
      (operation) => ofRow.filter((call) => call.operation === operation).length > 1,
    );
    return many.map((operation) => ({
      invariant: 'I-31',
      row,
      words: `more than one ${operation} in a calm run`,
    }));
  });
  const processes = file.lives.filter(({ what }) => what === 'starts').length;
  return [
    ...perRow,
    ...(processes > 1
      ? [{ invariant: 'I-15', row: null, words: `${processes} processes for one calm run` }]
      : []),
    ...(rates > rows
      ? [{ invariant: 'I-31', row: null, words: `${rates} quotations for ${rows} rows in a calm run` }]
      : []),
    ...(reads > rows * READS_OF_CALM_ROW_MOST
      ? [{ invariant: 'I-31', row: null, words: `${reads} reads for ${rows} rows in a calm run` }]
      : []),
  ];
}
