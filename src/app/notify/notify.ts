// The one way in: news becomes a notice for every channel of the config, durable when it resolves. Nothing is sent here, and without `notify` in
// the config nothing is kept, so that whoever pays never waits for a mail server.
import type { Paydrop } from '../parts.ts';
import { channelNames } from '../config/notify-config.ts';
import { topicOf, writeNotice, type News } from './render-notification.ts';

/** Somebody who acts on the first message of a topic is not overtaken by the next ones; they come together after this. */
const QUIET_MS = 15 * 60_000;

export type Newsroom = Pick<Paydrop, 'config' | 'clock' | 'ledger' | 'isSandbox'>;

/** To be called before the change that it tells of is written: a kill in between then tells too early, and not never. */
export async function notify(room: Newsroom, news: News): Promise<void> {
  const { config, clock, ledger } = room;
  const { notify: settings } = config;
  if (settings.events !== null && !settings.events.includes(news.event)) return;
  const channels = channelNames(settings);
  if (channels.length === 0) return;
  const message = JSON.stringify(writeNotice(room, news));
  const { version } = news;
  for (const channel of channels)
    await ledger.notices.add({ topic: topicOf(news), version, channel, message }, clock.now(), QUIET_MS);
}

/** True when news would reach nobody, so that what it needs is not gathered. */
export function isUnheard({ config }: Pick<Newsroom, 'config'>, event: News['event']): boolean {
  const { notify: settings } = config;
  return channelNames(settings).length === 0 || settings.events?.includes(event) === false;
}
