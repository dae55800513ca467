// Compiles the schemas of pain.001 in `xsd/` into the tables by which paydrop validates: `npm run iso-tables` writes `src/rows/pain001/schemas.ts`.
// A schema that uses more of XML Schema than these tables can say is an error here, not a hole there.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { SaxesParser } from 'saxes';

const FOLDER = new URL('xsd/', import.meta.url);
const TARGET = new URL('../../../src/rows/pain001/schemas.ts', import.meta.url);

type Node = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Node[];
};

/** The versions that there are schemas for, as `03`. */
export function versions(): readonly string[] {
  return readdirSync(FOLDER)
    .flatMap((name) => /^pain\.001\.001\.(\d\d)\.xsd$/.exec(name)?.[1] ?? [])
    .sort();
}

export function schemaText(version: string): string {
  return readFileSync(new URL(`pain.001.001.${version}.xsd`, FOLDER), 'utf8');
}

/** The module's text. */
export function compileSchemas(): string {
  const schemas = versions().map((version) => ({ version, root: parse(schemaText(version)) }));
  // A type that two versions define otherwise gets one name for each, and so does what refers to it.
  const differing = new Set(['Document']);
  for (;;) {
    const { types, contradicted } = typesOf(schemas, differing);
    if (contradicted.length === 0) return moduleText(schemas, types);
    for (const name of contradicted) differing.add(name);
  }
}

type Schema = { readonly version: string; readonly root: Node };
type Naming = (name: string) => string;

function typesOf(schemas: readonly Schema[], differing: ReadonlySet<string>) {
  const types = new Map<string, string>();
  const contradicted: string[] = [];
  for (const { version, root } of schemas) {
    const key: Naming = (name) => (differing.has(name) ? name + version : name);
    for (const node of root.children.filter(({ name }) => name !== 'element')) {
      const name = node.attributes['name'] ?? '';
      const said = typeOf(node, key);
      if ((types.get(key(name)) ?? said) !== said) contradicted.push(name);
      types.set(key(name), said);
    }
  }
  return { types, contradicted };
}

function moduleText(schemas: readonly Schema[], types: ReadonlyMap<string, string>): string {
  for (const { version, root } of schemas) {
    const [only, ...others] = root.children.filter(({ name }) => name === 'element');
    if (
      only?.attributes['name'] !== 'Document' ||
      only.attributes['type'] !== 'Document' ||
      others.length > 0
    )
      throw new Error(`pain.001.001.${version} has another root than Document.`);
  }
  const line = ([name, said]: readonly [string, string]) => `  ${name}: ${quoted(said)},`;
  const sorted = [...types].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    '// The types of pain.001 in its versions, as ISO 20022 publishes them. Written by `npm run iso-tables` from the schemas; not to be edited.',
    '',
    '/** The versions of `pain.001.001`. The type of the root of each is `Document` with the version behind it. */',
    `export const VERSIONS: readonly string[] = [${schemas.map(({ version }) => quoted(version)).join(', ')}];`,
    '',
    '/**',
    ' * A complex type: its particles in their order, `name=type` with `?`, `*`, `+` or `{least,most}` behind it; a choice stands in parentheses with `|`',
    ' * between, `*` alone is any content. `@Ccy=type base` is a simple content with its attribute. A simple type: `$`, its base, and its facets, each behind `~`.',
    ' */',
    '// prettier-ignore',
    'export const TYPES: Readonly<Record<string, string>> = {',
    ...sorted.map(line),
    '};',
    '',
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function typeOf(node: Node, key: Naming): string {
  if (node.name === 'simpleType') return simple(only(node, 'restriction'));
  if (node.name !== 'complexType') throw new Error(`${node.name} is not known.`);
  const [child] = node.children;
  if (child === undefined || node.children.length !== 1) throw new Error('A complex type has one content.');
  if (child.name === 'simpleContent') {
    const extension = only(child, 'extension');
    const attribute = only(extension, 'attribute');
    if (attribute.attributes['use'] !== 'required') throw new Error('An attribute may be left out.');
    return `@${attribute.attributes['name'] ?? ''}=${key(attribute.attributes['type'] ?? '')} ${key(extension.attributes['base'] ?? '')}`;
  }
  if (child.name === 'choice') return `(${child.children.map((each) => option(each, key)).join('|')})`;
  if (child.name !== 'sequence' || Object.keys(child.attributes).length > 0)
    throw new Error(`${child.name} is not known.`);
  return child.children.map((each) => particle(each, key)).join(' ');
}

function particle(node: Node, key: Naming): string {
  const occurs = occursOf(node);
  if (node.name === 'choice') return `(${node.children.map((each) => option(each, key)).join('|')})${occurs}`;
  if (node.name === 'any') {
    if (node.attributes['namespace'] !== '##any' || node.attributes['processContents'] !== 'lax')
      throw new Error('Only any content of any namespace is known.');
    return `*${occurs}`;
  }
  return element(node, key) + occurs;
}

function option(node: Node, key: Naming): string {
  if (occursOf(node) !== '') throw new Error('An option of a choice is repeated.');
  return element(node, key);
}

function element({ name, attributes, children }: Node, key: Naming): string {
  if (name !== 'element' || children.length > 0) throw new Error(`${name} is not known.`);
  return `${attributes['name'] ?? ''}=${key(attributes['type'] ?? '')}`;
}

function occursOf({ attributes }: Node): string {
  const least = attributes['minOccurs'] ?? '1';
  const most = attributes['maxOccurs'] ?? '1';
  if (least === '1' && most === '1') return '';
  if (least === '0' && most === '1') return '?';
  if (most === 'unbounded') return least === '0' ? '*' : least === '1' ? '+' : `{${least},}`;
  return `{${least},${most}}`;
}

const BASES = ['string', 'decimal', 'date', 'dateTime', 'boolean', 'base64Binary', 'gYear'];
const FACETS = [
  'enumeration',
  'pattern',
  'minLength',
  'maxLength',
  'length',
  'minInclusive',
  'fractionDigits',
  'totalDigits',
];

/** `$string~maxLength 35~minLength 1`. */
function simple({ attributes, children }: Node): string {
  const base = (attributes['base'] ?? '').replace(/^xs:/, '');
  if (!BASES.includes(base)) throw new Error(`The base ${base} is not known.`);
  const facets = children.map(({ name, attributes: { value = '' } }) => {
    if (!FACETS.includes(name) || value.includes('~')) throw new Error(`The facet ${name} is not known.`);
    return `${name} ${value}`;
  });
  return [`$${base}`, ...facets.sort()].join('~');
}

function only(node: Node, name: string): Node {
  const [child] = node.children;
  if (child?.name !== name || node.children.length !== 1)
    throw new Error(`${node.name} has no single ${name}.`);
  return child;
}

function parse(text: string): Node {
  const parser = new SaxesParser({ xmlns: false });
  const open: Node[] = [];
  let root: Node | undefined;
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const local = name.replace(/^xs:/, '');
    const node = { name: local, attributes, children: [] };
    if (local !== 'annotation' && local !== 'documentation') open.at(-1)?.children.push(node);
    root ??= node;
    open.push(node);
  });
  parser.on('closetag', () => void open.pop());
  parser.write(text).close();
  if (root === undefined) throw new Error('There is no schema.');
  return root;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(TARGET, compileSchemas());
