// Asks the service which transfers of a file exist, row by row: all that a lost ledger leaves to go by.
import { probeAttempts, type ProbedAttempts } from '../../../delivery/observe.ts';
import type { BatchRecord } from '../../../ledger/records.ts';
import type { ReadFile } from '../../../rows/format.ts';
import type { Paydrop } from '../../parts.ts';
import { deliveryTools } from '../send/pay-batch.ts';

/** Rows that are looked for at the same time. */
const PROBES_MOST = 16;

/** By row identity. */
export type ProbedRows = ReadonlyMap<string, ProbedAttempts>;

/** Throws a `Fault` when the service cannot tell. */
export async function probeRows(paydrop: Paydrop, batch: BatchRecord, read: ReadFile): Promise<ProbedRows> {
  const tools = deliveryTools(paydrop, batch);
  const attempts = new Map<string, ProbedAttempts>();
  let places: string[] = [];
  const probeAll = async (): Promise<void> => {
    const probe = async (place: string): Promise<void> => {
      attempts.set(place, await probeAttempts(batch.fileId, place, tools));
    };
    await Promise.all(places.map(probe));
    places = [];
  };
  for await (const { place } of read.rows()) {
    places.push(place);
    if (places.length >= PROBES_MOST) await probeAll();
  }
  await probeAll();
  return attempts;
}
