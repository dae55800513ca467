// Ratchets: what there is too much of. Each number is that of today, is turned down with every step towards less, and never up.
import ts from 'typescript';

import type { Rule } from './rule.ts';
import { nodesOf, placeOf, type Source } from './sources.ts';

/** What changes of a row, and what is kept of a batch: each field is one more thing that can contradict another. */
const PROGRESS_FIELDS_MAX = 17;
const BATCH_ORIGIN_FIELDS_MAX = 9;
const BATCH_FLAGS_MAX = 12;

/** How long silence proves nothing is to be asked in one place. */
const FENCE = /^FENCE(_[A-Z]+)*$/;
const FENCE_HOME = 'src/payouts/proof.ts';
const FENCE_USES_MAX = 0;

/** Lines of what pays once: the ledger, the delivery, the payouts, and the workflow above them. */
const HEART: readonly string[] = ['src/ledger/', 'src/delivery/', 'src/payouts/', 'src/app/workflow/'];
const HEART_LINES_MAX = 30_853;

/** What a store has to do, and two stores do. */
const SEAM = 'src/ledger/ledger.ts';
const SEAM_OPERATIONS_MAX = 37;

/** One word, one meaning: in this many files the same name may stand for another type. The heart has its own round. */
const FILES_OF_A_TYPE_NAME_MAX = 2;

export const LINES_OF_README_MAX = 123;

/** A name that only its own file uses is not exported. */
export const EXPORTS_FOR_NOBODY_MAX = 9;

function fieldsRule(path: string, type: string, most: number): Rule {
  const fields = (count: number) =>
    `export type ${type} = { ${Array.from({ length: count }, (_, index) => `readonly f${String(index)}: 1;`).join(' ')} };`;
  return {
    fact: `${type} has no more than ${String(most)} fields`,
    violations: (house) => {
      const count = house
        .filter((source) => source.path === path)
        .flatMap((source) => fieldsOf(source, type));
      return count.some((each) => each > most) ? [`${path} has ${count.join(', ')}`] : [];
    },
    broken: [{ [path]: fields(most + 1) }],
    sound: { [path]: fields(most) },
  };
}

function fieldsOf({ ast }: Source, type: string): readonly number[] {
  return ast.statements.flatMap((statement) =>
    ts.isTypeAliasDeclaration(statement) &&
    statement.name.text === type &&
    ts.isTypeLiteralNode(statement.type)
      ? [statement.type.members.length]
      : [],
  );
}

const fences: Rule = {
  fact: `the times before which silence proves nothing are used no more than ${String(FENCE_USES_MAX)} times outside ${FENCE_HOME}`,
  violations: (house) => {
    const uses = house.filter(({ path }) => path !== FENCE_HOME).flatMap(fenceUses);
    return uses.length > FENCE_USES_MAX ? uses : [];
  },
  broken: [{ 'src/delivery/a.ts': 'wait(FENCE_CONFIRMED_MS);'.repeat(FENCE_USES_MAX + 1) }],
  sound: { 'src/delivery/a.ts': 'wait();', [FENCE_HOME]: 'wait(FENCE_MS);'.repeat(99) },
};

function fenceUses(source: Source): readonly string[] {
  return [...nodesOf(source.ast)]
    .filter((node) => ts.isIdentifier(node) && FENCE.test(node.text))
    .map((node) => placeOf(source, node));
}

const heartLines: Rule = {
  fact: `the heart (${HEART.join(', ')}) has no more than ${String(HEART_LINES_MAX)} lines`,
  violations: (house) => {
    const heart = house.filter(isOfHeart);
    const lines = heart.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
    return lines > HEART_LINES_MAX ? [`it has ${String(lines)} lines`] : [];
  },
  broken: [{ 'src/payouts/a.ts': '\n'.repeat(HEART_LINES_MAX + 1) }],
  sound: { 'src/payouts/a.ts': '\n'.repeat(HEART_LINES_MAX), 'src/rows/a.ts': '\n\n' },
};

const seamOperations: Rule = {
  fact: `the interface of the ledger has no more than ${String(SEAM_OPERATIONS_MAX)} members`,
  violations: (house) => {
    const members = house
      .filter(({ path }) => path === SEAM)
      .flatMap(({ ast }) => ast.statements.filter(ts.isInterfaceDeclaration))
      .filter(({ name }) => name.text === 'Ledger')
      .reduce((sum, { members }) => sum + members.length, 0);
    return members > SEAM_OPERATIONS_MAX ? [`it has ${String(members)} members`] : [];
  },
  broken: [{ [SEAM]: `export interface Ledger { ${'m(): void; '.repeat(SEAM_OPERATIONS_MAX + 1)} }` }],
  sound: { [SEAM]: `export interface Ledger { ${'m(): void; '.repeat(SEAM_OPERATIONS_MAX)} }` },
};

const isOfHeart = ({ path }: Source): boolean => HEART.some((folder) => path.startsWith(folder));

function typeNames({ ast }: Source): readonly string[] {
  return ast.statements.flatMap((statement) =>
    ts.isTypeAliasDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    (ts.isClassDeclaration(statement) && statement.name !== undefined)
      ? [statement.name?.text ?? '']
      : [],
  );
}

const typeNamesOfOneOwner: Rule = {
  fact: `the name of a type stands in no more than ${String(FILES_OF_A_TYPE_NAME_MAX)} files outside the heart`,
  violations: (house) => {
    const declared = house
      .filter((source) => source.path.startsWith('src/') && !isOfHeart(source))
      .flatMap((source) => [...new Set(typeNames(source))].map((name) => ({ name, path: source.path })));
    return [...Map.groupBy(declared, ({ name }) => name)]
      .filter(([, all]) => all.length > FILES_OF_A_TYPE_NAME_MAX)
      .map(([name, all]) => `${name}: ${all.map(({ path }) => path).join(', ')}`);
  },
  broken: [
    Object.fromEntries(
      Array.from({ length: FILES_OF_A_TYPE_NAME_MAX + 1 }, (_, index) => [
        `src/rows/${String(index)}.ts`,
        index % 2 === 0 ? 'type Place = 1;' : 'export class Place {}',
      ]),
    ),
  ],
  sound: {
    'src/rows/a.ts': 'type Place = 1;',
    'src/inbox/a.ts': 'type Place = 2;',
    'src/ledger/a.ts': 'type Place = 3;',
  },
};

export const RATCHETS: readonly Rule[] = [
  fieldsRule('src/payouts/progress.ts', 'Progress', PROGRESS_FIELDS_MAX),
  fieldsRule('src/ledger/records.ts', 'BatchOrigin', BATCH_ORIGIN_FIELDS_MAX),
  fieldsRule('src/ledger/records.ts', 'BatchFlags', BATCH_FLAGS_MAX),
  fences,
  heartLines,
  seamOperations,
  typeNamesOfOneOwner,
];
