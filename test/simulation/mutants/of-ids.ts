// Bugs in the ids and attempts: the ways to a second payment.
import type { Mutant } from './mutant.ts';

const NEXT_ATTEMPT =
  "deadAttempts: [...progress.deadAttempts, { attempt: progress.deadAttempts.length + 1, transfer: progress.transfer ?? ({ transferId: 'none' } as never), proof: 'expired-unconfirmed' }]";

export const MUTANTS_OF_IDS: readonly Mutant[] = [
  {
    name: 'the externalId is random',
    file: 'payouts/payout.ts',
    find: 'uuidV5(`${fileId}/',
    replace: 'uuidV5(`${String(Math.random())}/',
  },
  {
    name: 'the externalId changes with each try',
    file: 'delivery/requests.ts',
    find: "'transfer', attemptNumberOf(row.progress))",
    replace: "'transfer', attemptNumberOf(row.progress) + row.progress.doubts)",
  },
  {
    name: 'quotations and transfers of all attempts share one id',
    file: 'delivery/requests.ts',
    find: "'transfer', attemptNumberOf(row.progress))",
    replace: "'transfer', 1)",
  },
  {
    name: 'a look-up in vain (10013) starts a new attempt',
    file: 'delivery/judge.ts',
    find: "return { kind: 'advanced', stage: progress.stage, learned: { lookedBy: run } };",
    replace: `return { kind: 'advanced', stage: progress.stage, learned: { lookedBy: run, ${NEXT_ATTEMPT} } };`,
  },
  {
    name: 'a confirm without an answer and a read that says created start a new attempt',
    file: 'delivery/judge-transfer.ts',
    find: "return { kind: 'advanced', stage: progress.stage, learned: { transfer: known, lookedBy: look.run } };",
    replace: `return progress.stage === 'confirming' && progress.lookedBy === null
        ? { kind: 'advanced', stage: 'ready', learned: { ${NEXT_ATTEMPT}, quotationAttempt: progress.quotationAttempt + 1, price: null, transfer: null, lookedBy: look.run, confirm: 'none' } }
        : { kind: 'advanced', stage: progress.stage, learned: { transfer: known, lookedBy: look.run } };`,
  },
  {
    name: 'a confirm that is too late (10016) starts a new attempt without a look',
    file: 'delivery/judge.ts',
    find: "10016: () => later({ lookedBy: null, confirm: 'refused-late' }, 0),",
    replace: `10016: (_fault, progress) => ({
      kind: 'advanced',
      stage: 'ready',
      learned: { ${NEXT_ATTEMPT}, quotationAttempt: progress.quotationAttempt + 1, price: null, transfer: null },
    }),`,
  },
  {
    name: 'a transfer that exists (10011) starts a new attempt',
    file: 'delivery/judge.ts',
    find: '10011: (_fault, progress) => standsAlready(progress)',
    replace: `10011: (_fault, progress) => doubtful(progress, { ${NEXT_ATTEMPT} }, soonAtFirst(progress))`,
  },
  {
    name: 'a quotation that ran out (10009) starts a new attempt',
    file: 'delivery/judge.ts',
    find: '10009: (_fault, progress) => requote(progress),',
    replace: `10009: (_fault, progress) => ({ kind: 'advanced', stage: 'ready', learned: { price: null, quotationAttempt: progress.quotationAttempt + 1, ${NEXT_ATTEMPT} } }),`,
  },
  {
    name: 'a quotation is asked for anew under its old id',
    file: 'delivery/calls.ts',
    find: 'quotationAttempt: quotationAttempt + 1',
    replace: 'quotationAttempt',
  },
  {
    name: 'a rebuild looks for the first attempt alone',
    file: 'delivery/observe.ts',
    find: 'found.push(value);',
    replace: 'found.push(value); break;',
  },
  {
    name: 'a run vouches for an attempt after one that nobody vouches for',
    file: 'delivery/next-attempt.ts',
    find: 'begunBy: progress.begunBy === run && doubtSince === null ? run : null,',
    replace: 'begunBy: progress.begunBy !== run && doubtSince === null ? run : progress.begunBy,',
    shownBy: 'test/delivery/next-attempt.test.ts',
  },
];
