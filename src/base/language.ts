// The languages in which the owner of a file learns what happens to it and what to do. The sentences stand in `src/messages`; the writer of each
// answer decides the language.

export const LANGUAGES = ['en', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

/** One thing to say, in every language. */
export type Words = Readonly<Record<Language, string>>;

/** The text to show. The code has plain spaces, which are visible; before French punctuation they become no-break spaces. */
export function say(words: Words, language: Language): string {
  return language === 'fr' ? words.fr.replace(/ (?=[;?!»]|:(?:\s|$))|(?<=«) /gu, '\u00a0') : words[language];
}

/** Several things to say, one after the other. */
export function joinWords(all: readonly Words[], between = ' '): Words {
  const join = (language: Language) => all.map((words) => words[language]).join(between);
  return { en: join('en'), fr: join('fr') };
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
