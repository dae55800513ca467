// The bodies of requests and replies, as schemas: the OpenAPI document shows them, and requests are read by them.
import { z } from 'zod';

import { FILE_STANDINGS, ROW_OUTCOMES } from '../app/desk/file-views.ts';
import { ACCESS } from '../app/people/people-file.ts';
import { ROLES } from '../app/people/people.ts';
import { NAME_ORDER_CHOICES, SPLIT_CHOICES } from '../app/desk/typed-words.ts';

const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
export const moment = z.iso.datetime();
export const text = z.string();
export const upload = z.object({
  id: z.uuid(),
  name: text,
  bytes: z.int(),
  sentAt: moment,
  state: z.enum(['checking', 'checked', 'refused']),
  rows: z.int(),
  checked: z.int(),
  faulty: z.int(),
  documentsMissing: z.int(),
  missing: z.array(text),
  sums: z.array(z.object({ currency: text.nullable(), amount: decimal })),
  code: text.nullable(),
  reason: text.nullable(),
  corrected: z.int(),
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
/** How a cell is taken apart. */
const pair = z.tuple([text.max(200), text.max(200)]);
export const split = z.strictObject({ into: pair, by: z.enum(SPLIT_CHOICES) });
const hint = z.discriminatedUnion('kind', [
  split.extend({ kind: z.literal('split'), header: text }),
  z.object({ kind: z.literal('same'), column: text, other: text }),
  z.object({ kind: z.literal('names'), order: z.enum(NAME_ORDER_CHOICES) }),
]);
const triedFault = z.object({ code: text, column: text, rows: z.int(), words: text });
export const proposal = z.object({
  name: text,
  files: text,
  headerPlace: text,
  columns: z.array(
    z.object({
      header: text,
      letter: text,
      column: text.nullable(),
      confidence: z.number().nullable(),
      from: z.enum(['stated', 'header', 'cells']).nullable(),
      samples: z.array(text),
    }),
  ),
  known: z.array(z.object({ column: text, words: text })),
  splits: z.array(
    z.object({
      header: text,
      into: pair,
      samples: z.array(z.object({ cell: text, parts: z.tuple([text, text]) })),
      whole: z.int(),
    }),
  ),
  questions: z.array(text),
  trial: z
    .object({
      ...{ rows: z.int(), payable: z.int(), mayBeSaved: z.boolean() },
      ...{ faults: z.array(triedFault), hints: z.array(hint) },
    })
    .nullable(),
});
export const sheet = z.object({
  header: z.array(text),
  columns: z.array(z.object({ column: text, title: text }).nullable()),
  data: z.array(z.object({ row: text, position: z.int(), cells: z.array(text), faults: z.array(fault) })),
});
export const summary = z.looseObject({
  batch: text,
  state: z.enum(['checked', 'awaiting-approval', 'scheduled', 'paying', 'tracking', 'closed', 'refused']),
  standing: z.enum(FILE_STANDINGS),
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
  wait: z
    .object({ for: text, liftedBy: z.enum(['release', 'approve', 'resume', 'itself']), reason: text })
    .nullable(),
  /** Of one that is scheduled. */
  payAt: moment.exactOptional(),
  startedAt: moment,
  finishedAt: moment.nullable(),
  answers: z.array(text),
  /** The summary file before this one, where the end has changed since. */
  supersedes: text.exactOptional(),
});
export const row = z.looseObject({
  row: text,
  outcome: z.enum(ROW_OUTCOMES),
  reason: text,
  receiver: text.nullable(),
  account: text.nullable(),
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
  files: z.array(
    z.object({
      batch: text,
      file: text,
      promised: decimal,
      unpriced: z.int(),
      awaitsApproval: z.boolean(),
    }),
  ),
  free: decimal.nullable(),
  spentToday: decimal,
  perDay: decimal.nullable(),
});
const told = z.object({ at: moment, available: decimal });
export const balanceLine = z.object({ currency: text, points: z.array(told), lowest: told, highest: told });
export const schedule = z.object({
  folder: text,
  isThere: z.boolean(),
  cron: text,
  timeZone: text,
  missed: z.enum(['pay', 'hold']),
  standing: z.boolean(),
  next: z.array(moment),
  waiting: z.array(z.object({ batch: text, file: text, payAt: moment, isMissed: z.boolean() })),
});
export const corridor = z.looseObject({ id: text });
export const day = z.iso.date();
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
/** Also where the prices of the last job still hold. */
export const costOrder = z.strictObject({ again: z.boolean().default(false) });
/** Cells by the positions of their row and their column, from 0. */
const cells = z
  .array(
    z.strictObject({
      row: z.int().min(0),
      column: z.int().min(0),
      text: text.max(1_000).regex(/^\P{Cc}*$/u),
    }),
  )
  .max(500);
export const correction = z.strictObject({ cells: cells.min(1) });
/** What was typed and is not checked yet. */
export const draft = z.strictObject({ cells });
export const taken = z.object({ batch: text });
export const listOf = (item: z.ZodType) => z.object({ data: z.array(item), next: text.nullable() });

/** The most entries of a page, and the default. */
const LIMIT = { most: 200, usual: 50 } as const;
const limit = z.coerce.number().int().min(1).max(LIMIT.most);
export const page = { limit: limit.default(LIMIT.usual), after: text.optional() };
/** Of a list that is short nearly always, so that one page is all of it. */
export const shortPage = { ...page, limit: limit.default(LIMIT.most) };
export const code = text.regex(/^[\w-]{1,64}$/);
export const find = text.min(1).max(100);
export const submission = z.strictObject({
  skipRows: z.boolean().default(false),
  again: z.boolean().default(false),
});

// What people decide about.

const sum = z.object({ currency: text, rows: z.int(), debit: decimal });
const debit = sum.omit({ rows: true });
const answeredBy = { by: text, at: moment, via: text };
/** What a question is about besides its sums. */
const subject = z.object({
  payments: text,
  received: z.array(z.object({ currency: text, rows: z.int(), amount: decimal })),
  fees: z.array(z.object({ currency: text, amount: decimal })),
  leftOut: z.object({ rejected: z.int(), duplicate: z.int(), held: z.int() }),
  released: z.array(z.object({ by: text, reason: text, rows: z.array(text) })),
  warned: z.object({ rows: z.int(), changedAccounts: z.int() }),
  warnings: z.array(
    z.object({
      kind: z.enum(['changed_account', 'shared_account', 'ten_times']),
      row: text,
      name: text,
      before: text.nullable(),
      after: text.nullable(),
      currency: text,
      amount: decimal,
      words: text,
    }),
  ),
  warningsDigest: text,
  readBy: z.object({ profile: text, author: text.nullable(), confirmedBy: text.nullable() }).nullable(),
  payAt: text.nullable(),
  limits: text.nullable(),
});
export const question = z.object({
  subject,
  batch: text,
  file: z.object({ name: text, sha256: text }),
  round: z.int(),
  code: text,
  digest: text,
  rows: z.int(),
  totals: z.array(sum),
  sent: z.array(sum),
  most: z.array(debit),
  maxDrift: text,
  preview: text.nullable(),
  previewSha256: text.optional(),
  submittedBy: z.array(text),
  askedAt: moment,
  words: text,
  approvalBy: z.enum(['name', 'signature']),
  state: z.enum(['waiting', 'approved', 'declined', 'outdated']),
  given: z
    .object({
      ...answeredBy,
      proof: text.optional(),
      isSigned: z.boolean(),
      digest: text.nullable(),
      passkey: text.nullable(),
      verified: text.nullable(),
    })
    .nullable(),
  needsVerification: z.boolean(),
  soleApprover: text.nullable(),
  declined: z.object({ ...answeredBy, reason: text }).nullable(),
  mayAnswer: z.boolean(),
  whyNot: text.nullable(),
  whyNotWords: text.nullable(),
});
const change = z.object({ currency: text, now: decimal, before: decimal });
export const comparison = z.object({
  corrected: z.array(z.object({ row: text, column: text, before: text, after: text })),
  with: text.nullable(),
  file: text.nullable(),
  receivers: z.object({ now: z.int(), before: z.int(), added: z.int(), gone: z.int() }),
  amounts: z.object({ changed: z.int() }),
  rows: z.object({ added: z.array(text), changed: z.array(text) }),
  totals: z.array(change),
});
export const heldGroup = z.object({
  code: text,
  words: text,
  liftsItself: z.boolean(),
  rows: z.int(),
  files: z.array(z.object({ batch: text, file: text, rows: z.int(), isOwn: z.boolean() })),
});
export const trial = z.object({
  matching: z.int(),
  released: z.int(),
  onlySkip: z.int(),
  followed: z.int(),
  left: z.array(z.object({ row: text, tryAgainAt: moment.nullable() })),
  seen: text,
});
/** How many rows came to which end. */
export const released = z.object({
  released: z.int(),
  onlySkip: z.int(),
  followed: z.int(),
  left: z.int(),
  notHeld: z.int(),
  closedBefore: z.int(),
  stillHeld: z.int(),
  file: text.nullable(),
  unasked: z.enum(['service', 'credentials']).nullable(),
  isDone: z.boolean(),
});
export const stop = z.object({ stop: z.object({ words: text, since: moment.nullable() }).nullable() });

// Of people.

/** What asks for nothing more. */
export const answered = z.strictObject({});
export const role = z.enum(ROLES);
export const challenge = z.uuid();

/** The library that verifies a passkey also reads what a browser makes of it. */
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
export const access = z.object({
  seq: z.int(),
  at: moment,
  who: text.nullable(),
  what: z.enum(ACCESS),
  about: text.nullable(),
  isWeak: z.boolean(),
});
export const invitation = z.object({
  id: text,
  name: text.nullable(),
  roles: z.array(role),
  by: text.nullable(),
  endsAt: moment,
  needsConfirmation: z.boolean(),
});
export const programKey = z.object({
  prefix: text,
  name: text,
  scopes: z.array(text),
  createdAt: moment,
  endsAt: moment.nullable(),
  lastUsedAt: moment.nullable(),
});
export const session = z.object({
  person: personRef.nullable(),
  idleEndsAt: moment.nullable(),
  endsAt: moment.nullable(),
  sandbox: z.boolean(),
  language: text,
  signing: z.enum(['passkey', 'click']),
  oidc: z.object({ name: text }).nullable(),
  passkeys: z.int(),
  needsSetup: z.boolean(),
  demo: z.array(personRef).nullable(),
});
export const finding = z.object({ name: text, ok: z.boolean(), words: text });
