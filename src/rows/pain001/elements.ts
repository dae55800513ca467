// The element of a payment message in which a value stands, for the words to people and programs that have the message before them and no table.
import { sentence } from '../../messages/messages.ts';
import type { Words } from '../../base/language.ts';
import { plainHeader } from '../known-columns.ts';

/** Canonical column → path below the payment, or from its block. */
const ELEMENTS: Readonly<Record<string, string>> = {
  reference: 'PmtId/EndToEndId',
  destinationCountryIsoCode: 'CdtrAgt/FinInstnId',
  targetCurrency: 'Amt',
  transactionMode: 'Cdtr/Id',
  deliveryMethod: 'CdtrAcct/Id/Othr/SchmeNm',
  bankName: 'CdtrAgt/FinInstnId/Nm',
  sourceCurrency: 'DbtrAcct/Ccy',
  sourceAmount: 'Amt/EqvtAmt',
  amount: 'Amt/InstdAmt',
  currency: 'Amt/InstdAmt',
  purposeOfRemittance: 'Purp',
  documentReferenceNumber: 'RmtInf/Strd/RfrdDocInf/Nb',
  attachment: 'RltdRmtInf',
  executionDate: 'ReqdExctnDt',
  'receiver.name': 'Cdtr/Nm',
  'receiver.registeredName': 'Cdtr/Nm',
  'receiver.firstName': 'Cdtr/Nm',
  'receiver.lastName': 'Cdtr/Nm',
  'receiver.registrationNumber': 'Cdtr/Id/OrgId/Othr/Id',
  'receiver.address': 'Cdtr/PstlAdr/StrtNm',
  'receiver.city': 'Cdtr/PstlAdr/TwnNm',
  'receiver.countryIsoCode': 'Cdtr/PstlAdr/Ctry',
  'receiver.msisdn': 'Cdtr/CtctDtls/MobNb',
  'delivery.bankAccountHolderFullName': 'CdtrAcct/Nm',
  'delivery.bankAccountNumber': 'CdtrAcct/Id',
  'delivery.bankAccountSwiftCode': 'CdtrAgt/FinInstnId/BICFI',
  'delivery.msisdn': 'CdtrAcct/Id/Othr/Id',
  'delivery.email': 'CdtrAcct/Id/Othr/Id',
  'delivery.cardNumber': 'CdtrAcct/Id/Othr/Id',
};

/** What no message says stays as it is called. */
export function elementOf(canonical: string): string {
  return Object.hasOwn(ELEMENTS, canonical) ? (ELEMENTS[canonical] ?? canonical) : canonical;
}

/** With the element behind it: `City (Cdtr/PstlAdr/TwnNm)`. */
export function namedElement(canonical: string): Words {
  return sentence('annotated', { words: plainHeader(canonical), note: elementOf(canonical) });
}
