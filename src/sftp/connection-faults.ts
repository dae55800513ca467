// Why a connection could not be made, told by what the library says in fields, never by its messages.
import type { SftpAccount } from './account.ts';
import { connectionLost, noAnswer, SftpFault } from './sftp-fault.ts';

/** Fields of an error of the library or of a socket. */
type Told = { readonly level?: string; readonly code?: string };

/** Names that cannot be resolved, now or at all. */
const NO_SUCH_NAME: readonly string[] = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_NONAME'];

export function connectionFault(account: SftpAccount, error: Error, timeoutMs: number): SftpFault {
  const { level = '', code = '' } = error as Told;
  if (level === 'client-timeout') return noAnswer(timeoutMs / 1_000);
  if (level === 'client-authentication') return loginRefused(account);
  if (level === 'client-dns' || NO_SUCH_NAME.includes(code)) return hostNotFound(account, error);
  return level === 'client-socket' && code !== 'ECONNRESET'
    ? unreachable(account, code, error)
    : connectionLost(error);
}

/** Whoever answers there is not who was pinned: both fingerprints are told, so that people can compare them by telephone. */
export function hostKeyChanged({ host, hostKeys }: SftpAccount, seen: readonly string[]): SftpFault {
  const [pinned, shown] = [hostKeys.join(', '), seen.join(', ')];
  return new SftpFault('host_key_changed', {
    en: `${host} shows another key than the pinned one, so nothing was sent to it. Pinned: ${pinned}. Seen: ${shown}. Somebody may stand in between. Ask the server's owner by another way; only when the new one is confirmed, write it into hostKey.`,
    fr: `${host} présente une autre clé que celle qui est enregistrée : rien ne lui a été envoyé. Enregistrée : ${pinned}. Vue : ${shown}. Quelqu'un s'interpose peut-être. Interrogez le propriétaire du serveur par un autre moyen ; n'inscrivez la nouvelle clé dans hostKey qu'une fois confirmée.`,
  });
}

export function keyUnusable({ secretFile }: SftpAccount, cause: unknown): SftpFault {
  const file = secretFile ?? '';
  return new SftpFault(
    'key_unusable',
    {
      en: `The private key ${file} cannot be used: it is damaged, or its passphrase is missing or wrong (passphraseFile).`,
      fr: `La clé privée ${file} est inutilisable : elle est endommagée, ou sa phrase de passe manque ou est fausse (passphraseFile).`,
    },
    { cause },
  );
}

export function noSftp({ host }: SftpAccount, cause: unknown): SftpFault {
  return new SftpFault(
    'no_sftp',
    {
      en: `${host} accepts this user, and offers no SFTP to it. Have SFTP switched on for this user.`,
      fr: `${host} accepte cet utilisateur, mais ne lui offre pas SFTP. Faites activer SFTP pour lui.`,
    },
    { cause },
  );
}

function loginRefused({ host, user, credential, secretFile }: SftpAccount): SftpFault {
  const what =
    credential.kind === 'key'
      ? { en: `the key ${secretFile ?? ''}`, fr: `la clé ${secretFile ?? ''}` }
      : { en: 'the password', fr: 'le mot de passe' };
  return new SftpFault('login_refused', {
    en: `${host} does not let the user ${user} in with ${what.en}. Check the user's name, and that the server knows this key or password.`,
    fr: `${host} n'admet pas l'utilisateur ${user} avec ${what.fr}. Vérifiez le nom de l'utilisateur, et que le serveur connaît cette clé ou ce mot de passe.`,
  });
}

function hostNotFound({ host }: SftpAccount, cause: unknown): SftpFault {
  return new SftpFault(
    'host_not_found',
    {
      en: `The name ${host} is not known. Check it, and the name service of this machine.`,
      fr: `Le nom ${host} est inconnu. Vérifiez-le, ainsi que le service de noms de cette machine.`,
    },
    { cause },
  );
}

function unreachable({ host, port }: SftpAccount, code: string, cause: unknown): SftpFault {
  return new SftpFault(
    'unreachable',
    {
      en: `Nobody answers at ${host}, port ${String(port)} (${code}). The server is down, or a firewall is between. It is tried again by itself.`,
      fr: `Personne ne répond à ${host}, port ${String(port)} (${code}). Le serveur est arrêté, ou un pare-feu s'interpose. Un nouvel essai a lieu de lui-même.`,
    },
    { cause },
  );
}
