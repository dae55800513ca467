// Simultaneous actions of people: of two decisions one counts, and both people learn which; of two who bring the same bytes one brings a file.
import { afterAll, beforeAll, expect, it } from 'vitest';

import { HEADER, lineTo } from '../app/desk.ts';
import type { Asked } from './authenticator.ts';
import { visitor, type Visitor } from './with-people.ts';
import { dataOf, openWeb, order, sent, type Told, type Web } from './with-web.ts';

const TIMES = 100;
const LONG_MS = 180_000;

let web: Web;
let key: string;
let marie: Visitor;
let joe: Visitor;

beforeAll(async () => {
  web = await openWeb('policy: { approval: required }');
  key = await web.key('Ledgerly');
  [marie, joe] = await Promise.all([
    visitor(web, 'Marie Ngo', 'checker'),
    visitor(web, 'Joe Tchoua', 'treasurer'),
  ]);
});
afterAll(() => web.close());

/** How many transfers the service knows. */
async function paid(): Promise<number> {
  let [count, nextKey] = [0, null as string | null];
  do {
    const { value } = await web.paydrop.service.transfers(nextKey === null ? {} : { nextKey });
    count += value.transfers.length;
    nextKey = value.nextKey;
  } while (nextKey !== null);
  return count;
}

let files = 0;
const content = (name: string): string => `${[HEADER, lineTo(name, name, '100')].join('\n')}\n`;

async function uploaded(name: string): Promise<string> {
  const { body } = await web.json('/api/v1/uploads', { ...sent(`${name}.csv`, content(name)), key });
  return `/api/v1/uploads/${String(body['id'])}`;
}

/** A file that waits for its approval. */
async function waiting(): Promise<{ readonly batch: string; readonly digest: string }> {
  const limited = 30;
  files += 1;
  for (;;) {
    const { status, body } = await web.json(`${await uploaded(`once-${String(files)}`)}/submission`, {
      ...order({}),
      key,
    });
    const batch = String(body['batch']);
    for (; status < 300;) {
      const asked = await marie.json('GET', `/files/${batch}/approval`);
      if (asked.status === 200) return { batch, digest: String(asked.body['digest']) };
      await web.paydrop.clock.sleep(limited);
    }
    await web.paydrop.clock.sleep(limited);
  }
}

async function signed(who: Visitor, { batch, digest }: { readonly batch: string; readonly digest: string }) {
  const { body } = await who.json('POST', `/files/${batch}/approval/options`, { question: digest });
  const assertion = who.passkey.sign(body as Asked);
  return (): Promise<Told> =>
    who.json('POST', `/files/${batch}/approval`, {
      question: digest,
      challenge: body['challenge'],
      assertion,
    });
}

async function codesOf(batch: string): Promise<readonly unknown[]> {
  const { body } = await web.json(`/api/v1/files/${batch}/timeline?limit=200`, { key });
  return dataOf({ body }).map(({ code }) => code);
}

it(
  `two approvers: one counts each of ${String(TIMES)} times, both are told who, and one event stands`,
  { timeout: LONG_MS },
  async () => {
    const who = new Set<unknown>();
    for (let time = 0; time < TIMES; time += 1) {
      const file = await waiting();
      const orders = [await signed(marie, file), await signed(joe, file)];
      if (time % 2 === 1) orders.reverse();
      const ends = await Promise.all(orders.map((give) => give()));
      expect(ends.map(({ status }) => status)).toEqual([200, 200]);
      const by = new Set(ends.map(({ body }) => (body['given'] as { by: string }).by));
      expect(by.size).toBe(1);
      for (const each of by) who.add(each);
      expect((await codesOf(file.batch)).filter((code) => code === 'approval_given')).toHaveLength(1);
    }
    // Each came first now and then: it was a race.
    expect(who.size).toBe(2);
    while ((await paid()) < TIMES) await web.paydrop.clock.sleep(50);
    expect(await paid()).toBe(TIMES);
  },
);

it(
  'one who approves and one who declines: one of both counts, and money moves only where it was approved',
  { timeout: LONG_MS },
  async () => {
    const before = await paid();
    let approvals = 0;
    for (let time = 0; time < 20; time += 1) {
      const file = await waiting();
      const give = await signed(marie, file);
      const decline = () => joe.json('POST', `/files/${file.batch}/decline`, { reason: 'not this month' });
      const orders = time % 2 === 0 ? [give, decline] : [decline, give];
      await Promise.all(orders.map((each) => each()));
      const { body } = await marie.json('GET', `/files/${file.batch}/approval`);
      expect([body['state'], (body['given'] === null) === (body['declined'] !== null)]).toEqual([
        expect.stringMatching(/^(?:approved|declined)$/) as string,
        true,
      ]);
      if (body['state'] === 'approved') approvals += 1;
      while ((await web.json(`/api/v1/files/${file.batch}`, { key })).body['state'] !== 'closed')
        await web.paydrop.clock.sleep(50);
    }
    expect(await paid()).toBe(before + approvals);
  },
);

it('two who bring the same bytes: one file, and both are told its name', async () => {
  const [one, other] = await Promise.all([uploaded('same'), uploaded('same')]);
  const ends = await Promise.all(
    [one, other].map((path) => web.json(`${path}/submission`, { ...order({}), key })),
  );
  expect(ends.map(({ status }) => status).sort()).toEqual([200, 202]);
  expect(new Set(ends.map(({ body }) => body['batch'])).size).toBe(1);
});

it('somebody who stops everything while a file is submitted: it is a batch, and nothing of it is sent', async () => {
  const before = await paid();
  const path = await uploaded('stopped');
  const [, taken] = await Promise.all([
    marie.json('PUT', '/stop', { reason: 'a call from the bank' }),
    web.json(`${path}/submission`, { ...order({}), key }),
  ]);
  expect(taken.status).toBe(202);
  expect(await paid()).toBe(before);
  expect((await marie.confirmed('DELETE', '/stop', { reason: 'it was nothing' })).status).toBe(200);
});
