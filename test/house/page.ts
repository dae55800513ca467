// The rules for what runs in the browser: a house of its own, which knows the contract alone, and of which the rest knows nothing.
import ts from 'typescript';

import { DANGEROUS_CALLS } from './dangerous-calls.ts';
import { specifiersOf } from './imports.ts';
import { nodeRule, type Rule } from './rule.ts';
import { functionsUpTo, SHAPE_RULES } from './shape.ts';

/** What the page may carry. */
const OWN = /^(?:preact(?:\/hooks)?|\.\/.*|\.\.\/contract\/words\.ts)$/;
/** Of these only types, which leave nothing behind: the page ships no zod. */
const CONTRACT = /^\.\.\/contract\/[\w-]+\.ts$/;

function isOfTypes(statement: ts.Statement): boolean {
  return (
    ts.isImportDeclaration(statement) && statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
  );
}

const alone: Rule = {
  fact: 'nothing is imported but Preact, what lies beside, the words of the contract, and types of it',
  violations: (page) =>
    page.flatMap(({ path, ast }) =>
      ast.statements.flatMap((statement) =>
        specifiersOf({ ast: statement })
          .filter((name) => !OWN.test(name) && !(isOfTypes(statement) && CONTRACT.test(name)))
          .map((name) => `${path} imports ${name}`),
      ),
    ),
  broken: [
    { 'src/page/a.tsx': "import { grouped } from '../base/decimal.ts';" },
    { 'src/page/a.tsx': "import { z } from 'zod';" },
    { 'src/page/a.tsx': "import { type Upload, upload } from '../contract/uploads.ts';" },
    { 'src/page/a.tsx': "const all = await import('../contract/uploads.ts');" },
  ],
  sound: {
    'src/page/a.tsx': "import { useState } from 'preact/hooks'; import { b } from './b.ts';",
    'src/page/b.ts':
      "import type { Upload } from '../contract/uploads.ts'; import { ROLES } from '../contract/words.ts';",
  },
};

/** What lets text become a script, or a style that the policy refuses. */
const noMarkup = nodeRule(
  'no text becomes markup',
  (node) =>
    ts.isIdentifier(node) && ['innerHTML', 'outerHTML', 'dangerouslySetInnerHTML'].includes(node.text)
      ? `uses ${node.text}`
      : null,
  { 'src/page/a.tsx': 'element.innerHTML = text;' },
  { 'src/page/a.tsx': 'element.textContent = text;' },
);

/** Those of src that hold for a browser too: time, network and the end of a process are other matters here. */
const SHARED =
  /through a float|without a word|the type any|look away|header|full sentences|without a name|not enums|file is longer than/;

/** Markup takes a line for each attribute. */
const FUNCTION_LINES_MAX = 78;

export const PAGE_RULES: readonly Rule[] = [
  functionsUpTo(FUNCTION_LINES_MAX),
  alone,
  noMarkup,
  ...[...SHAPE_RULES, ...DANGEROUS_CALLS].filter(({ fact }) => SHARED.test(fact)),
];
