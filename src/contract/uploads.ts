// A file on its way in: how far its check is, its sheet with the faults, corrections, and its submission.
import { z } from 'zod';

import { verification } from './payees.ts';
import { type Body, decimal, moment, page, text } from './schema.ts';
import { TYPED_MOST } from './words.ts';

/** `checked`, `faulty` and the lists grow during the check. */
export const upload = z.object({
  id: z.uuid(),
  name: text,
  bytes: z.int(),
  sentAt: moment,
  state: z.enum(['checking', 'checked', 'refused']),
  rows: z.int(),
  /** Rows checked so far. */
  checked: z.int(),
  faulty: z.int(),
  documentsMissing: z.int(),
  missing: z.array(text),
  sums: z.array(z.object({ currency: text.nullable(), amount: decimal })),
  code: text.nullable(),
  reason: text.nullable(),
  /** Cells that were corrected at the page. */
  corrected: z.int(),
  batch: text.nullable(),
});
export type Upload = Body<typeof upload>;
export const begunUpload = upload.pick({ id: true, state: true });

/** One fault of one cell; `index` is the column's, from 0, null where the file has no such column. */
export const fault = z.object({
  row: text,
  /** From 0, among the rows of the sheet. */
  position: z.int(),
  column: text,
  index: z.int().nullable(),
  code: text,
  message: text,
});
export type CellFault = Body<typeof fault>;
export const nextFault = z.object({ fault: fault.nullable() });
export type NextFault = Body<typeof nextFault>;

/** The file as it was dropped. */
export const sheet = z.object({
  header: z.array(text),
  /** What each column is taken for, in the reader's words; null for one that is not read. */
  columns: z.array(z.object({ column: text, title: text }).nullable()),
  data: z.array(z.object({ row: text, position: z.int(), cells: z.array(text), faults: z.array(fault) })),
});
export type SheetPage = Body<typeof sheet>;

/** More rows no file has. */
const PLACE_MOST = 10_000_000;
export const place = z.coerce.number().int().min(0).max(PLACE_MOST);
export const sheetQuery = z.strictObject({
  at: place.default(0),
  limit: page.limit,
  faulty: z.enum(['true', 'false']).default('false'),
});
export type SheetQuery = Body<typeof sheetQuery>;
/** The cell from which the next fault is looked for, and which way. */
export const faultQuery = z.strictObject({
  row: place,
  column: z.coerce.number().int().min(-1).max(PLACE_MOST),
  step: z.enum(['1', '-1']),
});
export type FaultQuery = Body<typeof faultQuery>;

/** By the positions of its row and its column, from 0. */
const typedCell = z.strictObject({
  row: z.int().min(0),
  column: z.int().min(0),
  text: text.max(1_000).regex(/^\P{Cc}*$/u),
});
export type TypedCell = Body<typeof typedCell>;
/** For an empty cell of a row to fix: what a payment to exactly its name and account had there. */
const payeeCell = z.object({
  row: text,
  /** As those of a fault. */
  position: z.int(),
  index: z.int(),
  text,
  from: z.object({
    batch: text,
    file: text,
    row: text,
    acceptedAt: moment,
    /** Whether the account is verified; null where nobody says so. */
    verified: verification.nullable(),
  }),
});
export type PayeeCell = Body<typeof payeeCell>;
export const payeeCells = z.object({ data: z.array(payeeCell) });
export type PayeeCells = Body<typeof payeeCells>;

const cells = z.array(typedCell).max(TYPED_MOST);
export const correction = z.strictObject({ cells: cells.min(1) });
export type Correction = Body<typeof correction>;
/** What was typed and is not checked yet. */
export const draft = z.strictObject({ cells });
export type Draft = Body<typeof draft>;

export const submission = z.strictObject({
  skipRows: z.boolean().default(false),
  again: z.boolean().default(false),
});
export type Submission = Body<typeof submission>;
export const submitted = z.object({ batch: text });
export type Submitted = Body<typeof submitted>;
