// How a file and its parts look: names, headers, exports, lengths.
import ts from 'typescript';

import { fileRule, nodeRule, type Rule } from './rule.ts';
import type { Source } from './sources.ts';

const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Names that say nothing of what is inside, so that everything ends up there. */
const EMPTY_NAMES = /^(utils?|helpers?|commons?|managers?|handlers?)$/;

const names = fileRule(
  'files and folders have kebab-case names that say what is inside',
  ({ path }) => {
    const parts = path.replace(/\.ts$/, '').split('/');
    if (!parts.every((part) => KEBAB_CASE.test(part))) return 'is not kebab-case';
    return parts.flatMap((part) => part.split('-')).some((word) => EMPTY_NAMES.test(word))
      ? 'says nothing of what is inside'
      : null;
  },
  { 'src/rows/rowUtils.ts': '', 'src/rows/file-handler.ts': '' },
  { 'src/rows/formats.ts': '' },
);

/** The comment that a file starts with, a line for the shell left out. */
function headerOf(text: string): string {
  const lines = text.replace(/^#!.*\n/, '').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines
    .slice(0, Math.max(0, end))
    .map((line) => line.replace(/^\/\/\s*/, ''))
    .join(' ')
    .trim();
}

const header = fileRule(
  'every file starts with one to three full sentences that say why it exists',
  ({ text }) => {
    const comment = headerOf(text);
    if (comment === '') return 'has no header comment';
    if (!comment.endsWith('.')) return 'has a header that is no full sentence';
    return comment.split(/[.!?] (?=[A-Z])/).length > 3 ? 'has a header of more than three sentences' : null;
  },
  { 'src/rows/row.ts': 'export const A = 1;\n', 'src/rows/file.ts': '// rows\nexport const A = 1;\n' },
  { 'src/rows/row.ts': '#!/usr/bin/env node\n// Rows are text. So is money.\nexport const A = 1;\n' },
);

const noDefaultExports = nodeRule(
  'nothing is exported without a name',
  (node) =>
    ts.isExportAssignment(node) || node.kind === ts.SyntaxKind.DefaultKeyword
      ? ts.isDefaultClause(node.parent)
        ? null
        : 'exports by default'
      : null,
  { 'src/rows/row.ts': 'export default function row() {}' },
  { 'src/rows/row.ts': 'export function row(a: 1) { switch (a) { default: return a; } }' },
);

const noEnums = nodeRule(
  'closed sets are lists, not enums',
  (node) => (ts.isEnumDeclaration(node) ? 'is an enum' : null),
  { 'src/rows/row.ts': 'export enum Mark { Point }' },
  { 'src/rows/row.ts': "export const MARKS = ['.', ','] as const;" },
);

const noBarrels = nodeRule(
  'only src/index.ts exports what another file made',
  (node, { path }) =>
    ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined && path !== 'src/index.ts'
      ? 'exports what another file made'
      : null,
  { 'src/rows/all.ts': "export * from './row.ts';" },
  { 'src/index.ts': "export { readRows } from './rows/read-rows.ts';", 'src/rows/a.ts': 'export { b };' },
);

/** A file is one thing, and as long as that thing; beyond this many lines it is worth a look whether it has become two. A warning, no bound. */
const LINES_WORTH_A_LOOK = 500;

/** A ratchet, to be turned down and never up: the longest function of today. Most have about ten lines. */
const FUNCTION_LINES_MAX = 60;

/** Files that are nothing but a table, which is easier to read in one piece. */
const TABLES = [
  'src/rows/header-aliases.ts',
  'src/messages/en.ts',
  'src/messages/fr.ts',
  'src/page/words/en.ts',
  'src/page/words/fr.ts',
];

/** The files that are longer than most, each with its number of lines: a place to look, not a fault. */
export function longFiles(house: readonly Source[]): readonly string[] {
  return house
    .filter(({ path }) => !TABLES.includes(path))
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > LINES_WORTH_A_LOOK)
    .map(({ path, lines }) => `${path} has ${String(lines)} lines`);
}

const functionLength = functionsUpTo(FUNCTION_LINES_MAX);

export function functionsUpTo(most: number): Rule {
  return nodeRule(
    `no function is longer than ${most} lines`,
    (node, { ast }) => {
      if (!ts.isFunctionLike(node)) return null;
      const lineOf = (position: number) => ast.getLineAndCharacterOfPosition(position).line;
      const lines = lineOf(node.getEnd()) - lineOf(node.getStart(ast)) + 1;
      return lines > most ? `is a function of ${lines} lines` : null;
    },
    { 'src/rows/row.ts': `const row = () => {${'\n'.repeat(most)}};` },
    { 'src/rows/row.ts': `const row = () => {${'\n'.repeat(most - 1)}};` },
  );
}

const CODE_LIST = /_CODES$/;

/** A code that nothing gives is a promise to readers of the answers that nobody keeps. */
const noDeadCodes: Rule = {
  fact: 'every code of a closed list of codes is given by something',
  violations: (house) => {
    const lists = house.flatMap(({ ast }) => ast.statements.flatMap(codeListIn));
    const given = new Set(house.flatMap(({ ast }) => [...literalsOutside(ast, lists)]));
    return lists.flatMap(codesIn).filter((code) => !given.has(code));
  },
  broken: [{ 'src/rows/a.ts': "export const A_CODES = ['used', 'dead'] as const; give('used');" }],
  sound: { 'src/rows/a.ts': "export const A_CODES = ['used'] as const; give('used');" },
};

function codeListIn(statement: ts.Statement): readonly ts.ArrayLiteralExpression[] {
  if (!ts.isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.flatMap(({ name, initializer }) => {
    if (!ts.isIdentifier(name) || !CODE_LIST.test(name.text) || initializer === undefined) return [];
    const list = ts.isAsExpression(initializer) ? initializer.expression : initializer;
    return ts.isArrayLiteralExpression(list) ? [list] : [];
  });
}

function codesIn(list: ts.ArrayLiteralExpression): readonly string[] {
  return list.elements.flatMap((element) => (ts.isStringLiteral(element) ? [element.text] : []));
}

function* literalsOutside(node: ts.Node, lists: readonly ts.Node[]): Generator<string> {
  if (lists.includes(node)) return;
  if (ts.isStringLiteral(node)) yield node.text;
  for (const child of node.getChildren()) yield* literalsOutside(child, lists);
}

/** What tells a kind of file by its name. */
const KIND_BY_NAME = /\.(?:csv|tsv|xlsx?|xlsm|xml)\b|\b(?:csv|tsv|xlsx|xml)\|/;

/** Where the kinds are, and where a name stands for people to read, or is one that paydrop gives to a file of its own. */
const MAY_NAME_KINDS: readonly RegExp[] = [
  /^src\/rows\/(?:csv|xlsx|pain001)\//,
  /^src\/messages\//,
  /^src\/cli\//,
  /^src\/web\/routes\.ts$/,
  /^src\/app\/config\/(?:key-descriptions|account-config)\.ts$/,
  /^src\/app\/desk\/(?:audit-trail|demo|payees|reconcile-period|write-template)\.ts$/,
];

/** So that a further kind of file costs its folder and a word in the list. */
const kindsInOnePlace = nodeRule(
  'the name of a kind of file stands in the folder of its format alone',
  (node, { path }) =>
    !MAY_NAME_KINDS.some((place) => place.test(path)) &&
    (ts.isStringLiteralLike(node) ||
      ts.isRegularExpressionLiteral(node) ||
      ts.isTemplateLiteralToken(node)) &&
    KIND_BY_NAME.test(node.text)
      ? 'names a kind of file'
      : null,
  {
    'src/inbox/a.ts': "const SPREADSHEETS = ['.xlsx'];",
    'src/app/desk/b.ts': 'const FORM = /\\.(csv|txt)$/;',
    'src/results/c.ts': 'const name = `${stem}.xml`;',
  },
  {
    'src/rows/csv/csv-file.ts': "const ENDS = ['.csv'];",
    'src/results/c.ts': 'const name = answersAs(file);',
  },
);

export const SHAPE_RULES: readonly Rule[] = [
  names,
  header,
  noDefaultExports,
  noEnums,
  noBarrels,
  functionLength,
  noDeadCodes,
  kindsInOnePlace,
];
