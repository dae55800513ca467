// The faults between here and a partner's SFTP server, in words for both sides: what happened, and who must do what.
import type { Words } from '../base/language.ts';

export const SFTP_FAULT_CODES = [
  'host_not_found',
  'unreachable',
  'host_key_changed',
  'key_unusable',
  'login_refused',
  'no_sftp',
  'connection_lost',
  'no_answer',
  'not_found',
  'forbidden',
  'disk_full',
  'server_refused',
  'too_many_files',
  'file_changed',
  'openpgp_unusable',
] as const;
export type SftpFaultCode = (typeof SFTP_FAULT_CODES)[number];

/** After these, the connection cannot be used any more. */
const ENDS_CONNECTION: ReadonlySet<SftpFaultCode> = new Set([
  'host_not_found',
  'unreachable',
  'host_key_changed',
  'key_unusable',
  'login_refused',
  'no_sftp',
  'connection_lost',
  'no_answer',
]);

/** A fault of the other side, or of the line; its message is the English text of its words. */
export class SftpFault extends Error {
  override readonly name = 'SftpFault';
  readonly code: SftpFaultCode;
  readonly words: Words;

  constructor(code: SftpFaultCode, words: Words, options?: ErrorOptions) {
    super(words.en, options);
    this.code = code;
    this.words = words;
  }
}

export function endsConnection(error: unknown): boolean {
  return error instanceof SftpFault && ENDS_CONNECTION.has(error.code);
}

/** The server's refusal of one request. `place` is the file or folder of the request. */
export function refusedByServer(
  code: 'not_found' | 'forbidden' | 'server_refused',
  place: string,
): SftpFault {
  return new SftpFault(code, REFUSALS[code](place));
}

const REFUSALS: Readonly<Record<'not_found' | 'forbidden' | 'server_refused', (place: string) => Words>> = {
  not_found: (place) => ({
    en: `${place} is not there. Check its name in the config, or have it created on the server.`,
    fr: `${place} n'existe pas. Vérifiez son nom dans la configuration, ou faites-le créer sur le serveur.`,
  }),
  forbidden: (place) => ({
    en: `The server does not allow this user to use ${place} so. Have its owner give the right to.`,
    fr: `Le serveur ne permet pas à cet utilisateur de se servir ainsi de ${place}. Faites-en donner le droit.`,
  }),
  server_refused: (place) => ({
    en: `The server refused to do something with ${place} and does not say why; perhaps its disk or quota is full.`,
    fr: `Le serveur a refusé une opération sur ${place} sans dire pourquoi ; son disque ou son quota est peut-être plein.`,
  }),
};

/** @param freeBytes the free space that the server reports. */
export function diskFull(place: string, freeBytes: number): SftpFault {
  return new SftpFault('disk_full', {
    en: `The disk of the server is full: ${String(freeBytes)} bytes are left for ${place}. Have room made there; it is tried again by itself.`,
    fr: `Le disque du serveur est plein : il reste ${String(freeBytes)} octets pour ${place}. Faites-y libérer de la place ; un nouvel essai a lieu de lui-même.`,
  });
}

export function connectionLost(cause?: unknown): SftpFault {
  return new SftpFault(
    'connection_lost',
    {
      en: 'The connection to the server broke. It is made again by itself.',
      fr: "La connexion au serveur s'est interrompue. Elle est rétablie d'elle-même.",
    },
    { cause },
  );
}

export function noAnswer(seconds: number): SftpFault {
  return new SftpFault('no_answer', {
    en: `The server did not answer within ${String(seconds)} s. It is tried again by itself; ask its owner when that goes on.`,
    fr: `Le serveur n'a pas répondu en ${String(seconds)} s. Un nouvel essai a lieu de lui-même ; si cela dure, adressez-vous à son propriétaire.`,
  });
}
