// The columns of a spreadsheet that fits one corridor: what must be filled in, what may be, and what each may hold.
import { formatAmount } from '../base/currency.ts';
import type { PayoutCorridor } from '../service/wire.ts';
import { CEMAC_COUNTRIES, LISTED_PURPOSES } from '../service/interface-values.ts';
import type { PartyFields } from '../service/payout-service.ts';
import { receivesAsBusiness } from '../payouts/payout.ts';
import { usualSender } from '../payouts/read-parties.ts';
import { boundsInWords, FIELD_EXAMPLES, inWords } from './template-words.ts';

/** `one-of`: it, or another column that its hint names. */
export const NEEDS = ['required', 'one-of', 'optional'] as const;
export type Need = (typeof NEEDS)[number];

/** What a cell offers to choose from. An open list is one that other values may be right beside. */
export type Choices = { readonly of: readonly string[] | 'countries'; readonly isOpen: boolean };

export type TemplateColumn = {
  readonly header: string;
  readonly need: Need;
  /** For the person who fills it in. */
  readonly hint: string;
  readonly example: string;
  readonly choices?: Choices;
  /** Amounts are numbers in this currency, null for whichever the row is paid from; everything else is text, so that no zero is lost. */
  readonly amountIn?: string | null;
};

/** `sender` is the sending party of the config; what it lacks becomes a column. */
export function templateColumns(corridor: PayoutCorridor, sender: PartyFields): readonly TemplateColumn[] {
  return [
    {
      header: 'reference',
      need: 'required',
      hint: 'Your own number of this payment, a different one in every row. With it no row is ever paid twice.',
      example: 'INV-2026-001',
    },
    {
      header: 'payoutCorridorId',
      need: 'required',
      hint: `Always ${corridor.id}.`,
      example: corridor.id,
      choices: { of: [corridor.id], isOpen: false },
    },
    sourceCurrencyColumn(corridor),
    ...amountColumns(corridor),
    {
      header: 'purposeOfRemittance',
      need: 'required',
      hint: `What the payment is for: ${LISTED_PURPOSES.join(', ')}.`,
      example: LISTED_PURPOSES[0],
      // The service knows more purposes than its interface lists.
      choices: { of: LISTED_PURPOSES, isOpen: true },
    },
    ...receiverColumns(corridor),
    ...deliveryColumns(corridor),
    ...senderColumns(corridor, sender),
    ...documentColumns(corridor),
  ];
}

function sourceCurrencyColumn({ sourceCurrencies }: PayoutCorridor): TemplateColumn {
  return {
    header: 'sourceCurrency',
    need: sourceCurrencies.length > 1 ? 'required' : 'optional',
    hint: `The balance that pays: ${sourceCurrencies.join(' or ')}.`,
    example: sourceCurrencies[0] ?? '',
    choices: { of: sourceCurrencies, isOpen: false },
  };
}

function amountColumns(corridor: PayoutCorridor): readonly TemplateColumn[] {
  const { targetCurrency, minimumTransactionAmount: least } = corridor;
  return [
    {
      header: 'destinationAmount',
      need: 'required',
      hint: `What the receiver gets: ${boundsInWords(corridor)}. Leave it empty where sourceAmount says what is sent.`,
      example: formatAmount(least, targetCurrency),
      amountIn: targetCurrency,
    },
    {
      header: 'sourceAmount',
      need: 'optional',
      hint: 'What is sent, in sourceCurrency, where that is what is fixed. Only instead of destinationAmount: never fill in both.',
      example: '',
      amountIn: corridor.sourceCurrencies.length === 1 ? (corridor.sourceCurrencies[0] ?? null) : null,
    },
  ];
}

function receiverColumns({
  requiredReceivingEntityFields: required,
  transactionMode,
}: PayoutCorridor): readonly TemplateColumn[] {
  const names = receivesAsBusiness(transactionMode) ? ['registeredName'] : ['firstName', 'lastName'];
  const isNamed = required.some((field) => /name$/i.test(field));
  const fields = [...new Set([...(isNamed ? [] : names), ...required])];
  return fields.map((field) => ({
    ...fieldColumn('receiver', field, required.includes(field) ? 'required' : 'optional'),
    ...(field === 'countryIsoCode' ? countryColumn("The receiver's country") : {}),
  }));
}

function countryColumn(whose: string): Pick<TemplateColumn, 'hint' | 'choices'> {
  return {
    hint: `${whose}, by name or by its three letters (China or CHN).`,
    choices: { of: 'countries', isOpen: true },
  };
}

/** Of several groups one is enough; what stands in all of them is always required. */
function deliveryColumns({
  requiredDeliveryMethodFields: groups,
}: PayoutCorridor): readonly TemplateColumn[] {
  const ways = groups.map((group) => group.map((field) => `delivery.${field}`).join(' with ')).join(', or ');
  return [...new Set(groups.flat())].map((field) => {
    const isAlways = groups.every((group) => group.includes(field));
    return {
      ...fieldColumn('delivery', field, isAlways ? 'required' : 'one-of'),
      hint: `The ${inWords(field)}.${isAlways ? '' : ` One is enough: ${ways}.`}`,
    };
  });
}

/** The country is always looked at, whatever the corridor requires. */
function senderColumns(corridor: PayoutCorridor, sender: PartyFields): readonly TemplateColumn[] {
  const usual = usualSender(sender, corridor);
  const fields = [...new Set([...corridor.requiredSendingEntityFields, 'countryIsoCode'])];
  return fields
    .filter((field) => (usual[field] ?? '') === '')
    .map((field) => ({
      ...fieldColumn('sender', field, 'required'),
      ...(field === 'countryIsoCode'
        ? { example: CEMAC_COUNTRIES[0], choices: { of: CEMAC_COUNTRIES, isOpen: false } }
        : {}),
    }));
}

function fieldColumn(prefix: 'sender' | 'receiver' | 'delivery', field: string, need: Need): TemplateColumn {
  return {
    header: `${prefix}.${field}`,
    need,
    hint: `The ${prefix}'s ${inWords(field)}.`,
    example: FIELD_EXAMPLES[field] ?? '',
  };
}

function documentColumns({ deliveryMethod }: PayoutCorridor): readonly TemplateColumn[] {
  const isBank = deliveryMethod === 'bankTransfer';
  return [
    {
      header: 'documentReferenceNumber',
      need: 'optional',
      hint: 'The number of the invoice or contract, if there is one.',
      example: 'F26-10457',
    },
    {
      header: 'attachment',
      need: isBank ? 'required' : 'optional',
      hint: `The name of the invoice or contract: a PDF or image that lies beside this file or in a folder below it.${isBank ? ' A bank transfer needs one.' : ''}`,
      example: 'invoice-10457.pdf',
    },
  ];
}
