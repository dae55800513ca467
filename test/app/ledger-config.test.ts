// Where the config puts the ledger, by what a database is recognised, and where its password may stand.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeEach, describe, expect, it } from 'vitest';

import { loadConfig, type Config } from '../../src/app/config/config.ts';
import { configDigest, nodeName } from '../../src/app/config/ledger-config.ts';
import { ConfigUnusable } from '../../src/app/config/yaml-file.ts';
import { atEnd } from '../at-end.ts';

let folder: string;
beforeEach(() => {
  const made = mkdtempSync(join(tmpdir(), 'ledger-config-'));
  atEnd(() => rmSync(made, { recursive: true }));
  folder = made;
});

function load(yaml: string, environment: NodeJS.ProcessEnv = {}): Config {
  const path = join(folder, 'paydrop.yaml');
  writeFileSync(path, yaml);
  return loadConfig({ config: path }, environment);
}

function fault(yaml: string, environment: NodeJS.ProcessEnv = {}): string {
  try {
    load(yaml, environment);
  } catch (error) {
    if (error instanceof ConfigUnusable) return error.message;
    throw error;
  }
  return 'nothing is wrong';
}

const URL = 'postgres://paydrop@db.internal:5433/paydrop?schema=acme';

describe('the ledger of a config', () => {
  it('is the file in the workspace where nothing is said', () => {
    expect(load('')).toMatchObject({ ledgerPath: null, sharedLedger: null });
  });

  it('is a database, with the password of its file; the node is called as the config says', () => {
    writeFileSync(join(folder, 'db'), 's3cret word\n');
    const config = load(
      `ledger: ${URL}\nledgerPasswordFile: ./db\ncluster: { node: pay-1, giveUpAfter: 8s }`,
    );
    expect(config.sharedLedger).toEqual({ url: URL, password: 's3cret word', giveUpAfterMs: 8_000 });
    expect(nodeName(config)).toBe('pay-1');
    expect(nodeName(load(''))).not.toBe('');
  });

  it('is shared only where the rule for approvals does not depend on which machine serves the page', () => {
    const web = 'web: { listen: 127.0.0.1:8790 }';
    expect(fault(`ledger: ${URL}\n${web}`)).toContain('Set policy.approvalBy');
    expect(load(`ledger: ${URL}\n${web}\npolicy: { approvalBy: name }`).sharedLedger).not.toBeNull();
    expect(load(web).sharedLedger).toBeNull();
  });

  it('is what the environment says, whatever the file says; there the password may stand in the URL', () => {
    writeFileSync(join(folder, 'db'), 'from the file');
    const inUrl = { PAYDROP_LEDGER_URL: 'postgresql://me:a%2Fb@localhost/pay' };
    expect(load(`ledger: ${URL}`, inUrl).sharedLedger).toEqual({
      url: 'postgresql://me@localhost/pay',
      password: 'a/b',
      giveUpAfterMs: 5_000,
    });
    const byFile = { PAYDROP_LEDGER_PASSWORD_FILE: join(folder, 'db') };
    expect(load(`ledger: ${URL}`, byFile).sharedLedger?.password).toBe('from the file');
    const sqlite = load(`ledger: ${URL}`, { PAYDROP_LEDGER_URL: 'sqlite:/var/lib/pay.sqlite' });
    expect(sqlite).toMatchObject({ ledgerPath: '/var/lib/pay.sqlite', sharedLedger: null });
    expect(load('ledger: sqlite:own.sqlite').ledgerPath).toBe(join(folder, 'own.sqlite'));
  });

  it.each([
    ['ledger: postgres://me:secret@db/pay', /others can read it there.+ledgerPasswordFile/],
    ['ledger: mysql://me@db/pay', /ledger does not name a ledger: write sqlite:PATH, or postgres:/],
    ['ledger: postgres://db/pay', /needs a user, a host and a name/],
    ['ledger: postgres://me@db', /needs a user, a host and a name/],
    ['ledger: postgres://me@db/pay?shema=acme', /does not take "shema"; it takes schema, sslmode/],
    ['ledger: postgres://me@db/pay?schema=Acme', /small letters/],
    ['ledger: postgres://me@db/pay\nledgerPasswordFile: ./nowhere', /cannot be read, or is empty.+nowhere/],
    ['cluster: { giveUpAfter: 1s }', /from 2s to 5m/],
    ['cluster: { node: "a b" }', /such as pay-1/],
    ['cluster: { nodes: 3 }', /nodes/],
  ])('%s is refused, and told why', (yaml, words) => {
    const told = fault(yaml);
    expect(told).toMatch(words);
    expect(told).not.toContain('secret');
  });

  it('an empty file of the password is no password', () => {
    writeFileSync(join(folder, 'db'), '\n');
    expect(fault(`ledger: ${URL}\nledgerPasswordFile: ./db`)).toMatch(/is empty/);
  });
});

describe('the digest of a config', () => {
  const digest = (yaml: string): string => configDigest(load(yaml));

  it('is the same for nodes that decide alike, wherever things lie there', () => {
    const one = digest(
      'cluster: { node: a }\nfolders: { inbox: /in/a }\nlog: { level: debug }\nlanguage: fr',
    );
    expect(digest('cluster: { node: b }\nworkspace: /other\nlanguage: fr')).toBe(one);
  });

  it.each([
    'language: en',
    'cluster: { giveUpAfter: 6s }',
    'limits: { perRow: 5 XAF }\nsandbox: true',
    'policy: { maxDrift: 2% }',
  ])('is another one with %s', (yaml) => {
    expect(digest(yaml)).not.toBe(digest('language: fr'));
  });
});
