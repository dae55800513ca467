// Long work for which somebody waits: what a file costs, and whether the service has the same books.
import { z } from 'zod';

import { costLine, outcomes } from './files.ts';
import { type Body, day, decimal, moment, nothing, text } from './schema.ts';

/** Also where the prices of the last job still hold. */
export const costOrder = z.strictObject({ again: z.boolean().default(false) });
export type CostOrder = Body<typeof costOrder>;
/** A batch, a period, or everything. */
export const reconcileOrder = z.union([
  z.strictObject({ batch: text.max(100) }),
  z.strictObject({ from: day, to: day }).refine(({ from, to }) => from <= to),
  nothing,
]);
export type ReconcileOrder = Body<typeof reconcileOrder>;

const costResult = z.object({
  outcomes,
  lines: z.array(costLine),
  waitingFor: text.nullable(),
  answers: z.array(text),
  words: z.array(text),
  isStopped: z.boolean(),
});

const effect = z.object({ debited: decimal, reserved: decimal });
const reconciled = z.object({
  agrees: z.boolean(),
  rows: z.int(),
  /** Of all differences; of many, only the first are listed. */
  count: z.int(),
  differences: z.array(
    effect.extend({
      batch: text.nullable(),
      row: text.nullable(),
      kind: text,
      sourceCurrency: text,
      words: text,
    }),
  ),
  totals: z.array(
    z.object({ sourceCurrency: text, file: effect, ledger: effect, service: effect, differences: effect }),
  ),
  words: z.array(text),
  answers: z.array(text),
});
export type Reconciled = Body<typeof reconciled>;

export const job = z.object({
  id: z.uuid(),
  kind: z.enum(['cost', 'reconcile']),
  /** Its subject: an upload, a batch, a period. */
  of: text,
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  done: z.int(),
  /** Null while it is unknown. */
  total: z.int().nullable(),
  startedAt: moment,
  endedAt: moment.nullable(),
  result: z.union([costResult, reconciled]).nullable(),
  reason: text.nullable(),
});
export type Job = Body<typeof job>;
