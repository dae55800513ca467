// What a terminal is told to type is left out on the page and for programs; what paydrop does is told everywhere.
import { expect, it } from 'vitest';

import { LANGUAGES, say, type Words } from '../../src/base/language.ts';
import { LeaseLost } from '../../src/ledger/ledger-unusable.ts';
import { sentence } from '../../src/messages/messages.ts';
import { withoutCommands } from '../../src/web/problems.ts';

const KEPT: Readonly<Record<string, Words>> = {
  'a file that another one takes': new LeaseLost('20261124-a6001177').words,
  'a direct debit': sentence('readMessage.other.debit'),
  'a version of a message': sentence('readMessage.other.version'),
  'a file that another one works on': sentence('resumeBatches.elsewhere', { file: 'pay.csv' }),
};

it.each(Object.entries(KEPT))('tells of %s', (_, words) => {
  for (const language of LANGUAGES) expect(withoutCommands(say(words, language))).toBe(say(words, language));
});

const LEFT_OUT: Readonly<Record<string, Words>> = {
  'in quotation marks': sentence('corridors.none'),
  'behind a colon': sentence('profile.nothingSaved', { file: 'pay.csv' }),
};

it('keeps what a held row asks, without the way in which a terminal is told', () => {
  const words = sentence('hold.equal_rows');
  for (const language of LANGUAGES) {
    expect(say(words, language)).toContain('--skip');
    expect(withoutCommands(say(words, language))).toMatch(
      /(?:cancel one and release the other|annulez-en une et libérez l'autre)\.$/,
    );
  }
});

it.each(Object.entries(LEFT_OUT))('leaves out a command %s', (_, words) => {
  for (const language of LANGUAGES) {
    expect(say(words, language)).toContain('paydrop');
    expect(withoutCommands(say(words, language))).not.toContain('paydrop');
  }
});
