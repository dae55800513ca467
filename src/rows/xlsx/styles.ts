// The formats that cells refer to by number. Of all that a style says only the number format changes what a cell means.
import { FileRefused } from '../file-refused.ts';
import { STYLES_MAX } from './limits.ts';
import { SPREADSHEET } from './namespaces.ts';
import { builtInFormat, numberForm, type NumberForm } from './number-format.ts';
import type { Parts } from './package-parts.ts';
import type { Attributes } from './walk-xml.ts';

/** By the number of the style; a cell without one has style 0. */
export type Styles = readonly NumberForm[];

const GENERAL = numberForm('General');

export async function readStyles(parts: Parts, part: string | null): Promise<Styles> {
  if (part === null) return [GENERAL];
  const codes = new Map<number, string>();
  const used: number[] = [];
  const numFmt = {
    open: ({ numFmtId, formatCode = '' }: Attributes) => void codes.set(Number(numFmtId), formatCode),
  };
  const xf = {
    open: ({ numFmtId = '0' }: Attributes) => {
      if (used.push(Number(numFmtId)) > STYLES_MAX)
        throw new FileRefused('workbook_bomb', {
          en: `The workbook has more than ${STYLES_MAX} cell formats.`,
          fr: `Le classeur a plus de ${STYLES_MAX} formats de cellule.`,
        });
    },
  };
  const shape = { children: { numFmts: { children: { numFmt } }, cellXfs: { children: { xf } } } };
  await parts.walk(part, { name: 'styleSheet', namespaces: SPREADSHEET, shape });
  const forms = new Map<number, NumberForm>();
  return used.map((id) => {
    const form = forms.get(id) ?? numberForm(codes.get(id) ?? builtInFormat(id));
    forms.set(id, form);
    return form;
  });
}
