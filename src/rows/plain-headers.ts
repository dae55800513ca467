// What each column is called for people, in a header that paydrop reads back as that column.
import { sameWords, type Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';

const HEADERS: Readonly<Record<string, Words>> = {
  reference: sentence('plainHeaders.reference'),
  payoutCorridorId: sameWords('Corridor'),
  destinationCountryIsoCode: sentence('plainHeaders.destinationCountryIsoCode'),
  targetCurrency: sentence('plainHeaders.targetCurrency'),
  transactionMode: sentence('plainHeaders.transactionMode'),
  deliveryMethod: sentence('plainHeaders.deliveryMethod'),
  bankName: sentence('plainHeaders.bankName'),
  sourceCurrency: sentence('plainHeaders.sourceCurrency'),
  sourceAmount: sentence('plainHeaders.sourceAmount'),
  destinationAmount: sentence('plainHeaders.destinationAmount'),
  amount: sentence('plainHeaders.amount'),
  currency: sentence('plainHeaders.currency'),
  purposeOfRemittance: sentence('plainHeaders.purposeOfRemittance'),
  documentReferenceNumber: sentence('plainHeaders.documentReferenceNumber'),
  attachment: sentence('plainHeaders.attachment'),
  executionDate: sentence('plainHeaders.executionDate'),
  'receiver.name': sentence('plainHeaders.headers.beneficiary'),
  'receiver.registeredName': sentence('plainHeaders.headers.company'),
  'receiver.registrationNumber': sentence('plainHeaders.headers.registrationNumber'),
  'receiver.firstName': sentence('plainHeaders.headers.firstName'),
  'receiver.lastName': sentence('plainHeaders.headers.lastName'),
  'receiver.address': sentence('plainHeaders.headers.address'),
  'receiver.city': sentence('plainHeaders.headers.city'),
  'receiver.countryIsoCode': sentence('plainHeaders.headers.beneficiaryCountry'),
  'receiver.msisdn': sentence('plainHeaders.headers.beneficiaryPhone'),
  'receiver.email': sentence('plainHeaders.headers.beneficiaryEmail'),
  'delivery.bankAccountHolderFullName': sentence('plainHeaders.headers.accountHolder'),
  'delivery.bankAccountNumber': sentence('plainHeaders.headers.accountNumber'),
  'delivery.bankAccountSwiftCode': sentence('plainHeaders.headers.swiftCode'),
  'delivery.msisdn': sentence('plainHeaders.headers.walletNumber'),
  'delivery.email': sentence('plainHeaders.headers.walletEmail'),
  'delivery.cardNumber': sentence('plainHeaders.headers.cardNumber'),
};

/** The header of a column for people; its canonical name where it has no other. */
export function plainHeader(canonical: string): Words {
  return Object.hasOwn(HEADERS, canonical)
    ? (HEADERS[canonical] ?? sameWords(canonical))
    : sameWords(canonical);
}

/** With the interface's name behind it: `First name (receiver.firstName)`. */
export function namedHeader(canonical: string): Words {
  const { en, fr } = plainHeader(canonical);
  return en === canonical
    ? sameWords(canonical)
    : sentence('plainHeaders.namedHeader', { counted: { en, fr }, canonical });
}

/** `Corridor (chn-cny-b2c-alipay)`: a header that says of all its rows what their empty cells leave out. */
export function corridorHeader(id: string): string {
  return `Corridor (${id})`;
}
