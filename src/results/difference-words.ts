// What each difference of a reconciliation is, in plain words.
import { moneyWords } from '../base/currency.ts';
import { type DecimalText, grouped } from '../base/decimal.ts';
import { joinWords, type Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';

type Status = { readonly status: string; readonly statusCode: string };

type Amounts = {
  readonly sendAmount: DecimalText;
  readonly feeAmount: DecimalText;
  readonly receiveAmount: DecimalText;
};

export function statusWords(ledger: Status, service: Status): Words {
  return sentence('difference.status', { shown: shown(ledger), shown2: shown(service) });
}

export function requestedWords(asked: DecimalText, actual: DecimalText): Words {
  return sentence('difference.requested', { asked: grouped(asked), actual: grouped(actual) });
}

export function amountWords(
  ledger: Amounts,
  own: { readonly sourceCurrency: string; readonly targetCurrency: string },
  service: Amounts & { readonly sourceCurrency: string; readonly destinationCurrency: string },
): Words {
  const ours = amountsOf(ledger, own.sourceCurrency, own.targetCurrency);
  const theirs = amountsOf(service, service.sourceCurrency, service.destinationCurrency);
  return sentence('difference.amount', { ours, theirs });
}

export const MISSING_WORDS: Words = sentence('difference.missing');

export const UNKNOWN_TO_ROW_WORDS: Words = sentence('difference.unknownToRow');

export const UNKNOWN_WORDS: Words = sentence('difference.unknown');

export function expiredWords(expiredAt: string): Words {
  return sentence('difference.expired', { expiredAt });
}

export function deadWords(attempt: number, reservation: 'stands' | 'may stand'): Words {
  return reservation === 'stands'
    ? sentence('difference.dead.reserves', { attempt })
    : sentence('difference.dead.mayReserve', { attempt });
}

export function aliveWords(attempt: number, service: Status): Words {
  return sentence('difference.alive', { attempt, shown: shown(service) });
}

function shown({ status, statusCode }: Status): string {
  return `${status} (${statusCode})`;
}

function amountsOf({ sendAmount, feeAmount, receiveAmount }: Amounts, source: string, target: string): Words {
  const sent = joinWords([grouped(sendAmount), moneyWords(feeAmount, source)], ' + ');
  return joinWords([sent, moneyWords(receiveAmount, target)], ', ');
}
