// What a batch waits for before its first payment, as far as time decides it: its hour has not come, or it has passed without it.
import { joinWords, type Words } from '../../../base/language.ts';
import type { BatchState } from '../../../ledger/batch-states.ts';
import type { PayAt } from '../../../ledger/pay-at.ts';
import { decisionAbout, type BatchRecord } from '../../../ledger/records.ts';
import { waitFor, type Wait } from '../../../ledger/wait.ts';
import type { Paydrop } from '../../parts.ts';
import { clockDifference, differenceWords, timeByBoth } from '../../parts/time-at-service.ts';
import { keepManifest } from '../epoch.ts';
import { timeWords } from '../../config/occurrences.ts';
import { sentence } from '../../../messages/messages.ts';

/** A restart, an outage or a full day's work before it makes nobody's payment late; more than this is a time that was missed. */
const LATE_MOST_MS = 60 * 60_000;

/** What the batch waits for; null when its time has come. */
export async function awaitTime(
  paydrop: Paydrop,
  batch: BatchRecord,
): Promise<{ readonly wait: Wait; readonly payAt?: PayAt } | null> {
  const { payAt } = batch;
  if (payAt === undefined || decisionAbout(batch, 'time') !== null) return null;
  const isEarly = paydrop.clock.now() < Date.parse(payAt.at);
  if (isEarly && clockDifference(paydrop) === null)
    return { wait: waitFor('schedule', scheduledWords(payAt), payAt.at) };
  // Our clock alone pays nobody: it may be wrong by a month.
  const now = await timeByBoth(paydrop);
  if (now === null) return { wait: waitFor('service', sentence('awaitTime.unknown')) };
  const differ = differenceWords(paydrop);
  if (differ !== null)
    return { wait: waitFor('schedule', joinWords([scheduledWords(payAt), differ]), payAt.at) };
  if (now < Date.parse(payAt.at)) return { wait: waitFor('schedule', scheduledWords(payAt), payAt.at) };
  if (!isMissed(payAt, now)) return null;
  const mustHold = payAt.missed === 'hold' || (await isOneOfSeveral(paydrop, batch, payAt, now));
  if (!mustHold) return null;
  const wait = waitFor('missed-time', missedWords(batch.id, payAt));
  return { wait, payAt: await held(paydrop, batch, payAt) };
}

/** Once a person was told that it waits for a decision it does so, also when the other times of the series are decided, or the ledger is lost. */
async function held(paydrop: Paydrop, { id }: BatchRecord, payAt: PayAt): Promise<PayAt> {
  if (payAt.missed === 'hold') return payAt;
  const kept: PayAt = { ...payAt, missed: 'hold' };
  await keepManifest(paydrop, id, { payAt: kept });
  return kept;
}

/** False while a set time has not come, or a person has to decide: then another look would find the same. */
export function isTimeToLook(batch: BatchRecord, now: number): boolean {
  const { payAt, wait } = batch;
  if (decisionAbout(batch, 'time') !== null) return true;
  if (wait?.for === 'missed-time') return false;
  return payAt === undefined || wait?.for !== 'schedule' || now >= Date.parse(payAt.at);
}

export function scheduledWords({ at, timeZone }: PayAt): Words {
  const time = timeWords(Date.parse(at), timeZone);
  return sentence('awaitTime.scheduled', { time });
}

function isMissed({ at }: PayAt, now: number): boolean {
  return now - Date.parse(at) > LATE_MOST_MS;
}

/** Of a standing file one missed time may be made good; what to do about several only its owner knows. */
async function isOneOfSeveral(
  { ledger }: Paydrop,
  { id }: BatchRecord,
  { at, standing }: PayAt,
  now: number,
): Promise<boolean> {
  if (standing === undefined) return false;
  if (now >= Date.parse(standing.next)) return true;
  return (await ledger.batches()).some(
    (other) =>
      other.id !== id &&
      UNDECIDED.has(other.state) &&
      decisionAbout(other, 'time') === null &&
      other.payAt?.standing?.series === standing.series &&
      other.payAt.at < at,
  );
}

/** An earlier time of the series that is neither paid nor refused was missed too. */
const UNDECIDED: ReadonlySet<BatchState> = new Set<BatchState>(['taking', 'checking', 'pricing', 'accepted']);

function missedWords(batch: string, { at, timeZone }: PayAt): Words {
  const time = timeWords(Date.parse(at), timeZone);
  return sentence('awaitTime.missed', { time, batch });
}
