// What each column is called for people, in a header that paydrop reads back as that column.
import { sameWords, type Words } from '../base/language.ts';

const HEADERS: Readonly<Record<string, Words>> = {
  reference: { en: 'Reference', fr: 'Référence' },
  payoutCorridorId: sameWords('Corridor'),
  destinationCountryIsoCode: { en: 'Country', fr: 'Pays' },
  targetCurrency: { en: 'Destination currency', fr: 'Devise de destination' },
  transactionMode: { en: 'Transaction type', fr: 'Type de transaction' },
  deliveryMethod: { en: 'Payment method', fr: 'Mode de paiement' },
  bankName: { en: 'Bank', fr: 'Banque' },
  sourceCurrency: { en: 'Send currency', fr: "Devise d'envoi" },
  sourceAmount: { en: 'Amount to send', fr: 'Montant à envoyer' },
  destinationAmount: { en: 'Amount to receive', fr: 'Montant à recevoir' },
  amount: { en: 'Amount', fr: 'Montant' },
  currency: { en: 'Currency', fr: 'Devise' },
  purposeOfRemittance: { en: 'Purpose', fr: 'Motif' },
  documentReferenceNumber: { en: 'Invoice number', fr: 'N° de facture' },
  attachment: { en: 'Attached file', fr: 'Pièce jointe' },
  executionDate: { en: 'Execution date', fr: "Date d'exécution" },
  'receiver.name': { en: 'Beneficiary', fr: 'Bénéficiaire' },
  'receiver.registeredName': { en: 'Company', fr: 'Dénomination sociale' },
  'receiver.registrationNumber': { en: 'Registration number', fr: "N° d'immatriculation" },
  'receiver.firstName': { en: 'First name', fr: 'Prénom' },
  'receiver.lastName': { en: 'Last name', fr: 'Nom de famille' },
  'receiver.address': { en: 'Address', fr: 'Adresse' },
  'receiver.city': { en: 'City', fr: 'Ville' },
  'receiver.countryIsoCode': { en: 'Beneficiary country', fr: 'Pays du bénéficiaire' },
  'receiver.msisdn': { en: 'Beneficiary phone', fr: 'Téléphone du bénéficiaire' },
  'receiver.email': { en: 'Beneficiary email', fr: 'Email du bénéficiaire' },
  'delivery.bankAccountHolderFullName': { en: 'Account holder', fr: 'Titulaire du compte' },
  'delivery.bankAccountNumber': { en: 'Account number', fr: 'N° de compte' },
  'delivery.bankAccountSwiftCode': { en: 'SWIFT code', fr: 'Code SWIFT' },
  'delivery.msisdn': { en: 'Wallet number', fr: 'N° de portefeuille' },
  'delivery.email': { en: 'Wallet email', fr: 'Email du portefeuille' },
  'delivery.cardNumber': { en: 'Card number', fr: 'N° de carte' },
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
  return en === canonical ? sameWords(canonical) : { en: `${en} (${canonical})`, fr: `${fr} (${canonical})` };
}

/** `Corridor (chn-cny-b2c-alipay)`: a header that says of all its rows what their empty cells leave out. */
export function corridorHeader(id: string): string {
  return `Corridor (${id})`;
}
