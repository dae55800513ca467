// A ledger of another schema is refused instead of being misread: the numbers of both ledgers rise with every change of what is stored.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import ts from 'typescript';
import { expect, it } from 'vitest';

import { SCHEMA_VERSION as OF_POSTGRES } from '../../src/ledger/postgres/schema.ts';
import { SCHEMA_VERSION as OF_SQLITE } from '../../src/ledger/sqlite/schema-version.ts';

/** What is stored as JSON is written in these types; the other files create the tables. */
const TYPES = [
  'ledger/records.ts',
  'ledger/approval.ts',
  'ledger/wait.ts',
  'payouts/progress.ts',
  'payouts/rejection.ts',
];
const TABLES = [
  'ledger/sqlite/schema.ts',
  'ledger/tables/batches.ts',
  'ledger/tables/exchange.ts',
  'ledger/tables/notices.ts',
  'ledger/tables/orders.ts',
  'ledger/sqlite/runs-table.ts',
  'ledger/postgres/schema.ts',
];

/** The numbers, and what they stand for. Where the hash differs, raise both numbers and write the new line here. */
const STORED = {
  sqlite: 48,
  postgres: 17,
  hash: 'f8f8f06e58efff78d7db4f68bd7315a98106a155e6b3bc8579ab52eefd46ebc0',
};

function typesIn(path: string): string[] {
  const text = readFileSync(`src/${path}`, 'utf8');
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const printer = ts.createPrinter({ removeComments: true });
  return file.statements
    .filter(ts.isTypeAliasDeclaration)
    .map((each) => printer.printNode(ts.EmitHint.Unspecified, each, file));
}

function tablesIn(path: string): string[] {
  const text = readFileSync(`src/${path}`, 'utf8').replace(/^ *--.*$/gm, '');
  return text.match(/CREATE (?:UNLOGGED )?(?:TABLE|INDEX|UNIQUE INDEX|TRIGGER)[^;]*;/g) ?? [];
}

it('the numbers of the schemas stand for what is stored today', () => {
  const stored = [...TYPES.flatMap(typesIn), ...TABLES.flatMap(tablesIn)];
  expect(stored.length).toBeGreaterThan(40);
  const now = hash('sha256', stored.join('\n').replace(/\s+/g, ' '));
  expect({ sqlite: OF_SQLITE, postgres: OF_POSTGRES, hash: now }).toEqual(STORED);
});
