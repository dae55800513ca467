// The languages in which the owner of a file learns what happens to it and what to do. The sentences stand in `src/messages`; the writer of each
// answer decides the language.
import { type Language, LANGUAGES } from '../contract/words.ts';

export { type Language, LANGUAGES };

type ByLanguage<T> = Readonly<Record<Language, T>>;
type Texts = ByLanguage<string>;

/** How each language writes numbers, dates and lists (BCP 47). */
const LOCALES: ByLanguage<string> = { en: 'en-GB', fr: 'fr-FR', es: 'es-GQ' };

/** The same thing in each language. */
export function inEachLanguage<T>(of: (language: Language, locale: string) => T): ByLanguage<T> {
  return { en: of('en', LOCALES.en), fr: of('fr', LOCALES.fr), es: of('es', LOCALES.es) };
}

/** The language of a tag such as `fr` or `fr-CM` (BCP 47); null where there is no such language. */
export function languageOfTag(tag: string): Language | null {
  const [primary] = tag.trim().toLowerCase().split(/[-_;]/);
  return LANGUAGES.find((each) => each === primary) ?? null;
}

/**
 * One thing to say, in every language, as it is said at a terminal and in a message. `page`: what the page and the interface for programs say instead,
 * where a terminal's remedy is a command; `file`: what a file for people says instead, who may have the page or a terminal before them, where the page's
 * remedy is one of its buttons.
 */
export type Words = Texts & { readonly page?: Texts; readonly file?: Texts };

export type Surface = 'terminal' | 'page' | 'file';

/** Who reads: a language alone is that of a terminal or a message. */
export type Reader = Language | PageReader | FileReader;
export type PageReader = { readonly language: Language; readonly surface: 'page' };
type FileReader = { readonly language: Language; readonly surface: 'file' };

/** Whoever opens an answer, wherever it was fetched. */
export const FILE_READERS: ByLanguage<FileReader> = inEachLanguage((language) => ({
  language,
  surface: 'file',
}));

/** The text to show. The code has plain spaces, which are visible; before French punctuation they become no-break spaces. */
export function say(words: Words, reader: Reader): string {
  const { language, surface } =
    typeof reader === 'string' ? ({ language: reader, surface: 'terminal' } as const) : reader;
  const texts = storedAt(surface, words);
  const text = texts[language] ?? texts.en;
  return language === 'fr' ? text.replace(/ (?=[;?!»]|:(?:\s|$))|(?<=«) /gu, '\u00a0') : text;
}

/** As an earlier version stored them: a language that came later is not among them, and is said in English. */
type StoredTexts = Readonly<Partial<Texts>> & { readonly en: string };

export function inEveryLanguage(stored: StoredTexts): Texts {
  return inEachLanguage((language) => stored[language] ?? stored.en);
}

/** The texts of a surface; those of the nearest other one where it has none of its own. */
export function textsAt(surface: Surface, words: Words): Texts {
  return inEveryLanguage(storedAt(surface, words));
}

function storedAt(surface: Surface, words: Words): StoredTexts {
  if (surface === 'terminal') return words;
  const page = words.page ?? words;
  return surface === 'page' ? page : (words.file ?? page);
}

/** The texts of each surface, made of parts: the page and a file have their own where one of the parts has. */
export function onSurfaces(all: readonly object[], textsOf: (surface: Surface) => Texts): Words {
  const isOwn = (surface: Surface) => all.some((each) => surface in each);
  return {
    ...textsOf('terminal'),
    ...(isOwn('page') ? { page: textsOf('page') } : {}),
    ...(isOwn('file') ? { file: textsOf('file') } : {}),
  };
}

/** Several things to say, one after the other. */
export function joinWords(all: readonly Words[], between: string | Words = ' '): Words {
  const mark = typeof between === 'string' ? sameWords(between) : between;
  return onSurfaces([...all, mark], (surface) =>
    inEachLanguage((language) =>
      all.map((words) => textsAt(surface, words)[language]).join(textsAt(surface, mark)[language]),
    ),
  );
}

/** `XAF, EUR and USD`, or with `or`, as each language lists: Spanish has `e` and `u` where `y` and `o` would not be heard. */
export function listWords(all: readonly Words[], type: 'conjunction' | 'disjunction'): Words {
  return onSurfaces(all, (surface) =>
    inEachLanguage((language, locale) =>
      new Intl.ListFormat(locale, { type }).format(all.map((words) => textsAt(surface, words)[language])),
    ),
  );
}

/** The same change of the text of each language and surface. */
export function mapWords(words: Words, change: (text: string) => string): Words {
  return onSurfaces([words], (surface) => {
    const texts = textsAt(surface, words);
    return inEachLanguage((language) => change(texts[language]));
  });
}

/** Text that is the same in every language: a code, a name, a cell. */
export function sameWords(text: string): Words {
  return inEachLanguage(() => text);
}

/** An error, in words, that ends what a person asked for. Its message is the English text, for the log. */
export class ToldError extends Error {
  readonly words: Words;

  constructor(words: Words, options?: ErrorOptions) {
    super(words.en, options);
    this.words = words;
  }
}
