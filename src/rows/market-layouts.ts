// The files of payout platforms that people export most, each recognised by headers that no other program writes together. Their documented meaning
// is stated here once; if they leave open what is paid, the row or the whole file says so instead of a guess.
import type { Words } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';

export type Layout = {
  /** As its makers call it, the same in every language. */
  readonly name: string;
  /** Headers that all stand in it; of a list, one of them. */
  readonly knownBy: readonly (string | readonly string[])[];
  /** Header → canonical name, or null for a column that is always ignored. */
  readonly columns: Readonly<Record<string, string | null>>;
  /** Header → the one that is read instead of it where the file has both. */
  readonly instead?: Readonly<Record<string, string>>;
  /** Canonical name → the one that speaks for it. */
  readonly same?: Readonly<Record<string, string>>;
  /** Cells that a row may not have: any but those that are listed. */
  readonly rules?: readonly RowRule[];
  /** The column that says what was paid already. */
  readonly paidBy?: string;
  /** Why no file of this layout is paid. */
  readonly refusal?: { readonly fault: Words; readonly remedy: Words };
};

export type RowRule = {
  readonly header: string;
  /** The values allowed there; none where no cell can be trusted. */
  readonly only: readonly string[];
  readonly words: (cell: string) => Words;
};

const HOLDER = 'delivery.bankAccountHolderFullName';
const ACCOUNT = 'delivery.bankAccountNumber';
const SWIFT = 'delivery.bankAccountSwiftCode';
const NAME = 'receiver.name';

/** Codes by which the banks of one country know each other: no corridor asks for one. */
const LOCAL_BANK_CODES = {
  'Sort code': null,
  'Sort code or routing number': null,
  'Routing number': null,
  'Bank code': null,
  'Branch code': null,
  'BSB code': null,
  'IFSC code': null,
} as const;

export const LAYOUTS = {
  'wise-batch': {
    name: 'Wise batch payments',
    knownBy: [
      'amountCurrency',
      'sourceCurrency',
      'targetCurrency',
      'amount',
      ['paymentReference', 'recipientId', 'recipientEmail', 'receiverType', 'recipientType'],
    ],
    columns: {
      ...LOCAL_BANK_CODES,
      name: NAME,
      recipientEmail: 'receiver.email',
      paymentReference: 'reference',
      amount: 'amount',
      amountCurrency: 'currency',
      sourceCurrency: 'sourceCurrency',
      targetCurrency: 'targetCurrency',
      IBAN: ACCOUNT,
      accountNumber: ACCOUNT,
      swiftCode: SWIFT,
      BIC: SWIFT,
      addressFirstLine: 'receiver.address',
      addressCity: 'receiver.city',
      addressCountryCode: 'receiver.countryIsoCode',
      recipientId: null,
      recipientDetail: null,
      receiverType: null,
      recipientType: null,
      accountType: null,
    },
    // "The name of your recipient, as shown on their bank account", says its guide.
    same: { [HOLDER]: NAME },
  },
  'revolut-bulk': {
    name: 'Revolut Business bulk payments',
    knownBy: ['Name', 'Recipient type', 'Recipient bank country', 'Currency', 'Amount', 'Payment reference'],
    columns: {
      ...LOCAL_BANK_CODES,
      Name: NAME,
      'Recipient type': null,
      'Account number': ACCOUNT,
      IBAN: ACCOUNT,
      BIC: SWIFT,
      'Recipient bank country': 'destinationCountryIsoCode',
      Currency: 'currency',
      Amount: 'amount',
      'Payment reference': 'reference',
      'Recipient country': 'receiver.countryIsoCode',
      'Address line 1': 'receiver.address',
      'Address line 2': null,
      City: 'receiver.city',
      'State or province': null,
      'Postal code': null,
    },
    same: { [HOLDER]: NAME },
  },
  paystack: {
    name: 'Paystack bulk transfers',
    knownBy: [
      'Transfer amount',
      'Transfer note',
      ['Transfer reference', 'Recipient code', 'Account number', 'Bank code'],
    ],
    columns: {
      ...LOCAL_BANK_CODES,
      'Transfer amount': 'amount',
      'Transfer note': null,
      'Transfer reference': 'reference',
      'Recipient code': null,
      'Account number': ACCOUNT,
      'Account name': HOLDER,
    },
    same: { [NAME]: HOLDER },
  },
  xendit: {
    name: 'Xendit batch payouts',
    knownBy: [
      'Amount',
      'Bank Account Name',
      'Bank Account Number',
      'Description',
      ['Bank Code', 'Channel Code'],
    ],
    columns: {
      'Reference ID': 'reference',
      'External ID': 'reference',
      Amount: 'amount',
      'Bank Code': null,
      'Channel Code': null,
      'Bank Account Name': HOLDER,
      'Bank Account Number': ACCOUNT,
      Description: null,
      Email: 'receiver.email',
      'Email CC': null,
      'Email BCC': null,
    },
    same: { [NAME]: HOLDER },
  },
  razorpayx: {
    name: 'RazorpayX bulk payouts',
    knownBy: ['RazorpayX Account Number', 'Payout Mode', ['Fund Account Number', 'Fund Account Id']],
    columns: {
      'RazorpayX Account Number': null,
      'Payout Amount': 'amount',
      'Payout Amount (in Rupees)': 'amount',
      'Payout Currency': 'currency',
      'Payout Mode': null,
      'Payout Purpose': null,
      'Payout Narration': null,
      'Payout Reference Id': 'reference',
      'Fund Account Id': null,
      'Fund Account Type': null,
      'Fund Account Name': HOLDER,
      'Fund Account Ifsc': null,
      'Fund Account Number': ACCOUNT,
      'Fund Account Vpa': null,
      'Fund Account Phone Number': null,
      'Contact Id': null,
      'Contact Type': null,
      'Contact Name': NAME,
      'Contact Email': 'receiver.email',
      'Contact Mobile': 'receiver.msisdn',
      'Contact Reference Id': null,
    },
    rules: [
      // Its interface counts in paise, its newer templates in rupees: a hundred times as much.
      { header: 'Payout Amount', only: [], words: () => sentence('layouts.paise') },
      {
        header: 'Fund Account Type',
        only: ['bank account'],
        words: (cell) => sentence('layouts.otherAccount', { cell }),
      },
    ],
  },
  'stellar-sdp': {
    name: 'Stellar Disbursement Platform',
    knownBy: ['id', 'amount', ['paymentID', 'verification', 'walletAddress'], ['phone', 'email']],
    columns: {
      phone: 'delivery.msisdn',
      email: 'delivery.email',
      id: null,
      amount: 'amount',
      paymentID: 'reference',
      verification: null,
      walletAddress: null,
      walletAddressMemo: null,
    },
  },
  'payment-hub': {
    name: 'Payment Hub EE bulk payments (Mojaloop)',
    knownBy: [
      'payer_identifier_type',
      'payer_identifier',
      'payee_identifier_type',
      'payee_identifier',
      'amount',
    ],
    columns: {
      id: null,
      request_id: 'reference',
      payment_mode: null,
      payer_identifier_type: null,
      payer_identifier: null,
      payee_identifier_type: null,
      payee_identifier: 'delivery.msisdn',
      amount: 'amount',
      currency: 'currency',
      note: null,
    },
    rules: [
      {
        header: 'payee_identifier_type',
        only: ['MSISDN'],
        words: (cell) => sentence('layouts.otherWallet', { cell }),
      },
    ],
  },
  hope: {
    name: 'UNICEF HOPE payment list',
    knownBy: ['payment_id', 'entitlement_quantity'],
    columns: {
      payment_id: 'reference',
      household_id: null,
      household_size: null,
      collector_name: NAME,
      currency: 'currency',
      entitlement_quantity: 'amount',
      entitlement_quantity_usd: null,
      delivered_quantity: null,
      delivered_quantity_usd: null,
      delivery_date: null,
    },
    paidBy: 'delivered_quantity',
  },
  'instructions-121': {
    name: '121 payment instructions',
    knownBy: ['referenceId', 'fullName', 'amount', ['phoneNumber', 'whatsappPhoneNumber']],
    columns: {
      referenceId: 'reference',
      amount: 'amount',
      fullName: NAME,
      phoneNumber: 'delivery.msisdn',
      whatsappPhoneNumber: null,
      addressStreet: 'receiver.address',
      addressCity: 'receiver.city',
      addressPostalCode: null,
      namePartnerOrganization: null,
    },
  },
  'pain001-table': {
    name: 'ISO 20022 credit transfers as a table',
    knownBy: ['payment_information_id', 'debtor_name', 'creditor_name', 'payment_amount'],
    columns: {
      initiator_name: null,
      payment_information_id: null,
      payment_instruction_id: null,
      instruction_id: null,
      payment_method: null,
      requested_execution_date: 'executionDate',
      ctrl_sum: null,
      debtor_name: null,
      debtor_account_IBAN: null,
      debtor_agent_BIC: null,
      creditor_name: NAME,
      creditor_account_IBAN: ACCOUNT,
      creditor_agent_BIC: SWIFT,
      creditor_country_code: 'receiver.countryIsoCode',
      payment_id: 'reference',
      payment_end_to_end_id: 'reference',
      reference_number: 'documentReferenceNumber',
      payment_amount: 'amount',
      payment_currency: 'currency',
      currency: 'currency',
      remittance_information: null,
      forwarding_agent_BIC: null,
    },
    instead: { payment_id: 'payment_end_to_end_id' },
    rules: [
      {
        header: 'payment_method',
        only: ['TRF', 'TRA'],
        words: (cell) => sentence('layouts.cheque', { cell }),
      },
    ],
  },
  'xero-bills': {
    name: 'Xero bills',
    knownBy: ['ContactName', 'InvoiceNumber', 'Quantity', 'UnitAmount'],
    columns: {},
    refusal: {
      fault: sentence('layouts.invoiceLines'),
      remedy: sentence('layouts.invoiceLines.remedy'),
    },
  },
} as const satisfies Readonly<Record<string, Layout>>;

export type LayoutId = keyof typeof LAYOUTS;
