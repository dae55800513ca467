// Whether an all-or-nothing file fits into the life of its quotations at the measured pace; and the words if it does not.
import type { Words } from '../../../base/language.ts';
import { describeDuration } from '../../../base/duration.ts';
import { samplePrices, type Pace } from '../../../delivery/quotations.ts';
import { rowsTogether } from '../../../ledger/batch-rows.ts';
import { type BatchRecord, tenureOf } from '../../../ledger/records.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import { acknowledged } from '../answers/acknowledge.ts';
import { askedAtOnce } from '../../config/config.ts';
import type { Paydrop } from '../../parts.ts';
import { deliveryTools } from '../carry/pay-batch.ts';
import { surveyWhole, type Survey } from './survey-whole.ts';
import { sentence } from '../../../messages/messages.ts';

/** The next minutes may be slower than the last: a third of the pace may be lost without harm. */
const SLACK = 1.5;

/** For what no pace shows: a pause of the machine, a slow disk. For a short life, at most a tenth. */
const MARGIN_MS = 5_000;

/** True when this many calls should be answered within the time left. */
export function isTimeFor(calls: number, msPerCall: number, leftMs: number): boolean {
  return neededMs(calls, msPerCall) + Math.min(MARGIN_MS, leftMs / 10) <= leftMs;
}

/** The time of so many calls, with room for a slower hour. */
export function neededMs(calls: number, msPerCall: number): number {
  return calls * msPerCall * SLACK;
}

/** Asks for the price of some rows. Throws a `Fault` when the service gives none. */
export function measurePace(paydrop: Paydrop, batch: BatchRecord, { sample }: Survey): Promise<Pace> {
  const { ledger, config, rateControl } = paydrop;
  const tools = deliveryTools(paydrop, batch);
  const concurrency = askedAtOnce(config.service, rateControl);
  const run = tenureOf(batch, ledger.run);
  return samplePrices(sample, { ledger, leased: batch, run, tools, fileId: batch.fileId, concurrency });
}

/** The pace of a batch that is not accepted yet; a refusal where it does not fit. Null when it is paid row by row, when there is nothing to price, or when its owner already knows that it is accepted. Throws a `Fault` when the service gives no answer. */
export async function fitWhole(paydrop: Paydrop, batch: BatchRecord): Promise<Pace | FileRefused | null> {
  if (batch.whole === null || (await acknowledged(paydrop, batch)) !== null) return null;
  let pace: Pace | null = null;
  // Of several days, each is paid whole or not at all.
  for (const day of batch.payAt?.days?.map((each) => each.day) ?? [undefined]) {
    const survey = await surveyWhole(paydrop, batch, rowsTogether(paydrop.ledger, batch, day));
    if (survey.sample.length === 0) continue;
    pace ??= await measurePace(paydrop, batch, survey);
    const words = tooSlowWords(survey, pace);
    if (words !== null) return new FileRefused('quotations_too_short', words);
  }
  return pace;
}

/** Null when everything fits; otherwise how many rows there are, how long they would take, and how much time there is. */
export function tooSlowWords(
  { standings, callsToReserve, callsToConfirm }: Survey,
  pace: Pace,
): Words | null {
  const calls = callsToReserve + callsToConfirm;
  if (pace.lifeMs === null || isTimeFor(calls, pace.msPerCall, pace.lifeMs)) return null;
  const rows = standings.open + standings.stands;
  const needed = describeDuration(neededMs(calls, pace.msPerCall));
  const lives = describeDuration(pace.lifeMs);
  const speed = paceWords(pace.msPerCall);
  return sentence('wholeInTime.tooSlow', { lives, rows, needed, speed });
}

/** Calls per second, or seconds per call. */
function paceWords(msPerCall: number): Words {
  if (msPerCall < 1_000) {
    const calls = String(Math.round(1_000 / msPerCall));
    return sentence('wholeInTime.pace.callsSecond', { calls });
  }
  const each = describeDuration(msPerCall);
  return sentence('wholeInTime.pace.oneCall', { each });
}
