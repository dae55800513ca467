// What a row asks for: one amount, in one currency, on one side of the exchange. Nothing is rounded and nothing is guessed.
import { compareDecimals, type DecimalText } from '../base/decimal.ts';
import { currencyDecimals, fitsCurrency, formatAmount } from '../base/currency.ts';
import { readCurrency } from '../rows/currency-signs.ts';
import { FileRefused } from '../rows/file-refused.ts';
import { contradicts, readAmount, type ReadAmount } from '../rows/read-amount.ts';
import type { PayoutCorridor } from '../service/wire.ts';
import type { RequestedAmount } from './payout.ts';
import type { Words } from '../base/language.ts';
import { headerCurrency } from '../rows/known-columns.ts';
import type { RowReader } from './row-reader.ts';

const SIDES = { sourceAmount: 'source', destinationAmount: 'destination' } as const;
type AmountColumn = keyof typeof SIDES | 'amount';

export type RequestedSum = { readonly requested: RequestedAmount; readonly sourceCurrency: string };

/** The amount and the source currency of a row, or null with the reasons rejected. */
export function readRequestedAmount(reader: RowReader, corridor: PayoutCorridor): RequestedSum | null {
  const column = filledColumn(reader);
  if (column === null) return null;
  const amount = readPositive(reader, column);
  const side = column === 'amount' ? sideOfAmount(reader, corridor) : SIDES[column];
  if (side === null) return null;
  const sourceCurrency = readSourceCurrency(reader, corridor, side);
  if (amount === null || sourceCurrency === null) return null;
  const currency = side === 'source' ? sourceCurrency : corridor.targetCurrency;
  if (!agreesWithCell(reader, column, currency)) return null;
  if (!fits(reader, column, amount, currency)) return null;
  if (side === 'destination' && !isInside(reader, column, amount, corridor)) return null;
  return { requested: { side, amount }, sourceCurrency };
}

/** Null where the row does not say in which currency its amount is. */
export type StatedAmount = { readonly currency: string | null; readonly amount: DecimalText };

/** What the cells of a row say that cannot be paid as it is; null where they hold no amount. */
export function statedAmount(reader: RowReader, corridor: PayoutCorridor | null): StatedAmount | null {
  for (const [column, currencyColumn] of STATED) {
    const read = readCell(reader, column);
    if ('fault' in read) continue;
    const written = readCurrency(reader.text(currencyColumn)) ?? read.currency;
    const target = column === 'destinationAmount' ? (corridor?.targetCurrency ?? null) : null;
    const currency = written?.codes.length === 1 ? (written.codes[0] ?? null) : target;
    return { currency, amount: read.amount };
  }
  return null;
}

const STATED: readonly (readonly [AmountColumn, string])[] = [
  ['amount', 'currency'],
  ['destinationAmount', 'targetCurrency'],
  ['sourceAmount', 'sourceCurrency'],
];

function filledColumn(reader: RowReader): AmountColumn | null {
  const columns: readonly AmountColumn[] = ['sourceAmount', 'destinationAmount', 'amount'];
  const [filled, another] = columns.filter((column) => reader.text(column) !== '');
  if (filled === undefined) {
    const column = columns.find((name) => reader.table.indexOf.has(name)) ?? 'destinationAmount';
    return reader.reject('amount_missing', column, {
      en: 'The row has no amount. Write one, or delete the row.',
      fr: 'La ligne n’a pas de montant. Écrivez-en un, ou supprimez la ligne.',
    });
  }
  if (another === undefined) return filled;
  return reader.reject('amount_twice', another, {
    en: `The row also has an amount under "${reader.header(filled)}". Keep the one that is meant and empty the other.`,
    fr: `La ligne a aussi un montant sous « ${reader.header(filled)} ». Gardez le bon et videz l'autre.`,
  });
}

function readCell(reader: RowReader, column: AmountColumn): ReadAmount {
  return readAmount(reader.text(column), reader.table.decimalMarks.get(column) ?? '.');
}

function readPositive(reader: RowReader, column: AmountColumn): DecimalText | null {
  const text = reader.text(column);
  const read = readCell(reader, column);
  if ('fault' in read) return rejectAmount(reader, column, text, read.fault === 'negative');
  return compareDecimals(read.amount, '0') > 0 ? read.amount : rejectAmount(reader, column, text, true);
}

function rejectAmount(reader: RowReader, column: AmountColumn, text: string, isNumber: boolean): null {
  return isNumber
    ? reader.reject('amount_not_positive', column, {
        en: `The amount is "${text}". Only amounts above zero can be paid.`,
        fr: `Le montant est « ${text} ». Seuls les montants supérieurs à zéro peuvent être payés.`,
      })
    : reader.reject('amount_not_a_number', column, {
        en: `"${text}" cannot be read as an amount. Write digits, for example 1500.50.`,
        fr: `« ${text} » ne se lit pas comme un montant. Écrivez des chiffres, par exemple 1500,50.`,
      });
}

/** A currency written into the amount's own cell, or beside its header, must be the one that is meant. */
function agreesWithCell(reader: RowReader, column: AmountColumn, currency: string): boolean {
  const header = reader.header(column);
  const named = headerCurrency(header);
  if (named !== null && named !== currency) {
    reader.reject('amount_currency_contradicts', column, {
      en: `The column "${header}" is in ${named}, but the amount is in ${currency} here. Correct one of the two.`,
      fr: `La colonne « ${header} » est en ${named}, mais le montant est ici en ${currency}. Corrigez l'un des deux.`,
    });
    return false;
  }
  const read = readCell(reader, column);
  if ('fault' in read || !contradicts(read.currency, currency)) return true;
  reader.reject('amount_currency_contradicts', column, {
    en: `The cell "${reader.text(column)}" names a currency, but the amount is in ${currency} here. Correct one of the two.`,
    fr: `La cellule « ${reader.text(column)} » nomme une devise, mais le montant est ici en ${currency}. Corrigez l'un des deux.`,
  });
  return false;
}

function sideOfAmount(reader: RowReader, corridor: PayoutCorridor): RequestedAmount['side'] | null {
  const currency = currencyIn(reader, 'currency', corridor);
  if (currency === '') {
    return reader.reject('amount_currency_missing', 'currency', {
      en: `Say in which currency the amount is: ${corridor.targetCurrency} is what the receiver gets, ${corridor.sourceCurrencies.join(' or ')} what is sent.`,
      fr: `Dites dans quelle devise est le montant : ${corridor.targetCurrency} est ce que reçoit le bénéficiaire, ${corridor.sourceCurrencies.join(' ou ')} ce qui est envoyé.`,
    });
  }
  const isTarget = currency === corridor.targetCurrency;
  const paidFrom = currencyIn(reader, 'sourceCurrency', corridor);
  // A row that says from which other balance it is paid leaves no doubt.
  const isSource = corridor.sourceCurrencies.includes(currency) && (paidFrom === '' || paidFrom === currency);
  if (isTarget && isSource) {
    throw new FileRefused('amount_ambiguous', {
      en: `Row ${reader.place}: the corridor ${corridor.id} sends and pays ${currency}, so an amount in ${currency} could be what is sent or what arrives.`,
      fr: `Ligne ${reader.place} : le corridor ${corridor.id} envoie et paie en ${currency}, donc un montant en ${currency} peut être ce qui est envoyé ou ce qui arrive.`,
    });
  }
  if (isTarget) return 'destination';
  if (isSource) return 'source';
  if (corridor.sourceCurrencies.includes(currency)) {
    return reader.reject('amount_currency_unrelated', 'currency', {
      en: `The amount is in ${currency}, but the row is paid from ${paidFrom}. Write the amount in ${paidFrom} or ${corridor.targetCurrency}, or pay from ${currency}.`,
      fr: `Le montant est en ${currency}, mais la ligne est payée en ${paidFrom}. Écrivez le montant en ${paidFrom} ou en ${corridor.targetCurrency}, ou payez en ${currency}.`,
    });
  }
  return reader.reject('amount_currency_unrelated', 'currency', {
    en: `${currency} is not a currency of the corridor ${corridor.id}: it pays ${corridor.targetCurrency} and takes ${corridor.sourceCurrencies.join(', ')}.`,
    fr: `${currency} n'est pas une devise du corridor ${corridor.id} : il paie en ${corridor.targetCurrency} et prend ${corridor.sourceCurrencies.join(', ')}.`,
  });
}

/** The code of a currency column, also from a name or a sign; a sign of several is the one that the corridor knows. Empty for an empty cell. */
function currencyIn(reader: RowReader, column: string, corridor: PayoutCorridor): string {
  const text = reader.text(column);
  const codes = readCurrency(text)?.codes ?? [text.toUpperCase()];
  const known = codes.filter(
    (code) => code === corridor.targetCurrency || corridor.sourceCurrencies.includes(code),
  );
  const [only] = known.length === 1 ? known : codes;
  return codes.length === 1 || known.length === 1 ? (only ?? '') : text.toUpperCase();
}

function readSourceCurrency(
  reader: RowReader,
  corridor: PayoutCorridor,
  side: RequestedAmount['side'],
): string | null {
  const { sourceCurrencies } = corridor;
  const own = currencyIn(reader, 'sourceCurrency', corridor);
  const written = own !== '' || side === 'destination' ? own : currencyIn(reader, 'currency', corridor);
  const currency = written === '' && sourceCurrencies.length === 1 ? (sourceCurrencies[0] ?? '') : written;
  if (sourceCurrencies.includes(currency)) return currency;
  return currency === ''
    ? reader.reject('source_currency_missing', 'sourceCurrency', {
        en: `Say from which balance to pay: ${sourceCurrencies.join(', ')}.`,
        fr: `Dites de quel solde payer : ${sourceCurrencies.join(', ')}.`,
      })
    : reader.reject('source_currency_not_in_corridor', 'sourceCurrency', {
        en: `The corridor ${corridor.id} cannot be paid from ${currency}, only from ${sourceCurrencies.join(', ')}.`,
        fr: `Le corridor ${corridor.id} ne peut pas être payé en ${currency}, seulement en ${sourceCurrencies.join(', ')}.`,
      });
}

function fits(reader: RowReader, column: AmountColumn, amount: DecimalText, currency: string): boolean {
  if (fitsCurrency(amount, currency)) return true;
  const decimals = currencyDecimals(currency);
  reader.reject('amount_too_many_decimals', column, decimalsWords(currency, decimals, reader.text(column)));
  return false;
}

function decimalsWords(currency: string, decimals: number | null, cell: string): Words {
  if (decimals === null) {
    return {
      en: `${currency} is not a currency of ISO 4217, so its decimals are not known.`,
      fr: `${currency} n'est pas une devise ISO 4217 : ses décimales ne sont pas connues.`,
    };
  }
  const [en, fr] =
    decimals === 0
      ? ['no decimals', "n'a pas de décimales"]
      : [`at most ${String(decimals)} decimals`, `a au plus ${String(decimals)} décimales`];
  return {
    en: `${currency} has ${en}, the cell says ${cell}. paydrop does not round: write the exact amount.`,
    fr: `${currency} ${fr}, la cellule dit ${cell}. paydrop n'arrondit pas : écrivez le montant exact.`,
  };
}

function isInside(
  reader: RowReader,
  column: AmountColumn,
  amount: DecimalText,
  corridor: PayoutCorridor,
): boolean {
  const { minimumTransactionAmount: least, maximumTransactionAmount: most, targetCurrency } = corridor;
  if (compareDecimals(amount, least) >= 0 && compareDecimals(amount, most) <= 0) return true;
  const show = (value: DecimalText) => `${formatAmount(value, targetCurrency)} ${targetCurrency}`;
  reader.reject('amount_outside_bounds', column, {
    en: `The amount is ${show(amount)}; this corridor pays from ${show(least)} to ${show(most)}. Change the amount or split the payment.`,
    fr: `Le montant est ${show(amount)} ; ce corridor paie de ${show(least)} à ${show(most)}. Changez le montant ou partagez le paiement.`,
  });
  return false;
}
