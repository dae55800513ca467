// What the config says about telling people, checked before anything starts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { loadConfig, type Config } from '../../../src/app/config/config.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'notify-config-'));
  writeFileSync(join(folder, 'password'), 'pass word \u00e9\n');
  writeFileSync(join(folder, 'two-lines'), 'one\ntwo\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

function load(text: string, environment: Record<string, string> = {}): Config {
  const config = join(folder, 'paydrop.yaml');
  writeFileSync(config, text);
  return loadConfig({ config }, environment);
}

const email = (more = '', host = 'smtp.example.com'): string =>
  `notify: { email: { host: "${host}", from: a@b.example, to: c@d.example${more} } }`;
const hook = (url: string): string => `notify: { hook: { url: "${url}", secretFile: password } }`;

describe('notify', () => {
  it('is silent without a word, and encrypts by default', () => {
    expect(load('').notify).toEqual({
      events: ['refused', 'held', 'shortfall', 'approval', 'completion', 'changed', 'trouble'],
      push: { services: null, timeout: 10_000 },
    });
    expect(load(email()).notify.email).toMatchObject({ port: 587, security: 'starttls', timeout: 30_000 });
  });

  it.each([
    ['https://push.example.com', true],
    ['http://127.0.0.1:9000', true],
    ['http://push.example.com', false],
    ['https://push.example.com/path', false],
    ['https://user@push.example.com', false],
    ['push.example.com', false],
  ])('takes the origin of a push service, encrypted or on this machine: %s', (origin, isTaken) => {
    const read = (): unknown => load(`notify: { push: { services: ["${origin}"] } }`).notify.push.services;
    if (isTaken) expect(read()).toEqual([origin]);
    else expect(read).toThrow('write the origin of a push service');
  });

  it('reads its secrets from the environment first, then from files, whole', () => {
    const text = email(', user: u, passwordFile: password');
    expect(load(text).notifySecrets?.smtpPassword).toBe('pass word \u00e9');
    expect(load(text, { PAYDROP_SMTP_PASSWORD: 'x' }).notifySecrets?.smtpPassword).toBe('x');
    const other = { PAYDROP_HOOK_SECRET_FILE: join(folder, 'password') };
    expect(load(hook('https://h.example/x'), other).notifySecrets?.hookSecret).toBe('pass word \u00e9');
  });

  it.each([
    [email(', user: u'), /notify\.email\.user needs a password/],
    [email(', user: u, passwordFile: two-lines'), /empty or holds more than one line/],
    [email(', user: u, passwordFile: absent'), /cannot be read/],
    [email(', security: none'), /security: none is for an SMTP server on this machine only/],
    [email(', timeout: 5m'), /notify\.email\.timeout: write a minute at most/],
    [email(', security: maybe'), /notify\.email\.security/],
    [email('', 'smtp example'), /notify\.email\.host: write the name of the SMTP server/],
    [email().replace('c@d.example', '"c@d.example\\nBcc: x@y.example"'), /notify\.email\.to/],
    [email().replace('c@d.example', '"c@d.example, x@y.example"'), /notify\.email\.to/],
    [hook('http://h.example/x'), /must start with https:\/\//],
    [hook('ftp://127.0.0.1/x'), /must start with https:\/\//],
    [hook('https://u:p@h.example/x'), /must have no user, password or fragment/],
    [hook('nowhere'), /is not a URL/],
    ['notify: { events: [everything] }', /notify\.events/],
    ['notify: { sms: {} }', /notify\.sms/],
  ])('that cannot be obeyed is refused: %s', (text, words) => {
    expect(() => load(text)).toThrow(words);
  });

  it('takes plain connections on this machine', () => {
    expect(load(email(', security: none', '127.0.0.1')).notify.email?.security).toBe('none');
    expect(load(hook('http://127.0.0.1:8000/x')).notify.hook?.timeout).toBe(10_000);
  });
});
