// The states of a batch on one page: the gates before each, its work, where it leads, when a daemon takes it up, and what its owner is told.
// `advance.ts` walks this table, and docs/states.md is generated from it. The ledger decides by `commitmentOf` how its rows count against those of
// other files. Between two states nothing else is checked; within one, a run also ends for missing funds, a refused key or a service out of reach (`RunEnd` in
// `delivery/runner.ts`), for too many refusals (`send/stops.ts`), for a pause, or because another run has taken the batch (`advance.ts`).
import type { ARROWS, BatchState } from '../../ledger/batch-states.ts';
import type { SummaryState } from '../../results/summary.ts';
import { checkRows, priceAndAccept } from './check/check-batch.ts';
import { closeBatch, followRows, recheckClosed } from './follow/follow-rows.ts';
import {
  type Idle,
  approvalToBegin,
  fileStands,
  isApprovedOrTime,
  isPaymentDue,
  isRebuiltNow,
  isTimeToPay,
  limitsToBegin,
  permit,
  stillInFolder,
  stopFile,
} from './gates.ts';
import { wakeRows } from './batch/await-time.ts';
import { resolveDoubt } from './resolve-doubt/settle-rebuilt.ts';
import { untilSeen } from './resolve-doubt/settle-unseen.ts';
import {
  approvalToSend,
  limitsToSend,
  lookAtHeld,
  raiseForSending,
  reserveRows,
  sendRows,
} from './send/send-rows.ts';
import { finishRefusal } from './take/refuse-file.ts';
import { forgetTaking } from './take/take-batch.ts';
import type { Gate, Step, Work } from './batch/work.ts';

type StateOfBatch<State extends BatchState> = {
  /** In a few words, for the page generated from this table. */
  readonly does: string;
  /** Checked in this order, at every go; each by its name on that page. */
  readonly gates: Readonly<Record<string, Gate>>;
  readonly work: (work: Work) => Promise<Step>;
  /** Where it leads: the arrows that the ledger allows, with their reasons there. */
  readonly next: (typeof ARROWS)[State];
  /** Whether a daemon has work to do for a batch that no run carries. */
  readonly isDue: (idle: Idle) => boolean | Promise<boolean>;
  /** The `state` of its summary. */
  readonly outside: readonly SummaryState[];
};

const always = () => true;
const never = () => false;

/** The gates of a batch whose rows may need calls. */
const OPEN_FILE = { 'file STOP': stopFile, doubt: untilSeen, 'its copy': fileStands };
const TO_SEND = {
  // First, so that no gate before it leaves the rows of a day asleep.
  'its days': wakeRows,
  ...OPEN_FILE,
  epoch: raiseForSending,
  'held rows': lookAtHeld,
  approval: approvalToSend,
  limits: limitsToSend,
};

export const STATES: { readonly [State in BatchState]: StateOfBatch<State> } = {
  taking: {
    does: 'copies and hashes the file and its documents; what a kill has cut short is forgotten, and the file still lies where it was',
    gates: {},
    work: forgetTaking,
    next: ['checking', 'refused'],
    isDue: always,
    outside: [],
  },
  checking: {
    does: 'validates and registers every row, then holds it against those of all other files',
    gates: OPEN_FILE,
    work: checkRows,
    next: ['pricing', 'refused'],
    isDue: always,
    outside: ['checked'],
  },
  pricing: {
    does: 'gets quotations where they decide whether the file is accepted',
    gates: OPEN_FILE,
    work: priceAndAccept,
    next: ['accepted', 'refused'],
    isDue: always,
    outside: ['checked'],
  },
  accepted: {
    does: 'waits until it may be paid',
    gates: {
      ...OPEN_FILE,
      'standing file': stillInFolder,
      approval: approvalToBegin,
      time: isTimeToPay,
      limits: limitsToBegin,
    },
    work: permit,
    next: ['reserving', 'sending', 'refused'],
    isDue: isApprovedOrTime,
    outside: ['checked', 'awaiting-approval', 'scheduled', 'paying'],
  },
  reserving: {
    does: 'creates every transfer and confirms none, where all rows are paid or none',
    gates: TO_SEND,
    work: reserveRows,
    next: ['sending', 'closing'],
    isDue: isPaymentDue,
    outside: ['checked', 'paying', 'awaiting-approval'],
  },
  sending: {
    does: 'quotes, creates, attaches and confirms; follows what is sent already while rows wait',
    gates: TO_SEND,
    work: sendRows,
    next: ['following', 'closing', 'reserving'],
    isDue: isPaymentDue,
    outside: ['checked', 'paying', 'tracking', 'scheduled', 'awaiting-approval'],
  },
  following: {
    does: 'asks for every payment until it has ended',
    gates: OPEN_FILE,
    work: followRows,
    next: ['closing', 'sending', 'reserving'],
    isDue: isPaymentDue,
    outside: ['tracking', 'paying', 'scheduled', 'checked'],
  },
  closing: {
    does: 'writes the answers, archives the file',
    gates: OPEN_FILE,
    work: closeBatch,
    next: ['closed', 'sending'],
    isDue: isPaymentDue,
    outside: ['paying', 'checked'],
  },
  closed: {
    does: 'looks again for reversals, and answers what has changed under the next number',
    gates: {},
    work: recheckClosed,
    next: [],
    // In a separate round, so that payments do not wait for it.
    isDue: never,
    outside: ['closed'],
  },
  refused: {
    does: 'has sent nothing; its bytes may come again',
    gates: {},
    work: finishRefusal,
    next: [],
    isDue: never,
    outside: ['refused'],
  },
  resolving: {
    does: 'looks for what was sent before the ledger was lost, and waits until every lost file is registered again',
    gates: {},
    work: resolveDoubt,
    next: ['checking', 'accepted', 'reserving', 'sending'],
    isDue: isRebuiltNow,
    outside: ['paying'],
  },
};
