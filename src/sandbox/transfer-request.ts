// What a request for a transfer asks: the fields of `POST /transfers` in their forms, before anything is compared with a quotation.
import { z } from 'zod';

import { ExactNumber } from '../base/exact-json.ts';
import { invalid, type Answer } from './answers.ts';
import { isCallbackUrl, storedCallbackUrl } from './callback-url.ts';
import { reference } from './field-forms.ts';
import { faultsOf, type JsonObject } from './read-json.ts';

/** The six purposes of the interface and, as it says that there are more and not which, whatever has their form. */
const PURPOSE = /^[A-Z]+(_[A-Z]+)*$/;

const object = z.custom<Readonly<Record<string, unknown>>>(
  (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber),
  'must be an object',
);
const party = object.nullish().transform((given) => given ?? null);

function requestSchema(allowHttpCallbacks: boolean) {
  return z.object({
    quotationId: reference,
    externalId: reference,
    callbackUrl: z
      .string({ error: 'must be an HTTPS URL' })
      .refine((url) => isCallbackUrl(url, allowHttpCallbacks), 'must be an HTTPS URL')
      .nullish()
      .transform((url) => (url === undefined || url === null ? null : storedCallbackUrl(url))),
    purposeOfRemittance: z
      .string({ error: 'must be a purpose in CAPITALS_AND_UNDERSCORES' })
      .regex(PURPOSE, 'must be a purpose in CAPITALS_AND_UNDERSCORES'),
    documentReferenceNumber: z
      .string({ error: 'must be a string' })
      .nullish()
      .transform((number) => number ?? null),
    sender: party,
    sendingBusiness: party,
    receiver: party,
    receivingBusiness: party,
    deliveryMethodInfo: object,
  });
}

export type TransferRequest = Readonly<z.infer<ReturnType<typeof requestSchema>>>;

const STRICT = requestSchema(false);
const WITH_LOOPBACK = requestSchema(true);

/** The request, or the 400 that lists every offending field. */
export function readTransferRequest(json: JsonObject, allowHttpCallbacks: boolean): TransferRequest | Answer {
  const parsed = (allowHttpCallbacks ? WITH_LOOPBACK : STRICT).safeParse(json);
  return parsed.success ? parsed.data : invalid(faultsOf(parsed.error));
}
