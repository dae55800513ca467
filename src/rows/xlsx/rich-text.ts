// A text is stored in runs of one look each, with hints for its pronunciation between them, and with characters that XML cannot carry escaped.
import type { Shape } from './walk-xml.ts';

/** The children of an element that holds a text: `si` of the shared strings, `is` of a cell. */
export function richText(take: (text: string) => void): Readonly<Record<string, Shape>> {
  const t: Shape = { text: take };
  // `rPh` is a reading aid above the text, and no part of it.
  return { t, r: { children: { t } } };
}

const ESCAPED = /_x([0-9a-f]{4})_/gi;

/** `_x000D_` is a carriage return; a text that looks like an escape has its underscore escaped, `_x005F_x000D_`. */
export function unescapeText(text: string): string {
  if (!text.includes('_x') && !text.includes('_X')) return text;
  return text.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
