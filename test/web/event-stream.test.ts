// The stream of changes where nothing changes: to whoever comes back, and when paydrop ends, whose book of people is closed.
import { expect, it } from 'vitest';

import { openDoor } from '../../src/app/desk/open-door.ts';
import { followEvents } from '../../src/web/event-stream.ts';
import { atEnd } from '../at-end.ts';
import { openDesk } from '../app/desk.ts';
import { openWeb } from './with-web.ts';

it('ends without a look into the book of people once paydrop ends', async () => {
  const desk = await openDesk();
  atEnd(() => desk.close());
  const paydrop = await desk.open();
  const door = await openDoor(paydrop.config);
  door.close();
  const nothing = { onChange: () => () => undefined };
  const room = { paydrop, door, views: null, uploads: nothing, jobs: nothing };
  const asking = { room, by: { session: { id: 'marie' } }, header: () => undefined, language: 'en' };
  const written: string[] = [];
  const write = (text: string): Promise<void> => Promise.resolve(void written.push(text));
  await followEvents(asking as never)(write, AbortSignal.abort());
  expect(written).toEqual([]);
});

/** The pings of a stream that has nothing to tell come every 15 s. */
const SOON_MS = 10_000;

it('says at once where it stands to whoever comes back and has missed nothing: before that, Firefox shows no response', async () => {
  const web = await openWeb();
  atEnd(() => web.close());
  const key = await web.key('Follower', ['files:read-all']);
  const first = async (headers: Readonly<Record<string, string>>): Promise<string> => {
    const { body } = await web.ask('/api/v1/events', { key, headers, signal: AbortSignal.timeout(SOON_MS) });
    const octets = await body?.getReader().read();
    return Buffer.from((octets?.value ?? []) as Uint8Array).toString('utf8');
  };
  const told = await first({});
  expect(told).toMatch(/^id: \S+\n\n$/);
  expect(await first({ 'last-event-id': told.slice('id: '.length).trim() })).toBe(told);
});
