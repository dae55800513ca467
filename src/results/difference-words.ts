// What each difference of a reconciliation is, in plain words.
import type { Words } from '../base/language.ts';
import type { DecimalText } from '../base/decimal.ts';

type Status = { readonly status: string; readonly statusCode: string };

type Amounts = {
  readonly sendAmount: DecimalText;
  readonly feeAmount: DecimalText;
  readonly receiveAmount: DecimalText;
};

export function statusWords(ledger: Status, service: Status): Words {
  return {
    en: `The ledger has ${shown(ledger)}, the service says ${shown(service)}.`,
    fr: `Le registre porte ${shown(ledger)}, le service indique ${shown(service)}.`,
  };
}

export function requestedWords(asked: DecimalText, actual: DecimalText): Words {
  return {
    en: `The file asks for ${asked}, the transfer has ${actual}.`,
    fr: `Le fichier demande ${asked}, le transfert porte ${actual}.`,
  };
}

export function amountWords(
  ledger: Amounts,
  own: { readonly sourceCurrency: string; readonly targetCurrency: string },
  service: Amounts & { readonly sourceCurrency: string; readonly destinationCurrency: string },
): Words {
  const ours = amountsOf(ledger, own.sourceCurrency, own.targetCurrency);
  const theirs = amountsOf(service, service.sourceCurrency, service.destinationCurrency);
  return {
    en: `The ledger has ${ours}, the service says ${theirs} (sent + fee, received).`,
    fr: `Le registre porte ${ours}, le service indique ${theirs} (envoyé + frais, reçu).`,
  };
}

export const MISSING_WORDS: Words = {
  en: 'The service no longer has this transfer. Ask it why before anything of it is paid again.',
  fr: "Le service n'a plus ce transfert. Demandez-lui pourquoi avant d'en payer de nouveau quoi que ce soit.",
};

export const UNKNOWN_TO_ROW_WORDS: Words = {
  en: 'The service has a transfer under the id of this row that the ledger does not have. "paydrop resume" looks at what is still open; otherwise ask the service.',
  fr: "Le service a, sous l'identifiant de cette ligne, un transfert que le registre n'a pas. « paydrop resume » regarde ce qui est encore ouvert ; sinon, demandez au service.",
};

export const UNKNOWN_WORDS: Words = {
  en: 'No batch of this ledger knows this transfer. Another tool may use the same account, or another ledger.',
  fr: 'Aucun lot de ce registre ne connaît ce transfert. Un autre outil utilise peut-être le même compte, ou un autre registre.',
};

export function expiredWords(expiredAt: string): Words {
  return {
    en: `The transfer expired unpaid at ${expiredAt}, and still reserves funds.`,
    fr: `Le transfert a expiré sans paiement le ${expiredAt} et réserve encore des fonds.`,
  };
}

export function deadWords(attempt: number, reservation: 'stands' | 'may stand'): Words {
  return reservation === 'stands'
    ? {
        en: `Attempt ${String(attempt)} expired unpaid, and the service still reserves funds for it.`,
        fr: `La tentative ${String(attempt)} a expiré sans paiement, et le service lui réserve encore des fonds.`,
      }
    : {
        en: `Attempt ${String(attempt)} expired unpaid. Its reservation may still stand at the service.`,
        fr: `La tentative ${String(attempt)} a expiré sans paiement. Sa réservation peut encore exister auprès du service.`,
      };
}

export function aliveWords(attempt: number, service: Status): Words {
  return {
    en: `Attempt ${String(attempt)} had expired unpaid and was followed by another, and the service now says ${shown(service)} of it: the row may be paid twice. Call the service.`,
    fr: `La tentative ${String(attempt)} avait expiré sans paiement et a été suivie d'une autre, et le service en indique maintenant ${shown(service)} : la ligne peut être payée deux fois. Appelez le service.`,
  };
}

function shown({ status, statusCode }: Status): string {
  return `${status} (${statusCode})`;
}

function amountsOf(
  { sendAmount, feeAmount, receiveAmount }: Amounts,
  source: string,
  target: string,
): string {
  return `${sendAmount} + ${feeAmount} ${source}, ${receiveAmount} ${target}`;
}
