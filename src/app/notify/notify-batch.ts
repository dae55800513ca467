// The notices that the owner of a file gets, from its arrival to its end and after. Each function is called once, where a batch changes its state.
import { createHash } from 'node:crypto';

import { isoTime } from '../../base/clock.ts';
import { grouped } from '../../base/decimal.ts';
import { type Words, joinWords, sameWords } from '../../base/language.ts';
import type { BatchRecord, PayAt } from '../../ledger/records.ts';
import { rowsWords, sentence } from '../../messages/messages.ts';
import { OUTCOMES, type Outcome } from '../../payouts/lifecycle.ts';
import type { Summary } from '../../results/summary.ts';
import { FILE_REFUSAL_CODES, REMEDIES } from '../../rows/file-refused.ts';
import { isMessage } from '../../rows/formats.ts';
import type { RequestedTotal } from '../config/notify-config.ts';
import { shortTimeWords, timeWords } from '../config/schedule-config.ts';
import { type Newsroom, notify } from './notify.ts';

/** A batch is accepted only once. */
const ONLY = '1';

/** Sent once it is known that nobody has to approve it first, and at what time it is paid. */
export async function notifyAccepted(
  room: Newsroom,
  batch: BatchRecord,
  totals: readonly RequestedTotal[],
  answer: string,
): Promise<void> {
  const rows = rowsWords(batch.rows);
  const { payAt } = batch;
  const sums = joinWords(
    totals.map(({ currency, amount }) => joinWords([grouped(amount), sameWords(currency)])),
    ', ',
  );
  const bracketed = totals.length === 0 ? sums : joinWords([sameWords('('), sums, sameWords(')')], '');
  const time = payAt === undefined ? null : timesOf(payAt);
  await notify(room, {
    event: 'accepted',
    about: batch,
    version: ONLY,
    headline: joinWords([
      time === null
        ? sentence('notifyBatch.notifyAccepted.accepted')
        : sentence('notifyBatch.notifyAccepted.acceptedFor', { time: time.short }),
      rows,
      bracketed,
    ]),
    lines: [
      joinWords([sentence('notifyBatch.notifyAccepted.fileAccepted'), joinWords([rows, sameWords('.')], '')]),
      ...totals.map(({ currency, rows: count, amount }) =>
        sentence('notifyBatch.notifyAccepted.askedForIn', {
          currency,
          amount: grouped(amount),
          rowsWords: rowsWords(count),
        }),
      ),
      ...(time === null ? [] : [sentence('awaitTime.scheduled', { time: time.full })]),
      sentence('notifyBatch.notifyAccepted.nothingDoneNow'),
    ],
    answers: [answer],
    facts: { rows: batch.rows, totals },
  });
}

function timesOf({ at, timeZone }: PayAt): { readonly full: Words; readonly short: Words } {
  const ms = Date.parse(at);
  return { full: timeWords(ms, timeZone), short: shortTimeWords(ms, timeZone) };
}

export async function notifyRefused(
  room: Newsroom,
  batch: BatchRecord,
  { code, rejected }: { readonly code: string; readonly rejected: number },
  answers: readonly string[],
): Promise<void> {
  const rows = rowsWords(rejected);
  const why: Words =
    rejected === 0 ? sameWords(`(${code})`) : sentence('notifyBatch.notifyRefused.toFix', { rows });
  await notify(room, {
    event: 'refused',
    about: batch,
    // The same bytes may come again: that is another refusal, while one refusal is reported once.
    version: batch.acceptedAt,
    headline: joinWords([sentence('notifyBatch.notifyRefused.refusedNothingSent'), why]),
    lines: [
      joinWords([
        sentence('notifyBatch.notifyRefused.fileRefusedNothing'),
        joinWords([why, sameWords('.')], ''),
      ]),
      rejected === 0
        ? sentence('notifyBatch.notifyRefused.answerSaysWhy', { remedy: remedyOf(code) })
        : sentence(
            isMessage(batch.fileName)
              ? 'notifyBatch.notifyRefused.fixPayments'
              : 'notifyBatch.notifyRefused.fixRowsFile',
          ),
    ],
    answers,
    facts: { rows: batch.rows },
  });
}

/** What to do, which is the same for every file that is refused for this; null for a code that names no fault of a file. */
function remedyOf(code: string): Words | null {
  const known = FILE_REFUSAL_CODES.find((each) => each === code);
  return known === undefined ? null : REMEDIES[known];
}

/** @param fileName the file that came now; `earlier` is the batch that already has its bytes. */
export async function notifyDuplicate(
  room: Newsroom,
  fileName: string,
  earlier: BatchRecord,
  answer: string,
): Promise<void> {
  // A name that is dropped again on the same day is reported once.
  const day = isoTime(room.clock.now()).slice(0, 10);
  const version = createHash('sha256').update(`${day} ${fileName}`).digest('hex').slice(0, 16);
  const since = earlier.acceptedAt.slice(0, 10);
  await notify(room, {
    event: 'duplicate',
    about: { id: earlier.id, fileName, sandbox: earlier.sandbox },
    version,
    headline: sentence('notifyBatch.headline'),
    lines: [
      sentence('notifyBatch.notifyDuplicate.sameFileByte', { since }),
      sentence('notifyBatch.notifyDuplicate.ifPaidAgain'),
    ],
    answers: [answer],
  });
}

/** `version` is the number of the answers that report it. If a reported end has changed by the time the batch can close, it is reported again. */
export async function notifyCompletion(
  room: Newsroom,
  batch: BatchRecord,
  summary: Summary,
  version: number,
): Promise<void> {
  const { outcomes } = summary;
  const counts = outcomesWords(outcomes);
  const isWhole = outcomes.paid === batch.rows;
  const { approval } = batch;
  const declined = approval?.kind === 'asked' ? approval.declined : null;
  const ended = sentence(
    declined?.sendsBack === true ? 'notifyBatch.sentBack' : 'notifyBatch.notifyCompletion.finished',
  );
  await notify(room, {
    event: 'completion',
    about: batch,
    version: String(version),
    headline: joinWords([ended, counts]),
    lines: [
      ...(declined === null ? [] : [sentence('decideApproval.declined', declined)]),
      joinWords([
        sentence('notifyBatch.notifyCompletion.everyRowFinal'),
        joinWords([counts, sameWords('.')], ''),
      ]),
      ...(version === 1 ? [] : [sentence('notifyBatch.notifyCompletion.anotherEndTold', { version })]),
      ...moneyLines(summary),
      isWhole
        ? sentence('notifyBatch.notifyCompletion.thereNothingDo')
        : sentence('notifyBatch.notifyCompletion.fileSaysEach'),
    ],
    answers: summary.answers,
    facts: factsOf(summary),
  });
}

/** The service changed a status after the batch was closed; `version` is the number of the answers that report it. */
export async function notifyChanged(
  room: Newsroom,
  batch: BatchRecord,
  summary: Summary,
  version: number,
): Promise<void> {
  const counts = outcomesWords(summary.outcomes);
  await notify(room, {
    event: 'changed',
    about: batch,
    version: String(version),
    headline: joinWords([sentence('notifyBatch.notifyChanged.changedAfterEnd'), counts]),
    lines: [
      sentence('notifyBatch.notifyChanged.serviceChangedPayments', { version }),
      joinWords([sentence('notifyBatch.notifyChanged.now'), joinWords([counts, sameWords('.')], '')]),
      ...moneyLines(summary),
      sentence('notifyBatch.notifyChanged.bookDifferenceAsk'),
    ],
    answers: summary.answers,
    facts: factsOf(summary),
  });
}

/** A checked and priced file waits for approval. `version` tells this question from earlier ones of the same batch; `lines` say what it is about, and how to answer it. */
export async function notifyApproval(
  room: Newsroom,
  batch: BatchRecord,
  {
    version,
    lines,
    answers,
  }: {
    readonly version: string;
    readonly lines: readonly Words[];
    readonly answers: readonly string[];
  },
): Promise<void> {
  await notify(room, {
    event: 'approval',
    about: batch,
    version,
    headline: joinWords([sentence('notifyBatch.notifyApproval'), rowsWords(batch.rows)]),
    lines,
    answers,
    facts: { rows: batch.rows },
  });
}

function factsOf({ file, outcomes, totals, received }: Summary) {
  return { rows: file.rows, outcomes, totals, received };
}

// Sums and counts for a message: outcomes by number, money by currency; never details of a row.

/** `118 paid, 1 failed`: only outcomes that occur. */
function outcomesWords(outcomes: Readonly<Record<Outcome, number>>): Words {
  const counted = OUTCOMES.filter((outcome) => outcomes[outcome] > 0).map((outcome) =>
    sentence(`notifyBatch.counted.${outcome}`, { count: outcomes[outcome] }),
  );
  return joinWords(counted, ', ');
}

/** A line for each currency that was debited, and for each that arrived. */
function moneyLines({ totals, received }: Pick<Summary, 'totals' | 'received'>): readonly Words[] {
  return [
    ...totals.map(({ sourceCurrency, debited, reserved, feeAmount }) =>
      sentence('notice.moneyLines.debitedReservedFees', {
        sourceCurrency,
        debited: grouped(debited),
        reserved: /[1-9]/.test(reserved) ? grouped(reserved) : null,
        feeAmount: grouped(feeAmount),
      }),
    ),
    ...received.map(({ destinationCurrency, receiveAmount }) =>
      sentence('notice.moneyLines.received', { destinationCurrency, receiveAmount: grouped(receiveAmount) }),
    ),
  ];
}
