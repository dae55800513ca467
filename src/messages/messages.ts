// Internationalisation (i18n): one sentence by its key, in every language. A key that is missing in a language, or lacks a value, does not compile.
import { say, type Language, type Words } from '../base/language.ts';
import { EN } from './en.ts';
import { FR } from './fr.ts';

type MessageKey = keyof typeof EN;
export type Values<Key extends MessageKey> = (typeof EN)[Key] extends (values: infer V) => string ? readonly [V] : readonly [];

/** The sentence of a key; a key whose sentence names something takes its values. */
export function sentence<Key extends MessageKey>(key: Key, ...values: Values<Key>): Words {
  return { en: render(EN[key], values), fr: render(FR[key], values) };
}

/** The keys whose sentences speak of a table, and have another one for whoever has a payment message. */
export type KeyOfTable = { [Key in MessageKey]: `${Key}.inMessage` extends MessageKey ? Key : never }[MessageKey];

/** The sentence for the owner of a table, or of a payment message, who has no column and no cell. */
export function sentenceOfFile<Key extends KeyOfTable>(isMessage: boolean, key: Key, ...values: Values<Key>): Words {
  const other = `${key}.inMessage`;
  return isMessage && isKey(other) ? { en: render(EN[other], values), fr: render(FR[other], values) } : sentence(key, ...values);
}

function isKey(text: string): text is MessageKey {
  return Object.hasOwn(EN, text);
}

/** The keys whose sentences name nothing. */
export type PlainKey = { [Key in MessageKey]: (typeof EN)[Key] extends string ? Key : never }[MessageKey];

export function isPlainKey(text: string): text is PlainKey {
  return isKey(text) && typeof EN[text] === 'string';
}

/** The sentences of one language, as they are shown. */
export type Text = <Key extends MessageKey>(key: Key, ...values: Values<Key>) => string;

export function textIn(language: Language): Text {
  return (key, ...values) => say(sentence(key, ...values), language);
}

function render(message: unknown, [values]: readonly unknown[]): string {
  return typeof message === 'function' ? (message as (values: unknown) => string)(values) : String(message);
}

/** Faults of a row as one text; columns that have the same fault in the same place are named together. */
export function faultsText(faults: readonly { readonly place?: string; readonly name: string; readonly message: string }[], language: Language, between = ' | '): string {
  const groups = Map.groupBy(faults, ({ place = '', message }) => `${place} ${message}`).values();
  const texts = Array.from(groups, (group) => {
    const [{ place = '', message } = { message: '' }] = group;
    const names = group.map(({ name }) => name);
    const and = ` ${say(sentence('examineFile.and'), language)} `;
    const what = [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((each) => each !== '').join(and);
    const where = `${place} ${what}`.trim();
    return where === '' ? message : say(sentence('examineFile.faultLines', { what: where, message }), language);
  });
  return texts.join(between);
}
