// The callback URL of a transfer: the same whenever it is asked for, nobody else's, and known again whatever a proxy made of it.
import { randomBytes } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { callbacks } from '../../src/service/webhooks.ts';

const KEY = Buffer.alloc(32, 7);
const ID = 'ba1547a0-1ed7-52e9-9c77-7baf4e8ded71';
const OTHER = 'cbd4759f-9046-5e92-8803-4fc9e3d510c0';
const { urlOf, find } = callbacks('https://hooks.example.com/paydrop', KEY);
const PATH = new URL(urlOf(ID)).pathname;
const TOKEN = PATH.slice('/paydrop/'.length);

describe('the URL', () => {
  it('is the base and a token, pinned for ever: a repeated create says the same', () => {
    expect(urlOf(ID)).toBe(
      'https://hooks.example.com/paydrop/ba1547a01ed752e99c777baf4e8ded71f1c627a1dda374d79bc5a121753479e7',
    );
  });

  it('is another for each transfer and for each key', () => {
    const ofOtherKey = callbacks('https://hooks.example.com/paydrop', randomBytes(32)).urlOf(ID);
    expect(new Set([urlOf(ID), urlOf(OTHER), ofOtherKey]).size).toBe(3);
  });

  it.each(['https://hooks.example.com', 'https://hooks.example.com/'])('has one slash behind %s', (base) => {
    expect(callbacks(base, KEY).urlOf(ID)).toBe(`https://hooks.example.com/${TOKEN}`);
  });

  it('is plain ASCII in lower case, whatever the base', () => {
    expect(callbacks('https://hooks.example.com/paie été/', KEY).urlOf(ID)).toBe(
      `https://hooks.example.com/paie%20%C3%A9t%C3%A9/${TOKEN}`,
    );
  });
});

describe('a request', () => {
  it.each([
    ['as it was stored', PATH],
    ['with another prefix', `/behind/the/proxy/${TOKEN}`],
    ['without a prefix', `/${TOKEN}`],
    ['with a slash at its end', `${PATH}/`],
    ['with slashes doubled', `//paydrop//${TOKEN}`],
    ['in capitals', PATH.toUpperCase()],
    ['with escapes', `/paydrop/%${TOKEN.charCodeAt(0).toString(16)}${TOKEN.slice(1)}`],
    ['with a query added', `${PATH}?utm=1&token=/x`],
    ['with its whole URL as the target', urlOf(ID)],
  ])('%s is known by its token, and its path is the stored one', (_name, target) => {
    expect(find(target)).toEqual({ externalId: ID, path: PATH });
  });

  it.each([
    ['nothing', ''],
    ['the base alone', '/paydrop'],
    ['a token cut short', PATH.slice(0, -1)],
    ['a token too long', `${PATH}0`],
    ['a token with one digit changed', `${PATH.slice(0, -1)}${PATH.endsWith('0') ? '1' : '0'}`],
    ['the token of another key', new URL(callbacks('https://x.example', randomBytes(32)).urlOf(ID)).pathname],
    ['the id of another transfer under this mac', `/${OTHER.replaceAll('-', '')}${TOKEN.slice(32)}`],
    ['the token in the query', `/paydrop?${TOKEN}`],
    ['a broken escape', '/paydrop/%E0%A4%A'],
    ['a zero byte', '/paydrop/%00'],
    ['a million slashes', '/'.repeat(1_000_000)],
  ])('for %s is nobody’s', (_name, target) => {
    expect(find(target)).toBeNull();
  });
});
