// Mutants of real messages, and what libxml2 and paydrop say of each: a validator of one's own is only as good as its agreement with another.
import { readdirSync, readFileSync } from 'node:fs';

import { XmlDocument, XsdValidator } from 'libxml2-wasm';

import { FileRefused } from '../../../src/rows/file-refused.ts';
import { agreesWithSchema } from '../../../src/rows/pain001/read-message.ts';
import { schemaText, versions } from './compile-schemas.ts';

/** The real messages whose schema there is, with ours, by name. */
export function messages(): ReadonlyMap<string, string> {
  const found = ['samples/', 'own/'].flatMap((folder) => {
    const url = new URL(folder, import.meta.url);
    return readdirSync(url)
      .filter((name) => name.endsWith('.xml'))
      .map((name) => [name, readFileSync(new URL(name, url), 'utf8').replace(/^\ufeff/, '')] as const);
  });
  return new Map(found.filter(([, text]) => versionOf(text) !== null));
}

function versionOf(text: string): string | null {
  const version = /urn:iso:std:iso:20022:tech:xsd:pain\.001\.001\.(\d\d)"/.exec(text)?.[1] ?? '';
  return versions().includes(version) ? version : null;
}

const validators = new Map<string, XsdValidator>();

/** What libxml2 says. */
export function isValidToOracle(text: string): boolean {
  const version = versionOf(text) ?? '';
  let validator = validators.get(version);
  if (validator === undefined) {
    using schema = XmlDocument.fromString(schemaText(version));
    validator = XsdValidator.fromDoc(schema);
    validators.set(version, validator);
  }
  try {
    using document = XmlDocument.fromString(text);
    validator.validate(document);
    return true;
  } catch {
    return false;
  }
}

/** What paydrop says. */
export function isValidToUs(text: string): boolean {
  try {
    return agreesWithSchema(text);
  } catch (error) {
    if (error instanceof FileRefused) return false;
    throw error;
  }
}

/** Small, fast and the same on each machine. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

type Token = {
  readonly from: number;
  readonly to: number;
  readonly name: string;
  readonly kind: 'open' | 'close' | 'leaf';
};

/** Elements by their place in the text; the samples have neither comments nor CDATA inside. */
function elementsIn(text: string): readonly Token[] {
  const open: { name: string; from: number; isLeaf: boolean }[] = [];
  const found: Token[] = [];
  for (const match of text.matchAll(/<(\/?)([A-Za-z][\w:.]*)[^<>]*?(\/?)>/g)) {
    const [whole, slash, name = '', empty] = match;
    if (slash === '/') {
      const started = open.pop();
      if (started === undefined) continue;
      const to = match.index + whole.length;
      found.push({ from: started.from, to, name, kind: started.isLeaf ? 'leaf' : 'open' });
      const parent = open.at(-1);
      if (parent !== undefined) parent.isLeaf = false;
    } else if (empty === '') open.push({ name, from: match.index, isLeaf: true });
  }
  return found;
}

const VALUES = [
  '',
  ' ',
  'X',
  '0',
  '-1',
  '-0',
  '+5',
  '1.',
  '.5',
  '00012.50',
  '1e3',
  '1,5',
  '12.123456',
  '123456789012345678',
  '1234567890123456789',
  '0.00001',
  '100000000000000000.5',
  ' 12.50 ',
  '12 50',
  'NaN',
  'INF',
  'true',
  'false',
  'TRUE',
  '1',
  '2026-11-28',
  '2026-11-28Z',
  '2026-11-28+01:00',
  '2026-11-28+14:00',
  '2026-11-28+14:01',
  '2026-11-28-15:00',
  '2026-02-29',
  '2024-02-29',
  '2026-13-01',
  '2026-00-10',
  '2026-1-1',
  '26-11-28',
  '0000-01-01',
  '-0044-03-15',
  '12026-01-01',
  'YYYY-MM-DD',
  '2026-11-28T10:00:00',
  '2026-11-28T10:00:00.123',
  '2026-11-28T10:00:00Z',
  '2026-11-28T24:00:00',
  '2026-11-28T24:00:01',
  '2026-11-28T25:00:00',
  '2026-11-28T10:60:00',
  '2026-11-28T10:00:60',
  '2026-11-28T10:00',
  '2026',
  'CM',
  'CMR',
  'cm',
  'XAF',
  'xaf',
  'TRF',
  'CHK',
  'TRA',
  'DEBT',
  'FR7630006000011234567890189',
  'DEUTDEFF',
  'DEUTDEFF500',
  'ICBKCNBJZJP',
  'é',
  'œ',
  '\u{1F600}',
  'A&amp;B',
  '&lt;',
  '&#65;',
  '&#x41;',
  'a'.repeat(35),
  'a'.repeat(36),
  'a'.repeat(70),
  'a'.repeat(71),
  'a'.repeat(140),
  'a'.repeat(141),
  'é'.repeat(35),
  '\u{1F600}'.repeat(35),
  '\u{1F600}'.repeat(36),
  '\t',
  '\n X \n',
  '<![CDATA[X]]>',
  'X<!-- -->Y',
  '+33-123456',
  '+33123456',
  'c56a4180-65aa-42ec-a945-5fd21dec0538',
  'NOTPROVIDED',
  'URID',
  'EMAL',
  'SALA',
  '9'.repeat(15),
  '9'.repeat(16),
] as const;

const NAMES = [
  'Nm',
  'Id',
  'Othr',
  'Cd',
  'Prtry',
  'PstlAdr',
  'Ctry',
  'BIC',
  'BICFI',
  'InstdAmt',
  'Amt',
  'Xyz',
  'LEI',
  'Dt',
  'DtTm',
  'Purp',
  'RmtInf',
  'Ustrd',
  'Strd',
  'SplmtryData',
] as const;

/** One change to a message, of the kinds that programs and people make. */
export function mutate(text: string, random: () => number): string {
  const pick = <Item>(items: readonly Item[]): Item => {
    const found = items[Math.floor(random() * items.length)];
    if (found === undefined) throw new Error('There is nothing to pick.');
    return found;
  };
  const elements = elementsIn(text).filter(({ name }) => !/Document$/.test(name));
  // Nothing may be left of a message that was changed before.
  if (!elements.some(({ kind }) => kind === 'leaf')) return text;
  const one = pick(elements);
  const leaf = pick(elements.filter(({ kind }) => kind === 'leaf'));
  const taken = text.slice(one.from, one.to);
  const splice = (from: number, to: number, by: string) => text.slice(0, from) + by + text.slice(to);
  const prefix = /^<([\w]+:)/.exec(taken)?.[1] ?? '';
  switch (Math.floor(random() * 9)) {
    case 0:
      return splice(one.from, one.to, '');
    case 1:
      return splice(one.to, one.to, taken);
    case 2: {
      const other = pick(elements);
      const [first, second] = one.from < other.from ? [one, other] : [other, one];
      if (first.to > second.from) return splice(one.from, one.to, '');
      return (
        text.slice(0, first.from) +
        text.slice(second.from, second.to) +
        text.slice(first.to, second.from) +
        text.slice(first.from, first.to) +
        text.slice(second.to)
      );
    }
    case 3: {
      const name = prefix + pick(NAMES);
      return splice(
        one.from,
        one.to,
        taken.replace(/^<[\w:.]+/, `<${name}`).replace(/[\w:.]+>$/, `${name}>`),
      );
    }
    case 4:
    case 5:
      return splice(
        leaf.from,
        leaf.to,
        text.slice(leaf.from, leaf.to).replace(/>[^<]*</, () => `>${pick(VALUES)}<`),
      );
    case 6: {
      const again = / xmlns(?::\w+)?="[^"]*"/.exec(text)?.[0] ?? '';
      const attribute = pick([
        ...[' Ccy="XAF"', ' Ccy="XA"', ' Ccy=""', ' id="1"', ' Nm="x"', ''],
        ...[again, ' xmlns="urn:x"', ' xmlns=""', ' xmlns:q="urn:x"'],
      ]);
      return splice(
        one.from,
        one.to,
        taken.replace(/ Ccy="[^"]*"/, '').replace(/^<[\w:.]+/, (start) => start + attribute),
      );
    }
    case 7: {
      const inside = pick(['X', ' ', '\n', '<Nm>X</Nm>', '<!-- -->', '<?x y?>', '<Xyz/>']);
      return splice(
        one.from,
        one.to,
        taken.replace(/^<[^>]*>/, (start) => start + inside),
      );
    }
    default: {
      const name = prefix + pick(NAMES);
      return splice(one.to, one.to, `<${name}>${pick(VALUES)}</${name}>`);
    }
  }
}

export type Disagreement = {
  readonly seed: number;
  readonly of: string;
  readonly oracle: boolean;
  readonly text: string;
};

/** Every mutant of a run, compared; its own seed makes each again. */
export function disagreements(
  seed: number,
  mutantsPerMessage: number,
): { readonly found: readonly Disagreement[]; readonly invalid: number; readonly count: number } {
  const found: Disagreement[] = [];
  let count = 0;
  let invalid = 0;
  for (const [of, text] of messages())
    for (let index = 0; index < mutantsPerMessage; index += 1) {
      const own = seed + count;
      const random = randomFrom(own);
      let mutant = mutate(text, random);
      // Two changes now and then: one fault must not hide the reader from another.
      if (random() < 0.2) mutant = mutate(mutant, random);
      const oracle = isValidToOracle(mutant);
      count += 1;
      if (!oracle) invalid += 1;
      if (isValidToUs(mutant) !== oracle) found.push({ seed: own, of, oracle, text: mutant });
    }
  return { found, invalid, count };
}
