// How a template shows what is needed. The words stand beside the colours: nobody has to tell yellow from blue.
import type { Need } from './template-columns.ts';

export const NEED_FILLS: Readonly<Record<Need, string>> = {
  required: 'FFFFE699',
  'one-of': 'FFBDD7EE',
  optional: 'FFE7E6E6',
};

export function solid(argb: string) {
  return { type: 'pattern', pattern: 'solid', fgColor: { argb } } as const;
}

/** Named whole: a font of which only the weight is told is shown in another family by some programs. */
export const PLAIN = { name: 'Calibri', family: 2, size: 11 } as const;
export const BOLD = { ...PLAIN, bold: true } as const;
