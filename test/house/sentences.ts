// Where sentences to people may stand: in the catalogues, where somebody who writes the language finds them, and in few other places.
import ts from 'typescript';

import type { Rule } from './rule.ts';
import { nodesOf, placeOf, type Source } from './sources.ts';

/** `base` and `service` lie below the messages; `sandbox` and `web` speak as a service does, in English; the page has catalogues of its own. */
const ELSEWHERE = /^src\/(?:messages|page|base|service|sandbox|web)\//;

/** Tables whose texts are no sentences to people: headers, schemas, and what the docs and the metrics say of a key, in English alone. */
const TABLES: ReadonlySet<string> = new Set([
  'src/rows/header-aliases.ts',
  'src/rows/opposites.ts',
  'src/rows/rival-amounts.ts',
  'src/inbox/file-name-words.ts',
  'src/rows/pain001/schemas.ts',
  'src/app/config/key-descriptions.ts',
  'src/app/daemon/metrics-server.ts',
  'src/app/parts/meter.ts',
]);

/** Sentences that still stand outside the catalogues, by file: turned down with each that moves, and never up. */
const STILL_THERE: Readonly<Record<string, number>> = {
  'src/results/status-report.ts': 1,
  // Headers, a list in one text.
};

/** Begins as a sentence does and ends as one. */
const SENTENCE = /^[«"(]?[\p{Lu}§].*[.?!]$/su;
/** Part of one, in French: its words hardly stand in a name or a key. */
const FRENCH =
  /(?<![\p{L}-])(?:le|la|les|un|une|des|du|est|sont|ne|pas|et|sur|par|pour|dans|attend|attendent|n'|d'|l'|qu')(?![\p{L}-])/u;
const WORDS_LEAST = 3;
const SQL = /^[\s§]*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|WITH|PRAGMA|WHERE|FROM|AND)\b/;

function isSentence(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => /\p{L}{2,}/u.test(word));
  return words.length >= WORDS_LEAST && !SQL.test(text) && (SENTENCE.test(text) || FRENCH.test(text));
}

/** The text of a literal; what it puts in between counts as a word. */
function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map(({ literal }) => `§§${literal.text}`).join('');
}

/** The text of an error is for the log and for the person who changes the program. */
function isOfError(node: ts.Node): boolean {
  for (let each = node; !ts.isSourceFile(each); each = each.parent) {
    const made = ts.isNewExpression(each) || ts.isCallExpression(each) ? each.expression.getText() : '';
    if (ERRORS.has(made)) return true;
  }
  return false;
}

const ERRORS: ReadonlySet<string> = new Set(['Error', 'super', 'Unanswered']);

function sentencesIn(source: Source): readonly string[] {
  if (ELSEWHERE.test(source.path) || TABLES.has(source.path)) return [];
  return [...nodesOf(source.ast)].flatMap((node) => {
    const text = textOf(node);
    return text !== null && isSentence(text) && !isOfError(node)
      ? [`${placeOf(source, node)} ${text.slice(0, 60)}`]
      : [];
  });
}

const file = 'src/rows/example.ts';

export const SENTENCES: Rule = {
  fact: 'sentences to people stand in src/messages',
  violations: (house) =>
    house.flatMap((source) => {
      const found = sentencesIn(source);
      const most = STILL_THERE[source.path] ?? 0;
      if (found.length === most) return [];
      return found.length > most ? found : [`${source.path} holds ${String(found.length)}: turn it down`];
    }),
  broken: [
    { [file]: "export const WORDS = 'The file is too large.';" },
    { [file]: 'export const words = (name: string) => `${name} was not found here.`;' },
    { [file]: "export const FR = '1 ligne attend une décision';" },
  ],
  sound: {
    [file]: "export const WORDS = sentence('row.tooLarge'); throw new Error('The row has no place.');",
    'src/messages/en.ts': "export const EN = { 'row.tooLarge': 'The file is too large.' };",
  },
};
