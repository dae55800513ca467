// The formats that cells refer to by number. Of all that a style says the number format changes what a cell means, and a line through it takes
// it back; its colours go back to the owner with the header.
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';
import type { CellLook } from '../form.ts';
import { currencyBeside, takeApart } from '../read-amount.ts';
import { SPREADSHEET, STYLES_MAX } from './limits.ts';
import type { PackageParts } from './package-parts.ts';
import { type Attributes, isOn, type Shape } from './walk-xml.ts';

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
  /** How a person reads an amount in this format; null where that may be another amount. */
  readonly asAmount: AmountForm | null;
  readonly zeros: number;
};

/** The currency that a format writes beside an amount, or null. */
type AmountForm = { readonly currency: string | null };

export function numberForm(code: string): NumberForm {
  const sections = sectionsOf(code);
  const bare = withoutLiterals(sections[0] ?? '');
  const isDate = /[ymdhs]/i.test(bare) && !/[0#?]/.test(bare.replace(/s\.0+/gi, 's'));
  return {
    code,
    isDate,
    isPercent: !isDate && bare.includes('%'),
    isMisleading: !isDate && misleads(code, bare),
    asAmount: isDate || code === '' ? { currency: null } : amountForm(sections),
    zeros: /^0{2,}$/.test(code) ? code.length : 0,
  };
}

/** A comma behind the last digit divides by a thousand (`#,##0,`); a part without digits (`;;;`, `"paid"`) hides the number. */
function misleads(code: string, bare: string): boolean {
  const isScaled = /[0#?],+(?![0#?,])/.test(bare);
  return isScaled || (code !== '' && !/[0#?@]|General|Standard/i.test(bare));
}

/** Quoted text, an escape, a gap, a filler, what stands in brackets, the word for plain digits, an exponent, or any other character. */
const TOKEN = /"[^"]*"|[\\_*].|\[[^\]]*\]|General|Standard|E[+-]|./gisu;

/** The first is for positive numbers, unless one of them has a condition. */
function sectionsOf(code: string): readonly string[] {
  const sections = [''];
  for (const [token] of code.matchAll(TOKEN))
    if (token === ';') sections.push('');
    else sections.push(`${sections.pop() ?? ''}${token}`);
  return sections;
}

/** Without quoted text, escapes, fillers, colours, currencies and locales; `[h]` is an hour. */
function withoutLiterals(section: string): string {
  return section
    .replace(/"[^"]*"/g, '')
    .replace(/[\\_*]./gsu, '')
    .replace(/\[(h+|m+|s+)\]/gi, '$1')
    .replace(/\[[^\]]*\]/g, '');
}

// What a format writes around a number is read as if a person had typed it there: a sign, a word or a digit makes it another amount.

function amountForm(sections: readonly string[]): AmountForm | null {
  const [first = null, ...others] = forPositive(sections).map(sectionAsAmount);
  return others.every((other) => other?.currency === first?.currency) ? first : null;
}

/** The conditions of brackets that stand first in a section. */
const MEETS_ALL_POSITIVE = /^(?:\[[^\]<=>]*\])*\[>=?0\]/;
const MEETS_NO_POSITIVE = /^(?:\[[^\]<=>]*\])*\[(?:<=?|=)(?:0|-[\d.]+)\]/;

/** The sections that may show a positive number; a fourth is for text. */
function forPositive(sections: readonly string[]): readonly string[] {
  const [first = ''] = sections;
  const isConditional = sections.some((section) => /\[[<=>]/.test(section));
  if (!isConditional || MEETS_ALL_POSITIVE.test(first)) return [first];
  return sections.slice(0, 3).filter((section) => !MEETS_NO_POSITIVE.test(section));
}

/** Stand for the digits of the number, and for the marks between them; a format has neither in its own text. */
const [DIGIT, MARK] = ['\ue000', '\ue001'];

/** A space or an apostrophe that divides thousands. */
const GROUPING = new RegExp(`[ \u00a0\u202f\u2009'’](?=${DIGIT}{3}(?!${DIGIT}))`, 'gu');

function sectionAsAmount(section: string): AmountForm | null {
  const face = section.replace(TOKEN, faceOf);
  const [from, to] = [face.indexOf(DIGIT), face.lastIndexOf(DIGIT) + 1];
  const inside = face.slice(from, to).replace(GROUPING, '');
  if (from < 0 || !/^[\ue000\ue001]*$/.test(inside)) return null;
  const around = (text: string) => text.replaceAll(MARK, '');
  const apart = takeApart(`${around(face.slice(0, from))}1${around(face.slice(to))}`);
  if (apart === null || apart.isNegative || apart.body !== '1') return null;
  const read = currencyBeside(apart);
  return 'fault' in read ? null : { currency: read.currency?.written ?? null };
}

/** What a person sees of a part of a format. */
function faceOf(token: string): string {
  if (/^(?:[0#?@]|General|Standard)$/i.test(token)) return DIGIT;
  if (/^(?:[.,%/]|E[+-])$/i.test(token)) return MARK;
  if (token.length === 1) return token;
  switch (token.charAt(0)) {
    case '"':
      return token.slice(1, -1);
    case '[':
      return SYMBOL.exec(token)?.[1] ?? (token.startsWith('[$') ? token : '');
    case '_':
      return ' ';
    case '*':
      // Spaces or stars fill the cell; anything else may look like a sign or a digit.
      return /^\*[ *]$/.test(token) ? '' : token.slice(1);
    default:
      return token.slice(1);
  }
}

/** `[$€-40C]`, `[$XAF]`, `[$-40C]`: a currency and the language of a country, or one of the two. */
const SYMBOL = /^\[\$([^-]*)(?:-\w[\w,-]*)?\]$/;

/** By the number of the style; a cell without one has style 0. */
export type Styles = {
  readonly forms: readonly NumberForm[];
  readonly looks: readonly CellLook[];
  /** Those whose font draws a line through the text. */
  readonly struck: ReadonlySet<number>;
};

const GENERAL = numberForm('General');

export async function readStyles(parts: PackageParts, part: string | null): Promise<Styles> {
  if (part === null) return { forms: [GENERAL], looks: [], struck: new Set() };
  const codes = new Map<number, string>();
  const used: number[] = [];
  const worn: { readonly font: number; readonly fill: number }[] = [];
  const { fonts, fills, struckFonts, shapes } = startLooks();
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
    struck: new Set(worn.flatMap(({ font }, style) => (struckFonts.has(font) ? [style] : []))),
  };
}

type Font = { color?: string; isBold?: true };
type Fill = { fill?: string };

/** The fonts and fills that styles refer to, as far as they are looked at. */
function startLooks(): {
  readonly fonts: readonly Font[];
  readonly fills: readonly Fill[];
  readonly struckFonts: ReadonlySet<number>;
  readonly shapes: Readonly<Record<'fonts' | 'fills', Shape>>;
} {
  const fonts: Font[] = [];
  const fills: Fill[] = [];
  const struckFonts = new Set<number>();
  let isSolid = false;
  const font: Shape = {
    open: () => {
      if (fonts.length < STYLES_MAX) fonts.push({});
    },
    children: {
      b: {
        open: ({ val }) => {
          if (isOn(val)) Object.assign(fonts.at(-1) ?? {}, { isBold: true });
        },
      },
      strike: {
        open: ({ val }) => {
          if (isOn(val)) struckFonts.add(fonts.length - 1);
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
  return {
    fonts,
    fills,
    struckFonts,
    shapes: { fonts: { children: { font } }, fills: { children: { fill } } },
  };
}

/** A colour that the file spells out; one of its theme is left to our own. */
function colored(name: 'color' | 'fill', rgb: string | undefined): Readonly<Record<string, string>> {
  return rgb !== undefined && /^[0-9A-F]{8}$/i.test(rgb) ? { [name]: rgb } : {};
}
