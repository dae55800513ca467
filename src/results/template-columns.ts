// The columns of a spreadsheet that fits one corridor: what must be filled in, what may be, and what each may hold.
import { sameWords, say, type Language, type Words } from '../base/language.ts';
import { formatAmount } from '../base/currency.ts';
import type { PayoutCorridor } from '../service/wire.ts';
import { CEMAC_COUNTRIES, LISTED_PURPOSES } from '../service/interface-values.ts';
import type { PartyFields } from '../service/payout-service.ts';
import { plainHeader } from '../rows/plain-headers.ts';
import { receivesAsBusiness } from '../payouts/payout.ts';
import { usualSender } from '../payouts/read-parties.ts';
import { boundsInWords, exampleOf, inWords } from './template-words.ts';

/** `one-of`: it, or another column that its hint names. */
export const NEEDS = ['required', 'one-of', 'optional'] as const;
export type Need = (typeof NEEDS)[number];

/** What a cell offers to choose from. An open list is one that other values may be right beside. */
export type Choices = { readonly of: readonly string[] | 'countries'; readonly isOpen: boolean };

export type TemplateColumn = {
  /** The canonical name. */
  readonly header: string;
  readonly need: Need;
  /** For the person who fills it in. */
  readonly hint: Words;
  readonly example: Words;
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
      hint: {
        en: 'Your own number of this payment, a different one in every row. With it no row is ever paid twice.',
        fr: "Votre propre numéro de ce paiement, différent à chaque ligne. Grâce à lui, aucune ligne n'est jamais payée deux fois.",
      },
      example: { en: 'INV-2026-001', fr: 'FAC-2026-001' },
    },
    {
      header: 'payoutCorridorId',
      need: 'optional',
      hint: {
        en: `The header says it for all rows: ${corridor.id}. Leave it empty.`,
        fr: `L'en-tête le dit pour toutes les lignes : ${corridor.id}. Laissez vide.`,
      },
      example: sameWords(''),
      choices: { of: [corridor.id], isOpen: false },
    },
    sourceCurrencyColumn(corridor),
    ...amountColumns(corridor),
    {
      header: 'purposeOfRemittance',
      need: 'required',
      hint: {
        en: `What the payment is for: ${LISTED_PURPOSES.join(', ')}.`,
        fr: `L'objet du paiement : ${LISTED_PURPOSES.join(', ')}.`,
      },
      example: sameWords(corridor.transactionMode === 'B2C' ? 'SALARY_PAYMENT' : LISTED_PURPOSES[0]),
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
    hint: {
      en: `The balance that pays: ${sourceCurrencies.join(' or ')}.`,
      fr: `Le solde qui paie : ${sourceCurrencies.join(' ou ')}.`,
    },
    example: sameWords(sourceCurrencies[0] ?? ''),
    choices: { of: sourceCurrencies, isOpen: false },
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
      hint: {
        en: `What the receiver gets: ${bounds.en}. Leave it empty where "${SOURCE.en}" says what is sent.`,
        fr: `Ce que reçoit le bénéficiaire : ${bounds.fr}. Laissez vide là où « ${SOURCE.fr} » dit ce qui est envoyé.`,
      },
      example: { en: lowest, fr: lowest.replace('.', ',') },
      amountIn: targetCurrency,
    },
    {
      header: 'sourceAmount',
      need: 'one-of',
      hint: {
        en: `What is sent, in the currency of "${PAID_FROM.en}", where that is what is fixed. Only instead of "${TARGET.en}": never fill in both.`,
        fr: `Ce qui est envoyé, dans la devise de « ${PAID_FROM.fr} », si c'est ce montant qui est fixé. Seulement à la place de « ${TARGET.fr} » : ne remplissez jamais les deux.`,
      },
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
  hint: {
    en: "The receiver's country, by name or by its three letters (China or CHN).",
    fr: 'Le pays du bénéficiaire, par son nom ou par ses trois lettres (Chine ou CHN).',
  },
  choices: { of: 'countries', isOpen: true },
};

/** Of several groups one is enough; what stands in all of them is always required. */
function deliveryColumns({
  requiredDeliveryMethodFields: groups,
}: PayoutCorridor): readonly TemplateColumn[] {
  const waysIn = (language: Language, and: string, or: string) =>
    groups
      .map((group) => group.map((field) => say(plainHeader(`delivery.${field}`), language)).join(and))
      .join(or);
  const ways: Words = { en: waysIn('en', ' with ', ', or '), fr: waysIn('fr', ' avec ', ', ou ') };
  return [...new Set(groups.flat())].map((field) => {
    const isAlways = groups.every((group) => group.includes(field));
    return {
      ...fieldColumn('delivery', field, isAlways ? 'required' : 'one-of'),
      hint: {
        en: `The ${inWords(field).en}.${isAlways ? '' : ` One is enough: ${ways.en}.`}`,
        fr: `À écrire : ${inWords(field).fr}.${isAlways ? '' : ` Un seul suffit : ${ways.fr}.`}`,
      },
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
        ? { example: sameWords(CEMAC_COUNTRIES[0]), choices: { of: CEMAC_COUNTRIES, isOpen: false } }
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
    hint: {
      en: `The ${prefix}'s ${inWords(field).en}.`,
      fr: `${PARTIES_IN_FRENCH[prefix]} : ${inWords(field).fr}.`,
    },
    example: exampleOf(field),
  };
}

function documentColumns({ deliveryMethod }: PayoutCorridor): readonly TemplateColumn[] {
  const isBank = deliveryMethod === 'bankTransfer';
  return [
    {
      header: 'documentReferenceNumber',
      need: 'optional',
      hint: {
        en: 'The number of the invoice or contract, if there is one.',
        fr: "Le numéro de la facture ou du contrat, s'il y en a un.",
      },
      example: sameWords('F26-10457'),
    },
    {
      header: 'attachment',
      need: isBank ? 'required' : 'optional',
      hint: {
        en: `The name of the invoice or contract: a PDF or image that lies beside this file or in a folder below it.${isBank ? ' A bank transfer needs one.' : ''}`,
        fr: `Le nom de la facture ou du contrat : un PDF ou une image à côté de ce fichier ou dans un sous-dossier.${isBank ? ' Un virement bancaire en demande un.' : ''}`,
      },
      example: { en: 'invoice-10457.pdf', fr: 'facture-10457.pdf' },
    },
  ];
}
