// The languages in which the owner of a file is told what happens to it and what to do. `src/messages` has the sentences;
// which language is read is decided where an answer is written.

export const LANGUAGES = ['en', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

/** One thing to say, in every language. */
export type Words = Readonly<Record<Language, string>>;

/** The version to show. The code has plain spaces, which can be seen; French marks are set off by spaces at which no line breaks. */
export function say(words: Words, language: Language): string {
  return language === 'fr' ? words.fr.replace(/ (?=[;?!»]|:(?:\s|$))|(?<=«) /gu, '\u00a0') : words[language];
}

/** Several things to say, one after the other. */
export function joinWords(all: readonly Words[], between = ' '): Words {
  const join = (language: Language) => all.map((words) => words[language]).join(between);
  return { en: join('en'), fr: join('fr') };
}

/** What is the same in every language: a code, a name, a cell. */
export function sameWords(text: string): Words {
  return { en: text, fr: text };
}

/** An error that ends what a person asked for, in words; its message is the English one, for the log. */
export class ToldError extends Error {
  readonly words: Words;

  constructor(words: Words, options?: ErrorOptions) {
    super(words.en, options);
    this.words = words;
  }
}
