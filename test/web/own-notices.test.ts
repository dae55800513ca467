// A person's own notices over the interface: an address counts once a code from it was typed, and everything is the person's own.
import { afterAll, beforeAll, expect, it } from 'vitest';

import { leapClock } from '../app/leap-clock.ts';
import { mailbox, type Mailbox } from '../app/telling/mailbox.ts';
import { openDesk } from '../app/desk.ts';
import { pushedBrowser } from '../app/telling/push-service.ts';
import { visitor, type Visitor } from './with-people.ts';
import { dataOf, openWeb, type Web } from './with-web.ts';

const ADDRESS = '/session/notices/address';

let web: Web;
let box: Mailbox;
let marie: Visitor;

beforeAll(async () => {
  const clock = leapClock();
  box = await mailbox();
  const email = `{ host: 127.0.0.1, port: ${String(box.port)}, security: none, from: paydrop@example.com, to: list@example.com }`;
  web = await openWeb(`notify: { email: ${email} }`, await openDesk({ clock }, clock));
  marie = await visitor(web, 'Marie Ngo', 'checker');
});
afterAll(() => web.close());

const mails = async (count: number): Promise<Mailbox['mails']> => {
  while (box.mails.length < count) await web.paydrop.clock.sleep(20);
  return box.mails;
};

it('an address counts once the code that came there was typed, and the log says who asked for which', async () => {
  const chosen = { mail: ['decision', 'done'], browser: [] };
  expect(await marie.json('PUT', '/session/notices', chosen)).toMatchObject({
    status: 200,
    body: { chosen },
  });
  expect(await marie.json('POST', ADDRESS, { address: 'marie@example.com' })).toMatchObject({
    status: 403,
    body: { code: 'step_up_needed' },
  });
  const asked = await marie.confirmed('POST', ADDRESS, { address: 'marie@example.com' });
  expect(asked.body['mail']).toMatchObject({ address: null, asked: { address: 'marie@example.com' } });
  const [mail] = await mails(1);
  expect([mail?.to, mail?.headers.get('subject')]).toEqual([
    ['marie@example.com'],
    '[paydrop] Confirm this address',
  ]);
  const code = /\b\d{6}\b/.exec(mail?.text ?? '')?.[0] ?? '';
  const wrong = code === '000000' ? '000001' : '000000';
  expect(await marie.json('POST', `${ADDRESS}/code`, { code: wrong })).toMatchObject({
    status: 422,
    body: { code: 'notice_code_wrong' },
  });
  const { body } = await marie.json('POST', `${ADDRESS}/code`, { code });
  expect(body).toMatchObject({
    chosen,
    mail: { isOffered: true, address: 'marie@example.com', asked: null },
  });
  const other = await visitor(web, 'Zoé Abega', 'admin');
  expect((await other.json('GET', '/session/notices')).body).toMatchObject({
    chosen: { mail: [], browser: [] },
    mail: { address: null, asked: null },
  });
  const log = dataOf(await other.json('GET', '/audit')).map(({ who, what, about }) => [who, what, about]);
  expect(log).toEqual(
    expect.arrayContaining([
      ['Marie Ngo', 'notices_chosen', 'mail: decision, done; browser: –'],
      ['Marie Ngo', 'notice_address_asked', 'marie@example.com'],
      ['Marie Ngo', 'notice_address_set', 'marie@example.com'],
    ]),
  );
  expect((await marie.json('DELETE', ADDRESS)).body).toMatchObject({ mail: { address: null } });
});

it('a browser is taken where its push service is one of those that are called, and taken away by its person alone', async () => {
  const path = '/session/notices/browsers';
  const { p256dh, auth } = pushedBrowser('').subscription;
  const subscribe = (who: Visitor, endpoint: string, point = p256dh) =>
    who.confirmed('POST', path, { endpoint, keys: { p256dh: point, auth }, name: 'Firefox' });
  const known = 'https://updates.push.services.mozilla.com/wpush/v2/abc';
  for (const endpoint of ['https://127.0.0.1/a', 'http://169.254.169.254/a', 'https://push.example.com/a'])
    expect(await subscribe(marie, endpoint)).toMatchObject({
      status: 422,
      body: { code: 'notice_service_unknown' },
    });
  expect((await subscribe(marie, known, 'A'.repeat(87))).body).toMatchObject({ code: 'body_wrong' });
  const { body } = await subscribe(marie, known);
  expect(body['pushKey']).toMatch(/^B[\w-]{86}$/);
  const [browser] = body['browsers'] as readonly { readonly id: string; readonly name: string }[];
  expect(browser?.name).toBe('Firefox');
  const other = await visitor(web, 'Eve Atangana', 'treasurer');
  const id = browser?.id ?? '';
  expect(await other.json('DELETE', `${path}/${id}`)).toMatchObject({
    status: 404,
    body: { code: 'notice_browser_unknown' },
  });
  // Whoever sits at it later is told there instead.
  expect((await subscribe(other, known)).body['browsers']).toHaveLength(1);
  const now = (await marie.json('GET', '/session/notices')).body;
  expect([now['browsers'], now['pushKey']]).toEqual([[], body['pushKey']]);
});

it('nothing but one plain mailbox is an address, and after five codes of a day no further one is sent', async () => {
  const paul = await visitor(web, 'Paul Essomba', 'maker');
  for (const address of [
    'a@example.com\r\nBcc: b@example.com',
    'a@example.com,b@example.com',
    'Paul <a@example.com>',
    'a\u202e@example.com',
    `${'a'.repeat(250)}@example.com`,
    'nobody',
  ])
    expect(await paul.confirmed('POST', ADDRESS, { address })).toMatchObject({
      status: 422,
      body: { code: 'body_wrong' },
    });
  for (let codes = 0; codes < 5; codes += 1)
    expect((await paul.confirmed('POST', ADDRESS, { address: 'stranger@example.com' })).status).toBe(200);
  expect(await paul.confirmed('POST', ADDRESS, { address: 'stranger@example.com' })).toMatchObject({
    status: 429,
    body: { code: 'notice_codes_many' },
  });
  await web.stop();
  expect(box.mails.filter(({ to }) => to[0] === 'stranger@example.com').length).toBeLessThanOrEqual(5);
});
