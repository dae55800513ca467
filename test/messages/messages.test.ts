// The sentences that people read: each key is used, and stands in both languages.
import { describe, expect, it } from 'vitest';

import { EN } from '../../src/messages/en.ts';
import { FR } from '../../src/messages/fr.ts';
import { sentence } from '../../src/messages/messages.ts';
import { HOLD_CODES } from '../../src/payouts/hold.ts';
import { ERROR_CODES, STATUS_CODES } from '../../src/service/wire.ts';
import { PROBLEMS } from '../../src/web/problems.ts';
import { everyFile } from '../house/sources.ts';

const SOURCES = everyFile().filter(
  ({ path }) => path.startsWith('src/') && path.endsWith('.ts') && !path.startsWith('src/messages/'),
);
const KEYS = Object.keys(EN);

describe('a key', () => {
  it('stands in English and in French', () => expect(Object.keys(FR).toSorted()).toEqual(KEYS.toSorted()));

  it('is used by the program', () => {
    const text = SOURCES.map((source) => source.text).join('\n');
    // Those of the service's codes, of problems and of holds are found by the code.
    const ofService: readonly string[] = [
      ...Object.keys(STATUS_CODES).map((code) => `service.status.${code}`),
      ...Object.keys(ERROR_CODES).map((code) => `service.error.${code}`),
    ];
    const byCode: ReadonlySet<string> = new Set([
      ...ofService,
      ...Object.keys(PROBLEMS).map((code) => `problem.${code}`),
      ...HOLD_CODES.map((code) => `hold.${code}`),
    ]);
    expect(
      KEYS.filter((key) => !text.includes(`'${key.replace(/\.inMessage$/, '')}'`) && !byCode.has(key)),
    ).toEqual([]);
  });

  it('of a code of the service says in English what the interface says', () => {
    for (const [code, { meaning }] of Object.entries(STATUS_CODES))
      expect(EN[`service.status.${code as keyof typeof STATUS_CODES}`]).toBe(meaning);
    for (const [code, meaning] of Object.entries(ERROR_CODES))
      expect(Reflect.get(EN, `service.error.${code}`)).toBe(meaning);
  });

  it('is noticed when nothing uses it', () => {
    expect(SOURCES.some(({ text }) => text.includes("'no.suchKey'"))).toBe(false);
  });
});

describe('a sentence', () => {
  it('is not left in English: what is the same in both languages is a name or a number', () => {
    const same = Object.entries(EN).filter(
      ([key, text]) => typeof text === 'string' && text === FR[key as keyof typeof EN],
    );
    const isSentence = (text: unknown) => typeof text === 'string' && /[a-z]+ [a-z]+ [a-z]+/.test(text);
    expect(same.filter(([, text]) => isSentence(text))).toEqual([]);
  });

  it('names its values', () => {
    expect(sentence('sourceFile.tooLarge', { bytes: 7, bytesMax: 5 }).en).toContain('7');
  });
});
