// Sender, receiver and delivery: the fields that the corridor requires, from the row and the defaults. This import avoids the package's main
// module, which loads the names of all languages and takes longer than the rest of a start.
import countries from 'i18n-iso-countries/index.js';
import arabic from 'i18n-iso-countries/langs/ar.json' with { type: 'json' };
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };
import spanish from 'i18n-iso-countries/langs/es.json' with { type: 'json' };
import french from 'i18n-iso-countries/langs/fr.json' with { type: 'json' };

import type { Language, Words } from '../base/language.ts';
import { remembering } from '../base/plain-text.ts';
import { sentence } from '../messages/messages.ts';
import {
  hasFormOfIban,
  looksLikeAccount,
  looksLikeSwiftCode,
  type NameOrder,
  personNames,
} from '../rows/cell.ts';
import { withFileName } from '../rows/file-refused.ts';
import { RECEIVER_NAME, namedHeader, waysWords } from '../rows/known-columns.ts';
import { saysSomething } from '../rows/row.ts';
import type { PartyFields } from '../service/payout-service.ts';
import { CEMAC_COUNTRIES, type PayoutCorridor } from '../service/wire.ts';
import { receivesAsBusiness, sendsAsBusiness } from './payout.ts';
import type { RejectionCode } from './rejection.ts';
import type { RowReader } from './row-reader.ts';

/** Fields that only a business has: the default sender's are left out where an individual sends. */
const BUSINESS_ONLY = ['registeredName', 'registrationNumber'];

/** Single fields that hold an individual's whole name, where a corridor requires one. */
const WHOLE_NAMES = ['fullName', 'name'];

/** The default sending party, for a row that names none. */
export function usualSender(defaults: PartyFields, { transactionMode }: PayoutCorridor): PartyFields {
  return sendsAsBusiness(transactionMode) ? defaults : without(defaults, BUSINESS_ONLY);
}

/** Corridor → the usual sending party of its rows, if that is complete. */
const usualSenders = new WeakMap<
  PayoutCorridor,
  { readonly defaults: PartyFields; readonly sender: PartyFields }
>();

/** The sending party: the defaults, overridden by the row's own `sender.` columns. */
export function readSender(reader: RowReader, corridor: PayoutCorridor, defaults: PartyFields): PartyFields {
  const own = reader.fields('sender');
  if (Object.keys(own).length > 0)
    return checkedSender(reader, corridor, { ...usualSender(defaults, corridor), ...own });
  const known = usualSenders.get(corridor);
  if (known?.defaults === defaults) return known.sender;
  const before = reader.rejections.length;
  const sender = checkedSender(reader, corridor, usualSender(defaults, corridor));
  if (reader.rejections.length === before) usualSenders.set(corridor, { defaults, sender });
  return sender;
}

function checkedSender(reader: RowReader, corridor: PayoutCorridor, given: PartyFields): PartyFields {
  const sender = withCountryCode(given);
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
  const receiver = withCountryCode(withCountry(named(reader, corridor), reader, corridor));
  const { countryIsoCode: text = '' } = receiver;
  // A code of three letters is for the service to know.
  if (text !== '' && text.length !== 3 && toCountryCode(text) === null)
    reader.reject('value_not_listed', 'receiver.countryIsoCode', sentence('corridor.readChooser', { text }));
  for (const field of missing(receiver, corridor.requiredReceivingEntityFields)) {
    reader.reject('receiver_field_missing', `receiver.${field}`, missingWords(reader, corridor.id, field));
  }
  return receiver;
}

/** One column with both names cannot be split without a person's word. The message names the column, and the command that asks. */
function missingWords(reader: RowReader, id: string, field: string): Words {
  const whole = reader.table.columns.find(({ canonical }) => canonical === RECEIVER_NAME)?.header.trim();
  return whole !== undefined && (field === 'firstName' || field === 'lastName')
    ? withFileName(sentence('readParties.twoNames', { id, whole }), reader.table.fileName ?? 'FILE')
    : sentence('readParties.readReceiver', { id, field: reader.named(`receiver.${field}`) });
}

/** In a file with one column of countries, the receiver's country is the country of destination; a file with two columns is taken at its word. */
function withCountry(receiver: PartyFields, reader: RowReader, corridor: PayoutCorridor): PartyFields {
  const isAsked = corridor.requiredReceivingEntityFields.includes('countryIsoCode');
  if (!isAsked || saysSomething(reader.table, 'receiver.countryIsoCode')) return receiver;
  reader.warn(sentence('readParties.withCountry'));
  return { ...receiver, countryIsoCode: corridor.destinationCountryIsoCode };
}

/** `deliveryMethodInfo`: the row's `delivery.` columns, which must fill at least one of the corridor's groups. */
export function readDelivery(reader: RowReader, corridor: PayoutCorridor): PartyFields {
  const delivery = reader.fields('delivery');
  if (corridor.deliveryMethod === 'bankTransfer') checkAccount(reader, delivery, corridor);
  const groups = corridor.requiredDeliveryMethodFields;
  // No groups at all means that no field is required.
  if (groups.length === 0 || groups.some((group) => missing(delivery, group).length === 0)) return delivery;
  const [only, ...others] = groups;
  if (only !== undefined && others.length === 0) {
    for (const field of missing(delivery, only)) {
      reader.reject(
        'delivery_field_missing',
        `delivery.${field}`,
        sentence('readParties.readDelivery.corridorRequiresFill', {
          id: corridor.id,
          field: reader.named(`delivery.${field}`),
        }),
      );
    }
  } else {
    const choices = waysWords(groups.map((group) => group.map((field) => reader.named(`delivery.${field}`))));
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

/** A word that stands where an account is missing would be sent as an account. One of another country would be paid elsewhere than the row says. */
function checkAccount(reader: RowReader, delivery: PartyFields, corridor: PayoutCorridor): void {
  const { bankAccountNumber: account = '', bankAccountSwiftCode: swift = '' } = delivery;
  const reject = (code: RejectionCode, field: string, words: Words) =>
    reader.reject(code, `delivery.${field}`, words);
  // A number that a program has shortened is told as that.
  const isTold = reader.rejections.some(
    ({ column }) => column === reader.header('delivery.bankAccountNumber'),
  );
  if (account !== '' && !isTold && !looksLikeAccount(account))
    reject('account_malformed', 'bankAccountNumber', sentence('checkAccount.account', { account }));
  if (swift !== '' && !looksLikeSwiftCode(swift))
    reject('account_malformed', 'bankAccountSwiftCode', sentence('checkAccount.swift', { swift }));
  // What a message contradicts, its reader has told.
  const here = toAlpha2Code(corridor.destinationCountryIsoCode);
  if (reader.table.message !== undefined || here === null) return;
  const there = hasFormOfIban(account) ? account.slice(0, 2).toUpperCase() : here;
  const words = sentence('checkAccount.country', { here, there });
  if (there !== here) reject('country_contradicts', 'bankAccountNumber', words);
}

function named(
  reader: RowReader,
  { transactionMode, requiredReceivingEntityFields: required }: PayoutCorridor,
): PartyFields {
  const fields = reader.fields('receiver');
  const nameField = RECEIVER_NAME.slice('receiver.'.length);
  const name = fields[nameField];
  if (name === undefined) return fields;
  const rest = without(fields, [nameField]);
  const whole = required.find((field) => WHOLE_NAMES.includes(field));
  const { message } = reader.table;
  if (message !== undefined && whole === undefined && !receivesAsBusiness(transactionMode))
    return missing(rest, ['lastName', 'firstName']).length === 0
      ? rest
      : { ...namesOfPerson(reader, name, message.personNames), ...rest };
  const target = receivesAsBusiness(transactionMode) ? 'registeredName' : (whole ?? 'fullName');
  return { ...rest, [target]: fields[target] ?? name };
}

/** A message has one name for a person. Which part is the family name decides whom a wallet pays, so it is never guessed. */
function namesOfPerson(reader: RowReader, name: string, order: NameOrder | null): PartyFields {
  const parts = personNames(name, order);
  if (parts !== null) return { lastName: parts[0], firstName: parts[1] };
  reader.reject('person_name_undecided', 'receiver.lastName', sentence('readParties.personName', { name }));
  // Reported once: beyond that, neither name counts as missing.
  return { lastName: name, firstName: name };
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

// Countries as people write them, turned into the ISO 3166-1 alpha-3 codes of the interface.

const LOCALES = [english, french, spanish, arabic] as const;
for (const locale of LOCALES) countries.registerLocale(locale);

/** Names that people write and the data package lacks; a bare `Congo` stays ambiguous on purpose. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['viet nam', 'VNM'],
  ['centrafrique', 'CAF'],
  ['republique centrafricaine', 'CAF'],
  ['congo brazzaville', 'COG'],
  ['congo kinshasa', 'COD'],
  ['rca', 'CAF'],
  ['rdc', 'COD'],
  ['cote d ivoire', 'CIV'],
  ['emirats arabes unis', 'ARE'],
  ['etats unis', 'USA'],
  ['usa', 'USA'],
]);

/** No name of a country is longer. */
const CHARACTERS_MOST = 100;

/** Every name of the data package in its comparable form, built once; if several countries have a name, the first counts. */
const CODES_BY_NAME: ReadonlyMap<string, string> = new Map(
  LOCALES.flatMap(({ locale }) =>
    Object.entries(countries.getNames(locale, { select: 'all' })).flatMap(([alpha2, names]) =>
      names.map((name): [string, string] => [plain(name), countries.alpha2ToAlpha3(alpha2) ?? '']),
    ),
  ).toReversed(),
);

/** Case and accents make no difference. */
function plain(name: string): string {
  return name.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').replaceAll('’', "'");
}

/** `CHN` for `CHN`, `chn`, `CN`, `China`, `Chine`; null for text that names no country, or more than one. */
export const toCountryCode = remembering((text: string): string | null => {
  if (text.length > CHARACTERS_MOST) return null;
  const code = text.trim().toUpperCase();
  // Numbers are country codes too: 120 is CMR. The interface does not know them, so they are translated.
  if (/^\d{3}$/.test(code)) return countries.numericToAlpha3(code) ?? null;
  if (code.length === 3 && countries.isValid(code)) return code;
  if (code.length === 2) return countries.alpha2ToAlpha3(code) ?? null;
  // Two countries have this name; the data package knows only one of them.
  if (fold(text) === 'congo') return null;
  return CODES_BY_NAME.get(plain(text.trim())) ?? OTHER_NAMES.get(fold(text)) ?? null;
});

/** `CN` for `CHN`; null for a text that is no country's code. */
export function toAlpha2Code(alpha3: string): string | null {
  return countries.alpha3ToAlpha2(alpha3) ?? null;
}

function fold(text: string): string {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^a-z]+/g, ' ').trim();
}

/** The name of every country, as `countryName` gives it, in alphabetical order. */
export function countryNames(language: Language): readonly string[] {
  return Object.keys(countries.getAlpha3Codes())
    .flatMap((code) => countryName(code, language) ?? [])
    .sort((a, b) => a.localeCompare(b, language));
}

/** A name has a word of four letters; `USA` and `U.S.` are abbreviations. */
const HAS_WORD = /\p{L}{4}/u;

/** `China` or `Chine` for `CHN`: the shortest name that leads back to the code; null when there is none. */
export function countryName(code: string, language: Language): string | null {
  const names = countries.getName(code, language, { select: 'all' }) ?? [];
  const [shortest] = names
    .filter((name) => HAS_WORD.test(name) && toCountryCode(name) === code)
    .sort((a, b) => a.length - b.length);
  return shortest ?? null;
}
