// Bugs in the ids and attempts: the ways to a second payment.
import type { Mutant } from './mutant.ts';

const NEXT_ATTEMPT =
  "deadAttempts: [...row.deadAttempts, { attempt: row.deadAttempts.length + 1, transfer: row.transfer ?? ({ transferId: 'none' } as never), proof: 'expired-unconfirmed' }], deadLooked: row.deadAttempts.length + 1";

export const MUTANTS_OF_IDS: readonly Mutant[] = [
  {
    name: 'the externalId is random',
    file: 'payouts/payout.ts',
    find: 'uuidV5(`${fileId}/',
    replace: 'uuidV5(`${String(Math.random())}/',
  },
  {
    name: 'the externalId changes with each try',
    file: 'delivery/make-call.ts',
    find: 'const request = transferRequest(row, { id, quotationId',
    replace:
      'const request = transferRequest(row, { id: transferExternalId(row, attempt + row.state.tries), quotationId',
  },
  {
    name: 'quotations and transfers of all attempts share one id',
    file: 'delivery/requests.ts',
    find: "externalId(fileId, row.row, 'transfer', attempt)",
    replace: "externalId(fileId, row.row, 'transfer', Math.min(attempt, 1))",
  },
  {
    name: 'a look-up in vain (10013) starts a new attempt',
    file: 'payouts/row-machine/on-transfer.ts',
    find: '  // Never seen, never given up: created again under the same id.',
    replace: `  if (row.mayLandUntil !== null) return { ...row, mustLook: false, due: 0, ${NEXT_ATTEMPT} };`,
  },
  {
    name: 'a confirm without an answer and a read that says created start a new attempt',
    file: 'payouts/row-machine/on-transfer.ts',
    find: 'return onCreated({ ...seen, tries: 0 }, shown.at, now);',
    replace:
      'return onCreated({ ...seen, tries: 0, isDead: row.isIntended && row.mustLook }, shown.at, now);',
  },
  {
    name: 'a transfer that exists (10011) starts a new attempt',
    file: 'payouts/row-machine/on-refused.ts',
    find: 'case 10011:',
    replace: `case 10011:
      return { ...lookedForLater(row, now), ${NEXT_ATTEMPT} };`,
  },
  {
    name: 'a quotation that ran out (10009) starts a new attempt',
    file: 'payouts/row-machine/on-refused.ts',
    find: 'case 10009:',
    replace: `case 10009:
      return { ...requoted(row, now), ${NEXT_ATTEMPT} };`,
  },
  {
    name: 'a quotation is asked for anew under its old id',
    file: 'payouts/row-machine/changes.ts',
    find: 'quotation: row.quotation + 1,',
    replace: 'quotation: row.quotation,',
  },
  {
    name: 'a rebuild looks for the first attempt alone',
    file: 'delivery/observe.ts',
    find: 'found.push(value);',
    replace: 'found.push(value); break;',
  },
];
