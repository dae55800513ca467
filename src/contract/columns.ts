// How the columns of a file are read: what a person says of them, what comes of it, and the profiles that keep it.
import { z } from 'zod';

import { stepUp } from './session.ts';
import { type Body, digest, moment, text } from './schema.ts';
import { NAME_ORDERS, SPLIT_RULES } from './words.ts';

const pair = z.tuple([text.max(200), text.max(200)]);
/** How a cell with two names is taken apart, and the columns that its parts are. */
const split = z.strictObject({ into: pair, by: z.enum(SPLIT_RULES) });
export type Split = Body<typeof split>;

const said = z.record(text.max(200), text.min(1).max(200)).default({});
export const reading = z.strictObject({
  columns: said,
  constants: said,
  values: said,
  split: z.record(text.max(200), split).default({}),
  same: said,
  decimalMark: z.enum(['.', ',']).optional(),
  personNames: z.enum(NAME_ORDERS).optional(),
});
export type Reading = Body<typeof reading>;
export const savedReading = reading.extend({
  name: text.regex(/^[\w-]{1,80}$/),
  mayReplace: z.boolean().default(false),
});
export type SavedReading = Body<typeof savedReading>;

/** What may fill a gap, for a person to confirm. */
const hint = z.discriminatedUnion('kind', [
  split.extend({ kind: z.literal('split'), header: text }),
  z.object({ kind: z.literal('same'), column: text, other: text }),
  z.object({ kind: z.literal('names'), order: z.enum(NAME_ORDERS) }),
  /** A word of the file, and what it probably means. */
  z.object({ kind: z.literal('value'), word: text, value: text }),
]);
export type Hint = Body<typeof hint>;

const proposedColumn = z.object({
  header: text,
  /** The letter above the column. */
  letter: text,
  /** The canonical name, or null for a column that is ignored. */
  column: text.nullable(),
  /** 1: the header says so and every cell agrees; null for an ignored column, or one that a person has named. */
  confidence: z.number().nullable(),
  /** The source of the meaning: a person, the header, or only the cells. */
  from: z.enum(['stated', 'header', 'cells']).nullable(),
  samples: z.array(text),
});
export type ProposedColumn = Body<typeof proposedColumn>;
const splitSamples = z.object({
  header: text,
  into: pair,
  samples: z.array(z.object({ cell: text, parts: z.tuple([text, text]) })),
  /** Cells that the rule does not take apart: rows to fix. */
  whole: z.int(),
});
export type SplitSamples = Body<typeof splitSamples>;

/** What no list of payments says, and a person says once for all rows. */
const columnAsk = z.object({
  column: text,
  /** None where a person says it in words of their own. */
  choices: z.array(text),
  /** What each of the choices means, in their order; none where they say it themselves. */
  meanings: z.array(text),
  /** The choice that the file makes likely. */
  likely: text.nullable(),
});
export type Ask = Body<typeof columnAsk>;

export const proposal = z.object({
  name: text,
  /** The pattern of the names of files that it would be for. */
  files: text,
  headerPlace: text,
  columns: z.array(proposedColumn),
  known: z.array(z.object({ column: text, words: text })),
  splits: z.array(splitSamples),
  /** `answers`: what the columns may be taken for, where one of these is all there is to say. */
  questions: z.array(z.object({ words: text, answers: z.array(z.object({ header: text, column: text })) })),
  trial: z
    .object({
      rows: z.int(),
      /** Rows that could be paid as they are. */
      payable: z.int(),
      /** Also where rows lack only what is said later, and none can be paid yet. */
      mayBeSaved: z.boolean(),
      /** The most frequent; where each row has its own words, those of the first as an example. */
      faults: z.array(z.object({ code: text, column: text, rows: z.int(), words: text })),
      hints: z.array(hint),
      asks: z.array(columnAsk),
    })
    .nullable(),
});
export type Proposal = Body<typeof proposal>;

/** How files of some names are read. */
export const profile = z.object({
  name: text,
  /** Patterns of file names. */
  files: z.array(text),
  columns: z.array(
    z.object({
      header: text,
      column: text.nullable(),
      /** In the reader's words; null for a column that is not read. */
      title: text.nullable(),
      /** Cells of a file of its author's, accounts masked; none where there is no such file. */
      samples: z.array(text),
    }),
  ),
  author: text.nullable(),
  confirmed: z.object({ by: text, at: moment }).nullable(),
  isProposal: z.boolean(),
  replaces: z.boolean(),
  text,
  digest: text,
  mayConfirm: z.boolean(),
  whyNotWords: text.nullable(),
});
export type ReadingProfile = Body<typeof profile>;
export const profileConfirmation = z.strictObject({ digest, stepUp });
export type ProfileConfirmation = Body<typeof profileConfirmation>;
