// The states of a batch on one page: what is done in each, where it leads, how its rows count against those of other files, and what its owner is
// told. `advance.ts` walks this table, and docs/states.md is made from it.
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
  /**
   * `tentative`: an equal row of another file is held while this one may still be refused, declined or withdrawn; `firm`: it is a duplicate; `none`: it is paid.
   * Null where its rows are not known yet.
   */
  readonly counts: 'tentative' | 'firm' | 'none' | null;
  /** The `state` of its summary. */
  readonly outside: readonly SummaryState[];
};

export const STATES: Readonly<Record<BatchState, StateOfBatch>> = {
  taking: { does: 'copies and hashes the file and its documents', work: null, counts: null, outside: [] },
  checking: {
    does: 'validates and registers every row, then holds it against those of all other files',
    work: checkRows,
    counts: 'tentative',
    outside: ['paying'],
  },
  pricing: {
    does: 'gets quotations where they decide whether the file is accepted',
    work: priceAndAccept,
    counts: 'tentative',
    outside: ['paying'],
  },
  accepted: {
    does: 'waits for approval, then for its time',
    work: clear,
    counts: 'tentative',
    outside: ['awaiting-approval', 'scheduled', 'paying'],
  },
  reserving: {
    does: 'creates every transfer and confirms none, where all rows are paid or none',
    work: reserveRows,
    counts: 'tentative',
    outside: ['paying', 'awaiting-approval'],
  },
  sending: {
    does: 'quotes, creates, attaches and confirms; follows what is sent already while rows wait',
    work: sendRows,
    counts: 'firm',
    outside: ['paying', 'tracking', 'awaiting-approval'],
  },
  following: {
    does: 'asks for every payment until it has ended',
    work: followRows,
    counts: 'firm',
    outside: ['tracking', 'paying'],
  },
  closing: {
    does: 'writes the answers, archives the file',
    work: closeBatch,
    counts: 'firm',
    outside: ['paying'],
  },
  closed: { does: 'is looked at again for reversals', work: null, counts: 'firm', outside: ['closed'] },
  refused: {
    does: 'has sent nothing; its bytes may come again',
    work: null,
    counts: 'none',
    outside: ['refused'],
  },
  resolving: {
    does: 'looks for what was sent before the ledger was lost, and waits until every lost file is registered again',
    work: null,
    counts: 'tentative',
    outside: ['paying'],
  },
};
