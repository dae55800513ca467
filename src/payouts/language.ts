// The languages in which the owner of a file is told what to fix. Both versions of a sentence stand side by side, so that neither is forgotten.

export const LANGUAGES = ['en', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

/** One thing to say, in every language. */
export type Words = Readonly<Record<Language, string>>;
