// Who sends, who receives, and where the money is delivered: the fields that the corridor requires, taken from the row and the defaults.
import type { PartyFields } from '../service/payout-service.ts';
import { CEMAC_COUNTRIES, type PayoutCorridor } from '../service/wire.ts';
import { RECEIVER_NAME } from '../rows/known-columns.ts';
import { saysSomething } from '../rows/row.ts';
import { toCountryCode } from './country.ts';
import { receivesAsBusiness, sendsAsBusiness } from './payout.ts';
import type { RowReader } from './row-reader.ts';
import { sentence } from '../messages/messages.ts';
import { namedHeader } from '../rows/known-columns.ts';
import type { Words } from '../base/language.ts';

/** Fields that only a business has: the default sender's are left out where an individual sends. */
const BUSINESS_ONLY = ['registeredName', 'registrationNumber'];

/** Single fields that hold an individual's whole name, where a corridor requires one. */
const WHOLE_NAMES = ['fullName', 'name'];

/** What the defaults say of the sending party where a row says nothing. */
export function usualSender(defaults: PartyFields, { transactionMode }: PayoutCorridor): PartyFields {
  return sendsAsBusiness(transactionMode) ? defaults : without(defaults, BUSINESS_ONLY);
}

/** The sending party: the defaults, overridden by the row's own `sender.` columns. */
export function readSender(reader: RowReader, corridor: PayoutCorridor, defaults: PartyFields): PartyFields {
  const sender = withCountryCode({ ...usualSender(defaults, corridor), ...reader.fields('sender') });
  const country = sender['countryIsoCode'] ?? '';
  if (!CEMAC_COUNTRIES.some((code) => code === country)) {
    reader.reject(
      'sender_outside_cemac',
      'sender.countryIsoCode',
      sentence('readParties.readSender.mustCemacZone', { country, join: CEMAC_COUNTRIES.join(', ') }),
    );
  }
  for (const field of missing(sender, corridor.requiredSendingEntityFields).filter(
    (name) => name !== 'countryIsoCode',
  )) {
    reader.reject(
      'sender_missing',
      `sender.${field}`,
      sentence('readParties.readSender.corridorRequiresSender', {
        id: corridor.id,
        field: namedHeader(`sender.${field}`),
      }),
    );
  }
  return sender;
}

/** The receiving party: the row's `receiver.` columns. */
export function readReceiver(reader: RowReader, corridor: PayoutCorridor): PartyFields {
  const receiver = withCountryCode(withCountry(named(reader.fields('receiver'), corridor), reader, corridor));
  for (const field of missing(receiver, corridor.requiredReceivingEntityFields)) {
    reader.reject(
      'receiver_field_missing',
      `receiver.${field}`,
      sentence('readParties.readReceiver', { id: corridor.id, field: namedHeader(`receiver.${field}`) }),
    );
  }
  return receiver;
}

/** A file that has one column of countries means the receiver's with it: a file that has two is taken at its word. */
function withCountry(receiver: PartyFields, reader: RowReader, corridor: PayoutCorridor): PartyFields {
  const isAsked = corridor.requiredReceivingEntityFields.includes('countryIsoCode');
  if (!isAsked || saysSomething(reader.table, 'receiver.countryIsoCode')) return receiver;
  reader.warn(sentence('readParties.withCountry'));
  return { ...receiver, countryIsoCode: corridor.destinationCountryIsoCode };
}

/** `deliveryMethodInfo`: the row's `delivery.` columns, which must fill at least one of the corridor's groups. */
export function readDelivery(reader: RowReader, corridor: PayoutCorridor): PartyFields {
  const delivery = reader.fields('delivery');
  const groups = corridor.requiredDeliveryMethodFields;
  // No groups at all means that nothing is required.
  if (groups.length === 0 || groups.some((group) => missing(delivery, group).length === 0)) return delivery;
  const [only, ...others] = groups;
  if (only !== undefined && others.length === 0) {
    for (const field of missing(delivery, only)) {
      reader.reject(
        'delivery_field_missing',
        `delivery.${field}`,
        sentence('readParties.readDelivery.corridorRequiresFill', {
          id: corridor.id,
          field: namedHeader(`delivery.${field}`),
        }),
      );
    }
  } else {
    const headers = (group: readonly string[]): readonly Words[] =>
      group.map((field) => namedHeader(`delivery.${field}`));
    const choices: Words = {
      en: groups
        .map((group) =>
          headers(group)
            .map(({ en }) => en)
            .join(' with '),
        )
        .join(', or '),
      fr: groups
        .map((group) =>
          headers(group)
            .map(({ fr }) => fr)
            .join(' avec '),
        )
        .join(', ou '),
    };
    reader.reject(
      'delivery_field_missing',
      `delivery.${only?.[0] ?? ''}`,
      sentence('readParties.readDelivery.corridorRequiresFill2', {
        id: corridor.id,
        choices,
      }),
    );
  }
  return delivery;
}

function named(
  fields: PartyFields,
  { transactionMode, requiredReceivingEntityFields }: PayoutCorridor,
): PartyFields {
  const nameField = RECEIVER_NAME.slice('receiver.'.length);
  const name = fields[nameField];
  if (name === undefined) return fields;
  const wholeName = requiredReceivingEntityFields.find((field) => WHOLE_NAMES.includes(field)) ?? 'fullName';
  const target = receivesAsBusiness(transactionMode) ? 'registeredName' : wholeName;
  return { ...without(fields, [nameField]), [target]: fields[target] ?? name };
}

function withCountryCode(party: PartyFields): PartyFields {
  const country = party['countryIsoCode'];
  return country === undefined ? party : { ...party, countryIsoCode: toCountryCode(country) ?? country };
}

function missing(fields: PartyFields, required: readonly string[]): readonly string[] {
  return required.filter((field) => (fields[field] ?? '') === '');
}

function without(fields: PartyFields, names: readonly string[]): PartyFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
