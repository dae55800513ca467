// The demo, in which a click stands for a passkey: only where its token is known, and only with play money.
import { afterAll, beforeAll, expect, it } from 'vitest';

import { demoPageConfig, invitePeople } from '../../src/app/desk/demo.ts';
import { serveWeb } from '../../src/web/serve-web.ts';
import { HEADER, lineTo } from '../app/desk.ts';
import { Visitor } from './with-people.ts';
import { openWeb, type Told, type Web } from './with-web.ts';

let web: Web;
let token = '';
beforeAll(async () => {
  token = 'the-token-of-the-printed-address';
  web = await openWeb('policy: { approval: required, approvalBy: name }', undefined, '', { token });
  await invitePeople(web.paydrop.config);
});
afterAll(() => web.close());

async function as(browser: Visitor, name: string, shown?: string): Promise<Told> {
  const people = (await browser.json('GET', '/session')).body['demo'] as readonly {
    id: string;
    name: string;
  }[];
  const person = people.find((each) => each.name === name)?.id ?? '';
  return browser.json('POST', '/session/demo', { person, ...(shown === undefined ? {} : { token: shown }) });
}

it('lets nobody in who has not the address that was printed, and changes by a click who has', async () => {
  const browser = new Visitor(web);
  expect((await as(browser, 'Armand Mbarga')).body['code']).toBe('token_unknown');
  expect((await as(browser, 'Armand Mbarga', 'guessed')).body['code']).toBe('token_unknown');
  expect((await as(browser, 'Armand Mbarga', token)).body['person']).toMatchObject({ roles: ['maker'] });
  const sent = await fetch(`${web.url}/api/v1/uploads`, {
    method: 'POST',
    headers: { 'x-file-name': 'demo.csv', cookie: browser.cookie, 'sec-fetch-site': 'same-origin' },
    body: `${[HEADER, lineTo('demo', 'D-1', '100')].join('\n')}\n`,
  });
  const { id } = (await sent.json()) as { id: string };
  const { batch } = (await browser.json('POST', `/uploads/${id}/submission`, {})).body;
  const path = `/files/${String(batch)}/approval`;
  let question = await browser.json('GET', path);
  while (question.status !== 200) {
    await web.paydrop.clock.sleep(20);
    question = await browser.json('GET', path);
  }
  const order = { question: question.body['digest'] };
  expect((await browser.json('POST', path, order)).body['code']).toBe('role_missing');
  expect((await as(browser, 'Marie Ngo')).status).toBe(200);
  expect((await browser.json('POST', path, order)).body).toMatchObject({
    state: 'approved',
    given: { by: 'Marie Ngo', proof: 'typed', isSigned: false },
  });
});

it('is never served where money is real', async () => {
  const config = await demoPageConfig();
  const paydrop = { ...web.paydrop, config, isSandbox: false };
  const parts = {
    paydrop,
    uploads: null as never,
    files: null as never,
    address: { host: '127.0.0.1', port: 0 },
    lookNow: () => undefined,
  };
  await expect(serveWeb(parts, { token })).rejects.toThrow('real');
});
