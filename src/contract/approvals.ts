// The question about a file, and its answer.
import { z } from 'zod';

import { verification } from './payees.ts';
import { challenged, signature } from './session.ts';
import { type Body, decimal, digest, moment, page, text } from './schema.ts';

/** What a person says for the record. */
export const reason = text.max(500);
export const stating = z.strictObject({ reason });
export type Stating = Body<typeof stating>;
/** `sendBack`: whoever brought the file is to correct it and bring it again. */
export const declining = stating.extend({ sendBack: z.boolean().default(false) });
export type Declining = Body<typeof declining>;

const warning = z.object({
  kind: z.enum(['changed_account', 'verified_account', 'shared_account', 'ten_times']),
  row: text,
  name: text,
  /** The masked ends of the payee's accounts. */
  before: text.nullable(),
  after: text.nullable(),
  currency: text,
  amount: decimal,
  words: text,
  /** That the account of exactly this row was verified since. */
  verified: verification.nullable(),
});
export type QuestionWarning = Body<typeof warning>;
/** What a question is about besides its sums. */
const subject = z.object({
  payments: text,
  received: z.array(z.object({ currency: text, rows: z.int(), amount: decimal })),
  fees: z.array(z.object({ currency: text, amount: decimal })),
  leftOut: z.object({ rejected: z.int(), duplicate: z.int(), held: z.int() }),
  released: z.array(z.object({ by: text, reason: text, rows: z.array(text) })),
  warned: z.object({ rows: z.int(), changedAccounts: z.int() }),
  warnings: z.array(warning),
  warningsDigest: text,
  readBy: z.object({ profile: text, author: text.nullable(), confirmedBy: text.nullable() }).nullable(),
  payAt: text.nullable(),
  limits: text.nullable(),
});

const debit = z.object({ currency: text, debit: decimal });
/** `standsFor`: the approver on leave whose delegate answered. */
const answeredBy = { by: text, standsFor: text.nullable(), at: moment, via: text };
const answer = z.object({
  ...answeredBy,
  proof: text.optional(),
  isSigned: z.boolean(),
  digest: text.nullable(),
  /** The name of the passkey that signed. */
  passkey: text.nullable(),
  /** With whom changed accounts were verified, and how. */
  verified: text.nullable(),
});
export const question = z.object({
  subject,
  batch: text,
  file: z.object({ name: text, sha256: text }),
  round: z.int(),
  /** The short name of the question, and the digest that is signed. */
  code: text,
  digest: text,
  rows: z.int(),
  totals: z.array(debit.extend({ rows: z.int() })),
  /** What was sent of the file before it was asked about. */
  sent: z.array(debit.extend({ rows: z.int() })),
  most: z.array(debit),
  maxDrift: text,
  preview: text.nullable(),
  previewSha256: text.optional(),
  submittedBy: z.array(text),
  askedAt: moment,
  words: text,
  approvalBy: z.enum(['name', 'signature']),
  state: z.enum(['waiting', 'approved', 'declined', 'outdated']),
  /** How many different people have to approve it: one or two. */
  needed: z.int(),
  /** The approval of the first of two, which alone lets nothing go. */
  first: answer.nullable(),
  given: answer.nullable(),
  needsVerification: z.boolean(),
  /** The only person who may approve it, where that person has also released rows of it. */
  soleApprover: text.nullable(),
  declined: z.object({ ...answeredBy, reason: text, sendsBack: z.boolean() }).nullable(),
  mayAnswer: z.boolean(),
  whyNot: text.nullable(),
  whyNotWords: text.nullable(),
});
export type Question = Body<typeof question>;

export const questionsQuery = z.strictObject({
  ...page,
  state: z.enum(['waiting', 'decided']).default('waiting'),
});
export type QuestionsQuery = Body<typeof questionsQuery>;

/** The digest of the question that was read. */
export const approvalAsked = z.strictObject({ question: digest });
export type ApprovalAsked = Body<typeof approvalAsked>;
export const challengedQuestion = challenged.extend({ question });
/** `verified`: with whom changed accounts were verified, and how. */
export const approval = signature.partial().extend({ question: digest, verified: reason.optional() });
export type Approval = Body<typeof approval>;
