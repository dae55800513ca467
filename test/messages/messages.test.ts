// The sentences that people read: each key is used, and stands in every language.
import { describe, expect, it } from 'vitest';

import { EN } from '../../src/messages/en.ts';
import { ES } from '../../src/messages/es.ts';
import { FR } from '../../src/messages/fr.ts';
import { sentence } from '../../src/messages/messages.ts';
import { columnWords } from '../../src/page/words/columns.ts';
import { en } from '../../src/page/words/en.ts';
import { es } from '../../src/page/words/es.ts';
import { fr } from '../../src/page/words/fr.ts';
import { OUTCOMES } from '../../src/contract/words.ts';
import { HOLD_CODES } from '../../src/payouts/hold.ts';
import { ERROR_CODES, STATUS_CODES } from '../../src/service/wire.ts';
import { PROBLEMS } from '../../src/web/problems.ts';
import { everyFile } from '../house/sources.ts';

const SOURCES = everyFile().filter(
  ({ path }) => path.startsWith('src/') && path.endsWith('.ts') && !path.startsWith('src/messages/'),
);
const KEYS = Object.keys(EN);
const PAGE_EN = { ...en, ...columnWords.en };
const PAGE_FR = { ...fr, ...columnWords.fr };
const PAGE_ES = { ...es, ...columnWords.es };
const PAGE = everyFile()
  .filter(({ path }) => /^src\/page\/[^/]+\.tsx?$/.test(path))
  .map(({ text }) => text)
  .join('\n');

/** The text of a sentence, with numbers in the place of its values: two that only call them otherwise are the same. */
function textOf(message: unknown): string {
  if (typeof message !== 'function') return JSON.stringify(message);
  const [, named = '', text = ''] = /^\(\{([^}]*)\}[^]*?\) => ([^]*)$/.exec(String(message)) ?? [];
  const values = named.split(',').map((name) => name.trim());
  return text.replace(/[A-Za-z]\w*/g, (word) =>
    values.includes(word) ? String(values.indexOf(word)) : word,
  );
}

const OTHERS = { fr: FR, es: ES };

/** Keys that the sources name, and that have the same text in every language. Those that are found by a code say what their code means, whoever else says it. */
function saidTwice(catalogues: readonly object[], sources: string): readonly string[] {
  const named = Object.keys(catalogues[0] ?? {}).filter((key) => sources.includes(`'${key}'`));
  const texts = (key: string) => catalogues.map((each) => textOf(Reflect.get(each, key))).join('\n');
  const groups = [...Map.groupBy(named, texts).values()];
  return groups.filter(({ length }) => length > 1).map((keys) => keys.join(' = '));
}

describe('a key', () => {
  it.each(Object.entries(OTHERS))('stands in English and in %s, in one order', (_, other) =>
    expect(Object.keys(other)).toEqual(KEYS),
  );

  it('is used by the program', () => {
    const text = SOURCES.map((source) => source.text).join('\n');
    // Those of the service's codes, of problems, of holds and of outcomes are found by the code.
    const ofService: readonly string[] = [
      ...Object.keys(STATUS_CODES).map((code) => `service.status.${code}`),
      ...Object.keys(ERROR_CODES).map((code) => `service.error.${code}`),
    ];
    const byCode: ReadonlySet<string> = new Set([
      ...ofService,
      ...Object.keys(PROBLEMS).map((code) => `problem.${code}`),
      ...HOLD_CODES.map((code) => `hold.${code}`),
      ...OUTCOMES.map((outcome) => `notifyBatch.counted.${outcome}`),
    ]);
    expect(
      KEYS.filter((key) => !text.includes(`'${key.replace(/\.inMessage$/, '')}'`) && !byCode.has(key)),
    ).toEqual([]);
  });

  it('of the page is used by the page', () => {
    const isUsed = (key: string) =>
      PAGE.includes(`'${key}'`) ||
      [...key.matchAll(/\./g)].some(({ index }) => {
        const family = key.slice(0, index);
        return PAGE.includes(`tCode('${family}'`) || PAGE.includes(`\`${family}.\${`);
      });
    expect(Object.keys(PAGE_EN).filter((key) => !isUsed(key))).toEqual([]);
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
  it('stands under one key', () => {
    const sources = SOURCES.map(({ text }) => text).join('\n');
    expect(saidTwice([EN, FR, ES], sources)).toEqual([]);
    expect(saidTwice([PAGE_EN, PAGE_FR, PAGE_ES], PAGE)).toEqual([]);
  });

  it('is noticed under a second key, whatever its values are called', () => {
    const two = {
      a: ({ n }: { n: number }) => `${String(n)} of`,
      b: ({ m }: { m: number }) => `${String(m)} of`,
    };
    expect(saidTwice([two, two], "'a' 'b'")).toEqual(['a = b']);
    expect(saidTwice([two, two], "'a'")).toEqual([]);
  });

  it.each(Object.entries(OTHERS))('is not left in English where %s speaks, but for names', (_, other) => {
    const same = Object.entries(EN).filter(([key, text]) => text === other[key as keyof typeof EN]);
    const isSentence = (text: unknown) => typeof text === 'string' && /[a-z]+ [a-z]+ [a-z]+/.test(text);
    expect(same.filter(([, text]) => isSentence(text))).toEqual([]);
  });

  it('names its values', () => {
    expect(sentence('sourceFile.tooLarge', { bytes: 7, bytesMax: 5 }).en).toContain('7');
  });
});
