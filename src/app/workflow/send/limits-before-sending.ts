// Whether a whole file fits into the limits of a file and of the day, before its first payment: better none of a file than a part of it.
// What is known only on the way, the ledger stops row by row.
import { joinWords, type Words } from '../../../base/language.ts';
import type { LeftToSend } from '../../../ledger/ledger.ts';
import { formatAmount } from '../../../base/currency.ts';
import { addDecimals } from '../../../base/decimal.ts';
import { dayOf } from '../../../base/clock.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import { describeHit, hitOf } from '../../../payouts/limits.ts';
import type { Stop } from '../../../payouts/verdict.ts';
import type { Paydrop } from '../../parts.ts';
import { earliestNow } from '../../parts/time-at-service.ts';

/** Null when nothing that is known of the file forbids it. Asks the service nothing. */
export async function limitsStop(
  { ledger, config, serviceClock, clock }: Paydrop,
  { id }: BatchRecord,
): Promise<Stop | null> {
  const { limits } = config;
  if ((limits.perFile ?? limits.perDay) === null) return null;
  const batch = await ledger.batch(id);
  if (batch === null || batch.limitsLifted !== undefined) return null;
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
  const unsent: Words = { en: `Not sent: ${en}.`, fr: `Non envoyé : ${fr}.` };
  return joinWords([words, ...(left.length === 0 ? [] : [unsent]), waysOut(id)]);
}

function leftWords([currency, { rows, unpriced, amount }]: readonly [string, LeftToSend]): Words {
  const sum = `${formatAmount(amount, currency)} ${currency}`;
  return {
    en: `${String(rows)} ${rows === 1 ? 'row' : 'rows'} of ${unpriced === 0 ? '' : 'at least '}${sum}`,
    fr: `${String(rows)} ${rows === 1 ? 'ligne' : 'lignes'}, ${unpriced === 0 ? '' : 'au moins '}${sum}`,
  };
}

function waysOut(id: string): Words {
  return {
    en: `If it is right, "paydrop release ${id} --by NAME --reason TEXT" lets this file go over the limits of a file and a day, then "paydrop resume ${id}" pays it. A limit of a day is also over with the day (UTC).`,
    fr: `Si c'est juste, « paydrop release ${id} --by NOM --reason TEXTE » permet à ce fichier de dépasser les limites par fichier et par jour, puis « paydrop resume ${id} » le paie. Une limite par jour prend aussi fin avec le jour (UTC).`,
  };
}
