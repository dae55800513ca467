// `GET /payout-corridors`: the corridors enabled for the organization, filtered and cut at the limit.
import { z } from 'zod';

import { exactNumber } from '../base/exact-json.ts';
import { CORRIDORS_LIMIT, DELIVERY_METHODS, TRANSACTION_MODES } from '../service/interface-values.ts';
import { invalid, success, type Answer } from './answers.ts';
import type { Corridor } from './corridors.ts';
import { limitWithin, oneOf } from './field-forms.ts';
import { faultsOf } from './read-json.ts';
import type { Sandbox, SandboxRequest } from './sandbox.ts';

const querySchema = z.object({
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be a currency code of three capitals')
    .optional(),
  destinationCountryIsoCode: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be an ISO 3166-1 alpha-3 code')
    .optional(),
  transactionMode: oneOf(TRANSACTION_MODES).optional(),
  deliveryMethod: oneOf(DELIVERY_METHODS).optional(),
  limit: limitWithin(CORRIDORS_LIMIT),
});
type Filter = z.infer<typeof querySchema>;

export function listCorridors({ state }: Sandbox, { query }: SandboxRequest): Answer {
  const filter = querySchema.safeParse(query);
  if (!filter.success) return invalid(faultsOf(filter.error));
  const matching = [...state.corridors.values()].filter((corridor) => matches(corridor, filter.data));
  return success(matching.slice(0, filter.data.limit).map(corridorView));
}

function matches(corridor: Corridor, filter: Filter): boolean {
  return (
    corridor.isEnabled &&
    (filter.currency ?? corridor.targetCurrency) === corridor.targetCurrency &&
    (filter.destinationCountryIsoCode ?? corridor.destinationCountryIsoCode) ===
      corridor.destinationCountryIsoCode &&
    (filter.transactionMode ?? corridor.transactionMode) === corridor.transactionMode &&
    (filter.deliveryMethod ?? corridor.deliveryMethod) === corridor.deliveryMethod
  );
}

function corridorView(corridor: Corridor): object {
  return {
    id: corridor.id,
    sourceCurrencies: corridor.sourceCurrencies,
    targetCurrency: corridor.targetCurrency,
    destinationCountryIsoCode: corridor.destinationCountryIsoCode,
    transactionMode: corridor.transactionMode,
    deliveryMethod: corridor.deliveryMethod,
    bankName: corridor.bankName,
    isEnabled: corridor.isEnabled,
    minimumTransactionAmount: exactNumber(corridor.minimumTransactionAmount),
    maximumTransactionAmount: exactNumber(corridor.maximumTransactionAmount),
    requiredSendingEntityFields: corridor.requiredSendingEntityFields,
    requiredReceivingEntityFields: corridor.requiredReceivingEntityFields,
    requiredDeliveryMethodFields: corridor.requiredDeliveryMethodFields,
  };
}
