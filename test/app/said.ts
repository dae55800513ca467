// What a result says, as its reader has it.
import { say, type Reader, type Words } from '../../src/base/language.ts';

export function said(words: readonly Words[], reader: Reader = 'en'): readonly string[] {
  return words.map((each) => say(each, reader));
}
