// The states of a batch on one page: what is done in each, where it leads, and what its owner is told; how its rows count against those of other
// files, the ledger decides by `commitmentOf`. `advance.ts` walks this table, and docs/states.md is made from it.
import type { BatchState } from '../../ledger/batch-states.ts';
import type { SummaryState } from '../../results/summary.ts';
import { checkRows, priceAndAccept } from './check/check-batch.ts';
import { clear } from './clear.ts';
import { closeBatch, followRows } from './close/follow-rows.ts';
import { reserveRows, sendRows } from './send/send-rows.ts';
import type { Step, Work } from './work.ts';

type StateOfBatch = {
  /** In a few words, for the page that is made from this table. */
  readonly does: string;
  /** Null where a batch does not go on by itself. */
  readonly work: ((work: Work) => Promise<Step>) | null;
  /** The `state` of its summary. */
  readonly outside: readonly SummaryState[];
};

export const STATES: Readonly<Record<BatchState, StateOfBatch>> = {
  taking: { does: 'copies and hashes the file and its documents', work: null, outside: [] },
  checking: {
    does: 'validates and registers every row, then holds it against those of all other files',
    work: checkRows,
    outside: ['paying'],
  },
  pricing: {
    does: 'gets quotations where they decide whether the file is accepted',
    work: priceAndAccept,
    outside: ['paying'],
  },
  accepted: {
    does: 'waits for approval, then for its time',
    work: clear,
    outside: ['awaiting-approval', 'scheduled', 'paying'],
  },
  reserving: {
    does: 'creates every transfer and confirms none, where all rows are paid or none',
    work: reserveRows,
    outside: ['paying', 'awaiting-approval'],
  },
  sending: {
    does: 'quotes, creates, attaches and confirms; follows what is sent already while rows wait',
    work: sendRows,
    outside: ['paying', 'tracking', 'awaiting-approval'],
  },
  following: {
    does: 'asks for every payment until it has ended',
    work: followRows,
    outside: ['tracking', 'paying'],
  },
  closing: {
    does: 'writes the answers, archives the file',
    work: closeBatch,
    outside: ['paying'],
  },
  closed: { does: 'is looked at again for reversals', work: null, outside: ['closed'] },
  refused: {
    does: 'has sent nothing; its bytes may come again',
    work: null,
    outside: ['refused'],
  },
  resolving: {
    does: 'looks for what was sent before the ledger was lost, and waits until every lost file is registered again',
    work: null,
    outside: ['paying'],
  },
};
