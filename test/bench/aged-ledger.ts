// A ledger of years, with its archive: the payments of one file that was really paid, copied under other names, payees and days. It is as large as the real one
// would be, and every record of a row is whole; the history of the copies is left out.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash, randomUUID } from 'node:crypto';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { join } from 'node:path';

import { batchName } from '../../src/inbox/answer-name.ts';
import type { BatchRecord } from '../../src/ledger/records.ts';
import { fixedOf } from '../../src/ledger/stored-rows.ts';
import { fixedDigest } from '../../src/ledger/seals.ts';
import { keysOf, type PaymentKeys } from '../../src/payouts/payment-keys.ts';
import type { Progress } from '../../src/payouts/progress.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import {
  ACCOUNT,
  PAYEE,
  PAYMENT,
  REFERENCE,
  REFERENCE_OF,
} from '../../src/ledger/sqlite/encounters-query.ts';

export type Age = {
  readonly batches: number;
  readonly rows: number;
  /** Each is paid once in so many rows. */
  readonly payees: number;
  /** Over which the batches are spread, up to a month ago. */
  readonly days: number;
};

type Line = Readonly<Record<string, SQLInputValue>>;

const DAY_MS = 86_400_000;

/** The workspace has one closed batch, whose first row is `cellsOf(0, 'wallet')` of the payment files. */
export function age(workspace: string, { batches, rows, payees, days }: Age): void {
  const database = new DatabaseSync(join(workspace, 'ledger.sqlite'));
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN');
  const template = templateOf(database, workspace);
  const payments = paymentsOf(template.payout, payees);
  const put = putters(database);
  const start = Date.now() - 30 * DAY_MS - days * DAY_MS;
  for (let index = 0; index < batches; index += 1) {
    const at = new Date(start + Math.floor((days * DAY_MS * index) / batches)).toISOString();
    const sha256 = createHash('sha256')
      .update(`aged ${String(index)}`)
      .digest('hex');
    const batch = batchAt(template.batch, { sha256, at, rows, number: index });
    put.batch(batch);
    keepFolder(workspace, template, batch);
    for (let position = 0; position < rows; position += 1) {
      const payment = payments((index * rows + position) % payees);
      put.row(batch.id, position, template, payment, { number: index * rows + position, at });
    }
  }
  database.exec(SUMS);
  database.exec(KEYS);
  database.exec('COMMIT; PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

type Template = {
  readonly batch: { readonly line: Line; readonly record: BatchRecord };
  readonly folder: string;
  readonly row: Line;
  readonly state: Line;
  readonly payout: Payout;
};

function templateOf(database: DatabaseSync, workspace: string): Template {
  const one = (table: string): Line => {
    const found = database.prepare(`SELECT * FROM ${table} LIMIT 1`).get();
    if (found === undefined) throw new Error(`There is nothing in ${table} to be copied.`);
    return found;
  };
  const [line, row, state] = [one('batches'), one('rows'), one('row_states')];
  const record = JSON.parse(textOf(line, 'record')) as BatchRecord;
  if (record.state !== 'closed' || state['stage'] !== 'paid') throw new Error('Its payments must be paid.');
  const folder = join(workspace, 'archive', record.id.slice(0, 4), record.id.slice(4, 6), record.id);
  return { batch: { line, record }, folder, row, state, payout: JSON.parse(textOf(row, 'payout')) as Payout };
}

function textOf(line: Line, column: string): string {
  const text = line[column];
  if (typeof text !== 'string') throw new Error(`There is no ${column}.`);
  return text;
}

type Payment = { readonly id: string; readonly payout: Payout; readonly keys: PaymentKeys };

/** The payments that the rows of the payment files are, by their number. */
function paymentsOf(payout: Payout, payees: number): (payee: number) => Payment {
  const text = JSON.stringify(payout);
  const known = Array.from({ length: payees }, (_none, payee): Payment => {
    const id = String(payee + 1).padStart(7, '0');
    const own = JSON.parse(text.replaceAll('0000001', id)) as Payout;
    const asked = { ...own, requested: { ...own.requested, amount: String(100 + (payee % 900)) } };
    return { id, payout: asked, keys: keysOf(asked) };
  });
  return (payee) => known[payee] as Payment;
}

type Named = {
  readonly sha256: string;
  readonly at: string;
  readonly rows: number;
  readonly number: number;
};

type Copied = { readonly id: string; readonly line: Line; readonly record: BatchRecord };

function batchAt({ line, record }: Template['batch'], { sha256, at, rows, number }: Named): Copied {
  const id = batchName(sha256, at);
  const own = {
    ...record,
    ...{ id, fileId: sha256, sha256, rows, acceptedAt: at, fileName: `aged-${String(number)}.csv` },
    content: { fingerprint: sha256, requested: [] },
    checked: { ...record.checked, at },
    finished: { at, due: null },
  };
  const columns = { file_id: sha256, content_fingerprint: sha256, accepted_at: at, recent_from: at };
  return { id, record: own as BatchRecord, line: { ...line, id, ...columns, record: JSON.stringify(own) } };
}

/** As the product leaves it: the file, the manifest and the answers. */
function keepFolder(workspace: string, { folder, batch }: Template, { id, record }: Copied): void {
  const own = join(workspace, 'archive', id.slice(0, 4), id.slice(4, 6), id);
  mkdirSync(own, { recursive: true });
  for (const name of readdirSync(folder)) {
    const from = join(folder, name);
    const manifest = /^batch\..*json$/.test(name);
    if (manifest)
      writeFileSync(
        join(own, name),
        readFileSync(from, 'utf8')
          .replaceAll(batch.record.id, id)
          .replaceAll(batch.record.sha256, record.sha256),
      );
    else if (name === batch.record.fileName) copyFileSync(from, join(own, record.fileName));
    else copyFileSync(from, join(own, name.replace(batch.record.id, id)));
  }
}

/** How one payment of a day is named. */
type Once = { readonly number: number; readonly at: string };

function putters(database: DatabaseSync) {
  const insert = (table: string) => {
    const columns = database.prepare(`SELECT name FROM pragma_table_info(?)`).all(table);
    const names = columns.map(({ name }) => String(name));
    const text = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
    const statement = database.prepare(text);
    return (line: Line): void => {
      statement.run(...names.map((name) => line[name] ?? null));
    };
  };
  const [batch, rows, states, transfers] = ['batches', 'rows', 'row_states', 'transfers'].map(insert) as [
    (line: Line) => void,
    (line: Line) => void,
    (line: Line) => void,
    (line: Line) => void,
  ];
  return {
    batch: ({ line }: Copied): void => {
      batch(line);
    },
    row: (id: string, position: number, template: Template, of: Payment, { number, at }: Once): void => {
      const { payout, keys } = of;
      const reference = `AGED-${String(number)}`;
      const progress = JSON.parse(textOf(template.state, 'progress')) as Progress;
      const fixed = fixedOf(id, {
        ...{ position, row: String(position + 2), payout: { ...payout, reference }, rejections: [] },
        ...{ reference, lineage: null, keys, progress, isDue: false },
      });
      rows(fixed);
      const transfer = { ...progress.transfer, externalId: randomUUID(), transferId: randomUUID() };
      states({
        ...template.state,
        ...{ batch: id, position, fixed: fixedDigest(fixed), counted_day: at.slice(0, 10), due_at: null },
        progress: JSON.stringify({ ...progress, transfer }),
      });
      transfers({ external_id: transfer.externalId, batch: id, position, attempt: 1 });
    },
  };
}

/** The same for every amount: what it is does not matter here. */
const SUMS = `
  INSERT INTO spent (scope, key, day, currency, amount)
  SELECT 'day', '', counted_day, source_currency, CAST(sum(counted) AS TEXT) FROM row_states
   WHERE counted_day IS NOT NULL GROUP BY counted_day, source_currency ON CONFLICT DO NOTHING;
  INSERT INTO spent (scope, key, day, currency, amount)
  SELECT 'file', batch, counted_day, source_currency, CAST(sum(counted) AS TEXT) FROM row_states
   WHERE counted_day IS NOT NULL GROUP BY batch, counted_day, source_currency ON CONFLICT DO NOTHING`;

const KEYS = `
  INSERT OR IGNORE INTO row_keys (kind, key, batch, position)
  SELECT kind, key, batch, position FROM (${[
    [REFERENCE, REFERENCE_OF('reference_key', 'reference')],
    [PAYMENT, 'payment'],
    [PAYEE, 'payee'],
    [PAYEE, 'payee_short'],
    [ACCOUNT, 'account'],
  ]
    .map(([kind, key]) => `SELECT ${kind ?? ''} AS kind, ${key ?? ''} AS key, batch, position FROM rows`)
    .join(' UNION ALL ')}) WHERE key IS NOT NULL ORDER BY 1, 2, 3, 4;
  UPDATE batches SET keyed_to = 9223372036854775807 WHERE state = 'closed'`;
