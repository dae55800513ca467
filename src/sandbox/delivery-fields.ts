// The fields of `deliveryMethodInfo` that the interface names, unset: a transfer shows each of them, null where nothing was sent.
export const DELIVERY_FIELDS = {
  bankAccountHolderFullName: null,
  bankAccountNumber: null,
  bankAccountSwiftCode: null,
  msisdn: null,
  email: null,
  cardNumber: null,
} as const;
