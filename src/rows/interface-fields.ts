// The fields that the interface names, in its own spelling, so that a header typed in another case still reaches the service as it expects.

/** Party fields (interface: Party), and the names of individuals, whose record the interface does not show. */
export const PARTY_FIELDS = [
  'registeredName',
  'registrationNumber',
  'firstName',
  'lastName',
  'address',
  'city',
  'countryIsoCode',
  'msisdn',
  'email',
] as const;

/** `deliveryMethodInfo` (interface: deliveryMethodInfo fields). */
export const DELIVERY_INFO_FIELDS = [
  'bankAccountHolderFullName',
  'bankAccountNumber',
  'bankAccountSwiftCode',
  'msisdn',
  'email',
  'cardNumber',
] as const;

/** The columns of our own answers, which come back when a result or rejected file is dropped again. */
export const PAYOUT_COLUMNS = [
  'row',
  'outcome',
  'status',
  'statusCode',
  'reason',
  'errorCode',
  'error',
  'externalId',
  'transferId',
  'quotationId',
  'sourceCurrency',
  'sendAmount',
  'feeAmount',
  'destinationCurrency',
  'receiveAmount',
  'rate',
  'createdAt',
  'confirmedAt',
  'finalAt',
  'attempts',
  'batch',
  'sandbox',
] as const;
