// The JSON Schema of the config is for editors; it must say what the program checks, and the sample config must pass.
import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { ConfigUnusable } from '../../src/app/config/yaml-file.ts';
import { KEY_DESCRIPTIONS } from '../../src/app/config/key-descriptions.ts';
import { loadConfig, parseConfig } from '../../src/app/config/config.ts';

import { configSample } from '../docs/config-sample.ts';
import { configJsonSchema, describedAt, keysOf } from '../docs/config-schema.ts';

const SCHEMA = new URL('../../config/paydrop.schema.json', import.meta.url);
const SAMPLE = new URL('../../config/paydrop.yaml', import.meta.url);

test('the JSON Schema in config/ is the one of the program', () => {
  expect(JSON.parse(readFileSync(SCHEMA, 'utf8'))).toEqual(configJsonSchema());
});

test('every key has a sentence that says what it does, and every sentence a key', () => {
  const keys = keysOf(configJsonSchema()).map(({ path }) => path);
  expect(keys.length).toBeGreaterThan(100);
  expect(keys.filter((key) => describedAt(key) === undefined)).toEqual([]);
  expect(Object.keys(KEY_DESCRIPTIONS).filter((key) => !keys.includes(key))).toEqual([]);
});

test.each([
  ['polcy: {}', 'polcy: there is no such key; did you mean "policy"'],
  ['policy: { aproval: none }', 'policy.aproval: there is no such key; did you mean "approval"'],
  ['schedules: [{ foldr: a }]', 'did you mean "folder"'],
  ['qqqqqq: 1', 'qqqqqq: there is no such key.'],
  ['service: { apiKey: abc }', 'name that in service.apiKeyFile'],
  ['limits: { perRow: 5 000 000 XAF }', 'write an amount with its currency, such as 5000000 XAF'],
  ['tracking: { pollEvery: 5 }', 'write a duration such as 2s, 15m or 5d'],
  ['service: { concurrency: many }', 'service.concurrency: write "auto", or a number from 1 to 256'],
  ['webhooks: 1', 'webhooks: write a section with keys of its own'],
])('%s: is told in words that say what to write', (text, words) => {
  expect(() => parseConfig(text, 'paydrop.yaml')).toThrow(words);
});

test('every wrong key of a section is told, in the order of the lines', () => {
  const text = 'polcy: {}\nservice:\n  timout: 3s\n  apiKey: abc\n  baseurl: http://x\n';
  expect(() => parseConfig(text, 'c.yaml')).toThrow(
    [
      'c.yaml, line 1, column 8: polcy: there is no such key; did you mean "policy"?',
      'c.yaml, line 3, column 11: service.timout: there is no such key; did you mean "timeout"?',
      'c.yaml, line 4, column 11: service.apiKey: the key never stands in the config: put it into a file and name that in service.apiKeyFile.',
      'c.yaml, line 5, column 12: service.baseurl: there is no such key; did you mean "baseUrl"?',
    ].join('\n'),
  );
});

test('the sample config gives the defaults', () => {
  const { workspace, ...sample } = parseConfig(readFileSync(SAMPLE, 'utf8'), 'paydrop.yaml');
  expect(workspace).toBe('./workspace');
  expect(sample).toEqual(parseConfig('', 'empty'));
});

test('the sample config has every key, and each of its examples is taken', () => {
  const sample = configSample(true);
  expect(parseConfig(sample, 'paydrop.yaml')).toMatchObject({ sftp: [{ name: 'erp' }] });
  const names = keysOf(configJsonSchema()).map(({ path }) => path.split('.').at(-1) ?? path);
  expect(names.filter((name) => !sample.includes(`${name}:`))).toEqual([]);
});

test('a misspelt key is named with its line and column', () => {
  expect(() => parseConfig('tracking:\n  pollEvry: 1s\n', 'paydrop.yaml')).toThrow(
    /paydrop\.yaml, line 2, column 1?\d: tracking\.pollEvry/,
  );
});

test('a wrong duration is named with what to write', () => {
  expect(() => parseConfig('tracking: { pollEvery: soon }', 'paydrop.yaml')).toThrow(
    /write a duration such as 2s, 15m or 5d/,
  );
});

test('plain HTTP is taken on this machine only', () => {
  const key = { PAYDROP_API_KEY: 'k' };
  expect(() => loadConfig({}, { ...key, PAYDROP_BASE_URL: 'http://example.com' })).toThrow(ConfigUnusable);
  expect(loadConfig({}, { ...key, PAYDROP_BASE_URL: 'http://127.0.0.1:1' }).baseUrl?.port).toBe('1');
});

test('a service without a key is refused, and the key is never in the message', () => {
  expect(() => loadConfig({}, { PAYDROP_BASE_URL: 'https://example.com' })).toThrow(/no API key/);
  expect(() =>
    loadConfig({}, { PAYDROP_BASE_URL: 'https://example.com', PAYDROP_API_KEY: 'canary key' }),
  ).toThrow(/^(?!.*canary)/);
});

test('a setting that this version cannot obey is refused, not ignored', () => {
  const path = new URL('./schedules.yaml', import.meta.url).pathname;
  expect(() => loadConfig({ config: path }, {})).toThrow(/schedules/);
});

const OIDC =
  'name: Contoso, clientId: paydrop, roles: { finance: [maker] }, issuer: "http://login.example.com"';

test.each([
  ['service', 'callbackUrl', '"http://hooks.example.com"', /service\.callbackUrl must start with/],
  ['service', 'baseUrl', '"http://pay.example.com"', /base URL must start with/],
  ['webhooks', 'listen', '"8788"', /webhooks\.listen must be an address/],
  ['metrics', 'listen', '"8789"', /metrics\.listen must be an address/],
  ['web', 'listen', '"127.0.0.1"', /web\.listen must be an address/],
  ['web', 'publicUrl', '"https://pay.example.com/x"', /without a path/],
  ['web', 'publicUrl', 'pay.example.com', /web\.publicUrl must be/],
  ['notify', 'hook', '{ url: "http://h.example/x" }', /notify\.hook\.url must start with/],
  ['web', 'oidc', `{ ${OIDC} }`, /must be an https address/],
])('a text that %s.%s cannot use is reported with its line and column: %s', (section, key, value, words) => {
  const text = `# a comment\n${section}:\n  ${key}: ${value}\n`;
  const column = 1 + `  ${key}: ${value}`.search(value.startsWith('{') ? /"http/ : /(?<=: )\S/);
  const read = (): unknown => parseConfig(text, 'paydrop.yaml');
  expect(read).toThrow(words);
  expect(read).toThrow(`paydrop.yaml, line 3, column ${String(column)}: `);
});
