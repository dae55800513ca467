// The rules of the house, held by a test: who imports whom, how files look, which calls are dangerous here, and what the docs explain.
import { describe, expect, it } from 'vitest';

import { DECISION_CODES } from '../src/app/workflow/approval/decide-approval.ts';
import { APPROVAL_FILE_CODES } from '../src/app/workflow/approval/take-approval-file.ts';
import { FILE_REFUSAL_CODES } from '../src/rows/file-refused.ts';
import { HOLD_CODES } from '../src/payouts/hold.ts';
import { STAGES, OUTCOMES } from '../src/payouts/lifecycle.ts';
import { REJECTION_CODES } from '../src/payouts/rejection.ts';
import { DANGEROUS_CALLS } from './house/dangerous-calls.ts';
import { exportsForNobody } from './house/exports.ts';
import { readImportTable, readRooms } from './house/import-table.ts';
import { IMPORT_RULES, MAY_IMPORT, ROOMS_IN_ORDER } from './house/imports.ts';
import { linesThatBreak, TEXT_RULES } from './house/published-text.ts';
import { PAGE_RULES } from './house/page.ts';
import { EXPORTS_FOR_NOBODY_MAX, LINES_OF_README_MAX, RATCHETS } from './house/ratchets.ts';
import { SENTENCES } from './house/sentences.ts';
import { longFiles, SHAPE_RULES } from './house/shape.ts';
import { everyFile, houseOf, parse } from './house/sources.ts';
import { TERMS } from './house/terms.ts';
import { MUTANTS } from './simulation/mutants/try-mutants.ts';

const FILES = everyFile();
const HOUSE = FILES.filter(({ path }) => /^src\/(?!page\/).*\.ts$/.test(path)).map(parse);
const PAGE = FILES.filter(({ path }) => /^src\/page\/.*\.tsx?$/.test(path)).map(parse);
const ARCHITECTURE = FILES.find(({ path }) => path === 'docs/architecture.md')?.text ?? '';
const DOCS = FILES.filter(({ path }) => path.startsWith('docs/'))
  .map(({ text }) => text)
  .join('\n');

/** Each under its fact, which names the test. */
const RULES = [...IMPORT_RULES, ...SHAPE_RULES, ...RATCHETS, ...DANGEROUS_CALLS, SENTENCES].map(
  (rule) => [rule.fact, rule] as const,
);
const OF_PAGE = PAGE_RULES.map((rule) => [rule.fact, rule] as const);
const LINE_RULES = TEXT_RULES.map((rule) => [rule.fact, rule] as const);
const TESTS = FILES.filter(({ path }) => /^test\/.*\.ts$/.test(path));

describe('the house', () => {
  it('is not empty', () => expect(HOUSE.length).toBeGreaterThan(100));

  it.each(RULES)('%s', (_, { violations }) => expect(violations(HOUSE)).toEqual([]));

  it('says which files are long enough for a second look', () => {
    const long = longFiles([...HOUSE, ...PAGE]);
    if (long.length > 0) process.stdout.write(`worth a look: ${long.join(', ')}\n`);
    expect(longFiles(houseOf({ 'src/rows/row.ts': '\n'.repeat(500) + 'end' }))).toHaveLength(1);
  });

  it.each(OF_PAGE)('in the page, %s', (_, { violations }) => expect(violations(PAGE)).toEqual([]));

  it.each(LINE_RULES)('%s', (_, rule) => expect(linesThatBreak(rule, FILES)).toEqual([]));

  it(`exports no more than ${String(EXPORTS_FOR_NOBODY_MAX)} names that nobody else uses`, () => {
    const unused = exportsForNobody(HOUSE, FILES);
    expect(unused.slice(EXPORTS_FOR_NOBODY_MAX), unused.join('\n')).toEqual([]);
  });

  it(`has no more than ${String(LINES_OF_README_MAX)} lines of README`, () => {
    const text = FILES.find(({ path }) => path === 'README.md')?.text ?? '';
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(LINES_OF_README_MAX);
  });
});

describe('a standard term leads a search to where the thing is done', () => {
  const comments = [...HOUSE, ...PAGE].flatMap(({ text }) => text.match(/\/\/.*|\/\*[^]*?\*\//g) ?? []);

  it.each(TERMS)('%s', (term) => {
    const words = term.toLowerCase();
    expect(comments.some((comment) => comment.toLowerCase().includes(words))).toBe(true);
  });
});

describe('a rule can fail', () => {
  it.each([...RULES, ...OF_PAGE])(
    '%s: and a house that breaks it is noticed',
    (_, { violations, broken, sound }) => {
      for (const files of broken) expect(violations(houseOf(files))).not.toEqual([]);
      expect(violations(houseOf(sound))).toEqual([]);
    },
  );

  it('a name that is exported for nobody is noticed, and one that somebody uses is not', () => {
    const own = { path: 'src/rows/a.ts', text: 'export const A = 1;\nexport type B = typeof A;\n' };
    const user = { path: 'test/rows/a.test.ts', text: "import { A } from '../../src/rows/a.ts';" };
    expect(exportsForNobody([parse(own)], [own, user])).toEqual(['src/rows/a.ts B']);
  });

  it.each(LINE_RULES)('%s: and a line that breaks it is noticed', (_, rule) => {
    const path = rule.files?.example ?? 'README.md';
    expect(linesThatBreak(rule, [{ path, text: rule.broken }])).toHaveLength(1);
    expect(linesThatBreak(rule, [{ path, text: rule.sound }])).toEqual([]);
  });
});

describe('the bugs that are planted to try the checker', () => {
  it.each(MUTANTS.map(({ name, file, find }) => [name, file, find]))(
    '%s: its place stands once',
    (_name, file, find) => {
      const text = FILES.find(({ path }) => path === `src/${file}`)?.text ?? '';
      expect(text.split(find)).toHaveLength(2);
    },
  );
});

describe('the checker', () => {
  const checker = TESTS.filter(
    ({ path }) => path.startsWith('test/invariants/') && !path.endsWith('.test.ts'),
  );
  const LOCAL = /from '(\.\.?\/[^']*)'/g;

  it('uses nothing of the program, whose mistakes it would repeat', () => {
    expect(checker.length).toBeGreaterThan(10);
    const foreign = checker.flatMap(({ path, text }) =>
      [...text.matchAll(LOCAL)]
        .map(([, from = '']) => `${path}: ${from}`)
        .filter((use) => use.includes('..')),
    );
    expect(foreign).toEqual([]);
  });
});

describe('the table of folders in docs/architecture.md', () => {
  it('is the one that the rules hold', () => expect(readImportTable(ARCHITECTURE)).toEqual(MAY_IMPORT));

  it('is read cell by cell, so that another one is noticed', () => {
    const head = '| folder | may import |\n| --- | --- |\n';
    expect(
      readImportTable(
        `${head}| \`a\` | – |\n| \`b\`, \`c\` | a, d (c only) |\n| \`e/f\` | all above |\n| \`g\` | all above but e/f |\n\nEnd`,
      ),
    ).toEqual({ a: [], b: ['a'], c: ['a', 'd'], 'e/f': ['a', 'b', 'c'], g: ['a', 'b', 'c'] });
    expect(readImportTable('# No table\n')).toBeNull();
  });
});

describe('the table of the rooms of the workflow in docs/architecture.md', () => {
  it('has them in the order in which they may import each other', () =>
    expect(readRooms(ARCHITECTURE)).toEqual(ROOMS_IN_ORDER));
});

describe('every name in a closed list', () => {
  const lists = {
    REJECTION_CODES,
    HOLD_CODES,
    FILE_REFUSAL_CODES,
    DECISION_CODES,
    APPROVAL_FILE_CODES,
    OUTCOMES,
    STAGES,
  };

  it.each(Object.entries(lists))('%s: is explained in docs', (_, names) => {
    expect(names.filter((name) => !hasWord(DOCS, name))).toEqual([]);
  });

  it.each(Object.entries(lists))('%s: appears in a test', (_, names) => {
    const text = TESTS.map((file) => file.text).join('\n');
    expect(names.filter((name) => !hasWord(text, name))).toEqual([]);
  });

  it('is looked for as a whole word', () => {
    expect(hasWord('a `paid` row', 'paid')).toBe(true);
    expect(hasWord('an unpaid row', 'paid')).toBe(false);
  });
});

function hasWord(text: string, word: string): boolean {
  return new RegExp(`\\b${word}\\b`).test(text);
}
