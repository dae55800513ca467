// The words of the page in the reader's language, and numbers, dates and counts as that language writes them. Amounts are decimal text from end to end.
import { type Language, LANGUAGES } from '../contract/words.ts';
import type { columnWords } from './words/columns.ts';
import type { en, Sentence } from './words/en.ts';

/** Each language by its own name, for whoever cannot read the one that is shown. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  fr: 'Français',
  es: 'Español',
};

export type Key = keyof typeof en | keyof typeof columnWords.en;
type Words = Readonly<Partial<Record<Key, Sentence>>>;
export type Values = Readonly<Record<string, string | number>>;

let words: Words = {};
let current: Language = 'en';

const KEPT_AS = 'paydrop.language';

function wanted(): Language {
  const named = [localStorage.getItem(KEPT_AS) ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2));
  return named.flatMap((tag) => LANGUAGES.find((each) => each === tag) ?? []).at(0) ?? 'en';
}

/** Only the language that is read is fetched. */
const WORDS: Readonly<Record<Language, () => Promise<Words>>> = {
  en: async () => (await import('./words/en.ts')).en,
  fr: async () => (await import('./words/fr.ts')).fr,
  es: async () => (await import('./words/es.ts')).es,
};

/** To be awaited before anything is drawn. */
export async function openLanguage(): Promise<void> {
  current = wanted();
  words = await WORDS[current]();
  document.documentElement.lang = current;
}

/** Words that a screen brings with it, before it is drawn: the first screen does without them. */
export function addWords(all: Readonly<Record<Language, Words>>): void {
  words = { ...words, ...all[current] };
}

export function language(): Language {
  return current;
}

/** The whole screen is drawn again: a page that half changed would read oddly. */
export function chooseLanguage(next: Language): void {
  localStorage.setItem(KEPT_AS, next);
  location.reload();
}

export function t(key: Key, values: Values = {}): string {
  const said: Sentence = words[key] ?? key;
  const { n } = values;
  const text =
    typeof said === 'string' ? said : said[typeof n === 'number' && plural().select(n) === 'one' ? 0 : 1];
  return text.replace(/\{(\w+)\}/g, (hole, name: string) => {
    const value = values[name];
    return value === undefined ? hole : typeof value === 'number' ? count(value) : value;
  });
}

/** A key that is made of a code; null where the page has no words for it. */
export function tCode(group: string, code: string): string | null {
  const key = `${group}.${code}`;
  return Object.hasOwn(words, key) ? t(key as Key) : null;
}

function plural(): Intl.PluralRules {
  return new Intl.PluralRules(current);
}

export function count(value: number): string {
  return new Intl.NumberFormat(current).format(value);
}

/** What stands between thousands, and before the decimals. */
const MARKS: Readonly<Record<Language, readonly [thousands: string, decimal: string]>> = {
  en: [',', '.'],
  fr: ['\u202f', ','],
  es: ['.', ','],
};

/** Digits in groups of three; every digit stays as it came. */
export function amount(text: string | null | undefined): string {
  if (text === null || text === undefined || text === '') return '–';
  const [, sign = '', whole = '', decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === '') return text;
  const [thousands, decimal] = MARKS[current];
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, thousands);
  return `${sign === '' ? '' : '−'}${grouped}${decimals === '' ? '' : `${decimal}${decimals}`}`;
}

/** With its currency, where both are there. */
export function withCurrency(value: string | null | undefined, currency: string | null | undefined): string {
  return value === null || value === undefined || value === '' ? '–' : `${amount(value)} ${currency ?? ''}`;
}

export function percent(share: number): string {
  return new Intl.NumberFormat(current, { style: 'percent', maximumFractionDigits: 1 }).format(share);
}

export function bytes(value: number): string {
  const steps = [
    [1e9, 'gigabyte'],
    [1e6, 'megabyte'],
    [1e3, 'kilobyte'],
    [1, 'byte'],
  ] as const;
  const [size, unit] = steps.find(([each]) => value >= each) ?? steps[3];
  return new Intl.NumberFormat(current, {
    style: 'unit',
    unit,
    unitDisplay: unit === 'byte' ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(value / size);
}

const SECOND_MS = 1_000;

/** The day too where it is not today; the seconds stand in `fullMoment`. */
export function moment(iso: string | null | undefined): string {
  if (iso === null || iso === undefined || iso === '') return '–';
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const isToday = at.toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(current, {
    ...(isToday ? {} : { day: 'numeric', month: 'short', year: 'numeric' }),
    hour: 'numeric',
    minute: '2-digit',
  }).format(at);
}

/** A day as people speak of it: today, yesterday, else its date. */
export function dayOf(iso: string): string {
  const [at, today] = [new Date(iso), new Date()];
  const days = Math.round((midnightOf(today) - midnightOf(at)) / (24 * 60 * 60 * SECOND_MS));
  const words = new Intl.RelativeTimeFormat(current, { numeric: 'auto' }).format(-days, 'day');
  if (days === 0 || days === 1) return words.slice(0, 1).toLocaleUpperCase(current) + words.slice(1);
  const year = at.getFullYear() === today.getFullYear() ? {} : ({ year: 'numeric' } as const);
  return new Intl.DateTimeFormat(current, { weekday: 'long', day: 'numeric', month: 'long', ...year }).format(
    at,
  );
}

function midnightOf(at: Date): number {
  return new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
}

/** `14:02`, of a moment in ms. */
export function time(ms: number): string {
  return new Intl.DateTimeFormat(current, { hour: 'numeric', minute: '2-digit' }).format(ms);
}

/** A sentence of paydrop's, with its times as the reader writes them. */
export function withMoments(words: string): string {
  return words.replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, moment);
}

export function fullMoment(iso: string): string {
  return new Intl.DateTimeFormat(current, { dateStyle: 'full', timeStyle: 'long' }).format(new Date(iso));
}

/** `14:02 in Africa/Douala`, for a time that somebody set in a zone of their own. */
export function momentIn(iso: string, timeZone: string): string {
  return new Intl.DateTimeFormat(current, {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
  }).format(new Date(iso));
}

export function ago(iso: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(iso)) / SECOND_MS);
  const steps = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
    [1, 'second'],
  ] as const;
  const [size, unit] = steps.find(([each]) => seconds >= each) ?? steps[3];
  return new Intl.RelativeTimeFormat(current, { numeric: 'auto' }).format(-Math.floor(seconds / size), unit);
}

// Light or dark: the system's choice, unless the reader has chosen.

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const THEME_KEPT_AS = 'paydrop.theme';

export function theme(): Theme {
  const kept = localStorage.getItem(THEME_KEPT_AS);
  return THEMES.find((each) => each === kept) ?? 'system';
}

export function applyTheme(): void {
  const chosen = theme();
  if (chosen === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = chosen;
}

export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(THEME_KEPT_AS, chosen);
  applyTheme();
}
