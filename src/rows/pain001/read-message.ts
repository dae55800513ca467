// A message from its first byte to its last, checked against the whole schema and reported piece by piece in the same pass: the validated content
// is the content that is read. Entities and document types can make small XML large, or reach other files; nothing is ever fetched.
import { SaxesParser, type SaxesTagPlain } from 'saxes';

import { joinWords, type Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';
import { readBytes, type SourceFile } from '../source-file.ts';
import {
  badValue,
  checkAttribute,
  damaged,
  NAME_CHARS,
  noAttribute,
  openRoot,
  startMessageText,
  strayAttributes,
  type Tell,
} from './message-start.ts';
import { missingFrom, namesOf, type Type, typeNamed } from './schema.ts';

/** An element with what it holds. */
export type Element = {
  readonly name: string;
  /** As written, the white space around it too; of an element with children nothing. */
  readonly text: string;
  /** The currency of an amount; null of anything else. */
  readonly currency: string | null;
  readonly children: readonly Element[];
};

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
/** Elements of one payment: a thousand invoices have some ten thousand. */
const ELEMENTS_MAX = 50_000;
/** Enough faults to correct a program by. */
const FAULTS_MAX = 20;

/** Why a message is read: to be paid, or to report about a refused one as far as it can be read. */
export type ReadFor = 'paying' | 'refusing';

/**
 * Reads the whole message, and gives what its handler tells of it, piece by piece. Throws `FileRefused`: `message_invalid` with the first faults, at the end.
 * @param handlerFor the handler hears of nothing behind the first fault, unless the message is only read for its refusal.
 */
export async function* readMessage<Told>(
  source: SourceFile,
  handlerFor: (tell: (told: Told) => void) => MessageHandler,
  readFor: ReadFor = 'paying',
): AsyncGenerator<Told, void, undefined> {
  const told: Told[] = [];
  const message = new Message(
    handlerFor((each) => void told.push(each)),
    false,
    readFor,
  );
  const decode = startMessageText();
  for await (const bytes of readBytes(source)) {
    message.write(decode(bytes));
    yield* told.splice(0);
  }
  message.write(decode());
  const faults = message.end();
  yield* told.splice(0);
  if (readFor === 'refusing') return;
  // Counting lines makes the parser slower, and is needed for a message with faults alone.
  if (faults.length > 0) throw invalid(await faultsWithLines(source));
}

function invalid(faults: readonly Words[]): FileRefused {
  return new FileRefused('message_invalid', joinWords([sentence('readMessage.invalid'), ...faults]));
}

async function faultsWithLines(source: SourceFile): Promise<readonly Words[]> {
  const message = new Message(null, true);
  const decode = startMessageText();
  for await (const bytes of readBytes(source)) message.write(decode(bytes));
  message.write(decode());
  return message.end();
}

/** Whether a whole text is a message as its schema has it. Throws `FileRefused` for one that is no message at all. */
export function agreesWithSchema(text: string): boolean {
  const message = new Message(null, false);
  message.write(text);
  return message.end().length === 0;
}

type Open = {
  readonly name: string;
  /** Null for content that nobody checks. */
  readonly type: Type | null;
  /** Where among its particles the next child may stand, and how many the current one has had. */
  at: number;
  count: number;
  text: string;
  readonly currency: string | null;
  readonly children: Element[] | null;
};

function opened(name: string, type: Type | null, currency: string | null, children: Element[] | null): Open {
  return { name, type, at: 0, count: 0, text: '', currency, children };
}

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
  #prefix = '';
  #version = '';
  #isEnded = false;
  readonly #hearsAll: boolean;

  /** @param withLines counts lines for the faults, which makes the parser slower. */
  constructor(handler: MessageHandler | null, withLines: boolean, readFor: ReadFor = 'paying') {
    this.#handler = handler;
    this.#hearsAll = readFor === 'refusing';
    this.#withLines = withLines;
    this.#parser = new SaxesParser({ xmlns: false, position: withLines });
    this.#parser.on('error', (error) => {
      throw damaged(sentence('readMessage.wellFormed', { line: this.#line }), error);
    });
    this.#parser.on('doctype', () => {
      throw new FileRefused('xml_bomb', sentence('readMessage.doctype'));
    });
    this.#parser.on('opentag', (tag) => this.#enter(tag));
    this.#parser.on('text', (text) => this.#text(text));
    this.#parser.on('cdata', (text) => this.#text(text));
    this.#parser.on('closetag', () => this.#leave());
  }

  write(piece: string): void {
    this.#untold += piece.length;
    this.#parser.write(piece);
    if (this.#untold > TOKEN_CHARS_MAX) throw endless();
  }

  /** The faults, once the message is read to its end. */
  end(): readonly Words[] {
    this.#parser.close();
    if (!this.#isEnded) throw damaged(sentence('readMessage.cutOff'));
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
    if (this.#open.length >= DEPTH_MAX) throw new FileRefused('xml_bomb', sentence('readMessage.depth'));
    if (this.#elements > ELEMENTS_MAX) throw new FileRefused('xml_bomb', sentence('readMessage.elements'));
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#enterRoot(tag);
    else this.#enterBelow(parent, tag);
  }

  #enterRoot(tag: SaxesTagPlain): void {
    const root = openRoot(tag, this.#isEnded);
    this.#prefix = root.prefix;
    this.#version = root.version;
    this.#open.push(opened('Document', root.type, null, null));
    for (const name of strayAttributes(tag, root.instance, null)) this.#tell('', noAttribute(name));
  }

  #enterBelow(parent: Open, tag: SaxesTagPlain): void {
    const local = localName(tag.name, this.#prefix);
    const type = parent.type === null ? null : childType(parent, local, tag.name, this.#tell);
    if (type === 'fault' || type === null || local === null) {
      this.#open.push(opened(tag.name.slice(0, NAME_CHARS), null, null, null));
      return;
    }
    const attribute = type.kind === 'simple' ? type.attribute : null;
    const currency = attribute === null ? null : checkAttribute(tag, attribute, local, this.#tell);
    for (const name of strayAttributes(tag, null, attribute?.name ?? null))
      this.#tell(local, noAttribute(name));
    if (local === 'CdtTrfTxInf') {
      this.#elements = 0;
      // The schema has the payments last, so everything before the first of them is the whole block.
      if (parent.count === 1) this.#told((handler) => handler.block(elementOf(parent)));
    }
    const isKept = this.#handler !== null && (isTold(local) || parent.children !== null);
    this.#open.push(opened(local, type, currency, isKept ? [] : null));
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
    if (current.text.length > TOKEN_CHARS_MAX) throw endless();
  }

  #leave(): void {
    this.#untold = 0;
    const closed = this.#open.pop();
    if (closed === undefined) return;
    if (this.#open.length === 0) this.#isEnded = true;
    const fault = faultOf(closed);
    if (fault !== null) this.#tell(closed.name, fault);
    if (closed.children === null) return;
    if (closed.name === 'GrpHdr') this.#told((handler) => handler.group(elementOf(closed), this.#version));
    else if (closed.name === 'CdtTrfTxInf') this.#told((handler) => handler.payment(elementOf(closed)));
    else if (closed.name !== 'PmtInf') this.#open.at(-1)?.children?.push(elementOf(closed));
  }
}

const PAYMENT_OR_ID = /^(?:.*:)?(?:CdtTrfTxInf|EndToEndId)$/;

/** The name of an element without the prefix of its root; null for one of another namespace. */
function localName(name: string, prefix: string): string | null {
  const local = name.startsWith(prefix) ? name.slice(prefix.length) : ':';
  return local.includes(':') ? null : local;
}

function faultOf(closed: Open): Words | null {
  if (closed.type === null) return null;
  if (closed.type.kind === 'complex') return missingFrom(closed.type, closed.at, closed.count);
  const expected = closed.type.fault(closed.text);
  return expected === null ? null : badValue(closed.text, expected);
}

/** The elements that are told whole; the payments of a block are told one by one, and are no part of it. */
function isTold(name: string): boolean {
  return name === 'GrpHdr' || name === 'PmtInf' || name === 'CdtTrfTxInf';
}

function elementOf({ name, text, currency, children }: Open): Element {
  return { name, text, currency, children: children ?? [] };
}

/** The type of a child that may stand here; `fault` for one that may not, which has been told then. */
function childType(parent: Open, local: string | null, written: string, tell: Tell): Type | 'fault' | null {
  const { type } = parent;
  if (type === null) return null;
  const shown = written.slice(0, NAME_CHARS);
  if (type.kind === 'simple') {
    tell(shown, sentence('readMessage.noChildren'));
    return 'fault';
  }
  const { particles } = type;
  for (let at = parent.at; at < particles.length; at += 1) {
    const particle = particles[at];
    if (particle === undefined) break;
    const count = at === parent.at ? parent.count : 0;
    const option = local === null ? undefined : particle.options.get(local);
    if (particle.isAny && count < particle.most) {
      [parent.at, parent.count] = [at, count + 1];
      return null;
    }
    if (option !== undefined && count < particle.most) {
      [parent.at, parent.count] = [at, count + 1];
      return typeNamed(option);
    }
    if (count < particle.least) {
      tell(shown, sentence('readMessage.expected', { names: namesOf([particle]) }));
      return 'fault';
    }
  }
  const rest = particles.slice(parent.at).filter(({ most }, index) => index > 0 || parent.count < most);
  tell(
    shown,
    rest.length === 0
      ? sentence('readMessage.nothingMore')
      : sentence('readMessage.expected', { names: namesOf(rest) }),
  );
  return 'fault';
}

function endless(): FileRefused {
  return new FileRefused('xml_bomb', sentence('readMessage.endless', { chars: TOKEN_CHARS_MAX }));
}

/** The text of an element by its path, without the white space around it; empty where there is none. */
export function textAt(element: Element, ...path: readonly string[]): string {
  return elementAt(element, ...path)?.text.trim() ?? '';
}

/** The first element by its path. */
export function elementAt(element: Element, ...path: readonly string[]): Element | undefined {
  let found: Element | undefined = element;
  for (const name of path) found = found?.children.find((child) => child.name === name);
  return found;
}
