// The notices that people have chosen at the page: of which news, in which queue, and what they say besides.
import { say } from '../../base/language.ts';
import type { NoticeKind } from '../../contract/words.ts';
import type { ChannelName } from '../../ledger/notices.ts';
import { sentence } from '../../messages/messages.ts';
import type { NoticeEvent, NoticeMessage, NoticeReceiver } from '../config/notify-config.ts';
import type { Paydrop } from '../parts.ts';
import { withOwnNotices } from '../people/own-notices.ts';

const KINDS: Readonly<Partial<Record<NoticeEvent, NoticeKind>>> = {
  approval: 'decision',
  held: 'decision',
  shortfall: 'funds',
  completion: 'done',
  refused: 'done',
  changed: 'reversed',
};

/** Null for news that nobody chooses at the page. */
export function kindOf(event: NoticeEvent): NoticeKind | null {
  return KINDS[event] ?? null;
}

type ChosenPlace = Extract<NoticeReceiver, { readonly kind: NoticeKind }>;

/** No fault of the people's file holds up a payment. */
export function whoChose(
  { config, clock, log }: Pick<Paydrop, 'config' | 'clock' | 'log'>,
  kind: NoticeKind | null,
): readonly ChosenPlace[] {
  if (kind === null) return [];
  try {
    const places = withOwnNotices(config.workspacePath, clock, (own) => own.whoChose(kind)) ?? [];
    const isMailed = config.notify.email !== undefined;
    return places.filter(({ browser }) => browser !== null || isMailed).map((place) => ({ ...place, kind }));
  } catch (error) {
    log.error('choices of people cannot be read', {
      reason: error instanceof Error ? error.name : 'unknown',
    });
    return [];
  }
}

/** Each address and each browser is told for itself; a browser over HTTP, as the hook is. */
export function placeOf(
  topic: string,
  { person, browser }: ChosenPlace,
): { readonly topic: string; readonly channel: ChannelName } {
  return browser === null
    ? { topic: `${topic}/${person}`, channel: 'email' }
    : { topic: `${topic}/${person}/${browser}`, channel: 'hook' };
}

/** The message with where it stands at the page, and why this person gets it. */
export function forPerson(
  { config }: Pick<Paydrop, 'config'>,
  message: NoticeMessage,
  to: NoticeReceiver,
): NoticeMessage {
  const { publicUrl } = config.web;
  const path = screenOf(message);
  const address = publicUrl === null ? null : new URL(path, publicUrl).href;
  const chosen = say(sentence('ownNotice.chosen', { address }), config.language);
  return { ...message, to, path, text: `${message.text}\n\n${chosen}` };
}

/** Of the page: where the file is decided about, or seen. */
function screenOf({ event, batch }: NoticeMessage): string {
  const screens: Readonly<Partial<Record<typeof event, string>>> = { approval: 'approvals', held: 'held' };
  return `/${screens[event] ?? 'files'}/${batch ?? ''}`;
}
