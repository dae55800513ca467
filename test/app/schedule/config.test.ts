// What the config says of times and folders is checked when it is read: a fault there would otherwise show on the pay day.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { loadConfig, parseConfig } from '../../../src/app/config/config.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-config-'));
});
afterEach(() => rm(folder, { recursive: true }));

const schedule = (more: string) =>
  `schedules:\n  - folder: salaries\n    timeZone: Africa/Douala\n    ${more}\n`;

it('a schedule has a folder, five fields and the name of a zone', () => {
  const [first] = parseConfig(schedule('cron: 0 9 28 * *'), 'paydrop.yaml').schedules;
  expect(first).toEqual({
    folder: 'salaries',
    cron: '0 9 28 * *',
    timeZone: 'Africa/Douala',
    missed: 'pay',
    standing: false,
    profile: null,
    policy: {},
  });
});

it.each([
  ['cron: 0 25 28 * *', /line 4.*cron.*five fields/],
  ['cron: 0 9 28 *', /cron.*five fields/],
  ['cron: 0 0 9 28 * *', /cron.*five fields/],
  ['cron: 0 9 30 2 *', /never comes/],
  ['cron: 0 9,17 28 * *\n    standing: true', /once a day/],
  ['cron: 0 9 28 * *\n    standng: true', /standng/],
  ['cron: 0 9 28 * *\n    policy: { onInvalidRows: ignore }', /onInvalidRows/],
])('a fault is told with its place: %s', (written, told) => {
  expect(() => parseConfig(schedule(written), 'paydrop.yaml')).toThrow(told);
});

it.each(['Africa/Doula', '+01:00', 'CET+1', ''])('%j is not the name of a zone', (zone) => {
  const text = schedule('cron: 0 9 28 * *').replace('Africa/Douala', JSON.stringify(zone));
  expect(() => parseConfig(text, 'paydrop.yaml')).toThrow(/name of a time zone/);
});

it.each(['../salaries', '/salaries', '.hidden', 'a//b', 'a/../b'])(
  '%j is no folder below the inbox',
  (name) => {
    expect(() => parseConfig(`tenants: [{ folder: ${JSON.stringify(name)} }]`, 'paydrop.yaml')).toThrow(
      /folder below the inbox/,
    );
  },
);

it('a folder is named once, and its profile is there', async () => {
  const config = join(folder, 'paydrop.yaml');
  await writeFile(config, `${schedule('cron: 0 9 28 * *')}tenants: [{ folder: Salaries }]\n`);
  expect(() => loadConfig({ config }, {})).toThrow(/named twice/);
  await writeFile(config, 'tenants: [{ folder: north, profile: bank }]\n');
  expect(() => loadConfig({ config }, {})).toThrow(/profile "bank"/);
});
