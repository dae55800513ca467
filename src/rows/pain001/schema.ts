// The tables of the schemas as a validator asks them: which element may follow which, and which texts a simple type has. What they cannot say does
// not occur in pain.001; `compile-schemas.ts` of the tests makes sure of it.
import { sameWords, type Words } from '../../base/language.ts';
import { sentence } from '../../messages/messages.ts';
import { TYPES } from './schemas.ts';

/** The choices at one place of a sequence: an element, or one of several; of `*` any element at all, with any content. */
type Particle = { readonly names: readonly string[]; readonly least: number; readonly most: number };

/** Where among its particles an element stands. Elements get the name of their place: one text for all of them is compared at once. */
export class ElementPlace {
  readonly name: string;
  readonly at: number;
  readonly #typeName: string;
  #type: Type | null = null;

  constructor(name: string, at: number, typeName: string) {
    this.name = name;
    this.at = at;
    this.#typeName = typeName;
  }

  /** Types name each other in circles, so each is looked up when its first element comes; not again, for most elements of a message are of a few places. */
  get type(): Type {
    this.#type ??= typeNamed(this.#typeName);
    return this.#type;
  }
}

type ComplexType = {
  readonly kind: 'complex';
  readonly particles: readonly Particle[];
  /** By name; no type has one name in two places. */
  readonly places: ReadonlyMap<string, ElementPlace>;
};

/** @param attribute the one that it must have; null where it may have none. */
export type SimpleType = {
  readonly kind: 'simple';
  readonly attribute: { readonly name: string; readonly type: SimpleType } | null;
  /** The fault of a text, in words of what was expected; null where there is none. */
  readonly fault: (text: string) => Words | null;
};

export type Type = ComplexType | SimpleType;

const known = new Map<string, Type>();

/** Throws for a name that no schema has. */
export function typeNamed(name: string): Type {
  const found = known.get(name);
  if (found !== undefined) return found;
  const said = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (said === undefined) throw new Error(`There is no type ${name}.`);
  const type = readType(said);
  known.set(name, type);
  return type;
}

function readType(said: string): Type {
  if (said.startsWith('$')) return { kind: 'simple', attribute: null, fault: checkOf(said.slice(1)) };
  const [, name, attribute, base] = /^@(\w+)=(\w+) (\w+)$/.exec(said) ?? [];
  if (name === undefined || attribute === undefined || base === undefined) return complexType(said);
  return { ...simpleNamed(base), attribute: { name, type: simpleNamed(attribute) } };
}

function simpleNamed(name: string): SimpleType {
  const type = typeNamed(name);
  if (type.kind !== 'simple') throw new Error(`${name} is no simple type.`);
  return type;
}

const PARTICLE = /^(?:\((?<choice>.*)\)|(?<element>\*|\w+=\w+))(?<occurs>[?*+]|\{\d+,\d*\})?$/;

function complexType(said: string): ComplexType {
  const places = new Map<string, ElementPlace>();
  const particles = said.split(' ').map((each, at) => {
    const { choice, element = '', occurs = '' } = PARTICLE.exec(each)?.groups ?? {};
    const options = (choice ?? element).split('|').map((option) => option.split('='));
    for (const [name = '', type = ''] of options) places.set(name, new ElementPlace(name, at, type));
    return { names: options.map(([name = '']) => name), ...occursIn(occurs) };
  });
  if (places.size < particles.flatMap(({ names }) => names).length)
    throw new Error(`A name stands twice in ${said}.`);
  return { kind: 'complex', particles, places };
}

function occursIn(occurs: string): Pick<Particle, 'least' | 'most'> {
  const [, least, most] = /^\{(\d+),(\d*)\}$/.exec(occurs) ?? [];
  if (least !== undefined) return { least: Number(least), most: most === '' ? Infinity : Number(most) };
  return {
    least: occurs === '?' || occurs === '*' ? 0 : 1,
    most: occurs === '*' || occurs === '+' ? Infinity : 1,
  };
}

/** Where an element may stand that is called so, or any; undefined where none may. No place has a name with a colon. */
export function placeOf({ places }: ComplexType, written: string, prefix: string): ElementPlace | undefined {
  const name = written.startsWith(prefix) ? written.slice(prefix.length) : ':';
  return places.get(name) ?? places.get('*');
}

/** What is still needed from the particle `at` on, which occurred `count` times, before the particle `until`; null where nothing is. */
export function missingFrom(
  { particles }: ComplexType,
  at: number,
  count: number,
  until = particles.length,
): Particle | null {
  for (let index = at; index < until; index += 1) {
    const particle = particles[index];
    if (particle !== undefined && (index === at ? count : 0) < particle.least) return particle;
  }
  return null;
}

/** The first few are enough to find the place in a description of the format. */
const NAMES_MOST = 6;

export function namesOf(particles: readonly Particle[]): string {
  const names = particles.flatMap((particle) => particle.names);
  return names.length > NAMES_MOST ? `${names.slice(0, NAMES_MOST).join(', ')} …` : names.join(', ');
}

type Check = (text: string) => Words | null;

function checkOf(said: string): Check {
  const [base = '', ...facets] = said.split('~');
  // Around a day the validator that most programs use takes no white space either.
  const isExact = !['decimal', 'boolean', 'base64Binary'].includes(base);
  const ofBase = BASES[base];
  if (ofBase === undefined) throw new Error(`There is no base ${base}.`);
  const checks = [ofBase, ...facetChecks(facets)];
  return (text) => {
    const value = isExact ? text : collapsed(text);
    for (const check of checks) {
      const fault = check(value);
      if (fault !== null) return fault;
    }
    return null;
  };
}

/** As the schema collapses the white space around numbers and the like. */
function collapsed(text: string): string {
  return text.replace(/[\t\n\r ]+/g, ' ').replace(/^ | $/g, '');
}

function facetChecks(facets: readonly string[]): readonly Check[] {
  const split = facets.map((facet) => {
    const space = facet.indexOf(' ');
    return { name: facet.slice(0, space), value: facet.slice(space + 1) };
  });
  const codes = split.filter(({ name }) => name === 'enumeration').map(({ value }) => value);
  const checks = split.filter(({ name }) => name !== 'enumeration').map(facetCheck);
  return codes.length === 0 ? checks : [...checks, oneOf(codes)];
}

function oneOf(codes: readonly string[]): Check {
  const listed = new Set(codes);
  const words = sentence('schema.oneOf', { codes: codes.join(', ') });
  return (text) => (listed.has(text) ? null : words);
}

function facetCheck({ name, value }: { readonly name: string; readonly value: string }): Check {
  const count = Number(value);
  const over =
    (isOver: (text: string) => boolean, words: Words): Check =>
    (text) =>
      isOver(text) ? words : null;
  switch (name) {
    case 'pattern': {
      const pattern = new RegExp(`^(?:${value})$`, 'u');
      return over((text) => !pattern.test(text), sentence('schema.pattern', { pattern: value }));
    }
    case 'minLength':
      // A character has one or two halves: most texts are long enough, or short enough, however they are counted.
      return over(
        (text) => text.length < 2 * count && lengthOf(text) < count,
        sentence('schema.minLength', { count }),
      );
    case 'maxLength':
      return over(
        (text) => text.length > count && lengthOf(text) > count,
        sentence('schema.maxLength', { count }),
      );
    case 'length':
      return over((text) => lengthOf(text) !== count, sentence('schema.length', { count }));
    case 'minInclusive':
      return over(
        (text) => text.startsWith('-') && digitsOf(text).isNegative,
        sentence('schema.minInclusive'),
      );
    // A text that is short enough has no more digits.
    case 'fractionDigits':
      return over(
        (text) => text.length > count && digitsOf(text).fraction > count,
        sentence('schema.fractionDigits', { count }),
      );
    case 'totalDigits':
      return over(
        (text) => text.length > count && digitsOf(text).total > count,
        sentence('schema.totalDigits', { count }),
      );
    default:
      throw new Error(`There is no facet ${name}.`);
  }
}

/** In characters as a reader counts them, not in halves of them. */
function lengthOf(text: string): number {
  return /[\ud800-\udfff]/.test(text) ? Array.from(text).length : text.length;
}

type Digits = { readonly isNegative: boolean; readonly fraction: number; readonly total: number };

/** Of a decimal: zeros in front and behind do not count. */
function digitsOf(text: string): Digits {
  const [whole = '', fraction = ''] = text.replace(/^[+-]/, '').split('.');
  const written = fraction.replace(/0+$/, '');
  const before = whole.replace(/^0+/, '');
  const isZero = before === '' && written === '';
  return {
    isNegative: text.startsWith('-') && !isZero,
    fraction: written.length,
    total: before.length + written.length,
  };
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
const BASE_64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;

const BASES: Readonly<Record<string, Check>> = {
  string: () => null,
  decimal: (text) => (DECIMAL.test(text) ? null : sentence('schema.decimal')),
  boolean: (text) => (/^(?:true|false|1|0)$/.test(text) ? null : sameWords('true, false')),
  date: (text) => (isDate(text) ? null : sentence('schema.date')),
  dateTime: (text) => (isDateTime(text) ? null : sentence('schema.dateTime')),
  gYear: (text) => (isYear(text) ? null : sentence('schema.year')),
  base64Binary: (text) => (BASE_64.test(text.replaceAll(' ', '')) ? null : sameWords('Base64')),
};

const ZONE = '(?<zone>Z|[+-]\\d\\d:\\d\\d)?';
const DATE_TEXT = '(?<year>-?(?:[1-9]\\d{3,}|0\\d{3}))-(?<month>\\d\\d)-(?<day>\\d\\d)';
const DATE = new RegExp(`^${DATE_TEXT}${ZONE}$`);
const DATE_TIME = new RegExp(
  `^${DATE_TEXT}T(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)(?<part>\\.\\d+)?${ZONE}$`,
);
const YEAR = new RegExp(`^(?<year>-?(?:[1-9]\\d{3,}|0\\d{3}))${ZONE}$`);

function isDate(text: string): boolean {
  const groups = DATE.exec(text)?.groups;
  return groups !== undefined && isDayOf(groups) && isZone(groups['zone']);
}

function isYear(text: string): boolean {
  const groups = YEAR.exec(text)?.groups;
  return groups !== undefined && !/^-?0000$/.test(groups['year'] ?? '') && isZone(groups['zone']);
}

function isDateTime(text: string): boolean {
  const groups = DATE_TIME.exec(text)?.groups;
  if (groups === undefined || !isDayOf(groups) || !isZone(groups['zone'])) return false;
  const { hour = '', minute = '', second = '', part = '' } = groups;
  const isMidnight = `${hour}${minute}${second}` === '240000' && /^(?:\.0+)?$/.test(part);
  return isMidnight || (Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60);
}

function isDayOf({ year = '', month = '', day = '' }: Readonly<Record<string, string>>): boolean {
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  if (y === 0 || m < 1 || m > 12 || d < 1) return false;
  const isLeap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return d <= (days[m - 1] ?? 0);
}

/** The farthest zones are fourteen hours away. */
function isZone(zone: string | undefined): boolean {
  const [, hours, minutes] = /^[+-](\d\d):(\d\d)$/.exec(zone ?? '') ?? [];
  if (hours === undefined || minutes === undefined) return true;
  return Number(minutes) < 60 && Number(hours) * 60 + Number(minutes) <= 14 * 60;
}

// An element of a message, and how to find what stands in it.

/** An element with what it holds. */
export type Element = {
  readonly name: string;
  /** As written, the white space around it too; of an element with children nothing. */
  readonly text: string;
  /** The currency of an amount; null of anything else. */
  readonly currency: string | null;
  readonly children: readonly Element[];
};

/** The text of an element by its path, without the white space around it; empty where there is none. */
export function textAt(element: Element, ...path: readonly string[]): string {
  return elementAt(element, ...path)?.text.trim() ?? '';
}

/** The first element by its path. */
export function elementAt(element: Element, ...path: readonly string[]): Element | undefined {
  let found: Element | undefined = element;
  for (let step = 0; step < path.length && found !== undefined; step += 1)
    found = childNamed(found.children, path[step]);
  return found;
}

/** Some sixty are asked for in each payment: a search that calls a function for each child takes as long as the parser. */
function childNamed(children: readonly Element[], name: string | undefined): Element | undefined {
  for (let index = 0; index < children.length; index += 1)
    if (children[index]?.name === name) return children[index];
  return undefined;
}
