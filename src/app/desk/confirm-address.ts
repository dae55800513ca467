// The address for a person's own notices, which counts once its owner has typed the code that was sent there.
import type { Person } from '../people/people.ts';
import { notifyAddress } from '../notify/notify.ts';
import type { Paydrop } from '../parts.ts';
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
