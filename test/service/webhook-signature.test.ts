// The signature of notifications: one known answer, and everything that strangers may send instead.
import { describe, expect, it } from 'vitest';

import { signWebhook, signedPath, verifyWebhook } from '../../src/service/webhooks.ts';

const KEY = 'test-api-key';
const PATH = '/hooks/paydrop';
const BODY = Buffer.from('{"id":"t-1","status":"paid","statusCode":"20000","note":"naïve €"}', 'utf8');
/** Computed with `openssl dgst -sha256 -hmac test-api-key` over `POST/hooks/paydrop` and the body. */
const GOLDEN = 'a972f0b928802abab6f0fa50d8cf92cacab1db5a21b383a72dd23bb3db8715e2';

describe('a signature', () => {
  it('is the one that openssl computes', () => {
    expect(signWebhook(KEY, PATH, BODY)).toBe(GOLDEN);
    expect(verifyWebhook(KEY, PATH, BODY, GOLDEN)).toBe(true);
  });

  it('belongs to this body, byte for byte', () => {
    const respaced = Buffer.from(BODY.toString().replace(',', ', '));
    const upper = Buffer.from(BODY.toString().replace('paid', 'Paid'));
    for (const body of [respaced, upper, Buffer.concat([BODY, Buffer.from('\n')]), Buffer.alloc(0)]) {
      expect(verifyWebhook(KEY, PATH, body, GOLDEN)).toBe(false);
    }
  });

  it.each(['/hooks/paydrop/', '/', '', '/hooks/paydrop?x=1', '/HOOKS/paydrop'])(
    'not to the path %j',
    (path) => {
      expect(verifyWebhook(KEY, path, BODY, GOLDEN)).toBe(false);
    },
  );

  it.each(['', 'test-api-kez', 'test-api-key '])('not to the key %j', (key) => {
    expect(verifyWebhook(key, PATH, BODY, GOLDEN)).toBe(false);
  });

  it('with an empty key is never right, not even the one that an empty key makes', () => {
    expect(verifyWebhook('', PATH, BODY, signWebhook('', PATH, BODY))).toBe(false);
  });

  it.each([
    ['63 digits', GOLDEN.slice(1)],
    ['65 digits', `${GOLDEN}0`],
    ['capitals', GOLDEN.toUpperCase()],
    ['no hexadecimal', `z${GOLDEN.slice(1)}`],
    ['a line end behind it', `${GOLDEN}\n`],
    ['a blank before it', ` ${GOLDEN}`],
    ['full-width digits', GOLDEN.replace(/\d/, '１')],
    ['one wrong digit', `${GOLDEN.startsWith('0') ? '1' : '0'}${GOLDEN.slice(1)}`],
    ['an empty text', ''],
    ['nothing', undefined],
    ['null', null],
    ['a list of headers', [GOLDEN]],
    ['a number', 64],
    ['an object', { toString: () => GOLDEN }],
  ])('that is %s is false and throws nothing', (_name, signature) => {
    expect(verifyWebhook(KEY, PATH, BODY, signature)).toBe(false);
  });
});

describe('the path that is signed', () => {
  it.each([
    ['https://pay.example.com/hooks/paydrop', '/hooks/paydrop'],
    ['https://pay.example.com', '/'],
    ['https://pay.example.com/', '/'],
    ['https://pay.example.com/a?token=1#end', '/a'],
    ['https://pay.example.com/a b/é', '/a%20b/%C3%A9'],
    ['https://pay.example.com/a/../b', '/b'],
    ['https://user:secret@pay.example.com:8443/b/', '/b/'],
  ])('of %s is %s', (url, path) => {
    expect(signedPath(url)).toBe(path);
  });
});
