// Two amounts in one table: gross and net, invoiced and paid. Unless a header says that its amount is the one to pay, only a person knows which of them is
// paid, so the columns are watched, and the file is asked about where they differ.
import { joinWords, sameWords, type Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import { columnLetters } from './cell.ts';
import { FileRefused } from './file-refused.ts';
import { NEVER_PAID, NET_WORDS, PAID_HEADERS, plainWords, SUM_WORDS } from './header-aliases.ts';
import { canonicalOf, foldHeader, isAmountColumn } from './known-columns.ts';
import { readSigned } from './read-amount.ts';
import type { Column, RivalAmount } from './row.ts';

function listed(text: string): readonly string[] {
  return text.trim().split(/,\s*/).map(plainWords);
}

/** What a header says whose amount is the one to pay: everything that comes off is off. In English, French, Spanish, Portuguese, German, Dutch, Italian and Arabic. */
const TO_PAY = listed(`
  to pay, to be paid, to transfer, to submit, to receive, to send, payable, net pay, net salary, net wage, net wages, nett pay, nett salary, net payment,
  take home, in hand, due, outstanding, remaining, open balance, payment amount, payment amt, pay amount, payout amount, pmt amount, pmnt amount,
  transfer amount, transaction amount, disbursement amount, instructed amount, instdamt, send amount, sending amount, amount sent, receive amount,
  amount received, target amount, wage amount, salary amount, à payer, à virer, à régler, à verser, à transférer, à envoyer, à débiter, à recevoir,
  salaire net, net salaire, montant salaire, montant du salaire, reste, restant, solde dû, dû, montant du paiement, montant du virement,
  montant virement, montant de la transaction, montant envoyé, montant reçu, a pagar, a percibir, a recibir, a enviar, salario neto, importe del pago,
  importe de la transferencia, importe transferencia, importe de la nómina, a abonar, a transferir, sueldo neto, sueldo líquido,
  salario líquido, pendiente, a receber, salário líquido, vencimento líquido, em aberto, zu zahlen, zahlbetrag,
  auszahlungsbetrag, überweisungsbetrag, sendebetrag, empfangsbetrag, nettolohn, nettogehalt, te betalen, nettoloon, da pagare, stipendio netto,
  المبلغ المستحق, الواجب دفعه, للدفع, صافي الراتب, الراتب الصافي, صافي المستحق, الصافي المستحق, مبلغ الدفع, مبلغ التحويل
`);

/** Whether a header says by itself that its amount is the one to pay. */
export function saysToPay(header: string): boolean {
  const words = ` ${plainWords(header)} `;
  return TO_PAY.some((phrase) => words.includes(` ${phrase} `));
}

/** What a sum may be called besides the words of amounts. */
const SUMS = wordSet(
  'gross, brut, bruto, brutto, bruta, lordo, ttc, ht, paid, payé, pagado, bezahlt, betaald, pagato, valeur, wert, spent, billed',
);
/** Sums before something comes off, which alone are never taken for the amount. */
const WHOLE = wordSet('gross, brut, bruto, brutto');
/** Words of a part of an amount, of a balance, or of a number that is no money: nobody pays it instead of the amount. */
const NO_RIVAL = wordSet(`
  tax, taxe, taxes, fee, fees, frais, commission, commissions, comision, gebühr, charge, charges, remise, rabatt, descuento, rebate, penalty, pénalité,
  unit, units, unitaire, unitario, price, prix, precio, preis, bonus, prime, primes, indemnité, indemnités, allowances, advance, advances, avance,
  avances, anticipo, acompte, acomptes, deposit, loan, prêt, overtime, cumul, cumulé, ytd, previous, précédent, prior, last, budget, plafond, maximum,
  max, minimum, min, share, part, patronale, patronales, salariale, salariales, employer, employeur, cotisation, cotisations, contribution,
  contributions, insurance, assurance, pension, cnps, cnss, irpp, average, moyenne, count, nombre, type, status, statut, words, lettres, letras,
  description, method, mode, reference, imposable, taxable, imponible, run, grade, hold,
  terms, term, days, jours, dias, tage, period, période, periodo, month, mois, mes, monat, week, semaine, batch, lot, line, ligne, group, groupe, order,
  commande, account, compte, bank, banque, cheque, chèque, chq, dossier, file
`);

/** `Bruttobetrag`, `Nettosumme`, `brutobedrag`. */
const COMPOUND = /^(?:brutt?o|netto|rechnungs|gesamt|end)\p{L}*(?:betrag|summe|wert|bedrag)$/u;

/** Whether a column may hold amounts that somebody could mean instead: a gross beside a net, a value, what was paid. */
export function isRivalHeader(header: string): boolean {
  const words = plainWords(header).split(' ');
  if (words.some((word) => NO_RIVAL.has(word) || (NEVER_PAID.has(word) && !WHOLE.has(word)))) return false;
  return words.some(
    (word) =>
      SUMS.has(word) ||
      NET_WORDS.has(word) ||
      SUM_WORDS.some((start) => word.startsWith(start)) ||
      COMPOUND.test(word),
  );
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(listed(text));
}

type Watched = {
  readonly amount: Column;
  readonly rival: Column;
  isOfNumbers: boolean;
  /** One digit in every row is a flag, or counts something. */
  hasDigits: boolean;
  first: Pick<RivalAmount, 'place' | 'cells'> | null;
};

const PAID: ReadonlySet<string> = new Set(PAID_HEADERS.map(foldHeader));

/** Whether a header is that of what was paid, which is to be paid only where a person says so. */
export function saysWasPaid(header: string): boolean {
  return PAID.has(foldHeader(header));
}

/** Watches the columns that might be meant instead of the amount; `isDecided` tells the headers about which a person or a layout has spoken. */
export function watchRivals(columns: readonly Column[], isDecided: (header: string) => boolean) {
  const amounts = columns.filter(({ canonical }) => isAmountColumn(canonical));
  const [amount] = amounts;
  const isOpen =
    amount !== undefined && amounts.every(({ header }) => !saysToPay(header) && !isDecided(header));
  const watched: readonly Watched[] = !isOpen
    ? []
    : columns
        .filter((column) => isRival(column) && !isDecided(column.header))
        .map((rival) => ({ amount, rival, isOfNumbers: true, hasDigits: false, first: null }));
  return {
    observe: (place: string, cells: readonly string[]): void => {
      for (const each of watched) if (each.isOfNumbers) compare(each, place, cells);
    },
    found: (): readonly RivalAmount[] =>
      watched.flatMap(({ rival, isOfNumbers, hasDigits, first }) =>
        amount === undefined || !isOfNumbers || !hasDigits || first === null
          ? []
          : [{ amount, rival, ...first }],
      ),
  };
}

/** What says in its own words that it was paid holds its rows. */
function isRival({ canonical, header }: Column): boolean {
  return (
    canonical === null &&
    header.trim() !== '' &&
    canonicalOf(header) === null &&
    !saysWasPaid(header) &&
    isRivalHeader(header)
  );
}

function compare(watched: Watched, place: string, cells: readonly string[]): void {
  // What protects a cell in CSV is no part of its number.
  const textOf = (index: number) => (cells[index] ?? '').trim().replace(/^'/, '');
  const [amount, rival] = [textOf(watched.amount.index), textOf(watched.rival.index)];
  if (rival === '') return;
  watched.isOfNumbers = isNumber(rival);
  watched.hasDigits ||= /\d\D?\d/.test(rival);
  if (watched.first !== null || amount === '' || !/[1-9]/.test(rival)) return;
  if (plainNumber(amount) !== plainNumber(rival)) watched.first = { place, cells: [amount, rival] };
}

function isNumber(cell: string): boolean {
  return 'amount' in readSigned(cell, '.') || 'amount' in readSigned(cell, ',') || cell === '-';
}

/** Enough to tell 100 from 120: what differs in its form alone is the same amount. */
function plainNumber(cell: string): string {
  return cell.replace(/[^\d.,-]/g, '').replace(/[.,]0+$/, '');
}

/** Of the columns, the one that is read first. */
export function rivalsRefused(rivals: readonly RivalAmount[]): FileRefused | null {
  const [first] = rivals;
  if (first === undefined) return null;
  const { amount, place, cells } = first;
  const columns = [
    { ...amount, cell: cells[0] },
    ...rivals.map(({ rival, cells: [, cell] }) => ({ ...rival, cell })),
  ];
  const named = columns.map(
    ({ header, index, cell }) => `«${header.trim()}» (${columnLetters(index)}: ${cell})`,
  );
  const option = (header: string) => `--column ${JSON.stringify(`${header.trim()}=amount`)}`;
  const options: Words = joinWords(
    columns.map(({ header }) => sameWords(option(header))),
    ', ',
  );
  return new FileRefused('column_twice', sentence('rivalAmounts.fault', { names: named.join(', '), place }), {
    remedy: sentence('rivalAmounts.remedy', { option: option(amount.header), options }),
  });
}
