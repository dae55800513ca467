// The formats that cells refer to by number. Of all that a style says only the number format changes what a cell means; its colours go back to
// the owner with the header.
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';
import type { CellLook } from '../form.ts';
import { SPREADSHEET, STYLES_MAX } from './limits.ts';
import type { Parts } from './package-parts.ts';
import type { Attributes, Shape } from './walk-xml.ts';

// A date is stored as a number, and only its format says that it is one. A format also says how many zeros a person sees in front.

/** Formats that every program knows by number alone. */
const BUILT_IN: ReadonlyMap<number, string> = new Map([
  [0, 'General'],
  [1, '0'],
  [2, '0.00'],
  [3, '#,##0'],
  [4, '#,##0.00'],
  [9, '0%'],
  [10, '0.00%'],
  [11, '0.00E+00'],
  [12, '# ?/?'],
  [13, '# ??/??'],
  [14, 'mm-dd-yy'],
  [15, 'd-mmm-yy'],
  [16, 'd-mmm'],
  [17, 'mmm-yy'],
  [18, 'h:mm AM/PM'],
  [19, 'h:mm:ss AM/PM'],
  [20, 'h:mm'],
  [21, 'h:mm:ss'],
  [22, 'm/d/yy h:mm'],
  [37, '#,##0 ;(#,##0)'],
  [38, '#,##0 ;[Red](#,##0)'],
  [39, '#,##0.00;(#,##0.00)'],
  [40, '#,##0.00;[Red](#,##0.00)'],
  [45, 'mm:ss'],
  [46, '[h]:mm:ss'],
  [47, 'mmss.0'],
  [48, '##0.0E+0'],
  [49, '@'],
]);

/** East Asian programs keep their dates under these numbers. */
const isAsianDate = (id: number) => (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

function builtInFormat(id: number): string {
  return BUILT_IN.get(id) ?? (isAsianDate(id) ? 'yyyy-mm-dd' : 'General');
}

/** How a format changes the meaning of a number for a person. */
export type NumberForm = {
  readonly code: string;
  readonly isDate: boolean;
  readonly isPercent: boolean;
  /** A person sees thousands for units, or nothing at all. */
  readonly isMisleading: boolean;
  readonly zeros: number;
};

export function numberForm(code: string): NumberForm {
  const bare = withoutLiterals(code);
  const isDate = /[ymdhs]/i.test(bare) && !/[0#?]/.test(bare.replace(/s\.0+/gi, 's'));
  return {
    code,
    isDate,
    isPercent: !isDate && bare.includes('%'),
    isMisleading: !isDate && misleads(code, bare),
    zeros: /^0{2,}$/.test(code) ? code.length : 0,
  };
}

/** A comma behind the last digit divides by a thousand (`#,##0,`); a part without digits (`;;;`, `"paid"`) hides the number. */
function misleads(code: string, bare: string): boolean {
  const isScaled = /[0#?],+(?![0#?,])/.test(bare);
  return isScaled || (code !== '' && !/[0#?@]|General|Standard/i.test(bare));
}

/** The part for positive numbers, without quoted text, escapes, fillers, colours, currencies and locales; `[h]` is an hour. */
function withoutLiterals(code: string): string {
  const bare = code
    .replace(/"[^"]*"/g, '')
    .replace(/[\\_*]./gsu, '')
    .replace(/\[(h+|m+|s+)\]/gi, '$1')
    .replace(/\[[^\]]*\]/g, '');
  return bare.split(';')[0] ?? '';
}

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
