// Where a person's own notices may go: to an address, which counts once its owner has typed the code that was sent there, and to browsers whose push service
// is one of those that are called.
import { isPushService } from '../config/notify-config.ts';
import { notifyAddress } from '../notify/notify.ts';
import type { Paydrop } from '../parts.ts';
import type { Person } from '../people/people.ts';
import { isPoint, type PushSubscription } from '../people/push-browsers.ts';
import type { Door } from './open-door.ts';

export function hasMail({ config }: Pick<Paydrop, 'config'>): boolean {
  return config.notify.email !== undefined;
}

/** Throws `PeopleFault` after too many codes of a day. */
export async function askToConfirm(
  paydrop: Paydrop,
  { notices }: Pick<Door, 'notices'>,
  person: Person,
  address: string,
): Promise<void> {
  const code = notices.askAddress(person, address);
  await notifyAddress(paydrop, { person: person.id, address }, code);
}

/** The key under which browsers subscribe; null where no push service is called. */
export function pushKeyOf(
  { config }: Pick<Paydrop, 'config'>,
  { notices }: Pick<Door, 'notices'>,
): string | null {
  return config.notify.push.services?.length === 0 ? null : notices.browsers.key().publicKey;
}

/** Why a browser cannot be told, by its code; null where it can. */
export function subscriptionFault(
  { config }: Pick<Paydrop, 'config'>,
  { endpoint, p256dh }: PushSubscription,
): 'notice_service_unknown' | 'body_wrong' | null {
  if (!isPushService(config.notify.push.services, endpoint)) return 'notice_service_unknown';
  return isPoint(p256dh) ? null : 'body_wrong';
}
