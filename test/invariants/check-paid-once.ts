// No row is paid twice: not by two transfers, not by a transfer that no row asked for, and not in passing, before the end was looked at.
import type { ServiceEvidence, TransferEvidence, Violation } from './evidence.ts';
import type { ReadBatch } from './read-batch.ts';

/** Money is out, or on its way out. */
const IS_OUT: ReadonlySet<string> = new Set(['submitted', 'paid']);

export function checkPaidOnce(batches: readonly ReadBatch[], service: ServiceEvidence): readonly Violation[] {
  return [
    ...unasked(batches, service.transfers),
    ...batches.flatMap((batch) => rowsOutTwice(batch, service)),
    ...payeesOutTwice(service.transfers),
  ];
}

function unasked(
  batches: readonly ReadBatch[],
  transfers: readonly TransferEvidence[],
): readonly Violation[] {
  const known = new Set(batches.flatMap(({ ids }) => [...ids.values()].flat()));
  return transfers
    .filter(({ externalId }) => !known.has(externalId))
    .map(({ externalId }) => double(`transfer ${externalId} belongs to no row`));
}

/** At no moment had a row two transfers that were confirmed and not failed; and no transfer was confirmed twice. */
function rowsOutTwice(batch: ReadBatch, { transfers, history }: ServiceEvidence): readonly Violation[] {
  const rowOfTransfer = new Map<string, string>();
  const byExternalId = new Map(transfers.map((transfer) => [transfer.externalId, transfer.id]));
  for (const [row, ids] of batch.ids)
    for (const externalId of ids) {
      const id = byExternalId.get(externalId);
      if (id !== undefined) rowOfTransfer.set(id, row);
    }
  const out = new Map<string, Set<string>>();
  const submitted = new Set<string>();
  const found: Violation[] = [];
  for (const { id, status } of history) {
    const row = rowOfTransfer.get(id);
    if (row === undefined) continue;
    const transfersOut = out.get(row) ?? new Set<string>();
    if (IS_OUT.has(status)) transfersOut.add(id);
    else transfersOut.delete(id);
    out.set(row, transfersOut);
    if (transfersOut.size > 1) found.push(double(`${batch.fileName} row ${row} was out twice`));
    if (status === 'submitted' && submitted.has(id)) found.push(double(`transfer ${id} was submitted twice`));
    if (status === 'submitted') submitted.add(id);
  }
  return found;
}

/** The same by what was paid, whatever the ids say: in these files no two rows pay the same party on the same account. */
function payeesOutTwice(transfers: readonly TransferEvidence[]): readonly Violation[] {
  const out = transfers.filter(({ status }) => IS_OUT.has(status));
  const payees = new Map<string, number>();
  for (const { receiver, receivingBusiness, deliveryMethodInfo } of out) {
    const payee = JSON.stringify([receiver, receivingBusiness, deliveryMethodInfo]);
    payees.set(payee, (payees.get(payee) ?? 0) + 1);
  }
  return [...payees]
    .filter(([, times]) => times > 1)
    .map(([payee, times]) => double(`paid ${String(times)} times: ${payee}`));
}

function double(words: string): Violation {
  return { kind: 'double', words };
}
