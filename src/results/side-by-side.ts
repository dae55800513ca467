// One payout as the file asks for it, as the ledger has it and as the service shows it now. Every disagreement is a difference with a name and
// an effect on debited and reserved money, so that the sums of all three can be explained to the minor unit.
import { moneyWords } from '../base/currency.ts';
import { compareDecimals, type DecimalText, grouped } from '../base/decimal.ts';
import { joinWords, type Words } from '../base/language.ts';
import type { RowRecord } from '../ledger/records.ts';
import type { Payout } from '../payouts/payout.ts';
import { sentence } from '../messages/messages.ts';
import { shownStatus } from '../payouts/service-words.ts';
import {
  stageOrHeld,
  withForeign,
  type DeadAttempt,
  type KnownTransfer,
  type Progress,
} from '../payouts/progress.ts';
import {
  type Amounts,
  type BalanceEffect,
  effectOf,
  isNoEffect,
  NO_EFFECT,
  rowCurrencies,
  type RowCurrencies,
  subtractEffects,
} from './money-tally.ts';

export type DifferenceKind =
  'status' | 'amount' | 'missing-at-the-service' | 'unknown-to-the-ledger' | 'reserved-but-dead';

/** A transfer as the service shows it now. */
export type SeenTransfer = KnownTransfer & {
  readonly sourceCurrency: string;
  readonly destinationCurrency: string;
  /** By the service's own time. */
  readonly isExpired: boolean;
};

/** What the service has for a row; null where it has nothing. */
export type RowLook = {
  readonly current: SeenTransfer | null;
  /** By attempt. */
  readonly dead: ReadonlyMap<number, SeenTransfer | null>;
};

export type Difference = {
  readonly kind: DifferenceKind;
  /** The transfer concerned, from the side that knows it best. */
  readonly transfer: KnownTransfer;
  readonly sourceCurrency: string;
  /** What the service has beyond the ledger, or the ledger beyond the file. */
  readonly effect: BalanceEffect;
  readonly words: Words;
};

/** For a row that cannot be read and for which nothing was sent: there is no money to count. */
const NO_CURRENCIES: RowCurrencies = { sourceCurrency: '', targetCurrency: '' };

/** The differences of one row; without a look at the service, only those between file and ledger. */
export function compareRow(row: RowRecord, look: RowLook | null): readonly Difference[] {
  const { payout } = row;
  const progress = withForeign(row.progress);
  // A row that cannot be read states nothing to compare; a payment under its id is compared all the same.
  const withFile = payout === null ? [] : againstFile(payout, progress);
  const currencies = rowCurrencies(row, look?.current) ?? NO_CURRENCIES;
  const withService = look === null ? [] : againstService(currencies, progress, look.current);
  const dead = progress.deadAttempts.flatMap((attempt) => againstDead(currencies, attempt, look));
  return [...withFile, ...withService, ...dead];
}

/** The balance effect of a row by its file, by the ledger and by the service. */
export function effectsOf(
  row: RowRecord,
  look: RowLook,
): Readonly<Record<'file' | 'ledger', BalanceEffect>> & { readonly service: readonly SeenTransfer[] } {
  const seen = [look.current, ...look.dead.values()].filter((transfer) => transfer !== null);
  const { payout } = row;
  const progress = withForeign(row.progress);
  if (rowCurrencies(row, look.current) === null || progress.transfer === null)
    return { file: NO_EFFECT, ledger: NO_EFFECT, service: seen };
  const { status } = ledgerStatus(progress, progress.transfer);
  const ledger = effectOf(status, progress.transfer);
  const file = payout === null ? ledger : effectOf(status, fileAmounts(payout, progress, progress.transfer));
  return { file, ledger, service: seen };
}

/** Once a confirm got its answer, our copy of the transfer may be older than that. */
function ledgerStatus(progress: Progress, transfer: KnownTransfer): { status: string; statusCode: string } {
  return stageOrHeld(progress) === 'confirmed' && transfer.status === 'created'
    ? { status: 'submitted', statusCode: '10001' }
    : transfer;
}

/** The file's amount at the agreed price. */
function fileAmounts({ requested }: Payout, { price }: Progress, transfer: KnownTransfer): Amounts {
  const agreed = price?.quotationId === transfer.quotationId ? price : transfer;
  return {
    sendAmount: requested.side === 'source' ? requested.amount : agreed.sendAmount,
    feeAmount: agreed.feeAmount,
  };
}

function againstFile(payout: Payout, progress: Progress): readonly Difference[] {
  const { transfer } = progress;
  if (transfer === null) return [];
  const { side, amount } = payout.requested;
  const actual = side === 'source' ? transfer.sendAmount : transfer.receiveAmount;
  const asked = fileAmounts(payout, progress, transfer);
  const isAsAsked = asked.sendAmount === transfer.sendAmount && asked.feeAmount === transfer.feeAmount;
  if (isAsAsked && amount === actual) return [];
  const { status } = ledgerStatus(progress, transfer);
  const effect = subtractEffects(effectOf(status, transfer), effectOf(status, asked));
  if (compareDecimals(amount, actual) === 0 && isNoEffect(effect)) return [];
  return [difference('amount', transfer, payout.sourceCurrency, effect, requestedWords(amount, actual))];
}

function againstService(
  currencies: RowCurrencies,
  progress: Progress,
  seen: SeenTransfer | null,
): readonly Difference[] {
  const { transfer } = progress;
  const { sourceCurrency } = currencies;
  if (transfer === null) {
    if (seen === null) return [];
    const effect = effectOf(seen.status, seen);
    return [difference('unknown-to-the-ledger', seen, seen.sourceCurrency, effect, UNKNOWN_TO_ROW_WORDS)];
  }
  const known = ledgerStatus(progress, transfer);
  if (seen === null) {
    const ours = effectOf(known.status, transfer);
    const effect = sourceCurrency === '' ? NO_EFFECT : subtractEffects(NO_EFFECT, ours);
    return [difference('missing-at-the-service', transfer, sourceCurrency, effect, MISSING_WORDS)];
  }
  return [
    ...statusDifferences(currencies, known, transfer, seen),
    ...amountDifferences(currencies, transfer, seen),
    ...(seen.status === 'created' && seen.isExpired
      ? [difference('reserved-but-dead', seen, sourceCurrency, NO_EFFECT, expiredWords(seen.expiredAt))]
      : []),
  ];
}

/** The effect of the change of status alone, at the ledger's amounts; a change of the amounts is reported separately. */
function statusDifferences(
  { sourceCurrency }: RowCurrencies,
  known: { readonly status: string; readonly statusCode: string },
  transfer: KnownTransfer,
  seen: SeenTransfer,
): readonly Difference[] {
  if (known.status === seen.status && known.statusCode === seen.statusCode) return [];
  const effect = subtractEffects(effectOf(seen.status, transfer), effectOf(known.status, transfer));
  return [difference('status', seen, sourceCurrency, effect, statusWords(known, seen))];
}

function amountDifferences(
  { sourceCurrency, targetCurrency }: RowCurrencies,
  transfer: KnownTransfer,
  seen: SeenTransfer,
): readonly Difference[] {
  const isSame =
    compareDecimals(transfer.sendAmount, seen.sendAmount) === 0 &&
    compareDecimals(transfer.feeAmount, seen.feeAmount) === 0 &&
    compareDecimals(transfer.receiveAmount, seen.receiveAmount) === 0 &&
    sourceCurrency === seen.sourceCurrency &&
    targetCurrency === seen.destinationCurrency;
  if (isSame) return [];
  const words = amountWords(transfer, { sourceCurrency, targetCurrency }, seen);
  const ours = effectOf(seen.status, transfer);
  const theirs = effectOf(seen.status, seen);
  if (sourceCurrency === seen.sourceCurrency)
    return [difference('amount', seen, sourceCurrency, subtractEffects(theirs, ours), words)];
  return [
    difference('amount', seen, sourceCurrency, subtractEffects(NO_EFFECT, ours), words),
    difference('amount', seen, seen.sourceCurrency, theirs, words),
  ];
}

/** An expired transfer keeps its reservation until the service releases it; one that is reinstated is paid in addition to its successor. */
function againstDead(
  { sourceCurrency }: RowCurrencies,
  { attempt, transfer }: DeadAttempt,
  look: RowLook | null,
): readonly Difference[] {
  if (look === null) {
    const effect = sourceCurrency === '' ? NO_EFFECT : effectOf('created', transfer);
    return [
      difference('reserved-but-dead', transfer, sourceCurrency, effect, deadWords(attempt, 'may stand')),
    ];
  }
  const seen = look.dead.get(attempt) ?? null;
  if (seen === null || seen.status === 'failed') return [];
  const effect = effectOf(seen.status, seen);
  return seen.status === 'created'
    ? [difference('reserved-but-dead', seen, seen.sourceCurrency, effect, deadWords(attempt, 'stands'))]
    : [difference('status', seen, seen.sourceCurrency, effect, aliveWords(attempt, seen))];
}

function difference(
  kind: DifferenceKind,
  transfer: KnownTransfer,
  sourceCurrency: string,
  effect: BalanceEffect,
  words: Words,
): Difference {
  return { kind, transfer, sourceCurrency, effect, words };
}

// The meaning of each difference, in plain words.

type TransferAmounts = Pick<KnownTransfer, 'sendAmount' | 'feeAmount' | 'receiveAmount'>;

type Status = { readonly status: string; readonly statusCode: string };

function statusWords(ledger: Status, service: Status): Words {
  return sentence('difference.status', { ledger: shownStatus(ledger), service: shownStatus(service) });
}

function requestedWords(asked: DecimalText, actual: DecimalText): Words {
  return sentence('difference.requested', { asked: grouped(asked), actual: grouped(actual) });
}

function amountWords(
  ledger: TransferAmounts,
  own: { readonly sourceCurrency: string; readonly targetCurrency: string },
  service: TransferAmounts & { readonly sourceCurrency: string; readonly destinationCurrency: string },
): Words {
  const ours = amountsOf(ledger, own.sourceCurrency, own.targetCurrency);
  const theirs = amountsOf(service, service.sourceCurrency, service.destinationCurrency);
  return sentence('difference.amount', { ours, theirs });
}

const MISSING_WORDS: Words = sentence('difference.missing');

const UNKNOWN_TO_ROW_WORDS: Words = sentence('difference.unknownToRow');

export const UNKNOWN_WORDS: Words = sentence('difference.unknown');

export function expiredWords(expiredAt: string): Words {
  return sentence('difference.expired', { expiredAt });
}

function deadWords(attempt: number, reservation: 'stands' | 'may stand'): Words {
  return reservation === 'stands'
    ? sentence('difference.dead.reserves', { attempt })
    : sentence('difference.dead.mayReserve', { attempt });
}

function aliveWords(attempt: number, service: Status): Words {
  return sentence('difference.alive', { attempt, shown: shownStatus(service) });
}

function amountsOf(
  { sendAmount, feeAmount, receiveAmount }: TransferAmounts,
  source: string,
  target: string,
): Words {
  const sent = joinWords([grouped(sendAmount), moneyWords(feeAmount, source)], ' + ');
  return joinWords([sent, moneyWords(receiveAmount, target)], ', ');
}
