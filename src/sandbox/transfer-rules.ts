// The rules of `POST /transfers` that depend on the quotation's corridor: who may send to whom, what must be known about them, how much.
import { compareDecimals } from '../base/decimal.ts';
import { CEMAC_COUNTRIES, type TransactionMode } from '../service/interface-values.ts';
import { invalid, refusal, type Answer } from './answers.ts';
import type { Corridor } from './corridors.ts';
import type { OpenRecord, QuotationRecord } from './records.ts';
import type { TransferRequest } from './transfer-request.ts';

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

/** The refusal that this request meets in this corridor, or null when it may be created. */
export function ruleBroken(
  request: TransferRequest,
  corridor: Corridor,
  quotation: QuotationRecord,
): Answer | null {
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

/** The party that the mode asks for must be there, and the one that it has no place for must not. */
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

/** A receiver's country, where it is given, is an ISO 3166-1 alpha-3 code like every `countryIsoCode`. */
function countryFaults(name: PartyName, party: OpenRecord | null): readonly string[] {
  const country = party?.['countryIsoCode'];
  if (!isGiven(country) || (typeof country === 'string' && /^[A-Z]{3}$/.test(country))) return [];
  return [`${name}.countryIsoCode must be an ISO 3166-1 alpha-3 code`];
}

/** The interface gives the bounds "per transfer" and no code of their own: they are inclusive, and outside them is a validation error. */
function amountFaults({ destinationAmount }: QuotationRecord, corridor: Corridor): readonly string[] {
  const { minimumTransactionAmount: least, maximumTransactionAmount: most, targetCurrency } = corridor;
  const isWithin =
    compareDecimals(destinationAmount, least) >= 0 && compareDecimals(destinationAmount, most) <= 0;
  return isWithin ? [] : [`receiveAmount must be from ${least} to ${most} ${targetCurrency}`];
}

function receivingRefusal(name: PartyName, party: OpenRecord | null, corridor: Corridor): Answer | null {
  const missing = missingFields(party ?? {}, corridor.requiredReceivingEntityFields);
  return missing.length === 0
    ? null
    : refusal(
        10018,
        missing.map((field) => `${name}.${field} is required for this corridor`),
      );
}

/** Every field of at least one group; a corridor without groups asks for nothing. */
function deliveryRefusal({ deliveryMethodInfo }: TransferRequest, corridor: Corridor): Answer | null {
  const groups = corridor.requiredDeliveryMethodFields;
  if (groups.length === 0) return null;
  if (groups.some((group) => missingFields(deliveryMethodInfo, group).length === 0)) return null;
  const wanted = groups.map((group) => group.join(' and ')).join(', or ');
  return refusal(10019, [`deliveryMethodInfo must have ${wanted}`]);
}

function missingFields(record: OpenRecord, required: readonly string[]): readonly string[] {
  return required.filter((field) => !isGiven(record[field]));
}

/** A blank is as good as nothing: the network could not use it. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && !(typeof value === 'string' && value.trim() === '');
}
