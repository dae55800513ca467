// What somebody is told of, chosen at the page in a real browser: an address by its code, and the browser itself, which shows what its push service brings.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HEADER, line } from '../app/desk.ts';
import { mailbox, type Mailbox } from '../app/telling/mailbox.ts';
import { pushedBrowser, pushService } from '../app/telling/push-service.ts';
import { until } from '../sandbox/until.ts';
import { openWeb, type Web } from '../web/with-web.ts';
import { comeIn, hasBrowser, obstacles, openBrowser, openTab, picture } from './with-browser.ts';

let web: Web;
let box: Mailbox;
let service: Awaited<ReturnType<typeof pushService>>;
let browser: Browser;

beforeAll(async () => {
  if (!hasBrowser) return;
  box = await mailbox();
  service = await pushService();
  const email = `{ host: 127.0.0.1, port: ${String(box.port)}, security: none, from: paydrop@example.com, to: list@example.com }`;
  web = await openWeb(
    `notify: { email: ${email}, push: { services: ["${service.origin}"] }, events: [trouble] }\npolicy: { approval: required }`,
  );
  browser = await openBrowser();
});
afterAll(async () => {
  if (!hasBrowser) return;
  await browser.close();
  await web.close();
});

describe.skipIf(!hasBrowser)('notices', () => {
  it('are chosen by mail and for this browser, and both tell that a file waits', async () => {
    const tab = await openTab(browser);
    const { page } = tab;
    const told = pushedBrowser(service.url);
    await page.context().grantPermissions(['notifications'], { origin: web.url });
    // The push service of the browser's maker is not to be reached from a test.
    const { endpoint, ...keys } = told.subscription;
    const json = JSON.stringify({ endpoint, keys });
    await page.addInitScript(`PushManager.prototype.subscribe = async () => ({ toJSON: () => (${json}) })`);
    await comeIn(tab, web, 'Marie Ngo', 'checker');
    await page.goto(`${web.url}/settings`);

    await page.getByLabel('Your mail address').fill('marie@example.com');
    await page.getByRole('button', { name: 'Send a code there' }).click();
    await until(() => box.mails.length === 1);
    const code = /\b\d{6}\b/.exec(box.mails[0]?.text ?? '')?.[0] ?? '';
    await page.getByLabel('The code from the mail').fill(code);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('button', { name: 'Take the address away' }).waitFor();
    const group = (name: string) => page.getByRole('group', { name });
    const decision = 'a file or held rows wait for a decision that I may take';
    await group('Tell me by mail when').getByLabel(decision).check();

    await page.getByRole('button', { name: 'Tell me in this browser' }).click();
    await page.getByRole('rowheader', { name: 'Chrome, Linux' }).waitFor();
    await group('Tell me in these browsers when').getByLabel(decision).check();
    await picture(tab, 'notices');
    expect(await obstacles(tab)).toEqual([]);

    const file = join(web.desk.workspace, 'inbox', 'payroll.csv');
    await writeFile(file, `${[HEADER, line('A-1', '100')].join('\n')}\n`);
    await until(() => box.mails.length === 2 && service.received.length === 1);
    expect(box.mails[1]?.to).toEqual(['marie@example.com']);
    const said = told.read(service.received[0]?.body ?? Buffer.alloc(0)) as { readonly title: string };
    expect(said.title).toBe('[paydrop] payroll.csv: waits for approval, 1 row');

    const devtools = await page.context().newCDPSession(page);
    const registered = Promise.withResolvers<string>();
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => {
      if (first !== undefined) registered.resolve(first.registrationId);
    });
    await devtools.send('ServiceWorker.enable');
    const registrationId = await registered.promise;
    const pushed = () =>
      devtools.send('ServiceWorker.deliverPushMessage', {
        origin: web.url,
        registrationId,
        data: JSON.stringify(said),
      });
    const titles = (): Promise<readonly string[]> =>
      page.evaluate(
        `navigator.serviceWorker.getRegistration('/assets/').then((worker) => worker.getNotifications()).then((all) => all.map(({ title }) => title))`,
      );
    // Whoever asks Chromium for what is shown has it forget what is about to be shown: it may take a second push, which shows in the place of the first.
    await until(async () => {
      await pushed();
      return (await titles()).length === 1;
    });
    expect(await titles()).toEqual([said.title]);

    await page.getByRole('row', { name: 'Chrome, Linux' }).getByRole('button').click();
    await page.getByText('No browser tells you anything yet.').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });
});
