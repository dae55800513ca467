// What a language says: the same keys and values as English, so that one that is missing does not compile.
import type { EN } from './en.ts';

/** As English has it: a text, or a fault with its remedies. */
type Alike<Text> = Text extends string ? string : { readonly [Part in keyof Text]: string };

export type Translation = {
  readonly [Key in keyof typeof EN]: (typeof EN)[Key] extends (values: infer Values) => infer Text ? (values: Values) => Alike<Text> : Alike<(typeof EN)[Key]>;
};
