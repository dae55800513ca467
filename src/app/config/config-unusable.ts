// What a person has written for paydrop to obey, and that it cannot.
import { ToldError, type Words } from '../../base/language.ts';
import type { PlainKey } from '../../messages/messages.ts';

/** A configuration that cannot be used; its words name the place and the remedy. */
export class ConfigUnusable extends ToldError {
  override readonly name = 'ConfigUnusable';
}

/** What a schema says of a value: the key of its sentence, which `parseYaml` puts into words. */
export function says(key: PlainKey): string {
  return key;
}

/** The same for a fault that names something. */
export function saysOf(words: Words): {
  readonly code: 'custom';
  readonly message: string;
  readonly params: { readonly words: Words };
} {
  return { code: 'custom', message: words.en, params: { words } };
}
