// The rules for what runs in the browser: a house of its own, which knows nothing of the rest and of which the rest knows nothing.
import ts from 'typescript';

import { DANGEROUS_CALLS } from './dangerous-calls.ts';
import { specifiersOf } from './imports.ts';
import { nodeRule, type Rule } from './rule.ts';
import { functionsUpTo, SHAPE_RULES } from './shape.ts';

const alone: Rule = {
  fact: 'nothing is imported but Preact and what lies beside',
  violations: (page) =>
    page.flatMap((source) =>
      specifiersOf(source)
        .filter((name) => !/^preact(?:\/hooks)?$/.test(name) && !name.startsWith('./'))
        .map((name) => `${source.path} imports ${name}`),
    ),
  broken: [
    { 'src/page/a.tsx': "import { grouped } from '../base/decimal.ts';" },
    { 'src/page/a.tsx': "import { z } from 'zod';" },
  ],
  sound: {
    'src/page/a.tsx': "import { useState } from 'preact/hooks'; import { b } from './b.ts';",
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
