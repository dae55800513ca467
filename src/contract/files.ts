// Files that are paid: their summaries, rows, events and answers, and how one differs from the last of its kind.
import { z } from 'zod';

import { type Body, decimal, moment, page, text } from './schema.ts';
import { JOURNAL_FORMATS, OUTCOMES, STANDINGS, STEP_STATES, STEPS, SUMMARY_STATES } from './words.ts';

export const outcomes = z.record(z.enum(OUTCOMES), z.int());
/** What a file costs in one currency; null where the balance is not known. */
export const costLine = z.object({
  sourceCurrency: text,
  sendAmount: decimal,
  feeAmount: decimal,
  debit: decimal,
  availableAmount: decimal.nullable(),
  shortfall: decimal.nullable(),
});
export type CostLine = Body<typeof costLine>;

/** What the check of a file found. Rows are numbers and ranges, `5–8`; of many, only the first are named. */
const check = z.object({
  /** Payments in the file, including those to correct. */
  payments: z.int(),
  /** The sums that the rows state; null where rows do not say which currency. */
  sums: z.array(z.object({ currency: text.nullable(), rows: z.int(), amount: decimal })),
  /** Rows to correct. */
  rejected: z.int(),
  faults: z.array(z.object({ code: text, column: text, message: text, count: z.int(), rows: z.array(text) })),
  /** Rows that a run would hold, because they are the same payment. */
  wouldHold: z.array(z.object({ code: text, count: z.int(), rows: z.array(text) })),
});

export const summary = z.object({
  batch: text,
  state: z.enum(SUMMARY_STATES),
  /** What is true of its money: the word that is shown. */
  standing: z.enum(STANDINGS),
  sandbox: z.boolean(),
  file: z.object({ name: text, sha256: text, rows: z.int() }),
  outcomes,
  /** Over the paid and submitted rows: `debited` is sends and fees of the paid, `reserved` of the submitted. */
  totals: z.array(
    z.object({
      sourceCurrency: text,
      sendAmount: decimal,
      feeAmount: decimal,
      debited: decimal,
      reserved: decimal,
    }),
  ),
  /** Over the paid rows. */
  received: z.array(z.object({ destinationCurrency: text, receiveAmount: decimal })),
  waitingFor: text.nullable(),
  wait: z
    .object({ for: text, liftedBy: z.enum(['release', 'approve', 'resume', 'itself']), reason: text })
    .nullable(),
  /** The set time of one that is not paid before then. */
  payAt: moment.exactOptional(),
  startedAt: moment,
  finishedAt: moment.nullable(),
  /** Names of the answers in the outbox. */
  answers: z.array(text),
  preview: z.array(costLine).exactOptional(),
  check: check.exactOptional(),
  /** The summary of a closed batch that this one corrects. */
  supersedes: text.exactOptional(),
});
export type FileSummary = Body<typeof summary>;

/** A file as it stands now. */
export const fileStatus = summary.extend({
  /** Those that there are for this file, in their order. */
  steps: z.array(z.object({ step: z.enum(STEPS), state: z.enum(STEP_STATES) })),
  submittedBy: z.array(text),
  /** What an approver is asked about. */
  asked: z.array(z.object({ currency: text, debit: decimal })),
  /** Who sent it back to be corrected, when and why. */
  sentBack: z.object({ by: text, at: moment, reason: text }).nullable(),
});
export type FileStatus = Body<typeof fileStatus>;

export const filesQuery = z.strictObject({
  ...page,
  state: z.enum(['open', ...SUMMARY_STATES]).optional(),
  find: text.min(1).max(100).optional(),
});
export type FilesQuery = Body<typeof filesQuery>;

/** With the values of the columns `payout.*` under their names without that prefix. */
export const row = z
  .object({
    row: text,
    outcome: z.enum(OUTCOMES),
    reason: text,
    receiver: text.nullable(),
    account: text.nullable(),
    errorCode: text,
    externalId: text,
    transferId: text,
  })
  .catchall(text.nullable());
export type Row = Body<typeof row>;
const rowName = text.min(1).max(100).optional();
export const rowsQuery = z.strictObject({
  ...page,
  outcome: z.enum(OUTCOMES).optional(),
  code: text.regex(/^[\w-]{1,64}$/).optional(),
  find: text.min(1).max(100).optional(),
  row: rowName,
});
export type RowsQuery = Body<typeof rowsQuery>;

export const event = z.looseObject({ at: moment, code: text, row: text.nullable() });
export type TimelineEvent = Body<typeof event>;
export const eventsQuery = z.strictObject({ ...page, row: rowName });
export type EventsQuery = Body<typeof eventsQuery>;

export const answer = z.object({ kind: text, name: text, bytes: z.int(), sha256: text });
export type AnswerFile = Body<typeof answer>;

export const journalQuery = z.strictObject({ format: z.enum(JOURNAL_FORMATS).default('csv') });
export type JournalQuery = Body<typeof journalQuery>;

export const comparison = z.object({
  /** The cells that its sender has corrected at the page, by the name of their row. */
  corrected: z.array(z.object({ row: text, column: text, before: text, after: text })),
  /** The batch that it was compared with, and the name of its file; null where there is none of its kind. */
  with: text.nullable(),
  file: text.nullable(),
  receivers: z.object({ now: z.int(), before: z.int(), added: z.int(), gone: z.int() }),
  /** Receivers in both files whose amounts differ. */
  amounts: z.object({ changed: z.int() }),
  /** Rows to receivers who are new, and to those whose amounts differ; of many the first. */
  rows: z.object({ added: z.array(text), changed: z.array(text) }),
  totals: z.array(z.object({ currency: text, now: decimal, before: decimal })),
});
export type Comparison = Body<typeof comparison>;
