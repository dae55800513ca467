// Notifications of the payout service: read within bounds, trusted only by their signature, and taken as hints to look.
import type { IncomingMessage } from 'node:http';

import type { Clock } from '../../base/clock.ts';
import { compareDecimals } from '../../base/decimal.ts';
import { parseExactJson } from '../../base/exact-json.ts';
import type { Log } from '../../base/log.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { NamedTransfer, RowRecord } from '../../ledger/records.ts';
import type { Stage, StageOrHeld } from '../../payouts/lifecycle.ts';
import {
  attemptNumberOf,
  type KnownTransfer,
  mayHaveBeenConfirmed,
  stageOrHeld,
} from '../../payouts/progress.ts';
import { type Callbacks, SIGNATURE_HEADER, verifyWebhook } from '../../service/webhooks.ts';
import { type Transfer, transferSchema } from '../../service/wire.ts';
import { type WebhookKeys, validKeys } from '../config/listeners.ts';

// How much one stranger may cost us: the bounds of the listener for notifications. Polling finds the payouts of notifications that they cut off.

export type WebhookLimits = {
  readonly bodyBytesMax: number;
  readonly headerBytesMax: number;
  readonly headersWithinMs: number;
  readonly requestWithinMs: number;
  readonly checkEveryMs: number;
  readonly idleMs: number;
  readonly answerWithinMs: number;
  readonly connectionsMax: number;
  readonly refusalsPerSecond: number;
};

export const WEBHOOK_LIMITS: WebhookLimits = {
  // A transfer is about 2 kB.
  bodyBytesMax: 256 * 1024,
  // The service sends a handful of short headers, and a proxy some more.
  headerBytesMax: 16 * 1024,
  // A notification comes in one packet; these bounds leave room for a poor line.
  headersWithinMs: 5_000,
  requestWithinMs: 10_000,
  // A connection that is too slow is noticed at most this late.
  checkEveryMs: 1_000,
  // Proxies keep connections for the next notification.
  idleMs: 30_000,
  // The service waits for 30 s. The ledger itself gives up after 10 s, and two such waits may follow each other.
  answerWithinMs: 20_000,
  // More than one service and its proxies need, and well below the 1,024 files that a process may commonly have open.
  connectionsMax: 512,
  // A stranger beyond this is told to slow down, and is no longer counted or logged.
  refusalsPerSecond: 50,
};

// Counts the requests that are not from the service. The log gets their number once a minute, so that a flood fills no disk. A sender of more
// than anybody sends by mistake is told to slow down.

/** Often enough to show an attack, or a key that was changed on one side only. */
const TELL_EVERY_MS = 60_000;
const SECOND_MS = 1_000;

type Refusals = {
  /** The status that refuses the next one. */
  next(): 401 | 429;
  /** Logs those that the log does not have yet. */
  tell(): void;
};

export function refusals(perSecond: number, log: Log, clock: Clock): Refusals {
  let untold = 0;
  let toldAt = -Infinity;
  let second = { startMs: -Infinity, count: 0 };
  const tell = (): void => {
    if (untold === 0) return;
    log.warn('webhooks refused: unknown address or wrong signature', { httpStatus: 401, tries: untold });
    toldAt = clock.monotonic();
    untold = 0;
  };
  const next = (): 401 | 429 => {
    const now = clock.monotonic();
    if (now >= second.startMs + SECOND_MS) second = { startMs: now, count: 0 };
    second.count += 1;
    untold += 1;
    if (now >= toldAt + TELL_EVERY_MS) tell();
    return second.count > perSecond ? 429 : 401;
  };
  return { next, tell };
}

// The exact bytes of a notification, because they are what is signed. The limit applies to the announced length and to the real one.

/** Pieces are joined this often, because a body that arrives byte by byte would cost a hundred times its size. */
const PIECES_MAX = 64;

/** The body; `too-large` at the first byte beyond the limit; `gone` when the sender went away before the end. */
async function readBody(incoming: IncomingMessage, bytesMax: number): Promise<Buffer | 'too-large' | 'gone'> {
  if (Number(incoming.headers['content-length'] ?? 0) > bytesMax) return 'too-large';
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    // The connection is kept for the response.
    for await (const piece of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += piece.byteLength;
      if (bytes > bytesMax) return 'too-large';
      pieces.push(piece);
      if (pieces.length === PIECES_MAX) pieces.splice(0, PIECES_MAX, Buffer.concat(pieces));
    }
  } catch {
    // Only the connection can fail here, and then nobody is left to tell.
    return 'gone';
  }
  return Buffer.concat(pieces);
}

// What a notification says about its transfer. It decides nothing, so an unreadable one is no fault: only its arrival counts.

/** Null for anything but a transfer as the interface has it. */
function readWebhookBody(rawBody: Uint8Array): Transfer | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(rawBody);
    return transferSchema.safeParse(parseExactJson(text)).data ?? null;
  } catch {
    // Broken UTF-8, broken JSON, or JSON nested too deeply: nothing that we could use.
    return null;
  }
}

// A genuine notification makes its payout due now, and nothing else. The service's answer to the following look decides, so neither the number,
// the delay nor the order of notifications does harm.

type HintTo = {
  readonly ledger: Pick<Ledger, 'transferOf' | 'hint'>;
  readonly log: Log;
  /** Called once the hint is durable. */
  readonly onHint: (row: Pick<RowRecord, 'batch' | 'row' | 'position' | 'progress'>) => void;
};

/** Resolves when nothing of it can be lost any more. Throws `LedgerUnusable`. */
async function takeWebhook(externalId: string, rawBody: Uint8Array, to: HintTo): Promise<void> {
  const { ledger, log, onHint } = to;
  const named = await ledger.transferOf(externalId);
  if (named === null) {
    log.warn('webhook of a transfer that is not in the ledger', { externalId });
    return;
  }
  const told = readWebhookBody(rawBody);
  const isNew = isNews(named, told);
  tell(log, externalId, named, told, isNew);
  if (!isNew) return;
  if (await ledger.hint(named.row)) onHint(named.row);
}

/** A repetition of what is on record is not worth a look. News of a transfer that was given up is: it may be paid in addition to its successor. */
function isNews({ row, attempt }: NamedTransfer, told: Transfer | null): boolean {
  const { stage } = row.progress;
  return attempt !== attemptNumberOf(row.progress) || !(stage === 'paid' && told?.status === 'paid');
}

function tell(
  log: Log,
  externalId: string,
  named: NamedTransfer,
  told: Transfer | null,
  isNew: boolean,
): void {
  const { batch, row, progress } = named.row;
  const fields = { batch, row, externalId, stage: stageOrHeld(progress) };
  const alarm = alarmOf(named, told);
  if (alarm !== null) log.error(ALARM_WORDS[alarm], { ...fields, reason: alarm });
  // Somebody who kept a notification may send it for ever; that must not fill the log.
  else if (isNew) log.info('webhook', fields);
  else log.debug('webhook that says nothing new', fields);
}

// From a request to the status of its response. Strangers only learn "no", before anything is read from them or looked up for them. 2xx is sent
// only after the hint is on the disk, because the service does not repeat a notification.

export type WebhookDesk = HintTo & {
  readonly callbacks: Callbacks;
  readonly keys: WebhookKeys;
  readonly clock: Clock;
  readonly limits: WebhookLimits;
  readonly refusals: Refusals;
};

/** The HTTP status; null when the sender has gone. */
export async function answerWebhook(desk: WebhookDesk, incoming: IncomingMessage): Promise<number | null> {
  const callback = desk.callbacks.find(incoming.url ?? '');
  if (callback === null) return desk.refusals.next();
  if (incoming.method !== 'POST') return 405;
  const rawBody = await readBody(incoming, desk.limits.bodyBytesMax);
  if (rawBody === 'gone') return null;
  if (rawBody === 'too-large') return 413;
  const signature = incoming.headers[SIGNATURE_HEADER];
  const isSigned = validKeys(desk.keys, desk.clock.now()).some((key) =>
    verifyWebhook(key, callback.path, rawBody, signature),
  );
  if (!isSigned) return desk.refusals.next();
  return (await isTaken(desk, callback.externalId, rawBody)) ? 204 : 503;
}

/** False when the hint may not be durable: the service is told so, and polling finds the payout. */
async function isTaken(desk: WebhookDesk, externalId: string, rawBody: Uint8Array): Promise<boolean> {
  const ended = new AbortController();
  const isLate = desk.clock.sleep(desk.limits.answerWithinMs, ended.signal).then(() => false);
  try {
    return await Promise.race([takeWebhook(externalId, rawBody, desk).then(() => true), isLate]);
  } catch (error) {
    desk.log.error('webhook not recorded', {
      externalId,
      reason: error instanceof Error ? error.message : 'unknown',
    });
    return false;
  } finally {
    ended.abort();
  }
}

// Contradictions between a notification and the record, at which a person should look. They decide nothing.

type Alarm = 'unreadable' | 'contradicts' | 'given-up' | 'not-confirmed-here' | 'ended-otherwise';

export const ALARM_WORDS: Readonly<Record<Alarm, string>> = {
  unreadable: 'webhook with a good signature that cannot be read',
  contradicts: 'webhook contradicts the ledger',
  'given-up': 'webhook of a transfer that was proved dead; it may have been paid beside its successor',
  'not-confirmed-here': 'webhook of a transfer that nobody has confirmed here',
  'ended-otherwise': 'webhook says paid of a payout that has ended otherwise',
};

/** Null when there is no contradiction. */
function alarmOf({ row, attempt }: NamedTransfer, told: Transfer | null): Alarm | null {
  const { progress } = row;
  if (attempt !== attemptNumberOf(progress)) return 'given-up';
  if (told === null) return 'unreadable';
  if (progress.transfer !== null && contradicts(progress.transfer, told)) return 'contradicts';
  if (UNCONFIRMED.has(stageOrHeld(progress)) && !mayHaveBeenConfirmed(progress)) return 'not-confirmed-here';
  // A payment that was paid and came back is notified twice, and the second may overtake the first.
  const isReversed = progress.transfer?.statusCode === '100001';
  return told.status === 'paid' && UNPAID.has(stageOrHeld(progress)) && !isReversed
    ? 'ended-otherwise'
    : null;
}

const UNCONFIRMED: ReadonlySet<StageOrHeld> = new Set<Stage>(['ready', 'quoted', 'created']);
const UNPAID: ReadonlySet<StageOrHeld> = new Set<Stage>(['failed', 'rejected', 'duplicate']);

function contradicts(known: KnownTransfer, told: Transfer): boolean {
  return (
    told.id !== known.transferId ||
    told.externalId.toLowerCase() !== known.externalId.toLowerCase() ||
    compareDecimals(told.sendAmount, known.sendAmount) !== 0 ||
    compareDecimals(told.feeAmount, known.feeAmount) !== 0 ||
    compareDecimals(told.receiveAmount, known.receiveAmount) !== 0
  );
}
