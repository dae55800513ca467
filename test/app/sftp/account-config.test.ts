// The section `sftp` of the config: every fault is reported with its place when it is read, and no secret is ever shown.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { loadConfig, type Config } from '../../../src/app/config/config.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paydrop-accounts-'));
  writeFileSync(
    join(folder, 'key'),
    '-----BEGIN OPENSSH PRIVATE KEY-----\nx\n-----END OPENSSH PRIVATE KEY-----\n',
  );
  writeFileSync(join(folder, 'password'), 'canary secret\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

const PIN = `SHA256:${'a'.repeat(43)}`;
const GOOD = `name: erp, host: sftp.example.com, hostKey: "${PIN}", user: payer, privateKeyFile: ./key, pull: /out, push: /in`;

function load(account: string, environment: NodeJS.ProcessEnv = {}): Config {
  const path = join(folder, 'paydrop.yaml');
  writeFileSync(path, `sftp:\n  - { ${account} }\n`);
  return loadConfig({ config: path }, environment);
}

function without(key: string): string {
  return GOOD.split(', ')
    .filter((part) => !part.startsWith(`${key}:`))
    .join(', ');
}

describe('an account', () => {
  it('is read with what nobody has said: port 22, once a minute, still for ten seconds, originals moved', () => {
    expect(load(GOOD).sftpAccounts).toMatchObject([
      {
        name: 'erp',
        port: 22,
        hostKeys: [PIN],
        credential: { kind: 'key', passphrase: null },
        secretFile: join(folder, 'key'),
        pull: ['/out'],
        push: '/in',
        answers: 'own',
        rhythm: { everyMs: 60_000 },
        files: ['*'],
        settleForMs: 10_000,
        readyMarker: null,
        processed: 'move',
      },
    ]);
  });

  it('has several keys while the server changes its own, several folders, and a time of the day', () => {
    const account = `${without('hostKey').replace('pull: /out', 'pull: [/out/, /second]')}, hostKey: ["${PIN}", "${PIN}"], cron: "30 6 * * 1-5", timeZone: Africa/Douala`;
    expect(load(account).sftpAccounts).toMatchObject([
      {
        hostKeys: [PIN, PIN],
        pull: ['/out', '/second'],
        rhythm: { cron: '30 6 * * 1-5', timeZone: 'Africa/Douala' },
      },
    ]);
  });

  it('logs in with a password from a file or from the environment', () => {
    const plain = without('privateKeyFile');
    expect(load(`${plain}, passwordFile: ./password`).sftpAccounts).toMatchObject([
      { credential: { kind: 'password', password: 'canary secret' } },
    ]);
    expect(load(`${plain}, passwordEnv: ERP`, { ERP: 'other' }).sftpAccounts).toMatchObject([
      { credential: { kind: 'password', password: 'other' }, secretFile: null },
    ]);
  });
});

describe('is refused with its place:', () => {
  const faults: readonly (readonly [string, string, RegExp])[] = [
    ['a server without a pinned key', without('hostKey'), /sftp.0.hostKey: .*ssh-keygen/],
    ['a key that is no fingerprint', `${without('hostKey')}, hostKey: "MD5:aa"`, /ssh-keygen -lf/],
    ['no way to log in', without('privateKeyFile'), /exactly one of privateKeyFile/],
    ['two ways to log in', `${GOOD}, passwordEnv: ERP`, /exactly one of privateKeyFile/],
    ['a folder on the way up', GOOD.replace('/out', '/out/../x'), /line 2, .*without "\.\."/],
    ['answers where files are fetched', GOOD.replace('/in', '/out'), /another folder/],
    ['two folders of one name', GOOD.replace('pull: /out', 'pull: [/a/out, /b/out]'), /the same name/],
    ['nothing to do', GOOD.replace(', pull: /out, push: /in', ''), /a folder to pull from/],
    ['a time that is none', `${GOOD}, cron: "x * * * *"`, /five fields/],
    ['a time and an interval', `${GOOD}, cron: "1 1 * * *", pollEvery: 1m`, /either pollEvery or cron/],
    ['an interval of nothing', `${GOOD}, pollEvery: "0"`, /a time above 0/],
    ['a misspelt key', `${GOOD}, hostkey: x`, /hostkey/],
    ['a name that is no folder', GOOD.replace('erp', '../erp'), /a folder of the inbox/],
    ['a profile that nobody wrote', `${GOOD}, profile: none`, /the profile none, which does not exist/],
    ['a public key', GOOD.replace('./key', './password'), /holds no private key/],
    ['a key that is not there', GOOD.replace('./key', './nothing'), /cannot be read/],
    ['a variable that is not set', `${without('privateKeyFile')}, passwordEnv: ERP`, /ERP, which is not set/],
  ];
  it.each(faults)('%s', (_what, account, words) => {
    expect(() => load(account)).toThrow(words);
    expect(() => load(account)).toThrow(/^(?!.*canary)/s);
  });

  it('two accounts of one name', () => {
    expect(() => load(`${GOOD} }\n  - { ${GOOD.replace('erp', 'ERP')}`)).toThrow(
      /line 3, .*two accounts have this name/,
    );
  });
});
