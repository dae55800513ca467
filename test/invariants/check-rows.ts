// Row by row: each stands in the result exactly once, in its order and with its own cells, ended as its transfer ended, and the transfer is
// what the row asked for.
import { minorUnits } from './exact-amounts.ts';
import type { ServiceEvidence, TransferEvidence, Violation } from './evidence.ts';
import { rowOf, type Cells, type ReadBatch } from './read-batch.ts';

const PARTY = /^receiver\./;
const DELIVERY = /^delivery\./;

export function checkRows(batch: ReadBatch, { transfers }: ServiceEvidence): readonly Violation[] {
  const byExternalId = new Map(transfers.map((transfer) => [transfer.externalId, transfer]));
  const found: Violation[] = batch.input.flatMap((input, index) => {
    const row = rowOf(index);
    const result = batch.result[index];
    if (result?.['payout.row'] !== row)
      return [{ kind: 'lost', words: `${batch.fileName} row ${row} is not in its place` } as const];
    const own = (batch.ids.get(row) ?? []).flatMap((id) => byExternalId.get(id) ?? []);
    return wrongIn(input, result, own).map(({ kind, words }) => ({
      kind,
      words: `${batch.fileName} row ${row}: ${words}`,
    }));
  });
  const tooMany = batch.result.length - batch.input.length;
  if (tooMany > 0) found.push({ kind: 'difference', words: `${String(tooMany)} lines too many` });
  return found;
}

function wrongIn(input: Cells, result: Cells, transfers: readonly TransferEvidence[]): readonly Violation[] {
  const changed = Object.keys(input).filter((column) => input[column] !== result[column]);
  const found: Violation[] = changed.map((column) => difference(`${column} was changed`));
  const outcome = result['payout.outcome'] ?? '';
  const transfer = transfers.find(({ externalId }) => externalId === result['payout.externalId']);
  if (outcome !== 'paid' && outcome !== 'failed')
    return [{ kind: 'lost', words: `ended as ${outcome}: ${result['payout.reason'] ?? ''}` }];
  if (transfer === undefined) return [{ kind: 'lost', words: 'its transfer is not known to the service' }];
  if (transfer.status !== outcome) found.push(difference(`the service says ${transfer.status}`));
  for (const other of transfers)
    if (other !== transfer && other.status !== 'created' && other.status !== 'failed')
      found.push({ kind: 'double', words: `transfer ${other.externalId} is ${other.status} too` });
  return [...found, ...wrongCells(result, transfer), ...wrongTransfer(input, transfer)];
}

function wrongCells(result: Cells, transfer: TransferEvidence): readonly Violation[] {
  const { sourceCurrency, destinationCurrency } = transfer;
  const money = [
    ['payout.sendAmount', transfer.sendAmount, sourceCurrency],
    ['payout.feeAmount', transfer.feeAmount, sourceCurrency],
    ['payout.receiveAmount', transfer.receiveAmount, destinationCurrency],
  ] as const;
  const text = [
    ['payout.status', transfer.status],
    ['payout.statusCode', transfer.statusCode],
    ['payout.transferId', transfer.id],
    ['payout.sourceCurrency', sourceCurrency],
    ['payout.destinationCurrency', destinationCurrency],
  ] as const;
  return [
    ...money
      .filter(
        ([column, amount, currency]) =>
          minorUnits(result[column] ?? '', currency) !== minorUnits(amount, currency),
      )
      .map(([column, amount]) =>
        difference(`${column} is ${result[column] ?? ''}, the transfer has ${amount}`),
      ),
    ...text
      .filter(([column, value]) => result[column] !== value)
      .map(([column, value]) => difference(`${column} is ${result[column] ?? ''}, not ${value}`)),
  ];
}

/** The payee, the account, the purpose and the amount of the transfer are those of the row. */
function wrongTransfer(input: Cells, transfer: TransferEvidence): readonly Violation[] {
  const party = transfer.receiver ?? transfer.receivingBusiness ?? {};
  const { sourceCurrency, destinationCurrency } = transfer;
  const found = [
    ...unequal(input, PARTY, party),
    ...unequal(input, DELIVERY, transfer.deliveryMethodInfo),
    ...(input['purposeOfRemittance'] === transfer.purposeOfRemittance ? [] : ['the purpose differs']),
    ...(input['sourceCurrency'] === sourceCurrency ? [] : ['the source currency differs']),
  ];
  const { sourceAmount = '', destinationAmount = '' } = input;
  const isEqual =
    sourceAmount === ''
      ? minorUnits(destinationAmount, destinationCurrency) ===
        minorUnits(transfer.receiveAmount, destinationCurrency)
      : minorUnits(sourceAmount, sourceCurrency) === minorUnits(transfer.sendAmount, sourceCurrency);
  return [...found, ...(isEqual ? [] : ['the amount differs'])].map(difference);
}

function unequal(input: Cells, columns: RegExp, sent: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(input)
    .filter(([column, cell]) => columns.test(column) && cell !== '')
    .filter(([column, cell]) => sent[column.replace(columns, '')] !== cell)
    .map(([column]) => `${column} differs`);
}

function difference(words: string): Violation {
  return { kind: 'difference', words };
}
