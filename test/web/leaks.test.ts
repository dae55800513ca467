// Data that must appear only where somebody asks for it: accounts, telephones, names and keys are in no log, no address and no event.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { systemClock } from '../../src/base/clock.ts';
import { openDoor } from '../../src/app/desk/open-door.ts';
import { HEADER, line, magic, openDesk } from '../app/desk.ts';
import { ask, live } from './with-process.ts';
import { ALL, dataOf, order, sent } from './with-web.ts';

/** Each stands in a row, or opens something; none of them may be found elsewhere. */
const PHONES = ['8613977440011', '86130100001', '8613977440033'];
const NAME = 'Xanthippe';

const POLL_MS = 50;

it('tells nobody’s telephone, name or key in a log, an address or an event', async () => {
  const desk = await openDesk();
  try {
    const { keys, file, close } = await openDoor((await desk.open()).config);
    const key = keys.make('Ledgerly', ALL, { isSandbox: true });
    await desk.shut();
    const log = join(desk.workspace, 'paydrop.log');
    const life = await live(
      desk,
      `log: { level: trace, file: "${log}" }\npolicy: { onInvalidRows: skip-rows }`,
    );
    const stream = await fetch(`${life.url}/api/v1/events`, { headers: { authorization: `Bearer ${key}` } });
    const heard: string[] = [];
    const listening = (async () => {
      const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value = '' } = (await reader?.read()) ?? { done: true };
        if (done) return;
        heard.push(value);
      }
    })().catch(() => undefined);

    const rows = [
      line('L-1', '100').replace('8613800138000', PHONES[0] ?? ''),
      magic('L-2', '0100001').replace('Li,', `${NAME},`),
      line('L-3', '1x').replace('8613800138000', PHONES[2] ?? ''),
    ].map((row) => row.replace('Li,Wei', `${NAME},Wei`));
    const { body, headers } = await ask(
      life,
      key,
      '/api/v1/uploads',
      sent('quiet.csv', `${[HEADER, ...rows].join('\n')}\n`),
    );
    const upload = `/api/v1/uploads/${String(body['id'])}`;
    while ((await ask(life, key, upload)).body['state'] !== 'checked') await systemClock.sleep(POLL_MS);
    // Where somebody asks for them, there they stand.
    const told = JSON.stringify(dataOf(await ask(life, key, `${upload}/rows?at=0&limit=100`)));
    for (const secret of [...PHONES, NAME]) expect(told).toContain(secret);
    const { body: taken } = await ask(life, key, `${upload}/submission`, order({ skipRows: true }));
    const batch = `/api/v1/files/${String(taken['batch'])}`;
    // A program that asks faster is told to wait.
    while ((await ask(life, key, batch)).body['state'] !== 'closed') await systemClock.sleep(POLL_MS);
    await ask(life, key, `${batch}/timeline`);
    const wrong = `pd_test_${'w'.repeat(43)}`;
    expect((await ask(life, wrong, batch)).status).toBe(401);
    expect((await ask(life, key, `${batch}/rows?find=${NAME}`)).status).toBe(200);

    // What is told is told at the next look.
    while (!heard.join('').includes('event: rows')) await systemClock.sleep(POLL_MS);
    life.child.kill('SIGTERM');
    await life.ended;
    await listening;
    const logged = readFileSync(log, 'utf8');
    expect(logged.split('\n').length).toBeGreaterThan(5);
    const access = file.database.prepare('SELECT * FROM access_log').all();
    close();
    const places = {
      logged,
      terminal: life.said(),
      events: heard.join(''),
      location: headers.get('location') ?? '',
      access: JSON.stringify(access),
    };
    for (const [place, text] of Object.entries(places))
      for (const secret of [...PHONES, NAME, key.slice(14), wrong.slice(14)])
        expect(text.includes(secret), `${secret} in ${place}`).toBe(false);
  } finally {
    await desk.close();
  }
});
