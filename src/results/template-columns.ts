// The columns of a spreadsheet for one corridor: which are required, which are optional, and what each may hold.
import { formatAmount } from '../base/currency.ts';
import { grouped, typed } from '../base/decimal.ts';
import { type Words, joinWords, listWords, sameWords } from '../base/language.ts';
import { sentence } from '../messages/messages.ts';
import { PURPOSE_WORDS } from '../payouts/corridor.ts';
import { receivesAsBusiness } from '../payouts/payout.ts';
import { usualSender } from '../payouts/read-parties.ts';
import { plainHeader, waysWords } from '../rows/known-columns.ts';
import type { PartyFields } from '../service/payout-service.ts';
import { CEMAC_COUNTRIES, type PayoutCorridor } from '../service/wire.ts';

/** `one-of`: this column, or another one that its hint names. */
export type Need = 'required' | 'one-of' | 'optional';

/** The choices that a cell offers. In an open list, other values may be right too. */
type Choices = { readonly of: readonly Words[] | 'countries'; readonly isOpen: boolean };

export type TemplateColumn = {
  /** The canonical name. */
  readonly header: string;
  readonly need: Need;
  /** For the person who fills it in. */
  readonly hint: Words;
  readonly example: Words;
  readonly choices?: Choices;
  /** Amounts are numbers in this currency, null for the currency that the row is paid from; everything else is text, so that no zero is lost. */
  readonly amountIn?: string | null;
};

const PURPOSES = Object.values(PURPOSE_WORDS);

/** `sender` is the sending party of the config; fields that it lacks become columns. */
export function templateColumns(corridor: PayoutCorridor, sender: PartyFields): readonly TemplateColumn[] {
  return [
    {
      header: 'reference',
      need: 'required',
      hint: sentence('templateColumns.yourOwnNumber'),
      example: sentence('templateColumns.inv'),
    },
    {
      header: 'payoutCorridorId',
      need: 'optional',
      hint: sentence('templateColumns.headerSaysAll', { id: corridor.id }),
      example: sameWords(''),
      choices: { of: [sameWords(corridor.id)], isOpen: false },
    },
    sourceCurrencyColumn(corridor),
    ...amountColumns(corridor),
    {
      header: 'purposeOfRemittance',
      need: 'required',
      hint: sentence('templateColumns.whatPayment', { words: joinWords(PURPOSES, ', ') }),
      example: PURPOSE_WORDS[corridor.transactionMode === 'B2C' ? 'SALARY_PAYMENT' : 'EXPORTED_GOODS'],
      // The service knows more purposes than its interface lists.
      choices: { of: PURPOSES, isOpen: true },
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
    hint: sentence('templateColumns.sourceCurrencyColumn', {
      currencies: listWords(sourceCurrencies.map(sameWords), 'disjunction'),
    }),
    example: sameWords(sourceCurrencies[0] ?? ''),
    choices: { of: sourceCurrencies.map(sameWords), isOpen: false },
  };
}

const SOURCE = plainHeader('sourceAmount');
const TARGET = plainHeader('destinationAmount');
const PAID_FROM = plainHeader('sourceCurrency');

function amountColumns(corridor: PayoutCorridor): readonly TemplateColumn[] {
  const { targetCurrency, minimumTransactionAmount: least } = corridor;
  const bounds = boundsInWords(corridor);
  const lowest = formatAmount(least, targetCurrency);
  return [
    {
      header: 'destinationAmount',
      need: 'one-of',
      hint: sentence('templateColumns.amountColumns.whatReceiverGets', { bounds, source: SOURCE }),
      example: typed(lowest),
      amountIn: targetCurrency,
    },
    {
      header: 'sourceAmount',
      need: 'one-of',
      hint: sentence('templateColumns.amountColumns.whatSentCurrency', {
        paidFrom: PAID_FROM,
        target: TARGET,
      }),
      example: sameWords(''),
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
    ...(field === 'countryIsoCode' ? COUNTRY_COLUMN : {}),
  }));
}

const COUNTRY_COLUMN: Pick<TemplateColumn, 'hint' | 'choices'> = {
  hint: sentence('templateColumns.countryColumn'),
  choices: { of: 'countries', isOpen: true },
};

/** One of the groups is enough; a field that is in all of them is always required. */
function deliveryColumns({
  requiredDeliveryMethodFields: groups,
}: PayoutCorridor): readonly TemplateColumn[] {
  const ways = waysWords(groups.map((group) => group.map((field) => plainHeader(`delivery.${field}`))));
  return [...new Set(groups.flat())].map((field) => {
    const isAlways = groups.every((group) => group.includes(field));
    return {
      ...fieldColumn('delivery', field, isAlways ? 'required' : 'one-of'),
      hint: sentence('templateColumns.deliveryColumns.the', { inWords: inWords(field), isAlways, ways }),
    };
  });
}

/** The country is always checked, whatever the corridor requires. */
function senderColumns(corridor: PayoutCorridor, sender: PartyFields): readonly TemplateColumn[] {
  const usual = usualSender(sender, corridor);
  const fields = [...new Set([...corridor.requiredSendingEntityFields, 'countryIsoCode'])];
  return fields
    .filter((field) => (usual[field] ?? '') === '')
    .map((field) => ({
      ...fieldColumn('sender', field, 'required'),
      ...(field === 'countryIsoCode'
        ? {
            example: sameWords(CEMAC_COUNTRIES[0]),
            choices: { of: CEMAC_COUNTRIES.map(sameWords), isOpen: false },
          }
        : {}),
    }));
}

const PARTIES_IN_FRENCH = {
  sender: "Donneur d'ordre",
  receiver: 'Bénéficiaire',
  delivery: 'Remise',
} as const;

function fieldColumn(prefix: 'sender' | 'receiver' | 'delivery', field: string, need: Need): TemplateColumn {
  return {
    header: `${prefix}.${field}`,
    need,
    hint: sentence('templateColumns.fieldColumn', {
      prefix,
      inWords: inWords(field),
      value: PARTIES_IN_FRENCH[prefix],
    }),
    example: exampleOf(field),
  };
}

function documentColumns({ deliveryMethod }: PayoutCorridor): readonly TemplateColumn[] {
  const isBank = deliveryMethod === 'bankTransfer';
  return [
    {
      header: 'documentReferenceNumber',
      need: 'optional',
      hint: sentence('templateColumns.documentColumns.numberInvoiceContract'),
      example: sameWords('F26-10457'),
    },
    {
      header: 'attachment',
      need: isBank ? 'required' : 'optional',
      hint: sentence('templateColumns.documentColumns.nameInvoiceContract', { isBank }),
      example: sentence('templateColumns.documentColumns.invoicePdf'),
    },
  ];
}

// How a template marks required cells. Words accompany the colours, so that nobody has to tell yellow from blue.

export const NEED_FILLS: Readonly<Record<Need, string>> = {
  required: 'FFFFE699',
  'one-of': 'FFBDD7EE',
  optional: 'FFE7E6E6',
};

export function solid(argb: string) {
  return { type: 'pattern', pattern: 'solid', fgColor: { argb } } as const;
}

/** Complete: some programs show a font of which only the weight is given in another family. */
export const PLAIN = { name: 'Calibri', family: 2, size: 11 } as const;
export const BOLD = { ...PLAIN, bold: true } as const;

// The words of a template: the person who fills it in has never heard of the interface.

/** The fields that the interface names. */
type Field =
  | 'registeredName'
  | 'registrationNumber'
  | 'firstName'
  | 'lastName'
  | 'fullName'
  | 'address'
  | 'city'
  | 'countryIsoCode'
  | 'msisdn'
  | 'email'
  | 'bankAccountHolderFullName'
  | 'bankAccountNumber'
  | 'bankAccountSwiftCode'
  | 'cardNumber';

const FIELD_EXAMPLES: Readonly<Record<string, string>> = {
  registeredName: 'Yiwu Hengda Houseware Co., Ltd',
  registrationNumber: 'RC/DLA/2019/B/1234',
  firstName: 'Wei',
  lastName: 'Li',
  fullName: 'Li Wei',
  address: '388 Chouzhou North Road',
  city: 'Yiwu',
  msisdn: '+8613800138000',
  email: 'wei.li@example.com',
  bankAccountHolderFullName: 'Yiwu Hengda Houseware Co., Ltd',
  bankAccountNumber: '0045718263',
  bankAccountSwiftCode: 'ICBKCNBJZJP',
  cardNumber: '6200009655655089359',
};

/** An example for a field; empty for a field that the interface does not name. */
export function exampleOf(field: string): Words {
  return field === 'countryIsoCode' ? sentence('template.exampleOf') : sameWords(FIELD_EXAMPLES[field] ?? '');
}

export const FIELD_WORDS: Readonly<Record<Field, Words>> = {
  registeredName: sentence('template.registeredName'),
  registrationNumber: sentence('template.registrationNumber'),
  firstName: sentence('template.firstName'),
  lastName: sentence('template.lastName'),
  fullName: sentence('template.fullName'),
  address: sentence('template.address'),
  city: sentence('template.city'),
  countryIsoCode: sentence('template.countryIsoCode'),
  msisdn: sentence('template.msisdn'),
  email: sentence('template.email'),
  bankAccountHolderFullName: sentence('template.bankAccountHolderFullName'),
  bankAccountNumber: sentence('template.bankAccountNumber'),
  bankAccountSwiftCode: sentence('template.bankAccountSwiftCode'),
  cardNumber: sentence('template.cardNumber'),
};

/** A field that the interface does not name is shown by its own name: `taxNumber` → `tax number`. */
function inWords(field: string): Words {
  if (Object.hasOwn(FIELD_WORDS, field)) return FIELD_WORDS[field as Field];
  const words = field.replace(/[A-Z]+/g, (capitals) => ` ${capitals.toLowerCase()}`).trim();
  return sentence('template.otherField', { words, field });
}

const PARTY_WORDS: Readonly<Record<string, Words>> = {
  B: sentence('template.B'),
  C: sentence('template.C'),
};

/** `B2C` → `from a business to an individual`. */
export function modeInWords({ transactionMode }: Pick<PayoutCorridor, 'transactionMode'>): Words {
  const [from, to] = [PARTY_WORDS[transactionMode.charAt(0)], PARTY_WORDS[transactionMode.charAt(2)]];
  if (from === undefined || to === undefined) return sameWords(transactionMode);
  return sentence('template.modeIn', { from, to });
}

/** `from 100.00 to 5,000,000.00 CNY`. */
export function boundsInWords(corridor: PayoutCorridor): Words {
  const { targetCurrency, minimumTransactionAmount, maximumTransactionAmount } = corridor;
  const least = formatAmount(minimumTransactionAmount, targetCurrency);
  const most = formatAmount(maximumTransactionAmount, targetCurrency);
  return sentence('template.boundsIn', { grouped: grouped(least), grouped2: grouped(most), targetCurrency });
}
