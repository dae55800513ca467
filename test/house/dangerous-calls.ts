// Calls that are harmless elsewhere and dangerous here: they make time, chance, the environment or a float decide about money.
import ts from 'typescript';

import { nodeRule, type Rule } from './rule.ts';

/** `Date.now` for `Date.now()`, `fetch` for `fetch()`; empty when it is no plain name. */
function nameOf(node: ts.Node): string {
  if (ts.isIdentifier(node)) return node.text;
  if (!ts.isPropertyAccessExpression(node)) return '';
  const left = nameOf(node.expression);
  return left === '' ? '' : `${left}.${node.name.text}`;
}

/** The whole name at its outermost node, so that `process.env.HOME` is found once, as `process.env`. */
function usedName(node: ts.Node): string {
  if (ts.isImportSpecifier(node)) return (node.propertyName ?? node.name).text;
  return ts.isPropertyAccessExpression(node) || isUsedIdentifier(node) ? nameOf(node) : '';
}

/** An identifier that is read, not one that names a property, a parameter or a declaration. */
function isUsedIdentifier(node: ts.Node): boolean {
  if (!ts.isIdentifier(node)) return false;
  const { parent } = node;
  return ts.isCallExpression(parent) || ts.isNewExpression(parent) ? parent.expression === node : false;
}

/** `globalThis.setTimeout` is the same as `setTimeout`. */
const GLOBAL = /^globalThis\./;

function only(places: readonly string[], names: readonly string[], fact: string, example: string): Rule {
  const place = places[0] ?? 'src/nowhere.ts';
  return nodeRule(
    fact,
    (node, { path }) => {
      const name = usedName(node).replace(GLOBAL, '');
      return names.includes(name) && !places.includes(path) ? `uses ${name}` : null;
    },
    { 'src/rows/row.ts': example },
    places.length === 0 ? { 'src/rows/row.ts': '' } : { [place]: example },
  );
}

const environment = only(
  ['src/app/config/config.ts', 'src/cli/help.ts', 'src/cli/main.ts'],
  ['process.env', 'env'],
  'the environment is read by src/app/config/config.ts alone, the language before it by src/cli/help.ts, and what npm says of itself by src/cli/npm-start.ts',
  'export const home = process.env.HOME;',
);

const time = only(
  ['src/base/clock.ts'],
  [
    'Date.now',
    'performance.now',
    'setTimeout',
    'setInterval',
    'AbortSignal.timeout',
    'Math.random',
    'process.hrtime',
  ],
  'time passes and dice fall in src/base/clock.ts alone',
  'setTimeout(() => Date.now(), 5);',
);

const today = nodeRule(
  'no date is made of the present moment outside src/base/clock.ts',
  (node, { path }) =>
    ts.isNewExpression(node) &&
    nameOf(node.expression) === 'Date' &&
    (node.arguments ?? []).length === 0 &&
    path !== 'src/base/clock.ts'
      ? 'makes a date of the present moment'
      : null,
  { 'src/rows/row.ts': 'export const now = new Date();' },
  { 'src/rows/row.ts': 'export const then = new Date(0);' },
);

const exit = only(
  ['src/main.ts'],
  ['process.exit', 'process.exitCode', 'process.abort', 'exit'],
  'src/main.ts alone ends the process',
  'process.exit(1);',
);

const noFetch = only([], ['fetch'], 'nothing is fetched past the transport', "await fetch('https://x');");

const FLOATS: readonly string[] = [
  'parseFloat',
  'Number.parseFloat',
  'Math.round',
  'Math.floor',
  'Math.ceil',
  'Math.trunc',
];

/** Words of names that hold money. */
const MONEY = /amount|balance|\bfee|fee\b|price|\brate\b|\bsum\b|money|bounds|minimum|maximum/i;

function isMoney(expression: ts.Node | undefined): boolean {
  return expression !== undefined && MONEY.test(expression.getText());
}

const noFloats = nodeRule(
  'no amount of money passes through a float',
  (node) => {
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.PlusToken)
      return isMoney(node.operand) ? 'turns money into a float' : null;
    if (!ts.isCallExpression(node)) return null;
    const name = nameOf(node.expression).replace(GLOBAL, '');
    if (name === 'parseFloat' || name === 'Number.parseFloat') return `calls ${name}`;
    const isFloat = name === 'Number' || name === 'parseInt' || FLOATS.includes(name);
    return isFloat && isMoney(node.arguments[0]) ? `calls ${name} on money` : null;
  },
  {
    'src/rows/row.ts': 'const a = Number(row.sendAmount);',
    'src/rows/b.ts': 'const b = +feeAmount;',
    'src/rows/c.ts': "const c = parseFloat('1');",
  },
  { 'src/rows/row.ts': 'const a = Number(row.version);' },
);

const noFixed = nodeRule(
  'nothing is rounded to decimals but the rate of the progress line',
  (node, { path }) =>
    ts.isPropertyAccessExpression(node) &&
    ['toFixed', 'toPrecision'].includes(node.name.text) &&
    path !== 'src/cli/progress-view.ts'
      ? `uses ${node.name.text}`
      : null,
  { 'src/rows/row.ts': 'export const a = (1.5).toFixed(0);' },
  { 'src/cli/progress-view.ts': 'export const a = (1.5).toFixed(0);' },
);

const noEmptyCatch = nodeRule(
  'no fault is swallowed without a word',
  (node) => {
    if (ts.isCatchClause(node)) return node.block.statements.length === 0 ? 'catches and does nothing' : null;
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return null;
    const [given] = node.arguments;
    const isEmpty =
      given !== undefined &&
      (ts.isArrowFunction(given) || ts.isFunctionExpression(given)) &&
      ts.isBlock(given.body) &&
      given.body.statements.length === 0;
    return node.expression.name.text === 'catch' && isEmpty ? 'catches and does nothing' : null;
  },
  {
    'src/rows/row.ts': 'try { read(); } catch { /* never mind */ }',
    'src/rows/a.ts': 'read().catch(() => {});',
  },
  { 'src/rows/row.ts': 'try { read(); } catch { return null; }' },
);

const noAny = nodeRule(
  'nothing has the type any',
  (node) => (node.kind === ts.SyntaxKind.AnyKeyword ? 'says any' : null),
  { 'src/rows/row.ts': 'export const a = b as any;' },
  { 'src/rows/row.ts': 'export const any = b as unknown;' },
);

const noSilencedChecker = nodeRule(
  'the type checker and the linter are never told to look away',
  (node, { text }) =>
    ts.isSourceFile(node) && /@ts-(ignore|expect-error|nocheck)|eslint-disable/.test(text)
      ? 'tells a checker to look away'
      : null,
  { 'src/rows/row.ts': '// @ts-ignore\nexport const a = b;' },
  { 'src/rows/row.ts': 'export const a = 1;' },
);

/** A read that creates something is repeated by every proxy and retry on the way. */
const noQuotationByGet = nodeRule(
  'the client never asks for a quotation with GET /rates',
  (node, { path }) => {
    if (!path.startsWith('src/service/')) return null;
    const isText = ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node);
    if (isText && /\/rates\?/.test(node.text)) return 'puts a query behind /rates';
    if (ts.isTemplateExpression(node) && /^`\/rates(\?|\$\{)/.test(node.getText()))
      return 'puts a query behind /rates';
    if (!ts.isCallExpression(node) || nameOf(node.expression) !== 'get') return null;
    return node.arguments.some((given) => ts.isStringLiteral(given) && given.text === '/rates')
      ? 'reads /rates'
      : null;
  },
  {
    'src/service/a.ts': 'get("createQuotation", `/rates${query(request)}`, QUOTATION);',
    'src/service/b.ts': "get('createQuotation', '/rates', QUOTATION);",
  },
  { 'src/service/a.ts': "post('createQuotation', '/rates', body); get('quotation', `/rates/${id}`);" },
);

/** A row goes on to its next attempt, or back to one that was reinstated. */
const GIVE_UP: readonly string[] = ['src/payouts/row-machine/changes.ts', 'src/payouts/reinstated.ts'];

/** One more attempt that is given up is a new transfer: code that gives up elsewhere has not asked whether the last one can still pay. */
const oneNextAttempt = nodeRule(
  `an attempt is followed by another in ${GIVE_UP.join(' and ')} alone`,
  (node, { path }) => {
    if (!ts.isPropertyAssignment(node) || node.name.getText() !== 'deadAttempts') return null;
    const { initializer } = node;
    const isAdded = ts.isArrayLiteralExpression(initializer) && initializer.elements.some(ts.isSpreadElement);
    return isAdded && !GIVE_UP.includes(path) ? 'gives up an attempt' : null;
  },
  { 'src/payouts/row-machine/apply.ts': 'const next = { deadAttempts: [...progress.deadAttempts, dead] };' },
  {
    'src/payouts/row-machine/changes.ts': 'const next = { deadAttempts: [...progress.deadAttempts, dead] };',
  },
);

export const DANGEROUS_CALLS: readonly Rule[] = [
  environment,
  time,
  today,
  exit,
  noFetch,
  noFloats,
  noFixed,
  noEmptyCatch,
  noAny,
  noSilencedChecker,
  noQuotationByGet,
  oneNextAttempt,
];
