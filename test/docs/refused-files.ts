// The part of docs/messages.md about files that are refused: each code with its faults, and what to do on each surface, in each language. Which faults
// a code has is read off the code of src, where it is given.
import { join, posix } from 'node:path';

import ts from 'typescript';

import {
  type Language,
  LANGUAGES,
  mapWords,
  say,
  type Surface,
  textsAt,
  type Words,
} from '../../src/base/language.ts';
import { FILE_REFUSAL_CODES, REMEDIES } from '../../src/rows/file-refused.ts';
import { LAYOUTS, type Layout } from '../../src/rows/market-layouts.ts';
import { sentence } from '../../src/messages/messages.ts';
import { everyFile, nodesOf, parse, ROOT, type Source } from '../house/sources.ts';
import { code } from './markdown.ts';

export function refusedFiles(): readonly string[] {
  const given = givenCodes();
  return [
    '\n## A file that is refused\n',
    'In `refused.json`. Nothing of the file was sent. Before each arrow stands what is wrong, with `…` for what paydrop fills in, and behind it what to do. Where the page and a program that uses the interface, a terminal, and a file such as `refused.json` say different things, each is named.\n',
    '`rows_rejected`: rows of the file have to be fixed, and `policy.onInvalidRows` is `refuse-file`. `standing_file_withdrawn`: the standing file was taken away before its time.',
    ...FILE_REFUSAL_CODES.flatMap((name) => [
      `\n### ${code(name)}\n`,
      ...LANGUAGES.map(
        (language) => `- ${toldIn(language, given.get(name) ?? startGiven(), REMEDIES[name])}`,
      ),
    ]),
  ];
}

/** By the keys of their sentences. */
type Given = { readonly faults: Map<string, Words>; readonly remedies: Map<string, Words> };

const startGiven = (): Given => ({ faults: new Map(), remedies: new Map() });

/** What is wrong, then what to do. */
function toldIn(language: Language, { faults, remedies }: Given, usual: Words): string {
  if (faults.size === 0) throw new Error('Nothing in src gives this code a fault.');
  const texts = (all: Iterable<Words>) => [...new Set([...all].map((words) => onSurfaces(words, language)))];
  const told = `${texts(faults.values()).join(' / ')} → ${texts([usual, ...remedies.values()]).join(' / ')}`;
  return told.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

const NAMES: Readonly<Record<Surface, Readonly<Record<Language, string>>>> = {
  page: { en: 'page, program', fr: 'page, programme', es: 'página, programa' },
  terminal: { en: 'terminal', fr: 'terminal', es: 'terminal' },
  file: { en: 'file', fr: 'fichier', es: 'archivo' },
};

/** The text alone where all surfaces say it, else that of each. */
function onSurfaces(words: Words, language: Language): string {
  const textOf = (surface: Surface) => say({ ...words, ...textsAt(surface, words) }, language) || '–';
  const page = textOf('page');
  const others = (['terminal', 'file'] as const).filter((surface) => textOf(surface) !== page);
  if (others.length === 0) return page;
  return (['page', ...others] as const)
    .map((surface) => `*${NAMES[surface][language]}:* ${textOf(surface)}`)
    .join(' ');
}

// Where a code is given: `new FileRefused(code, fault, { remedy })`, or a table of faults by code. The keys of the sentences stand there, or where the
// names lead that stand there.

const ALL = everyFile(join(ROOT, 'src'))
  .filter(({ path, text }) => path.startsWith('src/rows/') || text.includes('FileRefused'))
  .map(parse);

function givenCodes(): ReadonlyMap<string, Given> {
  const given = new Map(FILE_REFUSAL_CODES.map((name) => [name as string, startGiven()]));
  for (const source of ALL.filter(({ text }) => /\bFileRefused\b/.test(text)))
    for (const node of nodesOf(source.ast)) {
      const { code: name, fault, remedy } = faultAt(node) ?? {};
      const found = given.get(name ?? '');
      if (fault !== undefined) for (const key of keysIn(fault, source)) found?.faults.set(key, filled(key));
      if (remedy !== undefined)
        for (const key of keysIn(remedy, source)) found?.remedies.set(key, filled(key));
    }
  for (const [id, { refusal }] of Object.entries(LAYOUTS as Readonly<Record<string, Layout>>))
    if (refusal !== undefined) {
      given.get('amount_column_missing')?.faults.set(id, refusal.fault);
      given.get('amount_column_missing')?.remedies.set(id, refusal.remedy);
    }
  return given;
}

type FaultAt = { readonly code: string; readonly fault: ts.Node; readonly remedy?: ts.Node | undefined };

function faultAt(node: ts.Node): FaultAt | null {
  if (ts.isNewExpression(node) && node.expression.getText() === 'FileRefused') {
    const [name, fault, options] = node.arguments ?? [];
    if (name === undefined || fault === undefined || !ts.isStringLiteral(name)) return null;
    return {
      code: name.text,
      fault,
      remedy: options === undefined ? undefined : propertyOf(options, 'remedy'),
    };
  }
  if (ts.isObjectLiteralExpression(node)) {
    const [name, fault] = [propertyOf(node, 'code'), propertyOf(node, 'says')];
    return name !== undefined && fault !== undefined && ts.isStringLiteral(name)
      ? { code: name.text, fault }
      : null;
  }
  return ts.isPropertyAssignment(node) && ts.isArrowFunction(node.initializer)
    ? { code: node.name.getText(), fault: node.initializer }
    : null;
}

/** The value of a property of an object, however deep it stands in the expression. */
function propertyOf(node: ts.Node, name: string): ts.Node | undefined {
  const found = [...nodesOf(node)]
    .filter(ts.isObjectLiteralElement)
    .find((each) => each.name?.getText() === name);
  return found !== undefined && ts.isPropertyAssignment(found) ? found.initializer : found;
}

/** So many names are followed, one from the other. */
const HOPS_MOST = 4;

/** The keys of the sentences that an expression may be, also where names and calls lead to them. */
function keysIn(node: ts.Node, source: Source, hops = HOPS_MOST): readonly string[] {
  const inAll = (parts: readonly ts.Node[]): readonly string[] =>
    parts.flatMap((part) => keysIn(part, source, hops));
  if (ts.isIdentifier(node) || ts.isShorthandPropertyAssignment(node)) {
    if (hops === 0) return [];
    const { text } = ts.isIdentifier(node) ? node : node.name;
    return leadsTo(text, node, source).flatMap((found) => keysIn(found.node, found.source, hops - 1));
  }
  if (ts.isCallExpression(node)) {
    if (/^sentence(?:OfFile)?$/.test(node.expression.getText()))
      return node.arguments.filter(ts.isStringLiteral).map(({ text }) => text);
    const made = keysIn(node.expression, source, hops);
    return made.length > 0 ? made : inAll(node.arguments);
  }
  if (ts.isPropertyAccessExpression(node)) return [];
  if (ts.isConditionalExpression(node)) return inAll([node.whenTrue, node.whenFalse]);
  if (ts.isElementAccessExpression(node)) return inAll([node.expression]);
  if (ts.isPropertyAssignment(node)) return inAll([node.initializer]);
  if (ts.isArrowFunction(node)) return inAll([node.body]);
  if (ts.isBlock(node)) return inAll([...nodesOf(node)].flatMap(returnedBy));
  return inAll(partsOf(node));
}

function returnedBy(node: ts.Node): readonly ts.Node[] {
  return ts.isReturnStatement(node) && node.expression !== undefined ? [node.expression] : [];
}

function partsOf(node: ts.Node): readonly ts.Node[] {
  const parts: ts.Node[] = [];
  ts.forEachChild(node, (part) => void parts.push(part));
  return parts;
}

type Found = { readonly node: ts.Node; readonly source: Source };

/** What a name stands for: what it is declared as, here or where it is imported from, or what callers give for a parameter. */
function leadsTo(name: string, from: ts.Node, source: Source): readonly Found[] {
  let at = from;
  while (!ts.isSourceFile(at)) {
    at = at.parent;
    if (ts.isFunctionLike(at)) {
      const index = at.parameters.findIndex((parameter) => parameter.name.getText() === name);
      if (index >= 0) return givenAs(index, nameOf(at), source);
    }
    if (!ts.isBlock(at) && !ts.isSourceFile(at)) continue;
    const declared = declaredIn(at, name);
    if (declared !== null) return [{ node: declared, source }];
  }
  return importedBy(source, name).flatMap((other) => {
    const declared = declaredIn(other.ast, name);
    return declared === null ? [] : [{ node: declared, source: other }];
  });
}

/** What stands for a name that is declared in a block or a file: the value of a constant, the body of a function. */
function declaredIn(scope: ts.Block | ts.SourceFile, name: string): ts.Node | null {
  for (const statement of scope.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name?.text === name) return statement.body ?? null;
    if (!ts.isVariableStatement(statement)) continue;
    const found = statement.declarationList.declarations.find((each) => each.name.getText() === name);
    if (found?.initializer !== undefined) return found.initializer;
  }
  return null;
}

function nameOf(declared: ts.SignatureDeclaration): string | undefined {
  if (declared.name !== undefined) return declared.name.getText();
  return ts.isVariableDeclaration(declared.parent) ? declared.parent.name.getText() : undefined;
}

function givenAs(index: number, name: string | undefined, home: Source): readonly Found[] {
  if (name === undefined) return [];
  return ALL.filter((each) => each === home || importedBy(each, name).includes(home)).flatMap((source) =>
    [...nodesOf(source.ast)].flatMap((node) => {
      const isCall = ts.isCallExpression(node) && node.expression.getText() === name;
      const given = isCall ? node.arguments[index] : undefined;
      return given === undefined ? [] : [{ node: given, source }];
    }),
  );
}

const BASE = /^src\/(?:base|messages)\//;

/** The source from which a file has a name; what joins words and tells nothing itself is left out. */
function importedBy({ path, ast }: Source, name: string): readonly Source[] {
  const from = ast.statements
    .filter(ts.isImportDeclaration)
    .find(({ importClause }) => new RegExp(`\\b${name}\\b`).test(importClause?.getText() ?? ''));
  if (from === undefined) return [];
  const target = (from.moduleSpecifier as ts.StringLiteral).text;
  return ALL.filter(
    (source) => source.path === posix.join(posix.dirname(path), target) && !BASE.test(source.path),
  );
}

// A sentence is filled with `…` for each of its values, whatever it makes of them.

const BLANK: unknown = new Proxy(() => undefined, {
  get: (_, name) => {
    if (name === Symbol.toPrimitive) return (hint: string) => (hint === 'number' ? 2 : '…');
    if (name === 'length') return 2;
    return name === 'join' || name === 'toString' ? () => '…' : BLANK;
  },
  apply: () => BLANK,
});

const BLANKS = new Proxy({}, { get: () => BLANK });

function filled(key: string): Words {
  const words = (sentence as (key: string, values: unknown) => Words)(key, BLANKS);
  return mapWords(words, (text) => {
    const short = text.replaceAll(/…[1.…]+/g, '…');
    // Said of a cell that is named before it.
    return /^\p{Ll}/u.test(short) ? `… ${short}.` : short;
  });
}
