// Internationalisation (i18n): one sentence by its key, in every language, with the remedy of each surface. A key that is missing in a language, or
// lacks a value, does not compile.
import { inEachLanguage, type Language, listWords, onSurfaces, sameWords, say, textsAt, type Reader, type Surface, type Words } from '../base/language.ts';
import { EN } from './en.ts';
import { ES } from './es.ts';
import { FR } from './fr.ts';
import type { Translation } from './translation.ts';

const CATALOGUES: Readonly<Record<Language, Translation>> = { en: EN, fr: FR, es: ES };

type MessageKey = keyof typeof EN;

/**
 * What is wrong, and what to do about it at a terminal and at the page, which may have nothing to do there; a remedy alone has no fault. `file`: in a file for
 * people, who may have either before them; without it the remedy of the page, which then names none of its buttons.
 */
type Remedied = { readonly fault?: string; readonly terminal: string; readonly page: string; readonly file?: string };
export type Message = string | Remedied;

export type Values<Key extends MessageKey> = (typeof EN)[Key] extends (values: infer V) => Message ? readonly [V] : readonly [];

/** The sentence of a key; a key whose sentence names something takes its values. */
export function sentence<Key extends MessageKey>(key: Key, ...values: Values<Key>): Words {
  return rendered(key, values);
}

/** The keys whose sentences speak of a table, and have another one, with the same values or fewer, for whoever has a payment message. */
export type KeyOfTable = { [Key in MessageKey]: `${Key}.inMessage` extends infer Other extends MessageKey ? OfBoth<Key, Other> : never }[MessageKey];
type OfBoth<Key extends MessageKey, Other extends MessageKey> = Values<Other> extends readonly [infer V] ? (Values<Key> extends readonly [V] ? Key : never) : Key;

/** The sentence for the owner of a table, or of a payment message, who has no column and no cell. */
export function sentenceOfFile<Key extends KeyOfTable>(isMessage: boolean, key: Key, ...values: Values<Key>): Words {
  const other = `${key}.inMessage`;
  return isMessage && isKey(other) ? rendered(other, values) : sentence(key, ...values);
}

function isKey(text: string): text is MessageKey {
  return Object.hasOwn(EN, text);
}

/** The keys whose sentences name nothing. */
export type PlainKey = { [Key in MessageKey]: (typeof EN)[Key] extends Message ? Key : never }[MessageKey];

export function isPlainKey(text: string): text is PlainKey {
  return isKey(text) && typeof EN[text] !== 'function';
}

/** The sentences of one language, as they are shown. */
export type Text = <Key extends MessageKey>(key: Key, ...values: Values<Key>) => string;

export function textIn(language: Language): Text {
  return (key, ...values) => say(sentence(key, ...values), language);
}

function rendered(key: MessageKey, [values]: readonly unknown[]): Words {
  const textsOf = (surface: Surface) => {
    const of = valuesAt(surface, values);
    return inEachLanguage((language) => textAt(surface, render(CATALOGUES[language][key], of)));
  };
  return onSurfaces([render(EN[key], values), ...Object.values((values ?? {}) as Readonly<Record<string, unknown>>)].filter(isObject), textsOf);
}

function render(message: unknown, values: unknown): Message {
  return typeof message === 'function' ? (message as (values: unknown) => Message)(values) : (message as Message);
}

function textAt(surface: Surface, message: Message): string {
  if (typeof message === 'string') return message;
  const { fault = '', page, file = page, terminal } = message;
  return [fault, { terminal, page, file }[surface]].filter((text) => text !== '').join(' ');
}

/** The same values, with the words among them as the surface has them. */
function valuesAt(surface: Surface, values: unknown): unknown {
  if (!isObject(values)) return values;
  const words = Object.entries(values).filter(([, value]) => isObject(value) && 'en' in value);
  return words.length === 0 ? values : { ...values, ...Object.fromEntries(words.map(([name, each]) => [name, textsAt(surface, each as Words)])) };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** `payroll.csv: done`. */
export function labelled(name: string, words: Words): Words {
  return sentence('labelled', { label: sameWords(name), words });
}

/** `1 row`, `12 rows`. */
export function rowsWords(rows: number): Words {
  return rows === 1 ? sentence('approval.rows.row') : sentence('approval.rows.rows', { rows });
}

/** Faults of a row as one text; columns that have the same fault in the same place are named together. */
export function faultsText(faults: readonly { readonly place?: string; readonly name: string; readonly message: string }[], reader: Reader, between = ' | '): string {
  const groups = Map.groupBy(faults, ({ place = '', message }) => `${place} ${message}`).values();
  const texts = Array.from(groups, (group) => {
    const [{ place = '', message } = { message: '' }] = group;
    const names = group.map(({ name }) => name);
    const what = say(listWords(names.map(sameWords), 'conjunction'), reader);
    const where = `${place} ${what}`.trim();
    return where === '' ? message : say(sentence('examineFile.faultLines', { what: where, message }), reader);
  });
  return texts.join(between);
}
