// Whether a whole file fits into the limits of a file and of the day, before its first payment: better none of a file than a part of it.
// What is known only on the way, the ledger stops row by row.
import { joinWords, type Words } from '../../../base/language.ts';
import type { LeftToSend } from '../../../ledger/ledger.ts';
import { moneyWords } from '../../../base/currency.ts';
import { addDecimals } from '../../../base/decimal.ts';
import { dayOf } from '../../../base/clock.ts';
import { decisionAbout, type BatchRecord } from '../../../ledger/records.ts';
import { describeHit, hitOf } from '../../../payouts/limits.ts';
import type { Stop } from '../../../payouts/verdict.ts';
import type { Paydrop } from '../../parts.ts';
import { earliestNow } from '../../parts/wait-for-service.ts';
import { sentence } from '../../../messages/messages.ts';

/** Null when nothing that is known of the file forbids it. Asks the service nothing. */
export async function limitsStop(
  { ledger, config, serviceClock, clock }: Paydrop,
  { id }: BatchRecord,
): Promise<Stop | null> {
  const { limits } = config;
  if ((limits.perFile ?? limits.perDay) === null) return null;
  const batch = await ledger.batch(id);
  if (batch === null || decisionAbout(batch, 'limits') !== null) return null;
  const day = dayOf(earliestNow({ serviceClock, clock }));
  for (const [currency, { amount }] of await ledger.leftToSend(id)) {
    const spent = await ledger.spent(id, currency, day);
    const hit =
      hitOf('perFile', limits, currency, addDecimals(spent.file, amount)) ??
      hitOf('perDay', limits, currency, addDecimals(spent.day, amount));
    if (hit !== null) return { by: 'limits', words: describeHit(hit) };
  }
  return null;
}

/** What is left, and the ways out, behind the words that stopped a file. */
export async function describeLimitsStop(
  { ledger }: Paydrop,
  { id }: BatchRecord,
  words: Words,
): Promise<Words> {
  const left = [...(await ledger.leftToSend(id))].map(leftWords);
  const { en, fr } = joinWords(left, ', ');
  const unsent: Words = sentence('limitsBeforeSending.describeLimitsStop', { counted: { en, fr } });
  return joinWords([words, ...(left.length === 0 ? [] : [unsent]), waysOut(id)]);
}

function leftWords([currency, { rows, unpriced, amount }]: readonly [string, LeftToSend]): Words {
  const sum = moneyWords(amount, currency);
  return sentence('limitsBeforeSending.left', { rows, unpriced, sum });
}

function waysOut(id: string): Words {
  return sentence('limitsBeforeSending.waysOut', { id });
}
