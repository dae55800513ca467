// Files of an account that are refused before they reach the inbox, in words for whoever made them.
import type { Words } from '../../../base/language.ts';
import { ENVELOPE_FAULT_CODES } from '../../../sftp/envelope.ts';
import type { RefusalReason } from '../../workflow/take/refuse-file.ts';

export const EXCHANGE_REFUSAL_CODES = [...ENVELOPE_FAULT_CODES, 'sequence_repeated'] as const;
export type ExchangeRefusalCode = (typeof EXCHANGE_REFUSAL_CODES)[number];

const REASONS: Readonly<Record<ExchangeRefusalCode, Words>> = {
  not_decrypted: {
    en: 'The file cannot be decrypted: it is damaged, or encrypted to another key than ours. Nothing was sent. Encrypt it to our key and deliver it again.',
    fr: "Le fichier ne peut être déchiffré : il est endommagé, ou chiffré pour une autre clé que la nôtre. Rien n'a été envoyé. Chiffrez-le pour notre clé et livrez-le de nouveau.",
  },
  signature_missing: {
    en: 'The file is not signed, and files of this account have to be. Nothing was sent. Sign it with the key that we know, encrypt it and deliver it again.',
    fr: "Le fichier n'est pas signé, alors que ceux de ce compte doivent l'être. Rien n'a été envoyé. Signez-le avec la clé que nous connaissons, chiffrez-le et livrez-le de nouveau.",
  },
  signature_wrong: {
    en: 'The signature of the file is not that of a key that we know, or the file was changed after it was signed. Nothing was sent. Find out who made it before it is signed again.',
    fr: "La signature du fichier n'est pas celle d'une clé que nous connaissons, ou le fichier a été modifié après sa signature. Rien n'a été envoyé. Vérifiez qui l'a produit avant de le signer de nouveau.",
  },
  sequence_repeated: {
    en: 'A file with this number was taken already, with another content, or the number is below the first that is expected. Nothing was sent. Deliver it under the next number if it is a new one.',
    fr: "Un fichier de ce numéro a déjà été pris en charge, avec un autre contenu, ou le numéro est inférieur au premier attendu. Rien n'a été envoyé. Livrez-le sous le numéro suivant s'il s'agit d'un nouveau fichier.",
  },
};

export function refusalOf(code: ExchangeRefusalCode): RefusalReason {
  return { code, reason: REASONS[code], rejected: 0, answers: [] };
}
