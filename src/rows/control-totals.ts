// The totals that a program writes in addition to its export. They show whether a file was cut or edited on its way; such a file is not paid as if it were whole.
import { z } from 'zod';

import { addDecimals, compareDecimals, grouped, toDecimalText, type DecimalText } from '../base/decimal.ts';
import { readPersonName } from '../base/person-name.ts';
import { decodeText } from '../base/peoples-text.ts';
import { readPlainFile } from '../base/plain-file.ts';
import { FileRefused } from './file-refused.ts';
import type { Table } from './row.ts';
import { sentence } from '../messages/messages.ts';

/** `suppliers.csv` → `suppliers.csv.control.json`, `suppliers.control.json`: both ways of naming it are in use. */
export function controlNames(fileName: string): readonly string[] {
  return [`${fileName}.control.json`, `${fileName.replace(/\.[^.]*$/, '')}.control.json`];
}

/** A number or its text, so that a sum of many digits need not pass through a program's floats. */
const decimal = z.union([z.string(), z.number()]).transform((value, context): DecimalText => {
  const text = toDecimalText(String(value));
  if (text !== null) return text;
  context.issues.push({ code: 'custom', message: 'not a number', input: value });
  return z.NEVER;
});

/** A name that nobody can hold against another would let its owner approve the file. */
const name = z.string().transform((text, context) => {
  const read = readPersonName(text);
  if (read !== null) return read;
  context.issues.push({ code: 'custom', message: 'not the name of a person', input: text });
  return z.NEVER;
});

const controlSchema = z.strictObject({
  /** Payments in the file. */
  rows: z.number().int().nonnegative().optional(),
  /** The sum of all amounts, in any currencies. */
  sum: decimal.optional(),
  /** The person who brings the file; no part of the totals. */
  submittedBy: name.optional(),
  /** Ours, where the file that lay here was refused before it came so far. */
  refused: z.literal(true).optional(),
});

/** Stands in place of a control file that was refused on its way. */
export const REFUSED_CONTROL = JSON.stringify({ refused: true });

/** Throws `FileRefused` when the control file at `path` cannot be understood, or says something else than the table. */
export async function checkControl(path: string, table: Table): Promise<void> {
  const { rows, sum } = await readControl(path);
  if (rows !== undefined && rows !== table.rowCount)
    throw new FileRefused(
      'control_differs',
      sentence('controlTotals.checkControl.rows', { rows, rowCount: table.rowCount }),
    );
  const found = [...table.sums.values()].reduce(addDecimals, '0');
  if (sum !== undefined && compareDecimals(sum, found) !== 0)
    throw new FileRefused(
      'control_differs',
      sentence('controlTotals.checkControl.sum', { sum: grouped(sum), found: grouped(found) }),
    );
}

/** The person who brings the file, by its control file; null when that does not say. Throws `FileRefused`. */
export async function controlSubmitter(path: string): Promise<string | null> {
  return (await readControl(path)).submittedBy ?? null;
}

/** A name and two numbers; more is something else. */
const BYTES_MOST = 64 * 1024;

/** The bytes of a control file, which somebody else may have put there. Throws `FileRefused`. */
export async function readControlBytes(path: string): Promise<Uint8Array> {
  let fault: unknown;
  try {
    const bytes = await readPlainFile(path, { bytesMax: BYTES_MOST, mayBeLinked: true });
    if (typeof bytes !== 'string') return bytes;
    fault = bytes;
  } catch (error) {
    fault = error;
  }
  throw unreadable(fault);
}

function unreadable(cause: unknown): FileRefused {
  const words = sentence('controlTotals.unreadable');
  return new FileRefused('control_unreadable', words, { cause });
}

async function readControl(path: string): Promise<z.output<typeof controlSchema>> {
  const bytes = await readControlBytes(path);
  const control = parseControl(bytes);
  if (control.refused === true)
    throw new FileRefused('control_unreadable', sentence('controlTotals.refused'));
  return control;
}

function parseControl(bytes: Uint8Array): z.output<typeof controlSchema> {
  const text = decodeText(bytes);
  if (typeof text !== 'string')
    throw new FileRefused('control_unreadable', sentence('controlTotals.lostLetter', text));
  try {
    return controlSchema.parse(JSON.parse(text));
  } catch (error) {
    throw unreadable(error);
  }
}
