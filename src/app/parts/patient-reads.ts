// What is only asked is asked again while the service is out of reach, in commands that carry no rows: a run that met the same would wait as long.
import type { PayoutService } from '../../service/payout-service.ts';
import type { Paydrop } from '../parts.ts';
import { waitForService } from './wait-for-service.ts';

/** A restart of the service or a throttle is over by then; somebody sits and waits for the answer. */
export const PATIENCE_MS = 30_000;

/** The same parts, with reads that are patient until `signal` fires. A call that changes something is made once, as before. */
export function patientReads(paydrop: Paydrop, signal: AbortSignal, waitMs = PATIENCE_MS): Paydrop {
  const { service } = paydrop;
  const ask = async <T>(call: () => Promise<T>): Promise<T> => {
    const told = await waitForService(paydrop, { waitMs, signal }, call);
    if ('fault' in told) throw told.fault;
    return told.value;
  };
  const patient: PayoutService = {
    ...service,
    payoutCorridors: (filter) => ask(() => service.payoutCorridors(filter)),
    quotation: (id) => ask(() => service.quotation(id)),
    quotationByExternalId: (externalId) => ask(() => service.quotationByExternalId(externalId)),
    transfer: (id) => ask(() => service.transfer(id)),
    transferByExternalId: (externalId) => ask(() => service.transferByExternalId(externalId)),
    transfers: (query) => ask(() => service.transfers(query)),
    balances: () => ask(() => service.balances()),
  };
  return { ...paydrop, service: patient };
}
