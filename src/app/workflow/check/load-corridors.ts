// All corridors of the organization. One answer holds at most 200, and nothing says that there are more, so a full one is asked for in parts.
import {
  CORRIDORS_LIMIT,
  DELIVERY_METHODS,
  type PayoutCorridor,
  TRANSACTION_MODES,
} from '../../../service/wire.ts';
import type { CorridorFilter, PayoutService } from '../../../service/payout-service.ts';

/** Every enabled or disabled corridor that the service lists. Throws a `Fault`. */
export async function loadCorridors(service: PayoutService): Promise<readonly PayoutCorridor[]> {
  const all = await page(service, {});
  if (!isFull(all)) return all;
  const parts = TRANSACTION_MODES.flatMap((transactionMode) =>
    DELIVERY_METHODS.map((deliveryMethod) => ({ transactionMode, deliveryMethod })),
  );
  const found = new Map(all.map((corridor) => [corridor.id, corridor]));
  for (const part of parts) {
    for (const corridor of await loadPart(service, part, found)) found.set(corridor.id, corridor);
  }
  return [...found.values()];
}

/** A part that is full again is split by the currencies that are known so far. */
async function loadPart(
  service: PayoutService,
  filter: CorridorFilter,
  known: ReadonlyMap<string, PayoutCorridor>,
): Promise<readonly PayoutCorridor[]> {
  const part = await page(service, filter);
  if (!isFull(part)) return part;
  const currencies = new Set([...known.values(), ...part].map(({ targetCurrency }) => targetCurrency));
  const split: PayoutCorridor[] = [...part];
  for (const currency of currencies) split.push(...(await page(service, { ...filter, currency })));
  return split;
}

async function page(service: PayoutService, filter: CorridorFilter): Promise<readonly PayoutCorridor[]> {
  return (await service.payoutCorridors({ ...filter, limit: CORRIDORS_LIMIT.most })).value;
}

function isFull(corridors: readonly PayoutCorridor[]): boolean {
  return corridors.length >= CORRIDORS_LIMIT.most;
}
