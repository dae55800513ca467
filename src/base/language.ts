// The languages in which the owner of a file learns what happens to it and what to do. The sentences stand in `src/messages`; the writer of each
// answer decides the language.

export const LANGUAGES = ['en', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

type Texts = Readonly<Record<Language, string>>;

/** One thing to say, in every language. `page`: what the page and the interface for programs say instead, where a terminal's remedy is a command. */
export type Words = Texts & { readonly page?: Texts };

/** Who reads: a language alone is that of a terminal, a file or a message. */
export type Reader = Language | PageReader;
export type PageReader = { readonly language: Language; readonly surface: 'page' };

/** The text to show. The code has plain spaces, which are visible; before French punctuation they become no-break spaces. */
export function say(words: Words, reader: Reader): string {
  const [language, texts] =
    typeof reader === 'string' ? [reader, words] : [reader.language, words.page ?? words];
  const text = texts[language];
  return language === 'fr' ? text.replace(/ (?=[;?!»]|:(?:\s|$))|(?<=«) /gu, '\u00a0') : text;
}

/** Several things to say, one after the other. */
export function joinWords(all: readonly Words[], between = ' '): Words {
  const join = (each: readonly Texts[]): Texts => {
    const of = (language: Language) => each.map((texts) => texts[language]).join(between);
    return { en: of('en'), fr: of('fr') };
  };
  if (all.every(({ page }) => page === undefined)) return join(all);
  return { ...join(all), page: join(all.map((words) => words.page ?? words)) };
}

/** The same change of the text of each language and surface. */
export function mapWords({ en, fr, page }: Words, change: (text: string) => string): Words {
  const words = { en: change(en), fr: change(fr) };
  return page === undefined ? words : { ...words, page: mapWords(page, change) };
}

/** Text that is the same in every language: a code, a name, a cell. */
export function sameWords(text: string): Words {
  return { en: text, fr: text };
}

/** An error, in words, that ends what a person asked for. Its message is the English text, for the log. */
export class ToldError extends Error {
  readonly words: Words;

  constructor(words: Words, options?: ErrorOptions) {
    super(words.en, options);
    this.words = words;
  }
}
