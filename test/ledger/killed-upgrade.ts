// Loaded before the program: kills its process within the commit that upgrades a ledger, before so many of its statements have run.
import { DatabaseSync } from 'node:sqlite';

import pg from 'pg';

let left = Infinity;

function note(statement: unknown): void {
  const text = typeof statement === 'string' ? statement : (statement as { readonly text: string }).text;
  if (left === Infinity && text.startsWith('BEGIN')) left = Number(process.env['KILLED_AFTER']);
  if (left === 0) process.kill(process.pid, 'SIGKILL');
  left -= 1;
}

type Statement = (this: unknown, statement: unknown, ...rest: readonly unknown[]) => unknown;

function watch(prototype: object, method: string): void {
  const plain = Reflect.get(prototype, method) as Statement;
  const noted: Statement = function (statement, ...rest) {
    note(statement);
    return plain.call(this, statement, ...rest);
  };
  Reflect.set(prototype, method, noted);
}

watch(DatabaseSync.prototype, 'exec');
watch(DatabaseSync.prototype, 'prepare');
watch(pg.Client.prototype, 'query');
