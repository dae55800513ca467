// Transfers: created with a reservation of the funds, read by id and by the caller's reference.
import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import { isoTime } from '../base/clock.ts';
import { type DecimalText, addDecimals, compareDecimals } from '../base/decimal.ts';
import { ExactNumber } from '../base/exact-json.ts';
import { CEMAC_COUNTRIES, type TransactionMode } from '../service/wire.ts';
import {
  type SandboxReply,
  faultsOf,
  invalid,
  isAnswer,
  type JsonObject,
  readJsonObject,
  refusal,
  success,
} from './answers.ts';
import { bookOf, covers, move } from './balances.ts';
import { isCallbackUrl, storedCallbackUrl } from './webhooks.ts';
import type { Corridor } from './corridors.ts';
import { reference } from './field-forms.ts';
import type { OpenRecord, QuotationRecord, Sandbox, SandboxRequest, State, TransferRecord } from './state.ts';
import { transferView } from './list-transfers.ts';

/** `POST /transfers`. A refused create leaves nothing behind: no transfer and no reservation, and its externalId stays free. */
export function createTransfer(sandbox: Sandbox, { body }: SandboxRequest): SandboxReply {
  const read = readJsonObject(body);
  if (isAnswer(read)) return read;
  const request = readTransferRequest(read.json, sandbox.settings.allowHttpCallbacks);
  if (isAnswer(request)) return request;
  // Checked before the quotation, so that a create that is repeated after its expiry still learns that the first one succeeded.
  if (sandbox.state.transferIds.has(request.externalId)) return refusal(10011);
  const quotation = usableQuotation(sandbox, request.quotationId);
  return isAnswer(quotation) ? quotation : createFrom(sandbox, request, quotation);
}

/** `GET /transfers/{id}`. */
export function readTransfer({ state }: Sandbox, { id }: SandboxRequest): SandboxReply {
  const transfer = state.transfers.get(id);
  return transfer === undefined ? refusal(10014) : success(transferView(state, transfer));
}

/** `GET /transfers/ext-{externalId}`. */
export function readTransferByExternalId({ state }: Sandbox, { id }: SandboxRequest): SandboxReply {
  const transfer = state.transfers.get(state.transferIds.get(id) ?? '');
  return transfer === undefined ? refusal(10013) : success(transferView(state, transfer));
}

/** The amount that a transfer of this quotation takes from the balance. */
export function debitOf(quotation: QuotationRecord): DecimalText {
  return addDecimals(quotation.sourceAmount, quotation.feeAmount);
}

/** The interface does not say that a quotation serves only once, so it serves as often as it is valid. */
function usableQuotation({ state, clock }: Sandbox, id: string): QuotationRecord | SandboxReply {
  const quotation = state.quotations.get(id);
  if (quotation === undefined) return refusal(10007);
  return clock.now() >= Date.parse(quotation.expiredAt) ? refusal(10009) : quotation;
}

function createFrom(sandbox: Sandbox, request: TransferRequest, quotation: QuotationRecord): SandboxReply {
  const { state } = sandbox;
  const corridor = state.corridors.get(quotation.payoutCorridorId);
  if (corridor?.isEnabled !== true) return refusal(10003);
  const broken = ruleBroken(request, corridor, quotation);
  if (broken !== null) return broken;
  const book = bookOf(state, quotation.sourceCurrency);
  const debit = debitOf(quotation);
  if (!covers(book, debit)) return refusal(10024);
  const transfer = newTransfer(sandbox, request);
  sandbox.commit({ books: [move(book, 'reserve', debit)], transfer });
  return success(transferView(state, transfer));
}

function newTransfer({ state, clock }: Sandbox, request: TransferRequest): TransferRecord {
  return {
    id: randomUUID(),
    externalId: request.externalId,
    quotationId: request.quotationId,
    callbackUrl: request.callbackUrl,
    status: 'created',
    statusCode: '10000',
    createdAt: nextCreatedAt(state, clock.now()),
    purposeOfRemittance: request.purposeOfRemittance,
    documentReferenceNumber: request.documentReferenceNumber,
    sender: request.sender,
    sendingBusiness: request.sendingBusiness,
    receiver: request.receiver,
    receivingBusiness: request.receivingBusiness,
    deliveryMethodInfo: request.deliveryMethodInfo,
    hasAttachment: false,
    dueAt: null,
  };
}

/** Never earlier than the last created transfer, even when the machine's clock is set back: lists rely on that order. */
function nextCreatedAt(state: State, now: number): string {
  const last = state.transfers.get(state.transferOrder.at(-1) ?? '')?.createdAt ?? '';
  const createdAt = isoTime(now);
  return createdAt < last ? last : createdAt;
}

// The rules of `POST /transfers` that depend on the quotation's corridor: who may send to whom, which details are required, how much.

type PartyName = 'sender' | 'sendingBusiness' | 'receiver' | 'receivingBusiness';

/** First letter: the sender is a business or an individual; second letter: the receiver. */
const PARTIES: Readonly<
  Record<TransactionMode, { readonly sending: PartyName; readonly receiving: PartyName }>
> = {
  B2B: { sending: 'sendingBusiness', receiving: 'receivingBusiness' },
  B2C: { sending: 'sendingBusiness', receiving: 'receiver' },
  C2B: { sending: 'sender', receiving: 'receivingBusiness' },
  C2C: { sending: 'sender', receiving: 'receiver' },
};

/** The refusal of this request in this corridor, or null when the transfer may be created. */
function ruleBroken(
  request: TransferRequest,
  corridor: Corridor,
  quotation: QuotationRecord,
): SandboxReply | null {
  const { sending, receiving } = PARTIES[corridor.transactionMode];
  const faults = [
    ...partyFaults(request, corridor.transactionMode),
    ...sendingFaults(sending, request[sending], corridor),
    ...countryFaults(receiving, request[receiving]),
    ...amountFaults(quotation, corridor),
  ];
  if (faults.length > 0) return invalid(faults);
  return receivingRefusal(receiving, request[receiving], corridor) ?? deliveryRefusal(request, corridor);
}

/** The mode requires one party and excludes the other. */
function partyFaults(request: TransferRequest, mode: TransactionMode): readonly string[] {
  const { sending, receiving } = PARTIES[mode];
  const missing = [sending, receiving].filter((name) => request[name] === null);
  const strange = (Object.keys(PARTY_NAMES) as PartyName[]).filter(
    (name) => request[name] !== null && name !== sending && name !== receiving,
  );
  return [
    ...missing.map((name) => `${name} is required for ${mode}`),
    ...strange.map((name) => `${name} does not apply to ${mode}`),
  ];
}

const PARTY_NAMES: Readonly<Record<PartyName, true>> = {
  sender: true,
  sendingBusiness: true,
  receiver: true,
  receivingBusiness: true,
};

function sendingFaults(name: PartyName, party: OpenRecord | null, corridor: Corridor): readonly string[] {
  if (party === null) return [];
  const missing = missingFields(party, corridor.requiredSendingEntityFields);
  const faults = missing.map((field) => `${name}.${field} is required for this corridor`);
  const country = party['countryIsoCode'];
  const isInZone = CEMAC_COUNTRIES.some((code) => code === country);
  if (!isInZone && !missing.includes('countryIsoCode'))
    faults.push(`${name}.countryIsoCode must be one of ${CEMAC_COUNTRIES.join(', ')}`);
  return faults;
}

/** A receiver's country, where given, is an ISO 3166-1 alpha-3 code like every `countryIsoCode`. */
function countryFaults(name: PartyName, party: OpenRecord | null): readonly string[] {
  const country = party?.['countryIsoCode'];
  if (!isGiven(country) || (typeof country === 'string' && /^[A-Z]{3}$/.test(country))) return [];
  return [`${name}.countryIsoCode must be an ISO 3166-1 alpha-3 code`];
}

/** The interface gives the bounds "per transfer" and no code for them: they are inclusive, and an amount outside is a validation error. */
function amountFaults({ destinationAmount }: QuotationRecord, corridor: Corridor): readonly string[] {
  const { minimumTransactionAmount: least, maximumTransactionAmount: most, targetCurrency } = corridor;
  const isWithin =
    compareDecimals(destinationAmount, least) >= 0 && compareDecimals(destinationAmount, most) <= 0;
  return isWithin ? [] : [`receiveAmount must be from ${least} to ${most} ${targetCurrency}`];
}

function receivingRefusal(
  name: PartyName,
  party: OpenRecord | null,
  corridor: Corridor,
): SandboxReply | null {
  const missing = missingFields(party ?? {}, corridor.requiredReceivingEntityFields);
  return missing.length === 0
    ? null
    : refusal(
        10018,
        missing.map((field) => `${name}.${field} is required for this corridor`),
      );
}

/** Every field of at least one group must be given; a corridor without groups requires nothing. */
function deliveryRefusal({ deliveryMethodInfo }: TransferRequest, corridor: Corridor): SandboxReply | null {
  const groups = corridor.requiredDeliveryMethodFields;
  if (groups.length === 0) return null;
  if (groups.some((group) => missingFields(deliveryMethodInfo, group).length === 0)) return null;
  const wanted = groups.map((group) => group.join(' and ')).join(', or ');
  return refusal(10019, [`deliveryMethodInfo must have ${wanted}`]);
}

function missingFields(record: OpenRecord, required: readonly string[]): readonly string[] {
  return required.filter((field) => !isGiven(record[field]));
}

/** A blank counts as missing: the network could not use it. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === '');
}

// The fields of `POST /transfers` in their forms, before they are compared with a quotation.

/** The six purposes of the interface and any text of the same form: the interface says that there are more, but not which. */
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

type TransferRequest = Readonly<z.infer<ReturnType<typeof requestSchema>>>;

const STRICT = requestSchema(false);
const WITH_LOOPBACK = requestSchema(true);

/** The request, or the 400 that lists every offending field. */
function readTransferRequest(json: JsonObject, allowHttpCallbacks: boolean): TransferRequest | SandboxReply {
  const parsed = (allowHttpCallbacks ? WITH_LOOPBACK : STRICT).safeParse(json);
  return parsed.success ? parsed.data : invalid(faultsOf(parsed.error));
}
