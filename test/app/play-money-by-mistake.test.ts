// Play money must never pass for a payment: settings of a real service without its address are refused, and so is a misspelt variable.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { ConfigUnusable } from '../../src/app/config/yaml-file.ts';
import { loadConfig, type Config } from '../../src/app/config/config.ts';
import { HEADER, line } from './desk.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'play-money-'));
  writeFileSync(join(folder, 'key'), 'key-of-the-service\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

function load(text: string, environment: Record<string, string> = {}): Config {
  const config = join(folder, 'paydrop.yaml');
  writeFileSync(config, text);
  return loadConfig({ config }, environment);
}

/** What a desk sets that means to pay really: the setting, its line of the config, and the environment. */
const REAL: readonly (readonly [string, string, Record<string, string>])[] = [
  ['service.apiKeyFile', 'service: { apiKeyFile: ./key }', {}],
  ['service.callbackUrl', 'service: { callbackUrl: "https://hooks.example.com/p" }', {}],
  ['PAYDROP_API_KEY', '', { PAYDROP_API_KEY: 'canary' }],
  ['PAYDROP_API_KEY_FILE', '', { PAYDROP_API_KEY_FILE: '/nowhere/key' }],
  ['limits.perRow', 'limits: { perRow: 5 XAF }', {}],
  ['limits.perPayeePerDay', 'limits: { perPayeePerDay: 5 XAF }', {}],
  ['limits.perFile', 'limits: { perFile: 5 XAF }', {}],
  ['limits.perDay', 'limits: { perDay: 5 XAF }', {}],
  ['limits.refusalShare', 'limits: { refusalShare: 20% }', {}],
  ['limits.feeShare', 'limits: { feeShare: 3% }', {}],
  ['limits.leastRates', 'limits: { leastRates: { XAF/EUR: 0.0015 } }', {}],
];

describe('without a base URL', () => {
  it.each(REAL)('%s is refused by name, unless play money is asked for', (setting, text, environment) => {
    expect(() => load(text, environment)).toThrow(ConfigUnusable);
    const words = new RegExp(
      `^(?!.*canary).*${setting.replace('.', '\\.')}(?![A-Z_]).*sandbox: true.*play money`,
    );
    expect(() => load(text, environment)).toThrow(words);
    expect(load(`${text}\nsandbox: true`, environment).baseUrl).toBeNull();
  });

  it('everything that is set is named at once', () => {
    const text = 'service: { apiKeyFile: ./key }\nlimits: { perRow: 5 XAF, perDay: 9 XAF }';
    expect(() => load(text)).toThrow(/service\.apiKeyFile, limits\.perRow, limits\.perDay/);
  });

  it('nothing else needs the word: a sender, a policy and an empty variable stay as they were', () => {
    const text = 'sender: { city: Douala }\npolicy: { approval: required }';
    expect(load(text, { PAYDROP_API_KEY: '', PAYDROP_BASE_URL: '' }).baseUrl).toBeNull();
    expect(loadConfig({}, {}).sandbox).toBe(false);
  });
});

describe('with a base URL', () => {
  const service = (url: string) =>
    `service: { baseUrl: "${url}", apiKeyFile: ./key }\nlimits: { perDay: 5 XAF }`;

  it('key and limits are what they should be', () => {
    expect(load(service('https://payouts.example.com')).apiKey).toBe('key-of-the-service');
  });

  it('the word for play money is refused, except for a service on this machine', () => {
    expect(() => load(`${service('https://payouts.example.com')}\nsandbox: true`)).toThrow(
      /sandbox: true.*play money.*https:\/\/payouts\.example\.com/,
    );
    expect(() => load('sandbox: true', { PAYDROP_BASE_URL: 'https://payouts.example.com' })).toThrow(
      ConfigUnusable,
    );
    expect(load(`${service('http://127.0.0.1:8080')}\nsandbox: true`).baseUrl?.port).toBe('8080');
  });
});

describe('a variable that begins with PAYDROP_', () => {
  it.each([
    ['PAYDROP_BASEURL', 'PAYDROP_BASE_URL'],
    ['PAYDROP_API_KEYFILE', 'PAYDROP_API_KEY_FILE'],
    ['PAYDROP_WORKSPCE', 'PAYDROP_WORKSPACE'],
    ['PAYDROP_base_url', 'PAYDROP_BASE_URL'],
    ['PAYDROP_TESTS', ''],
  ])('and is unknown is refused, and the one that was meant is named: %s', (name, meant) => {
    const words = new RegExp(`^(?!.*canary).*${name}, .*${meant}`);
    expect(() => load('', { [name]: 'canary' })).toThrow(ConfigUnusable);
    expect(() => load('', { [name]: 'canary' })).toThrow(words);
    expect(() => load('sandbox: true', { [name]: 'canary' })).toThrow(words);
  });

  it('and resembles none is told which ones there are', () => {
    expect(() => load('', { PAYDROP_COLOUR: 'x' })).toThrow(
      /PAYDROP_COLOUR, .*PAYDROP_BASE_URL, .*PAYDROP_HOOK_SECRET_FILE/,
    );
  });

  it('and is known, is of the tests, or is named by an account is taken', () => {
    const known = {
      PAYDROP_WORKSPACE: folder,
      PAYDROP_CONFIG: 'elsewhere',
      PAYDROP_LEDGER_URL: 'sqlite:l',
      PAYDROP_LEDGER_PASSWORD_FILE: 'x',
      PAYDROP_SMTP_PASSWORD: 'x',
      PAYDROP_SMTP_PASSWORD_FILE: 'x',
      PAYDROP_HOOK_SECRET: 'x',
      PAYDROP_HOOK_SECRET_FILE: 'x',
      PAYDROP_TEST_ROWS: '5',
      PAYDROPS: 'x',
    };
    expect(load('', known).workspacePath).toBe(folder);
    const pin = `SHA256:${'a'.repeat(43)}`;
    const account = `sftp: [{ name: erp, host: h.example, hostKey: "${pin}", user: u, passwordEnv: PAYDROP_ERP, pull: /out, push: /in }]`;
    expect(load(account, { PAYDROP_ERP: 'x' }).sftpAccounts).toHaveLength(1);
    expect(() => load('', { PAYDROP_ERP: 'x' })).toThrow(/PAYDROP_ERP/);
  });
});

/** Each command is a process of its own, which a busy machine starts slowly. */
const SLOW_MS = 120_000;

const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('PAYDROP_')),
);

function paydrop(args: readonly string[], environment: Record<string, string> = {}) {
  return spawnSync(process.execPath, ['src/main.ts', '--workspace', join(folder, 'work'), ...args], {
    encoding: 'utf8',
    env: { ...ENVIRONMENT, ...environment },
  });
}

it(
  'a command ends with 2 over such a configuration, and the status of play money says SANDBOX',
  () => {
    const file = join(folder, 'a.csv');
    writeFileSync(file, `${HEADER}\n${line('A', '100')}\n`);
    const misspelt = { PAYDROP_BASEURL: 'https://payouts.example.com', PAYDROP_API_KEY: 'canary' };
    for (const args of [['run', file], ['status'], ['doctor']]) {
      const { status, stderr, stdout } = paydrop(args, misspelt);
      expect({ status, stdout: args[0] === 'doctor' ? '' : stdout }).toEqual({ status: 2, stdout: '' });
      expect(`${stdout}${stderr}`).toMatch(/PAYDROP_BASEURL, .*PAYDROP_BASE_URL/);
    }
    expect(paydrop(['status'], { PAYDROP_API_KEY: 'canary' }).status).toBe(2);
    expect(paydrop(['run', file, '--wait', '0']).status).toBe(0);
    expect(paydrop(['status']).stdout).toMatch(/^ *SANDBOX {2}a\.csv {2}/m);
    expect(paydrop(['status', 'a.csv']).stdout).toMatch(/^ *SANDBOX {2}a\.csv {2}/m);
  },
  SLOW_MS,
);
