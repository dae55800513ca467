// One sentence by its key, in every language. A key that is missing in a language, or lacks a value, does not compile.
import type { Words } from '../base/language.ts';
import { EN } from './en.ts';
import { FR } from './fr.ts';

export type MessageKey = keyof typeof EN;
type Values<Key extends MessageKey> = (typeof EN)[Key] extends (values: infer V) => string ? readonly [V] : readonly [];

/** The sentence of a key; a key whose sentence names something takes its values. */
export function sentence<Key extends MessageKey>(key: Key, ...values: Values<Key>): Words {
  return { en: render(EN[key], values), fr: render(FR[key], values) };
}

function render(message: unknown, [values]: readonly unknown[]): string {
  return typeof message === 'function' ? (message as (values: unknown) => string)(values) : String(message);
}
