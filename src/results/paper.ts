// Writes text on pages of a PDF, in the fonts that every reader of PDFs has. A character that they lack is printed in another font, if one is given that has it, and else
// as its number: a name is never missing, and never another one.
import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';

import type PDFDocument from 'pdfkit';

/** `at` and `width` in points from the left margin. */
export type Cell = {
  readonly text: string;
  readonly at?: number;
  readonly width?: number;
  readonly size?: number;
  readonly isBold?: boolean;
  readonly isRight?: boolean;
  readonly colour?: string;
};

const MARGIN = 50;
/** Of the footer, which stands below the text. */
const FOOT = 40;
const USUAL_SIZE = 9.5;
const LINE_HEIGHT = 1.3;
export const SOFT = '#555555';

/** What Helvetica has in its usual encoding (WinAnsi), but for the hyphen that nobody sees. */
const LATIN = /^[ -~\u00a0-\u00ac\u00ae-\u00ff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]$/u;
/** Written from left to right, a sign for each character: the others would need more than a font. */
const PLAIN_SCRIPT =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{P}\p{Sc}]$/u;

type Document = InstanceType<typeof PDFDocument>;
type Run = { readonly text: string; readonly font: string };

type PaperFacts = {
  readonly title: string;
  readonly language: string;
  readonly at: string;
  /** Path of a font (TTF or OTF), of which what is used is embedded. Throws as `readFileSync` does. */
  readonly font: string | null;
};

export async function openPaper(facts: PaperFacts): Promise<Paper> {
  const { default: Pdf } = await import('pdfkit');
  const document = new Pdf({
    size: 'A4',
    margins: { top: MARGIN, left: MARGIN, right: MARGIN, bottom: MARGIN + FOOT },
    bufferPages: true,
    lang: facts.language,
    displayTitle: true,
    info: { Title: facts.title, Creator: 'paydrop', Producer: 'paydrop', CreationDate: new Date(facts.at) },
  });
  if (facts.font === null) return new Paper(document, () => false);
  document.registerFont(OTHER, readFileSync(facts.font));
  document.font(OTHER);
  const { font } = (document as unknown as WithFont)._font;
  return new Paper(document, (character) => font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0));
}

const OTHER = 'other';
/** The font that was chosen last, as pdfkit keeps it. */
type WithFont = { readonly _font: { readonly font: { hasGlyphForCodePoint(code: number): boolean } } };

export class Paper {
  readonly #document: Document;
  readonly #hasOther: (character: string) => boolean;
  /** Of each character, so that a long list asks once. */
  readonly #fonts = new Map<string, string>();
  /** A character was printed as its number. */
  hasNumbers = false;

  constructor(document: Document, hasOther: (character: string) => boolean) {
    this.#document = document;
    this.#hasOther = hasOther;
  }

  get width(): number {
    return this.#document.page.width - 2 * MARGIN;
  }

  /** Cells beside each other, each in as many lines as it needs; all of them on one page. */
  line(...cells: readonly Cell[]): void {
    const set = cells.map((cell) => ({ cell, lines: this.#linesOf(cell) }));
    const height = Math.max(...set.map(({ cell, lines }) => lines.length * heightOf(cell)));
    this.keep(height);
    const top = this.#document.y;
    for (const { cell, lines } of set)
      for (const [at, line] of lines.entries()) this.#put(line, cell, top + at * heightOf(cell));
    this.#document.y = top + height;
  }

  space(points: number): void {
    this.#document.y += points;
  }

  rule(): void {
    const y = this.#document.y;
    this.#document
      .moveTo(MARGIN, y)
      .lineTo(MARGIN + this.width, y)
      .lineWidth(0.5)
      .strokeColor('#bbbbbb')
      .stroke();
    this.space(5);
  }

  /** Begins a new page where this one has less room. */
  keep(height: number): void {
    const { page, y } = this.#document;
    if (y + height > page.height - MARGIN - FOOT) this.#document.addPage();
  }

  /** A file within the PDF, which is not compressed: it can be read without a reader of PDFs. */
  attach(
    name: string,
    content: string,
    { at, words }: { readonly at: string; readonly words: string },
  ): void {
    const document = this.#document as Document & { compress: boolean };
    document.compress = false;
    document.file(Buffer.from(content), {
      name,
      type: 'application/json',
      description: words,
      creationDate: new Date(at),
      modifiedDate: new Date(at),
    });
    document.compress = true;
  }

  /** The PDF, with a line at the foot of each page. */
  async finish(footer: (page: number, pages: number) => string): Promise<Uint8Array> {
    const document = this.#document;
    const { start, count } = document.bufferedPageRange();
    for (let page = start; page < start + count; page += 1) {
      document.switchToPage(page);
      const cell = { text: footer(page + 1, count), size: 8, colour: SOFT };
      const [line = ''] = this.#linesOf(cell);
      this.#put(line, cell, document.page.height - MARGIN - FOOT / 2);
    }
    const bytes = buffer(document);
    document.end();
    return bytes;
  }

  #put(line: string, cell: Cell, y: number): void {
    const { at = 0, width = this.width - at, size = USUAL_SIZE, isRight = false, colour = 'black' } = cell;
    const runs = this.#runsOf(line, cell);
    let x = MARGIN + at + (isRight ? width - this.#widthOf(runs, size) : 0);
    for (const run of runs) {
      this.#document
        .font(run.font)
        .fontSize(size)
        .fillColor(colour)
        .text(run.text, x, y, { lineBreak: false });
      x += this.#widthOf([run], size);
    }
  }

  /** Broken at spaces, and within a word that is longer than a line. */
  #linesOf(cell: Cell): readonly string[] {
    const { at = 0, width = this.width - at, size = USUAL_SIZE } = cell;
    const fits = (text: string) => this.#widthOf(this.#runsOf(text, cell), size) <= width;
    const lines: string[] = [];
    let line = '';
    for (const word of this.#printable(cell.text).split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (fits(longer)) {
        line = longer;
        continue;
      }
      if (line !== '') lines.push(line);
      line = '';
      for (const character of word) {
        if (line !== '' && !fits(line + character)) {
          lines.push(line);
          line = '';
        }
        line += character;
      }
    }
    return [...lines, line];
  }

  /** The text in one form of its accents, with the number of each character that no font has. */
  #printable(text: string): string {
    return Array.from(text.normalize('NFC'), (character) => {
      if (this.#fontOf(character) !== '') return character;
      this.hasNumbers = true;
      return `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;
    }).join('');
  }

  #runsOf(text: string, { isBold = false }: Cell): readonly Run[] {
    const runs: { text: string; font: string }[] = [];
    for (const character of text) {
      const own = this.#fontOf(character);
      const font = own === LATIN_FONT && isBold ? 'Helvetica-Bold' : own;
      const last = runs.at(-1);
      if (last?.font === font) last.text += character;
      else runs.push({ text: character, font });
    }
    return runs;
  }

  /** Empty where there is none. */
  #fontOf(character: string): string {
    const known = this.#fonts.get(character);
    if (known !== undefined) return known;
    const isOther = PLAIN_SCRIPT.test(character) && this.#hasOther(character);
    const font = LATIN.test(character) ? LATIN_FONT : isOther ? OTHER : '';
    this.#fonts.set(character, font);
    return font;
  }

  #widthOf(runs: readonly Run[], size: number): number {
    return runs.reduce(
      (sum, { text, font }) => sum + this.#document.font(font).fontSize(size).widthOfString(text),
      0,
    );
  }
}

const LATIN_FONT = 'Helvetica';

function heightOf({ size = USUAL_SIZE }: Cell): number {
  return size * LINE_HEIGHT;
}
