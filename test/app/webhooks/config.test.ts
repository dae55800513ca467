// What the config says about notifications, checked before anything starts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { ConfigUnusable } from '../../../src/app/config/yaml-file.ts';
import { loadConfig, type Config } from '../../../src/app/config/config.ts';
import { parseListenAddress } from '../../../src/app/config/listeners.ts';
import { startWebhookServer } from '../../../src/app/daemon/webhook-server.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLog } from '../../../src/base/log.ts';
import { listening } from './listening.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'webhook-config-'));
  writeFileSync(join(folder, 'next-key'), 'key-of-tomorrow\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

function load(text: string): Config {
  const config = join(folder, 'paydrop.yaml');
  writeFileSync(config, text);
  return loadConfig({ config }, {});
}

describe('webhooks.listen', () => {
  it.each([
    ['127.0.0.1:8788', { host: '127.0.0.1', port: 8788 }],
    ['[::1]:0', { host: '::1', port: 0 }],
    ['paydrop.local:65535', { host: 'paydrop.local', port: 65_535 }],
  ])('may be %s', (text, address) => {
    expect(parseListenAddress(text)).toEqual(address);
  });

  it.each([
    '8788',
    ':8788',
    '127.0.0.1',
    '127.0.0.1:65536',
    'http://127.0.0.1:8788',
    '::1:8788',
    'a b:1',
    '',
  ])('may not be %j', (text) => {
    expect(() => load(`webhooks: { listen: "${text}" }`)).toThrow(
      /webhooks\.listen must be an address and a port/,
    );
  });

  it('that is taken already is told in plain words', async () => {
    const desk = await listening();
    const again = startWebhookServer({
      ...desk,
      log: silentLog,
      clock: systemClock,
      apiKey: 'k',
      listen: new URL(desk.server.url).host,
      onHint: () => undefined,
    });
    await expect(again).rejects.toThrow(ConfigUnusable);
  });
});

describe('service.callbackUrl', () => {
  it.each([
    'http://example.com/hook',
    'https://example.com/hook?x=1',
    'https://example.com/hook#x',
    'https://u:p@example.com',
    'hook',
  ])('may not be %s', (url) => {
    expect(() => load(`service: { callbackUrl: "${url}" }`)).toThrow(/service\.callbackUrl/);
  });

  it('may be plain HTTP on this machine, for tests against a local service', () => {
    const { service } = load('service: { callbackUrl: "http://127.0.0.1:8788/hook" }\nsandbox: true');
    expect(service.callbackUrl).toBe('http://127.0.0.1:8788/hook');
  });
});

describe('the other key', () => {
  it('counts until the day that is named', () => {
    const { otherWebhookKey } = load('webhooks: { otherKeyFile: next-key, otherKeyUntil: 2026-12-01 }');
    expect(otherWebhookKey).toEqual({ apiKey: 'key-of-tomorrow', until: Date.parse('2026-12-01T00:00:00Z') });
  });

  it('is none where none is named', () => {
    expect(load('').otherWebhookKey).toBeNull();
  });

  it.each(['', ', otherKeyUntil: soon', ', otherKeyUntil: 2026-11-31'])(
    'without an end is refused: "%s"',
    (end) => {
      expect(() => load(`webhooks: { otherKeyFile: next-key${end} }`)).toThrow(/webhooks\.otherKeyUntil/);
    },
  );

  it('that cannot be read is refused, and no key is ever shown', () => {
    const naming = (file: string) => `webhooks: { otherKeyFile: ${file}, otherKeyUntil: 2026-12-01 }`;
    expect(() => load(naming('no-key'))).toThrow(/cannot be read/);
    writeFileSync(join(folder, 'bad-key'), 'canary key');
    expect(() => load(naming('bad-key'))).toThrow(/^(?!.*canary)/);
  });
});
