// A way to tell people, and what may go wrong on it. Every fault is one of a few words that a person can act on, so that no password, no address
// with a secret in it and no text of a stranger's server ever comes into a log or a screen.
import type { Words } from '../../base/language.ts';
import type { ChannelName } from '../../ledger/notices.ts';
import type { NoticeMessage } from '../config/notice-events.ts';

export const TELLING_FAULTS = [
  'unreachable',
  'late',
  'login',
  'tls',
  'receivers',
  'redirected',
  'refused',
] as const;
export type TellingFault = (typeof TELLING_FAULTS)[number];

export type Channel = {
  readonly name: ChannelName;
  /** What it is, for people: a host, never a whole address. */
  readonly shown: string;
  /** Null when it was taken. Never throws. */
  readonly send: (message: NoticeMessage, signal: AbortSignal) => Promise<TellingFault | null>;
  /** Tries all but the sending itself; null when that would be taken. Never throws. */
  readonly verify: () => Promise<TellingFault | null>;
};

const FAULT_WORDS: Readonly<Record<TellingFault, Words>> = {
  unreachable: { en: 'cannot be reached', fr: 'est injoignable' },
  late: { en: 'does not answer in time', fr: 'ne répond pas à temps' },
  login: { en: 'refuses the user or the password', fr: "refuse l'utilisateur ou le mot de passe" },
  tls: {
    en: 'offers no connection that is encrypted and that this machine trusts',
    fr: 'ne propose aucune connexion chiffrée à laquelle cette machine se fie',
  },
  receivers: {
    en: 'takes no mail from or to these addresses',
    fr: "n'accepte pas de courrier de ou pour ces adresses",
  },
  redirected: {
    en: 'answers with another address, which is not followed',
    fr: "renvoie à une autre adresse, qui n'est pas suivie",
  },
  refused: { en: 'refuses what it is sent', fr: 'refuse ce qui lui est envoyé' },
};

/** What a channel is called, and what is wrong with it. */
export function describeFault(name: ChannelName, shown: string, fault: string | null): Words {
  const lead: Words =
    name === 'email'
      ? { en: `The mail server ${shown}`, fr: `Le serveur de courrier ${shown}` }
      : { en: `The hook at ${shown}`, fr: `Le point de notification ${shown}` };
  const known = TELLING_FAULTS.find((each) => each === fault);
  if (known === undefined) return lead;
  return { en: `${lead.en} ${FAULT_WORDS[known].en}`, fr: `${lead.fr} ${FAULT_WORDS[known].fr}` };
}
