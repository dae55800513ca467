// A channel that notifies people, and its faults. Every fault is one of a few words that a person can act on. So no password, no address with a
// secret and no text of a stranger's server gets into a log or onto a screen.
import { joinWords, type Words } from '../../base/language.ts';
import type { ChannelName } from '../../ledger/notices.ts';
import { type NoticeMessage, OF_PUSH } from '../config/notify-config.ts';
import { sentence } from '../../messages/messages.ts';

const TELLING_FAULTS = ['unreachable', 'late', 'login', 'tls', 'receivers', 'redirected', 'refused'] as const;
export type TellingFault = (typeof TELLING_FAULTS)[number];

export type Channel = {
  readonly name: ChannelName;
  /** The channel for people: a host, never a whole address. */
  readonly shown: string;
  /** Null when the message was accepted. Never throws. @param to instead of those of the config. */
  readonly send: (message: NoticeMessage, signal: AbortSignal, to?: string) => Promise<TellingFault | null>;
  /** Tries everything except the sending; null when that would succeed. Never throws. */
  readonly verify: () => Promise<TellingFault | null>;
};

const FAULT_WORDS: Readonly<Record<TellingFault, Words>> = {
  unreachable: sentence('channel.unreachable'),
  late: sentence('channel.late'),
  login: sentence('channel.login'),
  tls: sentence('channel.tls'),
  receivers: sentence('channel.receivers'),
  redirected: sentence('channel.redirected'),
  refused: sentence('channel.refused'),
};

/** The channel's name, and its fault. */
export function describeFault(name: ChannelName, shown: string, fault: string | null): Words {
  const [of, said] =
    fault?.startsWith(OF_PUSH) === true ? ['push', fault.slice(OF_PUSH.length)] : [name, fault];
  const lead: Words =
    of === 'email'
      ? sentence('channel.describeFault.mailServer', { shown })
      : of === 'push'
        ? sentence('channel.describeFault.pushService')
        : sentence('channel.describeFault.theHookAt', { shown });
  const known = TELLING_FAULTS.find((each) => each === said);
  if (known === undefined) return lead;
  return joinWords([lead, FAULT_WORDS[known]]);
}
