// Bugs that are planted one at a time at named functions of the row machine, or in the promises that it rests on. A search that does not find the harmful
// ones is blind; the harmless ones say which cautions protect something other than money.
import type { Options } from './world.ts';

export type PlantedBug = {
  readonly name: string;
  /** The configuration that shows it, or in which it was shown to do no harm. */
  readonly configuration: string;
  /** Null where it is known to be harmless there. */
  readonly found: RegExp | null;
  /** Looked for in so many worlds. */
  readonly worlds: number;
} & (
  | { readonly file: string; readonly find: string; readonly replace: string }
  | { readonly options: Partial<Options> }
);

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'a confirm that was refused as too late (10016) proves the attempt dead',
    file: 'on-refused.ts',
    find: 'return { ...row, isRefusedLate: true, mustLook: true, tries: 0, due: 0 };',
    replace: 'return { ...row, isRefusedLate: true, isDead: true, tries: 0, due: 0 };',
    configuration: 'one lost answer',
    found: /^paid twice|^told/,
    worlds: 15_000,
  },
  {
    name: 'the short fence holds for every attempt',
    file: 'src/payouts/proof.ts',
    find: 'const fence = isVouched(attempt, by) && !attempt.isIntended ? by.fence.own : by.fence.other;',
    replace: 'const fence = by.fence.own;',
    configuration: 'one lost answer',
    found: /^paid twice|^told/,
    worlds: 15_000,
  },
  {
    name: 'the short fence holds although a confirm was intended',
    file: 'src/payouts/proof.ts',
    find: 'isVouched(attempt, by) && !attempt.isIntended ?',
    replace: 'isVouched(attempt, by) ?',
    configuration: 'one lost answer',
    found: /^paid twice|^told/,
    worlds: 15_000,
  },
  {
    name: 'a row is told cancelled although a confirm was intended',
    file: 'src/payouts/proof.ts',
    find: 'const isUntouched = !row.isIntended && row.confirmedAt',
    replace: 'const isUntouched = row.confirmedAt',
    configuration: 'one lost answer',
    found: /^told cancelled/,
    worlds: 15_000,
  },
  {
    name: 'a failure is told without a look at the next id',
    file: 'src/payouts/proof.ts',
    find: 'if (isVouched(attempt, by) || attempt.transfer === null) return false;',
    replace: 'if (by.lease.length > 0) return false;',
    configuration: 'ledger lost and nothing else',
    found: /^told failed/,
    worlds: 40_000,
  },
  {
    name: 'a transfer that was confirmed already (10015) is told as failed',
    file: 'on-refused.ts',
    find: 'return { ...confirmTaken(row, now), mustLook: true };',
    replace:
      "return closing({ ...row, vouchedBy: now.lease, isIntended: false }, 'failed', noOf(refusal), now);",
    configuration: 'one lost answer',
    found: /^told failed/,
    worlds: 15_000,
  },
  {
    name: 'a lost lease still commits',
    options: { isTokenIgnored: true },
    configuration: 'frozen owner, a person cancels',
    found: /^paid twice|^told/,
    worlds: 15_000,
  },
  {
    name: 'an intent is not durable before its confirm',
    options: { isIntentVolatile: true },
    configuration: 'frozen owner, a person cancels',
    found: /^confirms without a durable intent/,
    worlds: 15_000,
  },
  {
    name: 'a refusal is told although the ledger is in doubt',
    file: 'src/payouts/proof.ts',
    find: 'return by.doubtSince === null || isVouched(attempt, by) ? -Infinity',
    replace: 'return by.doubtSince === null || by.lease.length > 0 ? -Infinity',
    configuration: 'ledger lost, refusals',
    found: /^told/,
    worlds: 300_000,
  },
  {
    name: 'the next attempt is looked for once, whatever the doubt',
    file: 'src/payouts/proof.ts',
    find: 'const from = doubtEnds(attempt, by);\n  return from === -Infinity || (at !== null && at > from) ? null : from;',
    replace: 'const from = doubtEnds(attempt, by);\n  return at === null ? from : null;',
    configuration: 'ledger lost and nothing else',
    found: /^told failed/,
    worlds: 80_000,
  },
  {
    name: 'a raise is vouched for, whoever began the attempt before',
    file: 'apply.ts',
    find: 'isVouched(row, now) ? now.lease : null',
    replace: 'now.lease',
    configuration: 'ledger lost and nothing else',
    found: null,
    worlds: 80_000,
  },
  {
    name: 'an attempt that was never seen is given up',
    file: 'on-transfer.ts',
    find: '  // Never seen, never given up: created again under the same id.',
    replace:
      "  if (row.mayLandUntil !== null) return { ...row, mustLook: false, isDead: true, transfer: { transferId: 't-1', externalId: 'e-1', quotationId: 'q', status: 'created', statusCode: '10000', sendAmount: '1', feeAmount: '0', receiveAmount: '1', createdAt: '', expiredAt: '1970-01-01T00:00:00Z' } };",
    configuration: 'one lost answer',
    found: /never ends/,
    worlds: 15_000,
  },
  {
    name: 'a transfer that was found counts as our own',
    file: 'on-transfer.ts',
    find: 'return row.transfer === null ? { ...row, vouchedBy: null, mayBeAnothers',
    replace: 'return row.transfer === null ? { ...row, mayBeAnothers',
    configuration: 'ledger lost and nothing else',
    found: null,
    worlds: 80_000,
  },
  {
    name: 'a transfer that exists already (10011) is our own all the same',
    file: 'on-refused.ts',
    find: 'vouchedBy: null,',
    replace: '',
    configuration: 'ledger lost and nothing else',
    found: null,
    worlds: 80_000,
  },
  {
    name: 'a raise is not durable before the create that it leads to',
    options: { isRaiseVolatile: true },
    configuration: 'frozen owner, a person cancels',
    found: null,
    worlds: 60_000,
  },
];
