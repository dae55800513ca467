// The columns of a spreadsheet that fits one corridor: what must be filled in, what may be, and what each may hold.
import { LISTED_PURPOSES } from '../service/interface-values.ts';
import { receivesAsBusiness } from '../payouts/payout.ts';
import type { PartyFields } from '../service/payout-service.ts';
import type { PayoutCorridor } from '../service/wire.ts';

export type TemplateColumn = {
  readonly header: string;
  readonly isRequired: boolean;
  /** For the person who fills it in. */
  readonly hint: string;
  /** A closed list to choose from. */
  readonly choices?: readonly string[];
  /** Amounts are numbers; everything else is text, so that no zero is lost. */
  readonly isAmount?: true;
};

/** `sender` is the sending party of the config; what it lacks becomes a column. */
export function templateColumns(corridor: PayoutCorridor, sender: PartyFields): readonly TemplateColumn[] {
  const { id, sourceCurrencies, targetCurrency, minimumTransactionAmount, maximumTransactionAmount } =
    corridor;
  return [
    {
      header: 'reference',
      isRequired: true,
      hint: 'Your own number of this payment, a different one in every row.',
    },
    { header: 'payoutCorridorId', isRequired: true, hint: `Always ${id}.`, choices: [id] },
    {
      header: 'sourceCurrency',
      isRequired: sourceCurrencies.length > 1,
      hint: `The balance to pay from: ${sourceCurrencies.join(', ')}.`,
      choices: sourceCurrencies,
    },
    {
      header: 'destinationAmount',
      isRequired: true,
      hint: `What the receiver gets, in ${targetCurrency}: from ${minimumTransactionAmount} to ${maximumTransactionAmount}.`,
      isAmount: true,
    },
    {
      header: 'purposeOfRemittance',
      isRequired: true,
      hint: `What the payment is for: ${LISTED_PURPOSES.join(', ')}.`,
      choices: LISTED_PURPOSES,
    },
    ...senderColumns(corridor, sender),
    ...receiverColumns(corridor),
    ...deliveryColumns(corridor),
    {
      header: 'documentReferenceNumber',
      isRequired: false,
      hint: 'The number of the invoice, if there is one.',
    },
    {
      header: 'attachment',
      isRequired: corridor.deliveryMethod === 'bankTransfer',
      hint: 'The name of a PDF or image that lies beside this file, such as invoice-17.pdf.',
    },
  ];
}

function senderColumns(
  { requiredSendingEntityFields }: PayoutCorridor,
  sender: PartyFields,
): readonly TemplateColumn[] {
  return requiredSendingEntityFields
    .filter((field) => (sender[field] ?? '') === '')
    .map((field) => ({
      header: `sender.${field}`,
      isRequired: true,
      hint: `The sender's ${inWords(field)}.`,
    }));
}

function receiverColumns({
  requiredReceivingEntityFields,
  transactionMode,
}: PayoutCorridor): readonly TemplateColumn[] {
  const names = receivesAsBusiness(transactionMode) ? ['registeredName'] : ['firstName', 'lastName'];
  const fields = [...new Set([...names, ...requiredReceivingEntityFields])];
  return fields.map((field) => ({
    header: `receiver.${field}`,
    isRequired: requiredReceivingEntityFields.includes(field),
    hint:
      field === 'countryIsoCode'
        ? 'The three letters of the country, such as CHN, or its name.'
        : `The receiver's ${inWords(field)}.`,
  }));
}

/** Of several groups one is enough; what stands in all of them is always required. */
function deliveryColumns({
  requiredDeliveryMethodFields: groups,
}: PayoutCorridor): readonly TemplateColumn[] {
  const fields = [...new Set(groups.flat())];
  const several =
    groups.length > 1
      ? ` One of these is enough: ${groups.map((group) => group.join(' + ')).join(', or ')}.`
      : '';
  return fields.map((field) => ({
    header: `delivery.${field}`,
    isRequired: groups.every((group) => group.includes(field)),
    hint: `The ${inWords(field)}${/number|msisdn/i.test(field) ? ', with all its zeros' : ''}.${several}`,
  }));
}

/** `bankAccountNumber` → `bank account number`. */
function inWords(field: string): string {
  return field.replace(/[A-Z]+/g, (capitals) => ` ${capitals.toLowerCase()}`).trim();
}
