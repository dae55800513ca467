// The stream of changes when paydrop ends: its book of people is closed, and nobody is left to be told anything.
import { expect, it } from 'vitest';

import { openDoor } from '../../src/app/desk/open-door.ts';
import { followEvents } from '../../src/web/event-stream.ts';
import { atEnd } from '../at-end.ts';
import { openDesk } from '../app/desk.ts';

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
