// Why a row is held, and what each hold means for it. A new code is a line of this table with its sentences; nothing else has to know it.
import { isoTime } from '../base/clock.ts';
import type { Words } from '../base/language.ts';

export type HoldRule = {
  /** What it means and what to do, for the person who owns the file. */
  readonly words: Words;
  /**
   * Who takes the hold away, so that the row goes on from its stage: a person by `release`; paydrop by itself; or nobody, and the row can only be
   * followed or cancelled.
   */
  readonly lifts: 'release' | 'itself' | 'never';
  /**
   * Whose the transfer on record is. `own`: certainly the row's, and it agreed with the row, so that a look may find that it has ended; `foreign`: it
   * differs from the row, and may be somebody else's; `earlier`: one before it is being paid. Left out: the row's, if there is one.
   */
  readonly transfer?: 'own' | 'foreign' | 'earlier';
  /** A limit that the row is over, of the row itself or of its price. Who releases it lifts the limit for what the row comes to by then; another price may do so by itself. */
  readonly limit?: 'row' | 'price';
  /** The service shows what no look can settle: a person who has asked there says that nothing comes of it. */
  readonly isBeyondLooking?: true;
};

const TABLE = {
  reference_paid_differently: {
    words: {
      en: 'A payment with this reference is paid or under way with another receiver or amount. If this is a new payment, release it; if not, cancel it with --skip.',
      fr: "Un paiement avec cette référence est payé ou en cours, avec un autre bénéficiaire ou un autre montant. S'il s'agit d'un nouveau paiement, libérez cette ligne ; sinon, annulez-la avec --skip.",
    },
    lifts: 'release',
    transfer: 'own',
  },
  reference_undecided: {
    words: {
      en: 'Another row with this reference is not settled: on hold, scheduled, or cancelled but possibly paid. Settle that row first. Release this one only if the other will never be paid.',
      fr: "Une autre ligne avec cette référence n'est pas réglée : retenue, programmée, ou annulée alors qu'elle a pu être payée. Réglez d'abord cette autre ligne. Ne libérez celle-ci que si l'autre n'est jamais payée.",
    },
    lifts: 'release',
    transfer: 'own',
  },
  similar_reference: {
    words: {
      en: 'The same payment has nearly the same reference elsewhere: only case, spaces, punctuation or leading zeros differ. If both are meant, release this one; if not, cancel it with --skip.',
      fr: 'Le même paiement porte ailleurs presque la même référence : seuls diffèrent les majuscules, les espaces, la ponctuation ou les zéros de tête. Si les deux sont voulus, libérez celui-ci ; sinon, annulez-le avec --skip.',
    },
    lifts: 'release',
    transfer: 'own',
  },
  earlier_row_paid: {
    words: {
      en: 'This row was copied from a paydrop result. The original row (payout.batch, payout.row) was or is being paid with different details. If this is a new payment, release it; if not, cancel it with --skip.',
      fr: "Cette ligne a été copiée d'un résultat de paydrop. La ligne d'origine (payout.batch, payout.row) a été payée ou est en cours de paiement avec d'autres données. S'il s'agit d'un nouveau paiement, libérez cette ligne ; sinon, annulez-la avec --skip.",
    },
    lifts: 'release',
    transfer: 'own',
  },
  reversed_before: {
    words: {
      en: 'This payment was made before, and the money came back. Find out why before it goes out again; then release it.',
      fr: "Ce paiement a déjà été fait, et l'argent est revenu. Cherchez pourquoi avant qu'il ne reparte, puis libérez-le.",
    },
    lifts: 'release',
    transfer: 'own',
  },
  same_payment_recently: {
    words: {
      en: 'The same account, amount and currency were paid from another file in the last days. If both are owed, release this row; if not, cancel it with --skip.',
      fr: "Le même compte, le même montant et la même devise ont été payés ces derniers jours à partir d'un autre fichier. Si les deux sont dus, libérez cette ligne ; sinon, annulez-la avec --skip.",
    },
    lifts: 'release',
    transfer: 'own',
  },
  same_payment_other_reference: {
    words: {
      en: 'The same account, amount and currency were paid under another reference in the last days. If both are owed, release this row; if not, cancel it with --skip.',
      fr: 'Le même compte, le même montant et la même devise ont été payés ces derniers jours sous une autre référence. Si les deux sont dus, libérez cette ligne ; sinon, annulez-la avec --skip.',
    },
    lifts: 'release',
    transfer: 'own',
  },
  paid_in_earlier_period: {
    words: {
      en: "A payment with this reference, or of the row that this one comes from, was made some time ago. If this is the payment of a new period, such as next month's salary, release it; if not, cancel it with --skip.",
      fr: "Un paiement avec cette référence, ou de la ligne d'origine, a été fait il y a quelque temps. S'il s'agit du paiement d'une nouvelle période, comme le salaire du mois suivant, libérez-le ; sinon, annulez-le avec --skip.",
    },
    lifts: 'release',
    transfer: 'own',
  },
  file_paid_before: {
    words: {
      en: 'One earlier file paid most rows of this file before, so all of it waits for one answer. If the file is meant, release it; if it was exported again by mistake, cancel it with --skip.',
      fr: "Un même fichier antérieur a déjà payé la plupart des lignes de ce fichier : tout le fichier attend donc une seule réponse. S'il est voulu, libérez-le ; s'il a été exporté de nouveau par erreur, annulez-le avec --skip.",
    },
    lifts: 'release',
    transfer: 'own',
  },
  equal_rows: {
    words: {
      en: 'Two rows of this file are the same payment and carry no reference. If both are meant, release both; if not, cancel one with --skip.',
      fr: 'Deux lignes de ce fichier sont le même paiement et ne portent pas de référence. Si les deux sont voulues, libérez les deux ; sinon, annulez-en une avec --skip.',
    },
    lifts: 'release',
    transfer: 'own',
  },
  same_content: {
    words: {
      en: 'A file with the same content was taken before, and this row carries no reference. If it is meant again, release this row; if not, cancel it with --skip.',
      fr: "Un fichier de même contenu a déjà été pris en charge, et cette ligne ne porte pas de référence. S'il est voulu de nouveau, libérez cette ligne ; sinon, annulez-la avec --skip.",
    },
    lifts: 'release',
  },
  new_account: {
    words: {
      en: 'This receiver was paid before, and never on this account. Ask the receiver by a way that you know from before, not by the one that told you; then release the row.',
      fr: "Ce bénéficiaire a déjà été payé, mais jamais sur ce compte. Demandez-lui confirmation par un moyen que vous connaissiez avant, pas par celui qui vous l'a annoncé ; puis libérez la ligne.",
    },
    lifts: 'release',
  },
  in_doubt_unsent: {
    words: {
      en: 'This batch was finished before the ledger was lost, and the service has no transfer for this row: it was rejected or cancelled. Release it only if it is certainly still owed.',
      fr: "Ce lot était terminé avant la perte du registre, et le service n'a aucun transfert de cette ligne : elle a été rejetée ou annulée. Ne la libérez que s'il est certain qu'elle est encore due.",
    },
    lifts: 'release',
  },
  in_doubt_unreadable: {
    words: {
      en: 'The service has a transfer of this row, but the row can no longer be read as the payment that it was: the settings, the documents or the corridors have changed. Look the transfer up at the service.',
      fr: "Le service a un transfert de cette ligne, mais la ligne ne se lit plus comme le paiement qu'elle était : les réglages, les documents ou les corridors ont changé. Vérifiez ce transfert auprès du service.",
    },
    lifts: 'never',
  },
  in_doubt_unseen: {
    words: {
      en: 'The ledger was lost, and for a while the service may not show what was sent of this row. paydrop looks for it again by itself, and goes on then; nobody has to do anything.',
      fr: "Le registre a été perdu, et pendant un moment le service peut ne pas montrer ce qui a été envoyé de cette ligne. paydrop la recherche de lui-même, puis continue ; personne n'a rien à faire.",
    },
    lifts: 'itself',
    transfer: 'own',
  },
  over_row_limit: {
    words: {
      en: 'This row is over the limit of one payment (limits.perRow). Nothing of it was sent. If it is right, release it; if not, cancel it with --skip.',
      fr: "Cette ligne dépasse la limite d'un paiement (limits.perRow). Rien n'en a été envoyé. Si elle est juste, libérez-la ; sinon, annulez-la avec --skip.",
    },
    lifts: 'release',
    transfer: 'own',
    limit: 'row',
  },
  over_payee_limit: {
    words: {
      en: 'With this row the payee, or the account, would get more in a day than one may (limits.perPayeePerDay). Nothing of it was sent. If it is right, release it; if not, cancel it with --skip.',
      fr: "Avec cette ligne, le bénéficiaire, ou le compte, recevrait en un jour plus que permis (limits.perPayeePerDay). Rien n'en a été envoyé. Si elle est juste, libérez-la ; sinon, annulez-la avec --skip.",
    },
    lifts: 'release',
    transfer: 'own',
    limit: 'row',
  },
  over_fee_limit: {
    words: {
      en: 'The fee of this row is a larger share of its amount than limits.feeShare allows. Nothing of it was sent. If it is right, release it; if not, cancel it with --skip.',
      fr: "Les frais de cette ligne sont une plus grande part de son montant que ne permet limits.feeShare. Rien n'en a été envoyé. Si c'est juste, libérez-la ; sinon, annulez-la avec --skip.",
    },
    lifts: 'release',
    limit: 'price',
  },
  under_rate_limit: {
    words: {
      en: 'The rate of this row brings less than limits.leastRates demands. Nothing of it was sent. If you accept the rate, release it; if not, cancel it with --skip.',
      fr: "Le cours de cette ligne rapporte moins que ne l'exige limits.leastRates. Rien n'en a été envoyé. Si vous acceptez le cours, libérez-la ; sinon, annulez-la avec --skip.",
    },
    lifts: 'release',
    limit: 'price',
  },
  quotation_mismatch: {
    words: {
      en: 'The service quoted something else than was asked. Nothing was sent. Ask the service why.',
      fr: "Le service a coté autre chose que ce qui était demandé. Rien n'a été envoyé. Demandez au service pourquoi.",
    },
    lifts: 'release',
  },
  echo_mismatch: {
    words: {
      en: 'The service created a transfer that differs from this row. It was not confirmed and will not be. Ask the service why.',
      fr: "Le service a créé un transfert qui diffère de cette ligne. Il n'a pas été confirmé et ne le sera pas. Demandez au service pourquoi.",
    },
    lifts: 'never',
    transfer: 'foreign',
  },
  id_collision: {
    words: {
      en: 'The service already has another transfer under the id of this row. Nothing was confirmed. Find out who else uses this account.',
      fr: "Le service a déjà un autre transfert sous l'identifiant de cette ligne. Rien n'a été confirmé. Cherchez qui d'autre utilise ce compte.",
    },
    lifts: 'never',
    transfer: 'foreign',
  },
  unknown_status: {
    words: {
      en: 'The service gave this transfer a status that paydrop does not know. Look it up at the service.',
      fr: 'Le service a donné à ce transfert un statut que paydrop ne connaît pas. Vérifiez-le auprès du service.',
    },
    lifts: 'never',
    transfer: 'own',
    isBeyondLooking: true,
  },
  status_went_back: {
    words: {
      en: 'The service moved this transfer back to an earlier status. Look it up at the service.',
      fr: 'Le service a ramené ce transfert à un statut antérieur. Vérifiez-le auprès du service.',
    },
    lifts: 'never',
    transfer: 'own',
  },
  transfer_reinstated: {
    words: {
      en: 'An earlier transfer of this row, which had expired unpaid, is being paid after all: the payment may be made twice. Call the service at once.',
      fr: 'Un transfert antérieur de cette ligne, expiré sans paiement, est finalement payé : le paiement peut être fait deux fois. Appelez le service immédiatement.',
    },
    lifts: 'never',
    transfer: 'earlier',
  },
  confirm_uncertain: {
    words: {
      en: 'The transfer expired while it was not known whether its confirmation had arrived. Look it up at the service before paying again.',
      fr: "Le transfert a expiré alors qu'on ignorait si sa confirmation était arrivée. Vérifiez-le auprès du service avant de payer de nouveau.",
    },
    lifts: 'never',
    transfer: 'own',
  },
  network_undecided: {
    words: {
      en: 'The payout network refused the confirmation, but the transfer did not end. Look it up at the service before paying again.',
      fr: "Le réseau de paiement a refusé la confirmation, mais le transfert n'a pas pris fin. Vérifiez-le auprès du service avant de payer de nouveau.",
    },
    lifts: 'never',
    transfer: 'own',
  },
  document_refused: {
    words: {
      en: 'The service did not take the document. Check the file (PDF or image, not too large) and pay the row from a new file.',
      fr: "Le service n'a pas accepté le document. Vérifiez le fichier (PDF ou image, pas trop lourd) et payez la ligne par un nouveau fichier.",
    },
    lifts: 'release',
    transfer: 'own',
  },
  document_changed: {
    words: {
      en: 'The document is not the one that was checked. Put the original back, or pay the row from a new file.',
      fr: "Le document n'est pas celui qui a été vérifié. Remettez l'original, ou payez la ligne par un nouveau fichier.",
    },
    lifts: 'release',
    transfer: 'own',
  },
  document_demanded: {
    words: {
      en: 'The service keeps asking for a document for this transfer. Ask the service which one it wants.',
      fr: 'Le service redemande sans cesse un document pour ce transfert. Demandez-lui lequel il veut.',
    },
    lifts: 'release',
    transfer: 'own',
  },
  too_many_attempts: {
    words: {
      en: 'The transfer expired unpaid several times. Check the connection and the validity of quotations, then pay the row from a new file.',
      fr: 'Le transfert a expiré plusieurs fois sans être payé. Vérifiez la connexion et la durée de validité des cotations, puis payez la ligne par un nouveau fichier.',
    },
    lifts: 'never',
    transfer: 'own',
  },
  unexpected_refusal: {
    words: {
      en: 'The service refused in a way that its interface does not describe. Look the transfer up at the service.',
      fr: "Le service a refusé d'une façon que son interface ne décrit pas. Vérifiez le transfert auprès du service.",
    },
    lifts: 'release',
    transfer: 'own',
    isBeyondLooking: true,
  },
  batch_stopped: {
    words: {
      en: 'Not paid, because another row of this file was refused and the file is paid whole or not at all. Release this row to pay it without that one; or cancel it with --skip and drop the corrected file.',
      fr: "Non payée, parce qu'une autre ligne de ce fichier a été refusée et que le fichier est payé en entier ou pas du tout. Libérez cette ligne pour la payer sans l'autre ; ou annulez-la avec --skip et déposez le fichier corrigé.",
    },
    lifts: 'release',
    transfer: 'own',
  },
} as const satisfies Readonly<Record<string, HoldRule>>;

export type HoldCode = keyof typeof TABLE;

/** Laid over the stage at which the row stands; taken away, the row goes on from there. */
export type Hold = {
  readonly code: HoldCode;
  /** Plain words to it. */
  readonly reason: Words;
  /** The service's own code, where that is what holds the row. */
  readonly errorCode: string | null;
  /** Our time, ISO. */
  readonly since: string;
};

export const HOLDS: Readonly<Record<HoldCode, HoldRule>> = TABLE;

/** @param now our time, in ms. */
export function newHold(code: HoldCode, now: number, reason: Words = HOLDS[code].words): Hold {
  return { code, reason, errorCode: null, since: isoTime(now) };
}

export const HOLD_CODES = Object.keys(TABLE) as readonly HoldCode[];

/** Those of the limits that a row can be over. */
export type LimitCode = CodesWith<{ readonly limit: 'row' | 'price' }>;
/** Those of them that another price may lift. */
export type PriceLimitCode = CodesWith<{ readonly limit: 'price' }>;

type CodesWith<Rule> = { [Code in HoldCode]: (typeof TABLE)[Code] extends Rule ? Code : never }[HoldCode];

export function isLimitCode(code: HoldCode): code is LimitCode {
  return HOLDS[code].limit !== undefined;
}

/** True for what paydrop lifts by itself, as soon as it can see what it waits for. */
export function liftsItself(hold: Pick<Hold, 'code'> | null): boolean {
  return hold !== null && HOLDS[hold.code].lifts === 'itself';
}

/** True while a look may find that the held row has ended, or is on its way. */
export function mayEnd(hold: Pick<Hold, 'code'> | null): boolean {
  return hold !== null && HOLDS[hold.code].transfer === 'own';
}

/** True when no look can show that nothing comes of the transfer: the person who cancels the row has asked there. */
export function isBeyondLooking(hold: Pick<Hold, 'code'> | null): boolean {
  return hold === null || !mayEnd(hold) || HOLDS[hold.code].isBeyondLooking === true;
}

/** True when the transfer on record may be somebody else's. */
export function isForeign(hold: Pick<Hold, 'code'> | null): boolean {
  return hold !== null && HOLDS[hold.code].transfer === 'foreign';
}
