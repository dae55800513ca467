// Why a payout waits for a person, and what that person should do. Nothing of it is ever decided by a machine alone.
import type { Words } from '../base/language.ts';

export const HELD_CODES = [
  'reference_paid_differently',
  'reference_undecided',
  'similar_reference',
  'earlier_row_paid',
  'reversed_before',
  'same_payment_recently',
  'equal_rows',
  'same_content',
  'new_account',
  'in_doubt_unsent',
  'in_doubt_unreadable',
  'in_doubt_unseen',
  'over_row_limit',
  'over_payee_limit',
  'over_fee_limit',
  'under_rate_limit',
  'quotation_mismatch',
  'echo_mismatch',
  'id_collision',
  'unknown_status',
  'status_went_back',
  'transfer_reinstated',
  'confirm_uncertain',
  'network_undecided',
  'document_refused',
  'document_changed',
  'document_demanded',
  'too_many_attempts',
  'unexpected_refusal',
  'batch_stopped',
] as const;
export type HeldCode = (typeof HELD_CODES)[number];

/** Those by which a row is over a limit. */
export const LIMIT_CODES = [
  'over_row_limit',
  'over_payee_limit',
  'over_fee_limit',
  'under_rate_limit',
] as const satisfies readonly HeldCode[];
export type LimitCode = (typeof LIMIT_CODES)[number];

/** What each code means and what to do, in words for the person who owns the file. */
export const HELD_WORDS: Readonly<Record<HeldCode, Words>> = {
  reference_paid_differently: {
    en: 'A payment with this reference is paid or under way with another receiver or amount. If this is a new payment, give it its own reference; if not, leave it.',
    fr: "Un paiement avec cette référence est payé ou en cours, avec un autre bénéficiaire ou un autre montant. S'il s'agit d'un nouveau paiement, donnez-lui sa propre référence ; sinon, laissez cette ligne.",
  },
  reference_undecided: {
    en: 'The same payment waits for a person or for its time, or was cancelled while it may still be paid. Decide that one first; release this one only if that one is never paid.',
    fr: "Le même paiement attend une décision ou son heure, ou a été annulé alors qu'il peut encore être payé. Décidez d'abord de celui-là ; ne libérez celui-ci que si l'autre n'est jamais payé.",
  },
  similar_reference: {
    en: 'The same payment has nearly the same reference elsewhere: only case, spaces, punctuation or leading zeros differ. If both are meant, release this one; if not, cancel it with --skip.',
    fr: 'Le même paiement porte ailleurs presque la même référence : seuls diffèrent les majuscules, les espaces, la ponctuation ou les zéros de tête. Si les deux sont voulus, libérez celui-ci ; sinon, annulez-le avec --skip.',
  },
  earlier_row_paid: {
    en: 'This row comes from an answer of paydrop, and the row that it was (payout.batch, payout.row) is paid, under way or undecided with other data. If it is a new payment, give it a reference of its own; if not, leave it.',
    fr: "Cette ligne vient d'une réponse de paydrop, et la ligne d'origine (payout.batch, payout.row) est payée, en cours ou en attente d'une décision avec d'autres données. S'il s'agit d'un nouveau paiement, donnez-lui sa propre référence ; sinon, laissez cette ligne.",
  },
  reversed_before: {
    en: 'This payment was made before, and the money came back. Find out why before it goes out again; then release it.',
    fr: "Ce paiement a déjà été fait, et l'argent est revenu. Cherchez pourquoi avant qu'il ne reparte, puis libérez-le.",
  },
  same_payment_recently: {
    en: 'The same receiver, account, amount and currency were paid from another file in the last days. If it is meant twice, give each row its own reference.',
    fr: "Le même bénéficiaire, le même compte, le même montant et la même devise ont été payés ces derniers jours à partir d'un autre fichier. Si le paiement est voulu deux fois, donnez à chaque ligne sa propre référence.",
  },
  equal_rows: {
    en: 'Two rows of this file are the same payment and carry no reference. If both are meant, give each its own reference; if not, delete one.',
    fr: 'Deux lignes de ce fichier sont le même paiement et ne portent pas de référence. Si les deux sont voulues, donnez à chacune sa propre référence ; sinon, supprimez-en une.',
  },
  same_content: {
    en: 'A file with the same content was taken before, and this row carries no reference. If it is meant again, give each row its own reference.',
    fr: 'Un fichier de même contenu a déjà été pris en charge, et cette ligne ne porte pas de référence. Si le paiement est voulu de nouveau, donnez à chaque ligne sa propre référence.',
  },
  new_account: {
    en: 'This receiver was paid before, and never on this account. Ask the receiver by a way that you know from before, not by the one that told you; then release the row.',
    fr: "Ce bénéficiaire a déjà été payé, mais jamais sur ce compte. Demandez-lui confirmation par un moyen que vous connaissiez avant, pas par celui qui vous l'a annoncé ; puis libérez la ligne.",
  },
  in_doubt_unsent: {
    en: 'The batch was finished before the ledger was lost, and the service knows no transfer of this row: it was refused, or closed on purpose. Release it only if it is certain that it is still owed.',
    fr: "Le lot était terminé avant la perte du registre, et le service ne connaît aucun transfert de cette ligne : elle a été refusée, ou fermée exprès. Ne la libérez que s'il est certain qu'elle est encore due.",
  },
  in_doubt_unreadable: {
    en: 'The service has a transfer of this row, but the row can no longer be read as the payment that it was: the settings, the documents or the corridors have changed. Look the transfer up at the service.',
    fr: "Le service a un transfert de cette ligne, mais la ligne ne se lit plus comme le paiement qu'elle était : les réglages, les documents ou les corridors ont changé. Vérifiez ce transfert auprès du service.",
  },
  in_doubt_unseen: {
    en: 'The ledger was lost, and for a while the service may not show what was sent of this row. paydrop looks for it again by itself, and goes on then; nobody has to do anything.',
    fr: "Le registre a été perdu, et pendant un moment le service peut ne pas montrer ce qui a été envoyé de cette ligne. paydrop la recherche de lui-même, puis continue ; personne n'a rien à faire.",
  },
  quotation_mismatch: {
    en: 'The service quoted something else than was asked. Nothing was sent. Ask the service why.',
    fr: "Le service a coté autre chose que ce qui était demandé. Rien n'a été envoyé. Demandez au service pourquoi.",
  },
  echo_mismatch: {
    en: 'The service created a transfer that differs from this row. It was not confirmed and will not be. Ask the service why.',
    fr: "Le service a créé un transfert qui diffère de cette ligne. Il n'a pas été confirmé et ne le sera pas. Demandez au service pourquoi.",
  },
  id_collision: {
    en: 'The service already has another transfer under the id of this row. Nothing was confirmed. Find out who else uses this account.',
    fr: "Le service a déjà un autre transfert sous l'identifiant de cette ligne. Rien n'a été confirmé. Cherchez qui d'autre utilise ce compte.",
  },
  unknown_status: {
    en: 'The service gave this transfer a status that paydrop does not know. Look it up at the service.',
    fr: 'Le service a donné à ce transfert un statut que paydrop ne connaît pas. Vérifiez-le auprès du service.',
  },
  status_went_back: {
    en: 'The service moved this transfer back to an earlier status. Look it up at the service.',
    fr: 'Le service a ramené ce transfert à un statut antérieur. Vérifiez-le auprès du service.',
  },
  transfer_reinstated: {
    en: 'An earlier transfer of this row, which had expired unpaid, is being paid after all: the payment may be made twice. Call the service at once.',
    fr: 'Un transfert antérieur de cette ligne, expiré sans paiement, est finalement payé : le paiement peut être fait deux fois. Appelez le service immédiatement.',
  },
  confirm_uncertain: {
    en: 'The transfer expired while it was not known whether its confirmation had arrived. Look it up at the service before paying again.',
    fr: "Le transfert a expiré alors qu'on ignorait si sa confirmation était arrivée. Vérifiez-le auprès du service avant de payer de nouveau.",
  },
  network_undecided: {
    en: 'The payout network refused the confirmation, but the transfer did not end. Look it up at the service before paying again.',
    fr: "Le réseau de paiement a refusé la confirmation, mais le transfert n'a pas pris fin. Vérifiez-le auprès du service avant de payer de nouveau.",
  },
  document_refused: {
    en: 'The service did not take the document. Check the file (PDF or image, not too large) and pay the row from a new file.',
    fr: "Le service n'a pas accepté le document. Vérifiez le fichier (PDF ou image, pas trop lourd) et payez la ligne par un nouveau fichier.",
  },
  document_changed: {
    en: 'The document is not the one that was checked. Put the original back, or pay the row from a new file.',
    fr: "Le document n'est pas celui qui a été vérifié. Remettez l'original, ou payez la ligne par un nouveau fichier.",
  },
  document_demanded: {
    en: 'The service keeps asking for a document for this transfer. Ask the service which one it wants.',
    fr: 'Le service redemande sans cesse un document pour ce transfert. Demandez-lui lequel il veut.',
  },
  too_many_attempts: {
    en: 'The transfer expired unpaid several times. Check the connection and the validity of quotations, then pay the row from a new file.',
    fr: 'Le transfert a expiré plusieurs fois sans être payé. Vérifiez la connexion et la durée de validité des cotations, puis payez la ligne par un nouveau fichier.',
  },
  unexpected_refusal: {
    en: 'The service refused in a way that its interface does not describe. Look the transfer up at the service.',
    fr: "Le service a refusé d'une façon que son interface ne décrit pas. Vérifiez le transfert auprès du service.",
  },
  batch_stopped: {
    en: 'Not paid, because another row of this file was refused and the file is paid whole or not at all. Release this row to pay it without that one; or cancel it with --skip and drop the corrected file.',
    fr: "Non payée, parce qu'une autre ligne de ce fichier a été refusée et que le fichier est payé en entier ou pas du tout. Libérez cette ligne pour la payer sans l'autre ; ou annulez-la avec --skip et déposez le fichier corrigé.",
  },
  over_row_limit: {
    en: 'This row is over the limit of one payment (limits.perRow). Nothing of it was sent. If it is right, release it; if not, cancel it with --skip.',
    fr: "Cette ligne dépasse la limite d'un paiement (limits.perRow). Rien n'en a été envoyé. Si elle est juste, libérez-la ; sinon, annulez-la avec --skip.",
  },
  over_payee_limit: {
    en: 'With this row the payee, or the account, would get more in a day than one may (limits.perPayeePerDay). Nothing of it was sent. If it is right, release it; if not, cancel it with --skip.',
    fr: "Avec cette ligne, le bénéficiaire, ou le compte, recevrait en un jour plus que permis (limits.perPayeePerDay). Rien n'en a été envoyé. Si elle est juste, libérez-la ; sinon, annulez-la avec --skip.",
  },
  over_fee_limit: {
    en: 'The fee of this row is a larger share of its amount than limits.feeShare allows. Nothing of it was sent. If it is right, release it; if not, cancel it with --skip.',
    fr: "Les frais de cette ligne sont une plus grande part de son montant que ne permet limits.feeShare. Rien n'en a été envoyé. Si c'est juste, libérez-la ; sinon, annulez-la avec --skip.",
  },
  under_rate_limit: {
    en: 'The rate of this row brings less than limits.leastRates demands. Nothing of it was sent. If you accept the rate, release it; if not, cancel it with --skip.',
    fr: "Le cours de cette ligne rapporte moins que ne l'exige limits.leastRates. Rien n'en a été envoyé. Si vous acceptez le cours, libérez-la ; sinon, annulez-la avec --skip.",
  },
};
