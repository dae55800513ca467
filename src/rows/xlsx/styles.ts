// The formats that cells refer to by number. Of all that a style says only the number format changes what a cell means; its colours go back to
// the owner with the header.
import type { CellLook } from '../xlsx-form.ts';
import { FileRefused } from '../file-refused.ts';
import { STYLES_MAX } from './limits.ts';
import { SPREADSHEET } from './namespaces.ts';
import { builtInFormat, numberForm, type NumberForm } from './number-format.ts';
import type { Parts } from './package-parts.ts';
import type { Attributes, Shape } from './walk-xml.ts';
import { sentence } from '../../messages/messages.ts';

/** By the number of the style; a cell without one has style 0. */
export type Styles = {
  readonly forms: readonly NumberForm[];
  readonly looks: readonly CellLook[];
};

const GENERAL = numberForm('General');

export async function readStyles(parts: Parts, part: string | null): Promise<Styles> {
  if (part === null) return { forms: [GENERAL], looks: [] };
  const codes = new Map<number, string>();
  const used: number[] = [];
  const worn: { readonly font: number; readonly fill: number }[] = [];
  const { fonts, fills, shapes } = startLooks();
  const numFmt = {
    open: ({ numFmtId, formatCode = '' }: Attributes) => void codes.set(Number(numFmtId), formatCode),
  };
  const xf = {
    open: ({ numFmtId = '0', fontId, fillId }: Attributes) => {
      worn.push({ font: Number(fontId), fill: Number(fillId) });
      if (used.push(Number(numFmtId)) > STYLES_MAX)
        throw new FileRefused('workbook_bomb', sentence('styles.readStyles', { stylesMax: STYLES_MAX }));
    },
  };
  const shape = { children: { numFmts: { children: { numFmt } }, ...shapes, cellXfs: { children: { xf } } } };
  await parts.walk(part, { name: 'styleSheet', namespaces: SPREADSHEET, shape });
  const forms = new Map<number, NumberForm>();
  return {
    forms: used.map((id) => {
      const form = forms.get(id) ?? numberForm(codes.get(id) ?? builtInFormat(id));
      forms.set(id, form);
      return form;
    }),
    looks: worn.map(({ font, fill }) => ({ ...fonts[font], ...fills[fill] })),
  };
}

type Font = { color?: string; isBold?: true };
type Fill = { fill?: string };

/** The fonts and fills that styles refer to, as far as they are looked at. */
function startLooks(): {
  readonly fonts: readonly Font[];
  readonly fills: readonly Fill[];
  readonly shapes: Readonly<Record<'fonts' | 'fills', Shape>>;
} {
  const fonts: Font[] = [];
  const fills: Fill[] = [];
  let isSolid = false;
  const font: Shape = {
    open: () => {
      if (fonts.length < STYLES_MAX) fonts.push({});
    },
    children: {
      b: {
        open: ({ val }) => {
          if (val !== '0' && val !== 'false') Object.assign(fonts.at(-1) ?? {}, { isBold: true });
        },
      },
      color: { open: ({ rgb }) => Object.assign(fonts.at(-1) ?? {}, colored('color', rgb)) },
    },
  };
  const patternFill: Shape = {
    open: ({ patternType }) => {
      isSolid = patternType === 'solid';
    },
    children: {
      fgColor: {
        open: ({ rgb }) => {
          if (isSolid) Object.assign(fills.at(-1) ?? {}, colored('fill', rgb));
        },
      },
    },
  };
  const fill: Shape = {
    open: () => {
      if (fills.length < STYLES_MAX) fills.push({});
    },
    children: { patternFill },
  };
  return { fonts, fills, shapes: { fonts: { children: { font } }, fills: { children: { fill } } } };
}

/** A colour that the file spells out; one of its theme is left to our own. */
function colored(name: 'color' | 'fill', rgb: string | undefined): Readonly<Record<string, string>> {
  return rgb !== undefined && /^[0-9A-F]{8}$/i.test(rgb) ? { [name]: rgb } : {};
}
