// How a message begins: the encoding that its bytes prove or that it declares, and the root that says which message of which version it is. Where these
// contradict each other, nobody guesses.
import type { SaxesTagPlain } from 'saxes';

import type { Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { FileRefused } from '../file-refused.ts';
import { type SimpleType, type Type, typeNamed } from './schema.ts';
import { VERSIONS } from './schemas.ts';

/** The declaration stands at the very start, and is in plain ASCII in each encoding that is taken. */
const DECLARATION = /^<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']/;
const DECLARATION_BYTES = 256;

type Decoder = (bytes?: Buffer) => string;

/** Takes the bytes piece by piece and gives their text; without an argument, what is left of it. Throws `FileRefused`. */
export function startMessageText(): Decoder {
  let decode: Decoder | null = null;
  let first = Buffer.alloc(0);
  return (bytes) => {
    if (decode !== null) return decode(bytes);
    first = Buffer.concat([first, bytes ?? Buffer.alloc(0)]);
    if (bytes !== undefined && first.length < DECLARATION_BYTES) return '';
    decode = decoderFor(first);
    return decode(first) + (bytes === undefined ? decode() : '');
  };
}

function decoderFor(first: Buffer): Decoder {
  const mark = first.readUIntBE(0, Math.min(2, first.length));
  const isUtf16 = first.length > 1 && (mark === 0xfeff || mark === 0xfffe);
  const declared = declaredIn(first, isUtf16, mark);
  if (isUtf16) {
    if (declared !== null && !declared.startsWith('utf-16')) throw uncertain(declared);
    return textDecoder(mark === 0xfeff ? 'utf-16be' : 'utf-16le');
  }
  if (declared === null || /^utf-?8$/.test(declared) || declared === 'us-ascii') return textDecoder('utf-8');
  const hasMark = first.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]));
  if (hasMark) throw uncertain(declared);
  if (/^iso-?8859-1$|^latin-?1$/.test(declared)) return (bytes) => bytes?.toString('latin1') ?? '';
  if (/^(?:windows|cp)-?1252$/.test(declared)) return textDecoder('windows-1252');
  throw uncertain(declared);
}

function declaredIn(first: Buffer, isUtf16: boolean, mark: number): string | null {
  const start = first.subarray(0, 2 * DECLARATION_BYTES);
  const ascii = isUtf16
    ? new TextDecoder(mark === 0xfeff ? 'utf-16be' : 'utf-16le').decode(start)
    : start.toString('latin1');
  return DECLARATION.exec(ascii.replace(/^\u00ef\u00bb\u00bf/, ''))?.[1]?.toLowerCase() ?? null;
}

function textDecoder(encoding: string): Decoder {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let line = 1;
  return (bytes) => {
    try {
      const text = bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
      line += linesIn(text);
      return text;
    } catch (error) {
      // A decoder that goes on marks the place.
      const [readable = ''] = new TextDecoder(encoding).decode(bytes).split('\uFFFD', 1);
      const words = sentence('messageText.undecodable', { encoding, line: line + linesIn(readable) });
      throw new FileRefused('bytes_undecodable', words, { cause: error, remedy: ENCODING_REMEDY });
    }
  };
}

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function uncertain(declared: string): FileRefused {
  const words = sentence('messageText.uncertain', { declared });
  return new FileRefused('encoding_uncertain', words, { remedy: ENCODING_REMEDY });
}

const ENCODING_REMEDY = sentence('messageText.remedy');

/**
 * There is no schema of version 11. Its parties, agents and amounts are those of version 10, against which it is checked. Its new elements, in the details of taxes
 * and remittance, are refused where they are used, and none is ignored.
 */
const NEAREST: ReadonlyMap<string, string> = new Map([['11', '10']]);

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:';
const INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';

/** Enough of a name or a value to find it; it comes from the file. */
export const NAME_CHARS = 40;

type Root = {
  readonly prefix: string;
  readonly namespace: string;
  readonly version: string;
  readonly type: Type;
  readonly instance: readonly string[];
};

/** The root says by its namespace which message and which version it is. Throws `FileRefused` for any other. */
export function openRoot({ name, attributes }: SaxesTagPlain, isSecond: boolean, line: number): Root {
  if (isSecond) throw damaged(sentence('readMessage.second', { line }));
  const colon = name.indexOf(':');
  const prefix = name.slice(0, colon + 1);
  const declaration = colon < 0 ? 'xmlns' : `xmlns:${name.slice(0, colon)}`;
  const namespace = Object.hasOwn(attributes, declaration) ? (attributes[declaration] ?? '') : '';
  const known = [...VERSIONS, ...NEAREST.keys()];
  const version = known.find((each) => namespace === `${NAMESPACE}pain.001.001.${each}`);
  if (version === undefined || name !== `${prefix}Document`) throw unknown(name.slice(colon + 1), namespace);
  const bound = Object.entries(attributes).filter(([key]) => key.startsWith('xmlns'));
  const hints = bound
    .filter(([, value]) => value === INSTANCE)
    .flatMap(([key]) =>
      ['schemaLocation', 'noNamespaceSchemaLocation'].map((each) => `${key.slice('xmlns:'.length)}:${each}`),
    );
  return {
    prefix,
    namespace,
    version,
    type: typeNamed(`Document${NEAREST.get(version) ?? version}`),
    instance: [...bound.map(([key]) => key), ...hints],
  };
}

/** Other files that people drop instead of a pain.001, by namespace. */
const OTHERS: readonly (readonly [RegExp, Words])[] = [
  [/xsd:pain\.002\./, sentence('readMessage.other.status')],
  [/xsd:pain\.008\./, sentence('readMessage.other.debit')],
  [/xsd:camt\.05[234]\./, sentence('readMessage.other.statement')],
  [/xsd:pain\.001\.001\.\d\d$/, sentence('readMessage.other.version')],
  [/pain\.001\./, sentence('readMessage.other.variant')],
  [/soap|head\.001|xmldsig|business.*message|sbdh/i, sentence('readMessage.other.wrapped')],
];

function unknown(root: string, namespace: string): FileRefused {
  const shown = namespace.slice(0, 100);
  const named = OTHERS.find(([pattern]) => pattern.test(namespace))?.[1];
  const isWrapped = /^(?:Envelope|AppHdr|Signature|.*Msg|BizMsg.*|StandardBusinessDocument)$/i.test(root);
  const other = isWrapped ? sentence('readMessage.other.wrapped') : sentence('readMessage.other.any');
  const what = named ?? other;
  return new FileRefused(
    'message_unknown',
    sentence('readMessage.unknown', { root: root.slice(0, NAME_CHARS), namespace: shown, what }),
  );
}

export function damaged(what: Words, cause?: unknown, remedy?: Words): FileRefused {
  return new FileRefused('xml_damaged', what, { cause, ...(remedy === undefined ? {} : { remedy }) });
}

/** The attributes that no element of a message has. */
export function strayAttributes(
  { attributes }: SaxesTagPlain,
  instance: readonly string[] | null,
  allowed: string | null,
): readonly string[] {
  const stray = (name: string) => name !== allowed && instance?.includes(name) !== true;
  return Object.keys(attributes).filter(stray);
}

/**
 * Whether an attribute below the root declares a namespace that changes nothing: that of the message once more, as many programs write it, or one of which
 * no element of a message is.
 */
export function isDeclaredAgain(
  { attributes }: SaxesTagPlain,
  name: string,
  { prefix, namespace }: Pick<Root, 'prefix' | 'namespace'>,
): boolean {
  if (name === (prefix === '' ? 'xmlns' : `xmlns:${prefix.slice(0, -1)}`))
    return attributes[name] === namespace;
  return name === 'xmlns' || (name.startsWith('xmlns:') && attributes[name] !== '');
}

/** Tells a fault of the element of this name. */
export type Tell = (name: string, what: Words) => void;

export function checkAttribute(
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

export function noAttribute(name: string): Words {
  return sentence('readMessage.noAttribute', { name: name.slice(0, NAME_CHARS) });
}

export function badValue(value: string, expected: Words): Words {
  const shown = value.length > NAME_CHARS ? `${value.slice(0, NAME_CHARS)}…` : value;
  return sentence('readMessage.badValue', { value: shown, expected });
}
