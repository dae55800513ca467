// Who may be served at which address: an address for other machines needs a certificate, and a server behind a proxy needs a name.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';

import { expect, it } from 'vitest';

import { readWebConfig, type WebConfig } from '../../src/app/config/listeners.ts';
import { FileViews } from '../../src/app/desk/file-views.ts';
import { moneyStatus, scheduleStatuses } from '../../src/app/desk/money-status.ts';
import { openDesk } from '../app/desk.ts';

const OFF: WebConfig = { listen: null, publicUrl: null, tls: null, behindProxy: false, oidc: null };
const TLS = { certFile: 'c.pem', keyFile: 'k.pem' };

it.each<[string, Partial<WebConfig>, RegExp | null]>([
  ['off', {}, null],
  ['this machine', { listen: '127.0.0.1:8790' }, null],
  ['this machine by name', { listen: 'localhost:8790' }, null],
  ['this machine, IPv6', { listen: '[::1]:8790' }, null],
  ['every address', { listen: '0.0.0.0:8790' }, /which other machines reach/],
  ['every address with a certificate', { listen: '0.0.0.0:8790', tls: TLS }, null],
  ['behind a proxy without a name', { listen: '0.0.0.0:8790', behindProxy: true }, /needs web\.publicUrl/],
  [
    'behind a proxy',
    { listen: '0.0.0.0:8790', behindProxy: true, publicUrl: 'https://pay.example.com' },
    null,
  ],
  ['no port', { listen: '127.0.0.1' }, /web\.listen must be an address and a port/],
])('%s', (_, web, fault) => {
  const read = (): WebConfig => readWebConfig({ ...OFF, ...web }, '/etc/paydrop');
  if (fault === null)
    expect(read().tls).toEqual(
      web.tls === undefined ? null : { certFile: '/etc/paydrop/c.pem', keyFile: '/etc/paydrop/k.pem' },
    );
  else expect(read).toThrow(fault);
});

it('keys are made, listed and ended on the command line, and only the new key is printed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paydrop-people-'));
  const main = new URL('../../src/main.ts', import.meta.url).pathname;
  const people = (...args: readonly string[]) => {
    const { stdout, stderr, status } = spawnSync(execPath, [main, '--workspace', folder, 'people', ...args], {
      encoding: 'utf8',
    });
    return { said: stdout.trim(), stderr, status };
  };
  const made = people(
    'key',
    '--name',
    'Ledgerly',
    '--scopes',
    'files:read,money:read',
    '--until',
    '2030-01-31',
  );
  expect(made.said).toMatch(/^pd_test_[\w-]{43}$/);
  expect(JSON.parse(people('list', '--json').said)).toMatchObject({
    keys: [
      {
        name: 'Ledgerly',
        scopes: ['files:read', 'money:read'],
        endsAt: '2030-01-31T00:00:00.000Z',
        prefix: made.said.slice(0, 14),
      },
    ],
  });
  expect(people('list').said).not.toContain(made.said);
  expect(people('key', '--name', 'X', '--scopes', 'approve')).toMatchObject({ said: '', status: 2 });
  expect([people('remove', made.said.slice(0, 14)).status, people('remove', 'Ledgerly').status]).toEqual([
    0, 2,
  ]);
  rmSync(folder, { recursive: true });
});

it('a daemon that serves nobody loads nothing for it, and one that does tells where', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paydrop-loads-'));
  const loadedBy = (web: string) => {
    const config = join(folder, 'paydrop.yaml');
    writeFileSync(config, `workspace: ./work\nmetrics: { listen: null }\nweb: { listen: ${web} }\n`);
    const main = new URL('../../src/cli/main.ts', import.meta.url).pathname;
    // It is asked to stop as soon as it has said that it watches.
    const script = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
      const write = process.stderr.write.bind(process.stderr);
      process.stderr.write = (text, ...rest) => {
        if (String(text).includes('watching ')) process.kill(process.pid, 'SIGTERM');
        return write(text, ...rest);
      };
      const { main } = await import(${JSON.stringify(main)});
      await main(['--config', ${JSON.stringify(config)}, 'watch'], () => undefined);
      process.stdout.write(JSON.stringify(loaded));`;
    const { stdout, stderr } = spawnSync(execPath, ['--input-type=module', '--eval', script], {
      timeout: 20_000,
      encoding: 'utf8',
    });
    const own = (JSON.parse(stdout) as readonly string[]).map((url) =>
      url.slice(url.lastIndexOf('/src/') + 5),
    );
    return { web: own.filter((file) => /^(web\/|app\/intake\/upload)/.test(file)), stderr };
  };
  expect(loadedBy('null').web).toEqual([]);
  const { web, stderr } = loadedBy('"127.0.0.1:0"');
  expect(web).toContain('web/serve-web.ts');
  expect(stderr).toMatch(/served at http:\/\/localhost:\d+\/api\/v1/);
  rmSync(folder, { recursive: true });
});

it('what is promised is what files that are not sent yet will take, and what was spent counts for the day', async () => {
  const desk = await openDesk();
  const limits =
    'limits: { perDay: ["5000000 XAF"] }\nschedules: [{ folder: rent, cron: "0 9 28 * *", timeZone: Africa/Douala }]';
  const paydrop = await desk.open(limits);
  const [xaf] = (await moneyStatus(paydrop, new FileViews(paydrop))).filter(
    ({ currency }) => currency === 'XAF',
  );
  expect(xaf).toMatchObject({ promised: '0', unpriced: 0, spentToday: '0', perDay: '5000000' });
  const [schedule, ...others] = await scheduleStatuses(paydrop);
  expect(others).toEqual([]);
  expect(schedule).toMatchObject({
    folder: 'rent',
    isThere: false,
    standing: false,
    missed: 'pay',
    waiting: [],
  });
  expect(schedule?.next).toHaveLength(3);
  // Nine o'clock in Douala, which never changes its clocks.
  for (const time of schedule?.next ?? []) expect(time).toMatch(/-28T08:00:00\.000Z$/);
  await desk.close();
});
