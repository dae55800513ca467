// What is sent to programs and taken from them, as schemas: the OpenAPI document shows them, and what comes in is read by them.
import { z } from 'zod';

import { ROW_OUTCOMES } from '../app/desk/file-views.ts';
import { ROLES } from '../app/people/people.ts';

const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
export const moment = z.iso.datetime();
export const text = z.string();
export const upload = z.object({
  id: z.uuid(),
  name: text,
  bytes: z.int(),
  state: z.enum(['checking', 'checked', 'refused']),
  rows: z.int(),
  checked: z.int(),
  faulty: z.int(),
  documentsMissing: z.int(),
  missing: z.array(text),
  sums: z.array(z.object({ currency: text.nullable(), amount: decimal })),
  code: text.nullable(),
  reason: text.nullable(),
  batch: text.nullable(),
});
export const fault = z.object({
  row: text,
  position: z.int(),
  column: text,
  index: z.int().nullable(),
  code: text,
  message: text,
});
export const sheet = z.object({
  header: z.array(text),
  data: z.array(z.object({ row: text, position: z.int(), cells: z.array(text), faults: z.array(fault) })),
});
export const summary = z.looseObject({
  batch: text,
  state: z.enum(['checked', 'awaiting-approval', 'scheduled', 'paying', 'tracking', 'closed', 'refused']),
  sandbox: z.boolean(),
  file: z.object({ name: text, sha256: text, rows: z.int() }),
  outcomes: z.record(z.enum(ROW_OUTCOMES), z.int()),
  totals: z.array(
    z.looseObject({
      sourceCurrency: text,
      sendAmount: decimal,
      feeAmount: decimal,
      debited: decimal,
      reserved: decimal,
    }),
  ),
  received: z.array(z.object({ destinationCurrency: text, receiveAmount: decimal })),
  waitingFor: text.nullable(),
  startedAt: moment,
  finishedAt: moment.nullable(),
  answers: z.array(text),
});
export const row = z.looseObject({
  row: text,
  outcome: z.enum(ROW_OUTCOMES),
  reason: text,
  errorCode: text,
  externalId: text,
  transferId: text,
});
export const event = z.looseObject({ at: moment, code: text, row: text.nullable() });
export const answer = z.object({ kind: text, name: text, bytes: z.int(), sha256: text });
export const balance = z.object({
  currency: text,
  available: decimal.nullable(),
  reserved: decimal.nullable(),
  promised: decimal,
  unpriced: z.int(),
  free: decimal.nullable(),
  spentToday: decimal,
  perDay: decimal.nullable(),
});
export const schedule = z.looseObject({ folder: text, cron: text, timeZone: text, next: z.array(moment) });
export const corridor = z.looseObject({ id: text });
export const day = text.regex(/^\d{4}-\d{2}-\d{2}$/);
export const job = z.object({
  id: z.uuid(),
  kind: z.enum(['cost', 'reconcile']),
  of: text,
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  done: z.int(),
  total: z.int().nullable(),
  startedAt: moment,
  endedAt: moment.nullable(),
  result: z.looseObject({}).nullable(),
  reason: text.nullable(),
});
export const taken = z.object({ batch: text });
export const listOf = (item: z.ZodType) => z.object({ data: z.array(item), next: text.nullable() });

/** The most of a page, and what is given where nothing is asked. */
const LIMIT = { most: 200, usual: 50 } as const;
export const page = {
  limit: z.coerce.number().int().min(1).max(LIMIT.most).default(LIMIT.usual),
  after: text.optional(),
};

export const code = text.regex(/^[\w-]{1,64}$/);
export const find = text.min(1).max(100);
export const submission = z.strictObject({
  skipRows: z.boolean().default(false),
  again: z.boolean().default(false),
});

// Of people.

/** What asks for nothing more. */
export const answered = z.strictObject({});
export const role = z.enum(ROLES);
export const challenge = z.uuid();

/** What a browser makes of a passkey is read by the library that verifies it. */
const assertion = z.looseObject({
  id: text,
  rawId: text,
  type: z.literal('public-key'),
  response: z.looseObject({ authenticatorData: text, clientDataJSON: text, signature: text }),
});
export const signature = z.strictObject({ challenge, assertion });
export const stepUp = signature.optional();
export const personRef = z.object({ id: text, name: text, roles: z.array(role) });
export const person = personRef.extend({
  pending: z.object({ roles: z.array(role), by: text }).nullable(),
  invitedBy: text.nullable(),
  createdAt: moment,
  lastSeenAt: moment.nullable(),
  sessions: z.int(),
  passkeys: z.array(z.object({ name: text, createdAt: moment, lastUsedAt: moment.nullable() })),
});
