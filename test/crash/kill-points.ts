// The moments at which a process is killed on purpose: between each pair of steps from a file's arrival to its archive. Moments that no call and
// no file shows from outside are left to chance.
import type { Asked } from './watched-service.ts';

export type KillPoint =
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly matches: (asked: Asked) => boolean;
      /** `unsent`: the service never sees the request. `late`: it does, once the next process runs. `unanswered`: it acts, its answer is lost. `answered`: the answer arrives just before. */
      readonly moment: 'unsent' | 'late' | 'unanswered' | 'answered';
      /** Only an answer that refuses. */
      readonly refused?: boolean;
      /** How many such calls a process makes at least; the kill meets one of them. */
      readonly occasions: number;
      /** Such calls are made only to find out about the ones of a process that was killed. */
      readonly isRecovery?: boolean;
    }
  | {
      readonly kind: 'file';
      readonly name: string;
      /** A path in the workspace that has just come to be. */
      readonly path: RegExp;
    }
  | { readonly kind: 'time'; readonly name: string };

const isCorridors = ({ path }: Asked): boolean => path.startsWith('/payout-corridors');
const isQuote = ({ method, path }: Asked): boolean => method === 'POST' && path === '/rates';
const isQuoteProbe = ({ path }: Asked): boolean => path.startsWith('/rates/ext-');
const isCreate = ({ method, path }: Asked): boolean => method === 'POST' && path === '/transfers';
const isProbe = ({ path }: Asked): boolean => path.startsWith('/transfers/ext-');
const isUpload = ({ method }: Asked): boolean => method === 'PUT';
const isConfirm = ({ path }: Asked): boolean => path.endsWith('/confirm');
const isRead = ({ method, path }: Asked): boolean =>
  method === 'GET' && path.startsWith('/transfers/') && !path.startsWith('/transfers/ext-');

type CallPoint = Extract<KillPoint, { kind: 'call' }>;

const call = (
  name: string,
  matches: CallPoint['matches'],
  moment: CallPoint['moment'],
  more: Partial<CallPoint> = {},
): KillPoint => ({ kind: 'call', name, matches, moment, occasions: OCCASIONS, ...more });

/** A process that has something to send sends more than so many rows; documents and look-ups are rarer. */
const OCCASIONS = 6;
const RARE = { occasions: 2 };
const ONCE = { occasions: 1 };
const RECOVERY = { occasions: 1, isRecovery: true };

/** Points at which the service is called. */
export const CALL_POINTS: readonly KillPoint[] = [
  call('taken, nothing registered', isCorridors, 'unsent', ONCE),
  call('corridors told, nothing registered', isCorridors, 'answered', ONCE),
  call('registered, no quotation sent', isQuote, 'unsent'),
  call('quotation made, its answer lost', isQuote, 'unanswered'),
  call('quotation answered', isQuote, 'answered'),
  call('quotation looked up, the answer lost', isQuoteProbe, 'unanswered', RECOVERY),
  call('create not sent', isCreate, 'unsent'),
  call('create still travelling', isCreate, 'late'),
  call('transfer created, the answer lost', isCreate, 'unanswered'),
  call('create answered', isCreate, 'answered'),
  call('transfer looked up, the answer lost', isProbe, 'unanswered', RECOVERY),
  call('transfer looked up', isProbe, 'answered', RECOVERY),
  call('document not sent', isUpload, 'unsent', RARE),
  call('document still travelling', isUpload, 'late', RARE),
  call('document stored, the answer lost', isUpload, 'unanswered', RARE),
  call('document answered', isUpload, 'answered', RARE),
  call('confirm not sent', isConfirm, 'unsent'),
  call('confirm still travelling', isConfirm, 'late'),
  call('confirmed, the answer lost', isConfirm, 'unanswered'),
  call('confirm answered', isConfirm, 'answered'),
  call('confirm refused, the answer lost', isConfirm, 'unanswered', { ...ONCE, refused: true }),
  call('status read, the answer lost', isRead, 'unanswered'),
  call('status read', isRead, 'answered'),
];

const file = (name: string, path: RegExp): KillPoint => ({ kind: 'file', name, path });

/** Points at which a file is being taken. */
export const TAKING_POINTS: readonly KillPoint[] = [
  file('ledger being made', /^ledger\.sqlite$/),
  file('ledger being written', /^ledger\.sqlite-wal$/),
  file('folder made, nothing in it', /^processing\/[^/]+$/),
  file('file being copied', /^processing\/[^/]+\/\..*\.csv\..*\.tmp$/),
  file('file copied, its documents not', /^processing\/[^/]+\/[^./]+\.csv$/),
  file('acknowledged in its folder', /^processing\/.*\.ack\.json$/),
  file('acknowledged', /^outbox\/.*\.ack\.json$/),
];

/** Points at which a batch is being answered and archived. */
export const ENDING_POINTS: readonly KillPoint[] = [
  file('result being written', /^processing\/.*\.result\.csv\..*\.tmp$/),
  file('result kept, not published', /^processing\/[^/]+\/[^/]*\.result\.csv$/),
  file('result being published', /^outbox\/\..*\.result\.csv\..*\.tmp$/),
  file('result published, no reconciliation', /^outbox\/[^./][^/]*\.result\.csv$/),
  file('reconciliation published, no summary', /^outbox\/[^./][^/]*\.reconciliation\.csv$/),
  file('summary kept, not published', /^processing\/[^/]+\/[^/]*\.summary\.json$/),
  file('summary published', /^outbox\/[^./][^/]*\.summary\.json$/),
  file('archive being made', /^archive\/\d{4}$/),
  file('archived, not closed', /^archive\/\d{4}\/\d{2}\/[^/]+$/),
];

export const NAMED_POINTS: readonly KillPoint[] = [...TAKING_POINTS, ...CALL_POINTS, ...ENDING_POINTS];

export const BY_CHANCE: KillPoint = { kind: 'time', name: 'by chance' };
