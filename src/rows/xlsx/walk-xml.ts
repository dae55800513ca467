// XML of a workbook, piece by piece, against the shape that its reader knows. Entities and document types are how small XML becomes large,
// or reaches other files; no spreadsheet program writes them.
import { SaxesParser } from 'saxes';

import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';
import { TOKEN_CHARS_MAX, XML_DEPTH_MAX } from './limits.ts';

export type Attributes = Readonly<Record<string, string>>;

/** An element that its reader knows: what to do with it, and which children it may have. */
export type Shape = {
  readonly open?: (attributes: Attributes) => void;
  /** May be called several times for one element. */
  readonly text?: (text: string) => void;
  readonly close?: () => void;
  readonly children?: Readonly<Record<string, Shape>>;
  /** Where money stands an element that we do not know is refused, not passed over. */
  readonly isStrict?: boolean;
};

type XmlWalk = { readonly write: (bytes: Buffer) => void; readonly end: () => void };

/** The name of a part's root, and the namespaces that it may have. */
export type Root = { readonly name: string; readonly namespaces: readonly string[]; readonly shape: Shape };

const NOTHING: Shape = {};

/** `part` is for messages, as the name of a thing. Throws `FileRefused`, as `write` and `end` do. */
export function walkXml(part: Words, root: Root): XmlWalk {
  const decode = startDecoder(part);
  const shapeOf = startShapes(part, root);
  const parser = new SaxesParser({ xmlns: false, position: false });
  const open: Shape[] = [];
  // How much the parser has taken since its last event: it keeps all of it in memory.
  let untold = 0;

  // No more events than these: with one more the parser becomes three times slower.
  parser.on('error', (error) => {
    throw damaged(part, sentence('walkXml.wellFormedXml'), error);
  });
  parser.on('doctype', () => {
    throw new FileRefused('workbook_bomb', sentence('walkXml.declaresEntitiesWhich', { part }));
  });
  parser.on('xmldecl', ({ encoding = 'utf-8' }) => {
    const name = encoding.slice(0, NAME_CHARS);
    if (!/^utf-?8$/i.test(encoding)) throw damaged(part, sentence('walkXml.itsEncodingIs', { name }));
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length >= XML_DEPTH_MAX) throw damaged(part, sentence('walkXml.nestedTooDeep'));
    const shape = shapeOf(open.at(-1), name, attributes);
    untold = 0;
    open.push(shape);
    shape.open?.(attributes);
  });
  const text = (content: string) => {
    untold = 0;
    open.at(-1)?.text?.(content);
  };
  parser.on('text', text);
  parser.on('cdata', text);
  parser.on('closetag', () => {
    untold = 0;
    open.pop()?.close?.();
  });

  return {
    write: (bytes) => {
      const piece = decode(bytes);
      untold += piece.length;
      parser.write(piece);
      if (untold > TOKEN_CHARS_MAX) throw endless(part);
    },
    end: () => void parser.write(decode()).close(),
  };
}

type ShapeOf = (parent: Shape | undefined, name: string, attributes: Attributes) => Shape;

/** Finds the shape of each element; names count only under the prefix that the root gives to its namespace. */
function startShapes(part: Words, root: Root): ShapeOf {
  let prefix = '';
  let declaration = 'xmlns';
  const openRoot = (name: string, attributes: Attributes): Shape => {
    const colon = name.indexOf(':');
    prefix = name.slice(0, colon + 1);
    declaration = colon < 0 ? 'xmlns' : `xmlns:${name.slice(0, colon)}`;
    const namespace = attributes[declaration] ?? '';
    if (name !== prefix + root.name || !root.namespaces.includes(namespace))
      throw damaged(part, sentence('walkXml.openRoot', { slice: name.slice(0, NAME_CHARS) }));
    return root.shape;
  };
  return (parent, name, attributes) => {
    if (parent === undefined) return openRoot(name, attributes);
    // Under another namespace the same name is another element, which a spreadsheet program would not show.
    if (parent.isStrict === true && attributes[declaration] !== undefined)
      throw damaged(part, sentence('walkXml.startShapes.renamesElements'));
    const local = prefix === '' ? name : name.startsWith(prefix) ? name.slice(prefix.length) : ':';
    const children = parent.children;
    const shape = children !== undefined && Object.hasOwn(children, local) ? children[local] : undefined;
    if (shape === undefined && parent.isStrict === true)
      throw damaged(
        part,
        sentence('walkXml.startShapes.holdsWhereNone', { slice: name.slice(0, NAME_CHARS) }),
      );
    return shape ?? NOTHING;
  };
}

/** Bytes that are no UTF-8 are refused; without an argument, also those that end in the middle of a letter. */
function startDecoder(part: Words): (bytes?: Buffer) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return (bytes) => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (error) {
      throw damaged(part, sentence('walkXml.startDecoder'), error);
    }
  };
}

/** Enough of a name to find it; it comes from the file. */
const NAME_CHARS = 40;

function endless(part: Words): FileRefused {
  return new FileRefused(
    'workbook_bomb',
    sentence('walkXml.endless', { part, tokenCharsMax: TOKEN_CHARS_MAX }),
  );
}

function damaged(part: Words, what: Words, cause?: unknown): FileRefused {
  const words = sentence('walkXml.damaged', { part, what });
  return new FileRefused('workbook_damaged', words, { cause });
}

// A text is stored in runs of one look each, with hints for its pronunciation between them, and with characters that XML cannot carry escaped.

/** The children of an element that holds a text: `si` of the shared strings, `is` of a cell. A run may be struck through. */
export function richText(take: (text: string, isStruck: boolean) => void): Readonly<Record<string, Shape>> {
  let isStruck = false;
  const strike: Shape = { open: ({ val }) => void (isStruck = isOn(val)) };
  const ofRun: Shape = { text: (text) => take(text, isStruck && text.trim() !== '') };
  const r: Shape = {
    open: () => void (isStruck = false),
    children: { rPr: { children: { strike } }, t: ofRun },
  };
  // `rPh` is a reading aid above the text, and no part of it.
  return { t: { text: (text) => take(text, false) }, r };
}

/** Of a font: an element without a value says yes. */
export function isOn(val: string | undefined): boolean {
  return val !== '0' && val !== 'false';
}

const ESCAPED = /_x([0-9a-f]{4})_/gi;

/** `_x000D_` is a carriage return; a text that looks like an escape has its underscore escaped, `_x005F_x000D_`. */
export function unescapeText(text: string): string {
  if (!text.includes('_x') && !text.includes('_X')) return text;
  return text.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
