// A sentence that was forgotten in one language, or copied from the other, would be read by somebody who cannot read it.
import { describe, expect, it } from 'vitest';

import { EVERY_ROW_WORDS } from '../../src/app/desk/check-file.ts';
import { CREDENTIALS_WORDS, SERVICE_WORDS } from '../../src/app/parts/wait-for-service.ts';
import { joinWords, LANGUAGES, listWords, sameWords, say, type Words } from '../../src/base/language.ts';
import { sentence } from '../../src/messages/messages.ts';
import { refusalWords, statusWords } from '../../src/payouts/service-words.ts';
import { HOLDS } from '../../src/payouts/hold.ts';
import { PLAIN_REASON } from '../../src/results/payout-cells.ts';
import { PREVIEW_CAPTIONS } from '../../src/results/preview.ts';
import { CLOSING_LINES, FAULTS, HEAD, NEED_WORDS } from '../../src/results/template.ts';
import { FIELD_WORDS } from '../../src/results/template-columns.ts';
import { MONEY_CAPTIONS, OUTCOME_CAPTIONS, TOTALS_HEADER } from '../../src/results/totals-sheet.ts';
import { REMEDIES } from '../../src/rows/file-refused.ts';
import { ERROR_CODES, STATUS_CODES, type ErrorCode } from '../../src/service/wire.ts';

const TABLES: Readonly<Record<string, readonly Words[]>> = {
  'what to do about a refused file': Object.values(REMEDIES),
  'why a row is held': Object.values(HOLDS).map(({ words }) => words),
  'what became of a row': Object.values(PLAIN_REASON),
  'the captions of the totals': [
    ...TOTALS_HEADER,
    ...Object.values(OUTCOME_CAPTIONS),
    ...Object.values(MONEY_CAPTIONS),
    ...Object.values(PREVIEW_CAPTIONS),
  ],
  'the fields of a template': Object.values(FIELD_WORDS),
  'the words of a template': [
    ...HEAD,
    ...CLOSING_LINES,
    ...Object.values(NEED_WORDS),
    ...Object.values(FAULTS).flatMap(({ title, text }) => [title, text]),
  ],
  'the statuses of the service': Object.keys(STATUS_CODES).map(statusWords),
  'the refusals of the service': Object.keys(ERROR_CODES).map((code) =>
    refusalWords(Number(code) as ErrorCode, ''),
  ),
  'what a batch waits for': [CREDENTIALS_WORDS, SERVICE_WORDS, EVERY_ROW_WORDS],
};

describe('every sentence', () => {
  it.each(Object.entries(TABLES))('of %s stands in every language, and differs', (_table, all) => {
    expect(all.length).toBeGreaterThan(1);
    for (const words of all) {
      const texts = LANGUAGES.map((language) => words[language].trim());
      expect(texts).not.toContain('');
      expect(texts.slice(1), texts[0]).not.toContain(texts[0]);
      expect(words.fr).not.toMatch(/[^\s(][;?!]/);
    }
  });
});

describe('French', () => {
  it('has spaces at which no line breaks before its marks and inside its quotes', () => {
    const words: Words = { en: 'A: "b"; c?', fr: 'A : « b » ; c ?', es: 'A: «b»; ¿c?' };
    expect(say(words, 'fr')).toBe('A\u00a0: «\u00a0b\u00a0»\u00a0; c\u00a0?');
    expect(say(words, 'en')).toBe('A: "b"; c?');
    expect(say(words, 'es')).toBe('A: «b»; ¿c?');
  });

  it('leaves a time, an address and a setting as they are', () => {
    expect(say(sameWords('à 08:30, http://x, decimalMark: "."'), 'fr')).toBe(
      'à 08:30, http://x, decimalMark: "."',
    );
  });
});

it('sentences are joined in each language', () => {
  expect(
    joinWords([
      { en: 'One.', fr: 'Un.', es: 'Uno.' },
      { en: 'Two.', fr: 'Deux.', es: 'Dos.' },
    ]),
  ).toEqual({ en: 'One. Two.', fr: 'Un. Deux.', es: 'Uno. Dos.' });
});

it('a list ends as each language ends it, and Spanish hears the next word', () => {
  const named = ['Banco', 'Nombre', 'Importe'].map(sameWords);
  expect(listWords(named, 'conjunction')).toEqual({
    en: 'Banco, Nombre and Importe',
    fr: 'Banco, Nombre et Importe',
    es: 'Banco, Nombre e Importe',
  });
  expect(listWords(['XAF', 'EUR'].map(sameWords), 'disjunction')).toEqual({
    en: 'XAF or EUR',
    fr: 'XAF ou EUR',
    es: 'XAF o EUR',
  });
});

it('words that an earlier version stored are said in English where they lack the language', () => {
  const stored = JSON.parse('{"en":"Away.","fr":"Absent."}') as Words;
  const around = sentence('labelled', { label: sameWords('A'), words: stored });
  expect([say(stored, 'es'), say(stored, 'fr'), say(around, 'es')]).toEqual(['Away.', 'Absent.', 'A: Away.']);
  expect(say(joinWords([stored, stored]), { language: 'es', surface: 'page' })).toBe('Away. Away.');
});
