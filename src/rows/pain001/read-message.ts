// A message from its first byte to its last, checked against the whole schema and reported piece by piece in the same pass: the validated content
// is the content that is read. Entities and document types can make small XML large, or reach other files; nothing is ever fetched.
import { SaxesParser, type SaxesTagPlain } from 'saxes';

import { joinWords, type Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { type FileRefusalCode, FileRefused } from '../file-refused.ts';
import { describeCopy, readBytes, type SourceFile } from '../source-file.ts';
import {
  badValue,
  checkAttribute,
  damaged,
  isDeclaredAgain,
  NAME_CHARS,
  noAttribute,
  openRoot,
  startMessageText,
  strayAttributes,
  type Tell,
} from './message-start.ts';
import { type Element, missingFrom, namesOf, type ElementPlace, placeOf, type Type } from './schema.ts';

export type MessageHandler = {
  /** @param version of `pain.001.001`, as `09`. */
  readonly group: (header: Element, version: string) => void;
  /** The block of payments without its payments, told before the first of them. */
  readonly block: (block: Element) => void;
  readonly payment: (payment: Element) => void;
  /** A payment or its id begins, be it where the schema allows none and it is not told. */
  readonly begun?: () => void;
};

/** Deeper than any schema goes, content of others within its extensions included. */
const DEPTH_MAX = 40;
/** A name, an attribute or a text; the longest of the schema has 10 KiB. */
const TOKEN_CHARS_MAX = 64 * 1024;
/** So much of a start is read at a time. */
const PIECE_CHARS = 16 * 1024;
/** Elements of one payment: a thousand invoices have some ten thousand. */
const ELEMENTS_MAX = 50_000;
/** Enough faults to correct a program by. */
const FAULTS_MAX = 20;

export type Reading = {
  /** Why it is read: to be paid, or to report about a refused one as far as it can be read. */
  readonly readFor?: 'paying' | 'refusing';
  /** Where a copy of the very same bytes is read instead. */
  readonly copy?: string | undefined;
};

/**
 * Reads the whole message, and gives what its handler tells of it, piece by piece. Throws `FileRefused`: `message_invalid` with the first faults, at the end.
 * @param handlerFor the handler hears of nothing behind the first fault, unless the message is only read for its refusal.
 */
export async function* readMessage<Told>(
  source: SourceFile,
  handlerFor: (tell: (told: Told) => void) => MessageHandler,
  { readFor = 'paying', copy }: Reading = {},
): AsyncGenerator<Told, void, undefined> {
  const read = await describeCopy(source, copy);
  const told: Told[] = [];
  const message = new Message(
    handlerFor((each) => void told.push(each)),
    false,
    readFor,
  );
  const decode = startMessageText();
  let faults: readonly Words[];
  try {
    for await (const bytes of readBytes(read)) {
      message.write(decode(bytes));
      // Each by itself: to yield a list would await each of its members twice.
      for (const each of told.splice(0)) yield each;
    }
    message.write(decode());
    faults = message.end();
  } catch (error) {
    // Counting lines makes the parser slower, and is needed for a message with faults alone.
    if (error instanceof FileRefused && OF_A_PLACE.has(error.code)) await faultsWithLines(read);
    throw error;
  }
  yield* told.splice(0);
  if (readFor === 'refusing') return;
  if (faults.length > 0) throw invalid(await faultsWithLines(read));
}

/** Faults that stand at one place of the text. */
const OF_A_PLACE: ReadonlySet<FileRefusalCode> = new Set(['xml_damaged', 'xml_bomb']);

function invalid(faults: readonly Words[]): FileRefused {
  return new FileRefused('message_invalid', joinWords([sentence('readMessage.invalid'), ...faults]));
}

/** Reads once more, counting lines. Throws the `FileRefused` of a text that cannot be read to its end, with its line. */
async function faultsWithLines(source: SourceFile): Promise<readonly Words[]> {
  const message = new Message(null, true);
  const decode = startMessageText();
  for await (const bytes of readBytes(source)) message.write(decode(bytes));
  message.write(decode());
  return message.end();
}

/** Gives what the first bytes of a message tell. Throws `FileRefused` for what they refuse already. */
export function readStart(start: Buffer, handler: MessageHandler): void {
  const message = new Message(handler, true);
  const text = startMessageText()(start);
  // In pieces: what follows the last event of a piece is counted with the next one.
  for (let at = 0; at < text.length; at += PIECE_CHARS) message.write(text.slice(at, at + PIECE_CHARS));
}

/** Whether a whole text is a message as its schema has it. Throws `FileRefused` for one that is no message at all. */
export function agreesWithSchema(text: string): boolean {
  const message = new Message(null, false);
  message.write(text);
  return message.end().length === 0;
}

/** What it holds is what is told of it once it is closed. */
type Open = Element & {
  /** Null for content that nobody checks. */
  readonly type: Type | null;
  /** Where among its particles the next child may stand, and how many the current one has had. */
  at: number;
  count: number;
  text: string;
  readonly children: Element[];
  /** Whether a handler wants to know it. */
  readonly isKept: boolean;
};

function opened(name: string, type: Type | null, currency: string | null, isKept: boolean): Open {
  const children = type?.kind === 'simple' ? NO_CHILDREN : [];
  return { name, text: '', currency, children, type, at: 0, count: 0, isKept };
}

/** One for all: most elements are texts. */
const NO_CHILDREN: Element[] = [];

/** A message in progress: its parser, the open elements, and the faults found. */
class Message {
  readonly #handler: MessageHandler | null;
  readonly #parser: SaxesParser<{ xmlns: false; position: boolean }>;
  readonly #withLines: boolean;
  readonly #faults: Words[] = [];
  readonly #open: Open[] = [];
  /** How much the parser has taken since its last event: it keeps all of it in memory. */
  #untold = 0;
  /** Elements of the current payment. */
  #elements = 0;
  /** Of the element that begins: nearly every one has none, and to list them takes longer than to check their element. */
  #attributes = 0;
  #root = { prefix: '', namespace: '', version: '' };
  #isEnded = false;
  readonly #hearsAll: boolean;
  readonly #recent = new RecentText();

  /** @param withLines counts lines for the faults, which makes the parser slower. */
  constructor(handler: MessageHandler | null, withLines: boolean, readFor: Reading['readFor'] = 'paying') {
    this.#handler = handler;
    this.#hearsAll = readFor === 'refusing';
    this.#withLines = withLines;
    this.#parser = new SaxesParser({ xmlns: false, position: withLines });
    this.#parser.on('error', (error) => {
      throw this.#ampersand() ?? damaged(sentence('readMessage.wellFormed', { line: this.#line }), error);
    });
    this.#parser.on('doctype', () => {
      throw new FileRefused('xml_bomb', sentence('readMessage.doctype', { line: this.#line }));
    });
    this.#parser.on('attribute', () => (this.#attributes += 1));
    this.#parser.on('opentag', (tag) => {
      this.#enter(tag);
      this.#attributes = 0;
      this.#mark();
    });
    this.#parser.on('text', (text) => {
      this.#text(text);
      this.#mark();
    });
    this.#parser.on('cdata', (text) => {
      this.#text(text);
      this.#mark();
    });
    this.#parser.on('closetag', () => {
      this.#leave();
      this.#mark();
    });
  }

  write(piece: string): void {
    this.#untold += piece.length;
    if (this.#withLines) this.#recent.add(piece);
    this.#parser.write(piece);
    if (this.#untold > TOKEN_CHARS_MAX) throw this.#ampersand() ?? endless(this.#line);
  }

  #mark(): void {
    if (this.#withLines) this.#recent.mark(this.#parser.position, this.#parser.line);
  }

  /** The fault of an ampersand that begins no entity; null where there is none, or where lines are not counted. */
  #ampersand(): FileRefused | null {
    const line = this.#recent.lineOf(BARE_AMPERSAND);
    if (line === null) return null;
    return damaged(sentence('readMessage.ampersand', { line }), undefined, AMPERSAND_REMEDY);
  }

  /** The faults, once the message is read to its end. */
  end(): readonly Words[] {
    this.#parser.close();
    if (!this.#isEnded) throw damaged(sentence('readMessage.cutOff', { line: this.#line }));
    return this.#faults;
  }

  get #line(): number {
    return this.#withLines ? this.#parser.line : 0;
  }

  readonly #tell: Tell = (name, what) => {
    if (this.#faults.length >= FAULTS_MAX) return;
    const path = [...this.#open.map((each) => each.name), name].filter((each) => each !== '').join('/');
    this.#faults.push(sentence('readMessage.fault', { line: this.#line, path, what }));
  };

  /** Nothing is told of a message with a fault, which will be refused, unless it is read for that. */
  #told(run: (handler: MessageHandler) => void): void {
    if ((this.#hearsAll || this.#faults.length === 0) && this.#handler !== null) run(this.#handler);
  }

  #enter(tag: SaxesTagPlain): void {
    this.#untold = 0;
    this.#elements += 1;
    if (this.#hearsAll && PAYMENT_OR_ID.test(tag.name)) this.#handler?.begun?.();
    if (this.#open.length >= DEPTH_MAX)
      throw new FileRefused('xml_bomb', sentence('readMessage.depth', { line: this.#line }));
    if (this.#elements > ELEMENTS_MAX)
      throw new FileRefused('xml_bomb', sentence('readMessage.elements', { line: this.#line }));
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#enterRoot(tag);
    else this.#enterBelow(parent, tag);
  }

  #enterRoot(tag: SaxesTagPlain): void {
    const root = openRoot(tag, this.#isEnded, this.#line);
    this.#root = root;
    this.#open.push(opened('Document', root.type, null, false));
    for (const name of strayAttributes(tag, root.instance, null)) this.#tell('', noAttribute(name));
  }

  #enterBelow(parent: Open, tag: SaxesTagPlain): void {
    const child = parent.type === null ? null : childOf(parent, tag.name, this.#root.prefix, this.#tell);
    if (child === null) {
      this.#open.push(opened(tag.name.slice(0, NAME_CHARS), null, null, false));
      return;
    }
    const { name, type } = child;
    const attribute = type.kind === 'simple' ? type.attribute : null;
    const currency = attribute === null ? null : checkAttribute(tag, attribute, name, this.#tell);
    if (this.#attributes > 0)
      for (const stray of strayAttributes(tag, null, attribute?.name ?? null))
        if (!isDeclaredAgain(tag, stray, this.#root)) this.#tell(name, noAttribute(stray));
    if (name === 'CdtTrfTxInf') {
      this.#elements = 0;
      // The schema has the payments last, so everything before the first of them is the whole block.
      if (parent.count === 1) this.#told((handler) => handler.block(parent));
    }
    const isKept = this.#handler !== null && (parent.isKept || isTold(name));
    this.#open.push(opened(name, type, currency, isKept));
  }

  #text(content: string): void {
    this.#untold = 0;
    const current = this.#open.at(-1);
    if (current === undefined || current.type === null) return;
    if (current.type.kind === 'complex') {
      if (/[^\t\n\r ]/.test(content)) this.#tell('', sentence('readMessage.strayText'));
      return;
    }
    current.text += content;
    if (current.text.length > TOKEN_CHARS_MAX) throw endless(this.#line);
  }

  #leave(): void {
    this.#untold = 0;
    const closed = this.#open.pop();
    if (closed === undefined) return;
    if (this.#open.length === 0) this.#isEnded = true;
    const fault = faultOf(closed);
    if (fault !== null) this.#tell(closed.name, fault);
    if (!closed.isKept) return;
    if (closed.name === 'GrpHdr') this.#told((handler) => handler.group(closed, this.#root.version));
    else if (closed.name === 'CdtTrfTxInf') this.#told((handler) => handler.payment(closed));
    else if (closed.name !== 'PmtInf') this.#open.at(-1)?.children.push(closed);
  }
}

const PAYMENT_OR_ID = /^(?:.*:)?(?:CdtTrfTxInf|EndToEndId)$/;

function faultOf(closed: Open): Words | null {
  if (closed.type === null) return null;
  if (closed.type.kind === 'complex') {
    const missing = missingFrom(closed.type, closed.at, closed.count);
    return missing === null ? null : sentence('readMessage.missing', { names: namesOf([missing]) });
  }
  const expected = closed.type.fault(closed.text);
  return expected === null ? null : badValue(closed.text, expected);
}

/** The elements that are told whole; the payments of a block are told one by one, and are no part of it. */
function isTold(name: string): boolean {
  return name === 'GrpHdr' || name === 'PmtInf' || name === 'CdtTrfTxInf';
}

/** The place of the child that may stand here; null for any content, and for one that may not stand here, which has been told then. */
function childOf(parent: Open, written: string, prefix: string, tell: Tell): ElementPlace | null {
  const { type, at, count } = parent;
  if (type?.kind !== 'complex') {
    tell(written.slice(0, NAME_CHARS), sentence('readMessage.noChildren'));
    return null;
  }
  const { particles } = type;
  const place = placeOf(type, written, prefix);
  const most = particles[at]?.most ?? 0;
  const mayStand = place !== undefined && (place.at > at || (place.at === at && count < most));
  const missing = missingFrom(type, at, count, mayStand ? place.at : particles.length);
  if (mayStand && missing === null) {
    parent.count = place.at === at ? count + 1 : 1;
    parent.at = place.at;
    return place.name === '*' ? null : place;
  }
  const rest = missing === null ? particles.slice(count < most ? at : at + 1) : [missing];
  const names = namesOf(rest);
  const words =
    names === '' ? sentence('readMessage.nothingMore') : sentence('readMessage.expected', { names });
  tell(written.slice(0, NAME_CHARS), words);
  return null;
}

function endless(line: number): FileRefused {
  return new FileRefused('xml_bomb', sentence('readMessage.endless', { chars: TOKEN_CHARS_MAX, line }));
}

/** The commonest fault of exports that somebody wrote by hand. The parser takes what follows for the name of an entity, and finds the fault much later. */
const BARE_AMPERSAND = /&(?!#?\w*$)(?!(?:#\d+|#x[\da-f]+|amp|lt|gt|quot|apos);)/i;

const AMPERSAND_REMEDY = sentence('readMessage.ampersand.remedy');

/** What a parser has taken since it last told of something, and the line on which that begins. */
class RecentText {
  #text = '';
  /** How many characters of the file stand before it. */
  #from = 0;
  #at = 0;
  #line = 1;

  add(piece: string): void {
    this.#text = this.#text.slice(this.#at - this.#from) + piece;
    this.#from = this.#at;
  }

  mark(at: number, line: number): void {
    this.#at = at;
    this.#line = line;
  }

  /** The line of the first match outside of comments and instructions; null where nothing matches. */
  lineOf(pattern: RegExp): number | null {
    const told = this.#text.slice(this.#at - this.#from).replace(/<!--.*?-->|<\?.*?\?>/gs, (skipped) => {
      return skipped.replace(/[^\n]/g, ' ');
    });
    const found = pattern.exec(told);
    return found === null ? null : this.#line + told.slice(0, found.index).split('\n').length - 1;
  }
}
