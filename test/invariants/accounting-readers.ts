// How the programs that import our messages decide what to book. Each function states one reader's rule in our own words: what it looks at first, what it
// takes when that is missing, and what makes it fail. No code of theirs is here.
import { XmlDocument, XmlElement } from 'libxml2-wasm';

/** One line as a reader would book it; amounts are signed as the account moves: below zero for a debit. */
export type Booking = {
  /** The payment, as the reader finds it. */
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly day: string;
  readonly payee: string;
  /** What the reader matches invoices by. */
  readonly text: string;
};

const all = (from: XmlElement, ...path: readonly string[]): readonly XmlElement[] =>
  from
    .find(path.map((name) => (name.startsWith('.') ? name : `*[local-name()="${name}"]`)).join('/'))
    .filter((node) => node instanceof XmlElement);
const first = (from: XmlElement, ...path: readonly string[]): XmlElement | undefined => all(from, ...path)[0];
const textAt = (from: XmlElement, ...path: readonly string[]): string => first(from, ...path)?.content ?? '';
const below = (from: XmlElement, name: string): readonly XmlElement[] =>
  from.find(`.//*[local-name()="${name}"]`).filter((node) => node instanceof XmlElement);

function read<T>(text: string, rule: (root: XmlElement, namespace: string) => T): T {
  using document = XmlDocument.fromString(text);
  return rule(document.root, /xmlns="([^"]+)"/.exec(text)?.[1] ?? '');
}

function transactions<T>(text: string, rule: (details: XmlElement, entry: XmlElement) => T): readonly T[] {
  return read(text, (root) =>
    below(root, 'Ntry').flatMap((entry) =>
      all(entry, 'NtryDtls', 'TxDtls').map((details) => rule(details, entry)),
    ),
  );
}

const sideOf = (side: string): 1 | -1 => (side === 'DBIT' ? -1 : 1);

/** The statement import of OCA for Odoo: the day without a time alone, the amount of the transaction or of its details, the payee by the entry's side. */
export function bookedByOdoo(text: string): readonly Booking[] {
  return transactions(text, (details, entry) => {
    const day = textAt(entry, 'BookgDt', 'Dt');
    if (day === '') throw new Error("KeyError: 'date'");
    const amount = first(details, 'Amt') ?? first(details, 'AmtDtls', 'TxAmt', 'Amt');
    const side = textAt(details, 'CdtDbtInd') || textAt(entry, 'CdtDbtInd');
    return {
      id: textAt(details, 'Refs', 'EndToEndId'),
      amount: sideOf(side) * Number(amount?.content),
      currency: amount?.attr('Ccy')?.value ?? '',
      day,
      payee: textAt(details, 'RltdPties', 'Cdtr', 'Nm') || textAt(details, 'RltdPties', 'Cdtr', 'Pty', 'Nm'),
      text: textAt(details, 'AddtlTxInf') || textAt(details, 'RmtInf', 'Ustrd'),
    };
  });
}

/** A return, as the imports of payment returns of OCA book it: the number without its currency; none where there is no number, and the booked entry decides. */
export type Returned = { readonly id: string; readonly amount: number | null };

const amountOrNone = (amount: XmlElement | undefined): number | null =>
  amount === undefined ? null : Number(amount.content);

/** Of an advice of version 02 alone: every transaction with return information. */
export function returnedByOdoo(text: string): readonly Returned[] {
  const isRead = read(text, (_root, namespace) => namespace.endsWith('camt.054.001.02'));
  if (!isRead) return [];
  const found = transactions(text, (details) => ({
    id: textAt(details, 'Refs', 'EndToEndId'),
    amount: amountOrNone(first(details, 'AmtDtls', 'InstdAmt', 'Amt')),
    isReturn: first(details, 'RtrInf') !== undefined,
  }));
  return found.filter(({ isReturn }) => isReturn).map(({ id, amount }) => ({ id, amount }));
}

/** Of a status message of version 03 alone: every listed transaction, whatever its status. */
export function returnedByStatus(text: string): readonly Returned[] {
  return read(text, (root, namespace) => {
    if (!namespace.endsWith('pain.002.001.03')) return [];
    return below(root, 'TxInfAndSts').map((each) => ({
      id: textAt(each, 'OrgnlEndToEndId'),
      amount: amountOrNone(first(each, 'OrgnlTxRef', 'Amt', 'InstdAmt')),
    }));
  });
}

/** Tryton: a credit is a payable, a debit a receivable; return information fails it, none makes it succeed; the day is the value's. */
export function setByTryton(text: string) {
  return transactions(text, (details, entry) => ({
    id: textAt(details, 'Refs', 'InstrId') || textAt(details, 'Refs', 'EndToEndId'),
    kind: (textAt(details, 'CdtDbtInd') || textAt(entry, 'CdtDbtInd')) === 'CRDT' ? 'payable' : 'receivable',
    state: below(details, 'RtrInf').length > 0 ? 'failed' : 'succeeded',
    day: textAt(entry, 'ValDt', 'Dt'),
  }));
}

/** ERPNextSwiss: what carries a reference that is booked already is passed over; the amount is the transaction's, the fees are not looked at. */
export function bookedByErpNext(texts: readonly string[]): readonly Booking[] {
  const known = new Set<string>();
  return texts.flatMap((text) =>
    transactions(text, (details, entry) => {
      const reference =
        textAt(details, 'Refs', 'UETR') ||
        textAt(details, 'Refs', 'AcctSvcrRef') ||
        textAt(details, 'Refs', 'TxId') ||
        textAt(details, 'Refs', 'PmtInfId');
      const isKnown = known.has(reference);
      known.add(reference);
      const amount =
        first(details, 'AmtDtls', 'TxAmt', 'Amt') ?? first(details, 'Amt') ?? first(entry, 'Amt');
      const side = textAt(details, 'CdtDbtInd') || textAt(entry, 'CdtDbtInd');
      const booking: Booking = {
        id: textAt(details, 'Refs', 'EndToEndId'),
        amount: sideOf(side) * Number(amount?.content),
        currency: amount?.attr('Ccy')?.value ?? '',
        day: (textAt(entry, 'BookgDt', 'Dt') || textAt(entry, 'BookgDt', 'DtTm')).slice(0, 10),
        payee: below(details, 'Nm')[0]?.content ?? '',
        text: textAt(details, 'RmtInf', 'Ustrd') || textAt(details, 'Refs', 'EndToEndId'),
      };
      return isKnown ? [] : [booking];
    }).flat(),
  );
}

/** genkgo/camt: the details have the sign of their entry, and have to add up to it. */
export function bookedByGenkgo(text: string): readonly Booking[] {
  return read(text, (root) =>
    below(root, 'Ntry').flatMap((entry) => {
      const sign = sideOf(textAt(entry, 'CdtDbtInd'));
      const details = all(entry, 'NtryDtls', 'TxDtls').map((each) => {
        const amount = first(each, 'Amt') ?? first(each, 'AmtDtls', 'TxAmt', 'Amt');
        return {
          id: textAt(each, 'Refs', 'EndToEndId'),
          amount: sign * Number(amount?.content),
          currency: amount?.attr('Ccy')?.value ?? '',
          day: textAt(entry, 'BookgDt', 'Dt') || textAt(entry, 'BookgDt', 'DtTm'),
          payee: below(each, 'Cdtr')[0] === undefined ? '' : (below(each, 'Nm')[0]?.content ?? ''),
          text: textAt(each, 'RmtInf', 'Ustrd'),
        };
      });
      const sum = details.reduce((total, { amount }) => total + Math.round(amount * 100), 0);
      const whole = sign * Math.round(Number(textAt(entry, 'Amt')) * 100);
      if (sum !== whole)
        throw new Error(`The details come to ${String(sum)}, the entry to ${String(whole)}.`);
      return details;
    }),
  );
}

/** Dynamics 365 Finance and Business Central: version 02 in the former, account and time of creation in the latter. Returns what is missing. */
export function missingForDynamics(text: string, version: string): readonly string[] {
  return read(text, (root, namespace) => [
    ...(namespace.endsWith(`camt.054.001.${version}`) ? [] : [namespace]),
    ...below(root, 'Ntfctn').flatMap((note) => [
      ...(textAt(note, 'Acct', 'Id') === '' ? ['Acct/Id'] : []),
      ...(textAt(note, 'CreDtTm') === '' ? ['CreDtTm'] : []),
    ]),
  ]);
}

/** What the books hold of each payment after these advices, by each reader that books them: the same, to the cent. Returns the differences. */
export function booksDiffer(
  advices: readonly string[],
  expected: ReadonlyMap<string, number>,
): readonly string[] {
  const readers: Readonly<Record<string, readonly Booking[]>> = {
    Odoo: advices.flatMap(bookedByOdoo),
    ERPNext: bookedByErpNext(advices),
    genkgo: advices.flatMap(bookedByGenkgo),
  };
  return Object.entries(readers).flatMap(([reader, bookings]) => {
    const sums = new Map<string, number>();
    for (const { id, amount } of bookings) sums.set(id, (sums.get(id) ?? 0) + Math.round(amount * 100));
    const ids = new Set([...sums.keys(), ...expected.keys()]);
    return [...ids].flatMap((id) => {
      const [booked, debited] = [sums.get(id) ?? 0, -Math.round((expected.get(id) ?? 0) * 100)];
      return booked === debited || (booked === 0 && debited === 0)
        ? []
        : [`${reader} books ${String(booked)} for ${id}, and ${String(debited)} were debited`];
    });
  });
}
