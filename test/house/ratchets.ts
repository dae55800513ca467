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

export const LINES_OF_README_MAX = 146;

/** A name that only its own file uses is not exported. */
export const EXPORTS_FOR_NOBODY_MAX = 18;

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

export const RATCHETS: readonly Rule[] = [
  fieldsRule('src/payouts/progress.ts', 'Progress', PROGRESS_FIELDS_MAX),
  fieldsRule('src/ledger/records.ts', 'BatchOrigin', BATCH_ORIGIN_FIELDS_MAX),
  fieldsRule('src/ledger/records.ts', 'BatchFlags', BATCH_FLAGS_MAX),
  fences,
];
