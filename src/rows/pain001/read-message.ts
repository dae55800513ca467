// A message from its first byte to its last, held against the whole schema and told piece by piece in the same pass: what is validated is what is
// read. Entities and document types are how small XML becomes large, or reaches other files; nothing is ever fetched.
import { SaxesParser, type SaxesTagPlain } from 'saxes';

import { joinWords, type Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';
import { readBytes, type SourceFile } from '../source-file.ts';
import { damaged, NAME_CHARS, openRoot, startMessageText } from './message-start.ts';
import { type Particle, type SimpleType, type Type, typeNamed } from './schema.ts';

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
  readonly group: (header: Element) => void;
  /** The block of payments without its payments, told before the first of them. */
  readonly block: (block: Element) => void;
  readonly payment: (payment: Element) => void;
};

/** Deeper than any schema goes, content of others within its extensions included. */
const DEPTH_MAX = 40;
/** A name, an attribute or a text; the longest of the schema has 10 KiB. */
const TOKEN_CHARS_MAX = 64 * 1024;
/** Elements of one payment: a thousand invoices have some ten thousand. */
const ELEMENTS_MAX = 50_000;
/** Enough to mend a program by. */
const FAULTS_MAX = 20;

/**
 * Reads the whole message, and gives what its handler tells of it, piece by piece. Throws `FileRefused`: `message_invalid` with the first faults, at the end.
 * @param handlerFor the handler hears of nothing behind the first fault.
 */
export async function* readMessage<Told>(
  source: SourceFile,
  handlerFor: (tell: (told: Told) => void) => MessageHandler,
): AsyncGenerator<Told, void, undefined> {
  const told: Told[] = [];
  const message = startMessage(
    handlerFor((each) => void told.push(each)),
    false,
  );
  const decode = startMessageText();
  for await (const bytes of readBytes(source)) {
    message.write(decode(bytes));
    yield* told.splice(0);
  }
  message.write(decode());
  const faults = message.end();
  yield* told.splice(0);
  // Counting lines makes the parser slower, and is needed for a message with faults alone.
  if (faults.length > 0) throw invalid(await faultsWithLines(source));
}

function invalid(faults: readonly Words[]): FileRefused {
  return new FileRefused('message_invalid', joinWords([sentence('readMessage.invalid'), ...faults]));
}

async function faultsWithLines(source: SourceFile): Promise<readonly Words[]> {
  const message = startMessage(null, true);
  const decode = startMessageText();
  for await (const bytes of readBytes(source)) message.write(decode(bytes));
  message.write(decode());
  return message.end();
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

type Message = { readonly write: (text: string) => void; readonly end: () => readonly Words[] };

/** The faults of a message as they are found; without `withLines` they have no lines. */
export function startMessage(handler: MessageHandler | null, withLines: boolean): Message {
  const parser = new SaxesParser({ xmlns: false, position: withLines });
  const faults: Words[] = [];
  const open: Open[] = [];
  let untold = 0;
  let elements = 0;
  let prefix = '';
  let isEnded = false;

  const tell = (name: string, what: Words) => {
    if (faults.length >= FAULTS_MAX) return;
    const path = [...open.map((each) => each.name), name].filter((each) => each !== '').join('/');
    const line = withLines ? parser.line : 0;
    faults.push(sentence('readMessage.fault', { line, path, what }));
  };
  const told = (run: () => void) => {
    if (faults.length === 0) run();
  };

  parser.on('error', (error) => {
    throw damaged(sentence('readMessage.wellFormed', { line: withLines ? parser.line : 0 }), error);
  });
  parser.on('doctype', () => {
    throw new FileRefused('xml_bomb', sentence('readMessage.doctype'));
  });
  parser.on('opentag', (tag: SaxesTagPlain) => {
    untold = 0;
    elements += 1;
    if (open.length >= DEPTH_MAX) throw new FileRefused('xml_bomb', sentence('readMessage.depth'));
    if (elements > ELEMENTS_MAX) throw new FileRefused('xml_bomb', sentence('readMessage.elements'));
    const parent = open.at(-1);
    if (parent === undefined) {
      const root = openRoot(tag, isEnded);
      prefix = root.prefix;
      open.push({
        name: 'Document',
        type: root.type,
        at: 0,
        count: 0,
        text: '',
        currency: null,
        children: null,
      });
      for (const name of strayAttributes(tag, root.instance, null)) tell('', noAttribute(name));
      return;
    }
    const local =
      prefix === '' ? tag.name : tag.name.startsWith(prefix) ? tag.name.slice(prefix.length) : ':';
    const isOurs = local !== ':' && !local.includes(':');
    const type = parent.type === null ? null : childType(parent, isOurs ? local : null, tag.name, tell);
    if (type === 'fault' || type === null) {
      open.push({
        name: tag.name.slice(0, NAME_CHARS),
        type: null,
        at: 0,
        count: 0,
        text: '',
        currency: null,
        children: null,
      });
      return;
    }
    const attribute = type.kind === 'simple' ? type.attribute : null;
    const currency = attribute === null ? null : checkAttribute(tag, attribute, local, tell);
    for (const name of strayAttributes(tag, null, attribute?.name ?? null)) tell(local, noAttribute(name));
    if (local === 'CdtTrfTxInf') {
      elements = 0;
      // The schema has the payments last, so what stands before the first of them is the whole block.
      if (parent.children !== null && parent.count === 1) told(() => handler?.block(elementOf(parent)));
    }
    const isKept = handler !== null && (isTold(local) || parent.children !== null);
    open.push({ name: local, type, at: 0, count: 0, text: '', currency, children: isKept ? [] : null });
  });
  const text = (content: string) => {
    untold = 0;
    const current = open.at(-1);
    if (current === undefined || current.type === null) return;
    if (current.type.kind === 'complex') {
      if (/[^\t\n\r ]/.test(content)) tell('', sentence('readMessage.strayText'));
      return;
    }
    current.text += content;
    if (current.text.length > TOKEN_CHARS_MAX) throw endless();
  };
  parser.on('text', text);
  parser.on('cdata', text);
  parser.on('closetag', () => {
    untold = 0;
    const closed = open.pop();
    if (closed === undefined) return;
    if (open.length === 0) isEnded = true;
    if (closed.type === null) return;
    const fault = closed.type.kind === 'simple' ? closed.type.fault(closed.text) : missingAtEnd(closed);
    if (fault !== null)
      tell(closed.name, closed.type.kind === 'simple' ? badValue(closed.text, fault) : fault);
    if (handler === null || closed.children === null) return;
    if (closed.name === 'GrpHdr') told(() => handler.group(elementOf(closed)));
    else if (closed.name === 'CdtTrfTxInf') told(() => handler.payment(elementOf(closed)));
    else if (closed.name !== 'PmtInf') open.at(-1)?.children?.push(elementOf(closed));
  });

  return {
    write: (piece) => {
      untold += piece.length;
      parser.write(piece);
      if (untold > TOKEN_CHARS_MAX) throw endless();
    },
    end: () => {
      parser.close();
      if (!isEnded) throw damaged(sentence('readMessage.cutOff'));
      return faults;
    },
  };
}

/** The elements that are told whole; the payments of a block are told one by one, and are no part of it. */
function isTold(name: string): boolean {
  return name === 'GrpHdr' || name === 'PmtInf' || name === 'CdtTrfTxInf';
}

function elementOf({ name, text, currency, children }: Open): Element {
  return { name, text, currency, children: children === null ? [] : [...children] };
}

type Tell = (name: string, what: Words) => void;

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

function missingAtEnd(open: Open): Words | null {
  if (open.type?.kind !== 'complex') return null;
  const missing = open.type.particles.find(
    ({ least }, at) => at >= open.at && (at === open.at ? open.count : 0) < least,
  );
  return missing === undefined ? null : sentence('readMessage.missing', { names: namesOf([missing]) });
}

/** The first few are enough to find the place in a description of the format. */
const NAMES_MOST = 6;

function namesOf(particles: readonly Particle[]): string {
  const names = particles.flatMap(({ options, isAny }) => (isAny ? ['*'] : [...options.keys()]));
  return names.length > NAMES_MOST ? `${names.slice(0, NAMES_MOST).join(', ')} …` : names.join(', ');
}

function checkAttribute(
  { attributes }: SaxesTagPlain,
  { name, type }: { readonly name: string; readonly type: SimpleType },
  local: string,
  tell: Tell,
): string | null {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
  if (value === undefined) {
    tell(local, sentence('readMessage.attributeMissing', { name }));
    return null;
  }
  const fault = type.fault(value);
  if (fault !== null) tell(local, badValue(value, fault));
  return value;
}

/** The attributes that no element of a message has. */
function strayAttributes(
  { attributes }: SaxesTagPlain,
  instance: readonly string[] | null,
  allowed: string | null,
): readonly string[] {
  return Object.keys(attributes).filter((name) => name !== allowed && instance?.includes(name) !== true);
}

function noAttribute(name: string): Words {
  return sentence('readMessage.noAttribute', { name: name.slice(0, NAME_CHARS) });
}

function badValue(value: string, expected: Words): Words {
  const shown = value.length > NAME_CHARS ? `${value.slice(0, NAME_CHARS)}…` : value;
  return sentence('readMessage.badValue', { value: shown, expected });
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
