// What a proof of payment says, as a program reads it: the file payment.json that is attached to the PDF. The order of the fields is that of its canonical form.
import { z } from 'zod';

import { type Body, decimal, digest, moment, text } from './schema.ts';
import { LANGUAGES, OUTCOMES } from './words.ts';

/** Amounts as their currency writes them; empty where there is none yet. Of the account only the end is known. */
const provedRow = z.strictObject({
  row: text,
  outcome: z.enum(OUTCOMES),
  /** What is printed of it. */
  state: text,
  reference: text,
  receiver: text,
  account: text,
  destinationCurrency: text,
  receiveAmount: text,
  sourceCurrency: text,
  sendAmount: text,
  feeAmount: text,
  /** Both together. */
  debit: text,
  rate: text,
  confirmedAt: text,
  finalAt: text,
  transferId: text,
  externalId: text,
});
export type ProvedRow = Body<typeof provedRow>;

export const proof = z.strictObject({
  format: z.literal('paydrop-proof/1'),
  /** `proof`: every row in it is paid; `statement`: not all are, or none. */
  kind: z.enum(['proof', 'statement']),
  language: z.enum(LANGUAGES),
  /** When the ledger said so. */
  asOf: moment,
  sandbox: z.boolean(),
  /** The id of the ledger. */
  ledger: text,
  batch: text,
  file: z.strictObject({ name: text, sha256: digest, rows: z.int() }),
  /** Who pays: the names in these rows. */
  payers: z.array(text),
  rows: z.array(provedRow),
  /** Over the paid rows alone. */
  paid: z.strictObject({
    rows: z.int(),
    received: z.array(z.strictObject({ currency: text, amount: decimal })),
    debited: z.array(z.strictObject({ currency: text, amount: decimal })),
  }),
});
export type Proof = Body<typeof proof>;

/** `genuine`: as the ledger has it now; `moved`: it was so, and something has become of a row since; `page-changed`: the data are ours and the page is not; `altered`: neither; `foreign`: of another ledger. */
export const PROOF_VERDICTS = [
  'genuine',
  'moved',
  'page-changed',
  'altered',
  'foreign',
  'not-a-proof',
] as const;
export type ProofVerdict = (typeof PROOF_VERDICTS)[number];

export const proofQuery = z.strictObject({
  row: text.min(1).max(100).optional(),
  language: z.enum(LANGUAGES).optional(),
});
export type ProofQuery = Body<typeof proofQuery>;
