// Whether a file that is paid whole or not at all fits into the life of its quotations, at the pace that was measured; and what is said where it does not.
import type { Words } from '../../../base/language.ts';
import { describeDuration } from '../../../base/duration.ts';
import { samplePrices, type Pace } from '../../../delivery/calls.ts';
import { type BatchRecord, tenureOf } from '../../../ledger/records.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import { acknowledged } from '../check/acknowledge.ts';
import type { Paydrop } from '../../parts.ts';
import { deliveryTools } from '../send/pay-batch.ts';
import { surveyWhole, type Survey } from './survey-whole.ts';
import { sentence } from '../../../messages/messages.ts';

/** The pace of the next minutes is not the one of the last: a third may be lost without harm. */
const SLACK = 1.5;

/** What no pace tells: a pause of the machine, a slow disk. A short life is used up to nine tenths. */
const MARGIN_MS = 5_000;

/** True when so many calls can be expected to be answered within the time that is left. */
export function isTimeFor(calls: number, msPerCall: number, leftMs: number): boolean {
  return neededMs(calls, msPerCall) + Math.min(MARGIN_MS, leftMs / 10) <= leftMs;
}

/** What so many calls take, with room for a slower hour. */
export function neededMs(calls: number, msPerCall: number): number {
  return calls * msPerCall * SLACK;
}

/** Asks for the price of some rows. Throws a `Fault` when the service cannot tell any. */
export function measurePace(paydrop: Paydrop, batch: BatchRecord, { sample }: Survey): Promise<Pace> {
  const { ledger, config } = paydrop;
  const tools = deliveryTools(paydrop, batch);
  const { concurrency } = config.service;
  const run = tenureOf(batch, ledger.run);
  return samplePrices(sample, { ledger, run, tools, fileId: batch.fileId, concurrency });
}

/** The pace of a batch that has still to be accepted; a refusal where it does not fit; null when it is paid row by row, when there is nothing to ask for, or when its owner was told already that it is accepted. Throws a `Fault` when the service cannot tell. */
export async function fitWhole(paydrop: Paydrop, batch: BatchRecord): Promise<Pace | FileRefused | null> {
  if (batch.whole === null || (await acknowledged(paydrop, batch)) !== null) return null;
  const survey = await surveyWhole(paydrop, batch);
  if (survey.sample.length === 0) return null;
  const pace = await measurePace(paydrop, batch, survey);
  const words = tooSlowWords(survey, pace);
  return words === null ? pace : new FileRefused('quotations_too_short', words);
}

/** Null when everything fits; otherwise how many rows, how long they would take, and how long there is. */
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

/** As many calls in a second, or seconds for one. */
function paceWords(msPerCall: number): Words {
  if (msPerCall < 1_000) {
    const calls = String(Math.round(1_000 / msPerCall));
    return sentence('wholeInTime.pace.callsSecond', { calls });
  }
  const each = describeDuration(msPerCall);
  return sentence('wholeInTime.pace.oneCall', { each });
}
