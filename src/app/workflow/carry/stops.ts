// What stops a file as a whole: missing funds, the limits of a file and a day, the file `STOP`, and too many refusals.
import type { Paydrop } from '../../parts.ts';
import { earliestNow } from '../../parts/wait-for-service.ts';
import { dayOf } from '../../../base/clock.ts';
import { moneyWords } from '../../../base/currency.ts';
import { type DecimalText, addDecimals, compareDecimals, subtractDecimals } from '../../../base/decimal.ts';
import { type Words, joinWords, sameWords } from '../../../base/language.ts';
import { batchRows } from '../../../ledger/batch-rows.ts';
import { areLimitsLifted, isToCome } from '../../../ledger/days.ts';
import type { LeftToSend } from '../../../ledger/ledger.ts';
import { type BatchRecord, decisionAbout } from '../../../ledger/records.ts';
import { sentence } from '../../../messages/messages.ts';
import {
  type RefusalCounts,
  decisionOf,
  describeHit,
  describeShare,
  hitOf,
  isOverShare,
  minus,
  plus,
} from '../../../payouts/limits.ts';
import type { Goal } from '../../../delivery/goal.ts';
import { watchStopFile } from '../../../inbox/stop-file.ts';
import { BEFORE_CONFIRM, type Stage, type StageOrHeld } from '../../../payouts/lifecycle.ts';
import { stageOrHeld } from '../../../payouts/progress.ts';
import type { Stop } from '../../../payouts/stop.ts';
import { isFault } from '../../../service/errors.ts';
import { type Balance, debitOf } from '../../../service/wire.ts';

// How much money is missing: the debits of a currency's unsent rows, compared with the balance. Balances advise; they decide nothing.

type Need = { rows: number; unpriced: number; debit: DecimalText };

/** One sentence for each currency, ready for a person. */
export async function describeShortfall(
  paydrop: Paydrop,
  batch: BatchRecord,
  currencies: readonly string[],
): Promise<Words> {
  const balances = await readBalances(paydrop);
  const needs = await needsOf(paydrop, batch);
  const sentences = currencies.map((currency) =>
    sentenceOf(
      currency,
      needs.get(currency),
      balances.find((balance) => balance.currency === currency),
    ),
  );
  return joinWords([...sentences, sentence('describeShortfall.topUp', { id: batch.id })]);
}

/** What is missing in each of these currencies, as far as it is known: `25,353,364 XAF`, or the currency alone. */
export async function shortfallWords(
  paydrop: Paydrop,
  batch: BatchRecord,
  currencies: readonly string[],
): Promise<Words> {
  const balances = await readBalances(paydrop);
  const needs = await needsOf(paydrop, batch);
  const each = currencies.map((currency) => {
    const available = balances.find((balance) => balance.currency === currency)?.available;
    const missing = subtractDecimals(needs.get(currency)?.debit ?? '0', available ?? '0');
    return available !== undefined && compareDecimals(missing, '0') > 0
      ? moneyWords(missing, currency)
      : sameWords(currency);
  });
  return joinWords(each, ' + ');
}

async function needsOf({ ledger }: Paydrop, batch: BatchRecord): Promise<ReadonlyMap<string, Need>> {
  const needs = new Map<string, Need>();
  for await (const { payout, progress } of batchRows(ledger, batch.id)) {
    if (payout === null || isToCome(batch, { payout })) continue;
    if (!['ready', 'quoted'].includes(stageOrHeld(progress))) continue;
    const need = needs.get(payout.sourceCurrency) ?? { rows: 0, unpriced: 0, debit: '0' };
    need.rows += 1;
    if (progress.price === null) need.unpriced += 1;
    else need.debit = addDecimals(need.debit, debitOf(progress.price));
    needs.set(payout.sourceCurrency, need);
  }
  return needs;
}

function sentenceOf(currency: string, need: Need | undefined, balance: Balance | undefined): Words {
  const ranOut = sentence('describeShortfall.sentenceOf.balanceRanOut', { currency });
  if (need === undefined) return joinWords([ranOut, sameWords('.')], '');
  const show = (amount: DecimalText) => moneyWords(amount, currency);
  const least = need.unpriced === 0 ? sameWords('') : sentence('describeShortfall.sentenceOf.atLeast');
  const needed = neededWords(need, show(need.debit), least);
  if (balance === undefined) return sentence('describeShortfall.sentenceOf.shortly', { ranOut, needed });
  const missing = subtractDecimals(need.debit, balance.available);
  const left: Words =
    compareDecimals(missing, '0') > 0
      ? sentence('describeShortfall.sentenceOf.availableMissing', { least, show: show(missing) })
      : sentence('describeShortfall.sentenceOf.availableNow');
  const available = show(balance.available);
  return sentence('describeShortfall.sentenceOf.whole', { ranOut, needed, available, left });
}

function neededWords({ rows, unpriced }: Need, debit: Words, least: Words): Words {
  if (unpriced === rows) return sentence('describeShortfall.needed.unpriced', { rows });
  return rows === 1
    ? sentence('describeShortfall.needed.paymentWaitsNeeds', { least, debit })
    : sentence('describeShortfall.needed.paymentsWaitNeed', { rows, least, debit });
}

export async function readBalances({ service }: Pick<Paydrop, 'service'>): Promise<readonly Balance[]> {
  try {
    return (await service.balances()).value;
  } catch (error) {
    // Without them the message is shorter; nothing depends on them.
    if (isFault(error)) return [];
    throw error;
  }
}

// Whether a whole file fits into the limits of a file and of the day, before its first payment: better to pay none of a file than a part of it.
// What is known only on the way, the ledger stops row by row.

/** Null when nothing known about the file forbids it. Makes no call to the service. */
export async function limitsStop(
  { ledger, config, serviceClock, clock }: Paydrop,
  { id }: BatchRecord,
): Promise<Stop | null> {
  const { limits } = config;
  if ((limits.perFile ?? limits.perDay) === null) return null;
  const batch = await ledger.batch(id);
  if (batch === null || areLimitsLifted(batch)) return null;
  const day = dayOf(earliestNow({ serviceClock, clock }));
  const today = await ledger.leftToSend(id, 'open');
  for (const [currency, { amount }] of await ledger.leftToSend(id, 'all')) {
    const spent = await ledger.spent(id, currency, day);
    const hit =
      hitOf('perFile', limits, currency, addDecimals(spent.file, amount)) ??
      hitOf('perDay', limits, currency, addDecimals(spent.day, today.get(currency)?.amount ?? '0'));
    if (hit !== null) return { by: 'limits', words: describeHit(hit) };
  }
  return null;
}

/** The remaining rows, and the ways out, after the words that stopped a file. */
export async function describeLimitsStop(
  { ledger }: Paydrop,
  { id }: BatchRecord,
  words: Words,
): Promise<Words> {
  const left = [...(await ledger.leftToSend(id, 'all'))].map(leftWords);
  const unsent: Words = sentence('limitsBeforeSending.describeLimitsStop', {
    counted: joinWords(left, ', '),
  });
  return joinWords([words, ...(left.length === 0 ? [] : [unsent]), waysOut(id)]);
}

function leftWords([currency, { rows, unpriced, amount }]: readonly [string, LeftToSend]): Words {
  const sum = moneyWords(amount, currency);
  return sentence('limitsBeforeSending.left', { rows, unpriced, sum });
}

function waysOut(id: string): Words {
  return sentence('limitsBeforeSending.waysOut', { id });
}

// What stops the run of a file for reasons other than its rows: the file `STOP` in the inbox, and a share of refusals that a person should look at.

type StopOfRun = {
  /** Call it before every step; null to go on. */
  readonly stop: () => Stop | null;
  /** Call it with every row that moved. */
  readonly moved: (from: Stage, to: StageOrHeld, errorCode: string | null) => void;
};

export async function stopOfRun(paydrop: Paydrop, batch: BatchRecord, goal: Goal): Promise<StopOfRun> {
  const stopFile = watchStopFile(paydrop.workspace, paydrop.clock);
  // Rows on their way are followed in spite of refusals, and prices cost nothing.
  const share = goal === 'submitted' ? paydrop.config.limits.refusalShare : null;
  let seen = share === null ? NOTHING : await unseenRefusals(paydrop, batch.id);
  return {
    stop: () => {
      const words = stopFile() ?? paydrop.cluster?.stopElsewhere() ?? null;
      if (words !== null) return { by: 'stop-file', words };
      return share !== null && isOverShare(seen, share)
        ? { by: 'refusals', words: joinWords([describeShare(seen, share), waysOutOfRefusals(batch.id)]) }
        : null;
    },
    moved: (from, to, errorCode) => {
      if (BEFORE_CONFIRM.has(from) && !BEFORE_CONFIRM.has(to)) seen = plus(seen, decisionOf(to, errorCode));
    },
  };
}

const NOTHING: RefusalCounts = { decided: 0, refused: 0 };

/** The decisions that no person has looked at yet. */
async function unseenRefusals({ ledger }: Paydrop, id: string): Promise<RefusalCounts> {
  const batch = await ledger.batch(id);
  const seen = batch === null ? null : decisionAbout(batch, 'refusals');
  return minus(await ledger.refusalCounts(id), seen?.saw ?? NOTHING);
}

function waysOutOfRefusals(id: string): Words {
  return sentence('stopOfRun.waysOut', { id });
}
