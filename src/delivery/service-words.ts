// What the codes of the service mean, for the owner of a file: the interface says it in English only, and its words alone are what the sandbox
// answers with.
import { sameWords, type Words } from '../base/language.ts';
import { ERROR_CODES, STATUS_CODES, type ErrorCode } from '../service/wire.ts';
import { sentence } from '../messages/messages.ts';

type StatusCode = keyof typeof STATUS_CODES;

const STATUSES_IN_FRENCH: Readonly<Record<StatusCode, string>> = {
  '10000': 'créé, en attente de confirmation',
  '10001': 'transmis au réseau de paiement',
  '20000': 'payé au bénéficiaire',
  '100000': 'annulé',
  '100001': 'annulé après paiement ; les fonds ont été restitués',
  '100002': 'rejeté par le réseau de paiement',
  '100003': 'coordonnées du bénéficiaire invalides ou soumises à restriction',
  '100004': 'rejeté par les contrôles de conformité',
  '100005': 'plafonds dépassés',
  '100006': 'autre incident du réseau de paiement',
  '100008': 'provision insuffisante auprès du réseau de paiement',
};

const ERRORS_IN_FRENCH: Readonly<Record<ErrorCode, string>> = {
  10001: 'erreur de validation, ou erreur inattendue du serveur',
  10002: 'une cotation avec cet externalId existe déjà',
  10003: "corridor non activé pour l'organisation",
  10006: "clé d'API rattachée à aucune organisation",
  10007: "cotation introuvable par l'identifiant",
  10008: "cotation introuvable par l'identifiant externe",
  10009: 'la cotation a expiré',
  10011: 'un transfert avec cet externalId existe déjà',
  10013: "transfert introuvable par l'identifiant externe",
  10014: "transfert introuvable par l'identifiant",
  10015: 'transfert déjà confirmé',
  10016: 'le transfert a expiré (confirmé trop tard)',
  10018: 'il manque un champ du bénéficiaire requis par ce corridor',
  10019: 'il manque un champ du mode de remise requis par ce corridor',
  10022: 'il manque le document justificatif (virements)',
  10023: 'la période demandée à GET /transfers dépasse 7 jours',
  10024: 'solde insuffisant',
  10027: 'la transmission du paiement a échoué',
};

/** A code that the interface does not show keeps its number. */
export function statusWords(statusCode: string): Words {
  if (Object.hasOwn(STATUS_CODES, statusCode)) {
    const code = statusCode as StatusCode;
    return { en: STATUS_CODES[code].meaning, fr: STATUSES_IN_FRENCH[code] };
  }
  return sentence('service.status.statusCodeWhich', { statusCode });
}

/** The service's own words stand behind the meaning of the code, because they name the field. */
export function refusalWords(errorCode: ErrorCode, said: string): Words {
  const meaning = ERROR_CODES[errorCode];
  const more = said === '' || said === meaning ? sameWords('') : sameWords(` (${said})`);
  return sentence('service.refusal', { meaning, more, value: ERRORS_IN_FRENCH[errorCode] });
}
