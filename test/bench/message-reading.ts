// A payment message is read alone: by its parser, then to be checked, and then once more for its rows; with `validated` behind its rows by its parser and
// against its schema alone. Prints JSON with the processor time of each.
import { createReadStream } from 'node:fs';

import { SaxesParser } from 'saxes';

import { readRows } from '../../src/rows/formats.ts';
import { readMessage } from '../../src/rows/pain001/read-message.ts';
import { describeFile } from '../../src/rows/source-file.ts';

const [path = '', rowsText = '0', only = ''] = process.argv.slice(2);
const rowsMax = Number(rowsText);

async function timed<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, ms: (user + system) / 1_000 };
}

const parsed = await timed(async () => {
  const parser = new SaxesParser({ xmlns: false, position: false });
  let elements = 0;
  parser.on('opentag', () => (elements += 1));
  for await (const piece of createReadStream(path, 'utf8')) parser.write(String(piece));
  parser.close();
  return elements;
});
if (only === 'validated') {
  const source = await describeFile(path, { bytesMax: Infinity });
  const ignore = () => undefined;
  let payments = 0;
  const handler = { group: ignore, block: ignore, payment: () => (payments += 1) };
  const validated = await timed(() => Array.fromAsync(readMessage<never>(source, () => handler)));
  if (payments !== rowsMax) throw new Error(`There are ${String(payments)} payments.`);
  process.stdout.write(`${JSON.stringify({ parserMs: parsed.ms, validatedMs: validated.ms })}\n`);
  process.exit();
}
const options = { rowsMax, bytesMax: Infinity, decimalMark: 'auto', isAnyDebtor: true } as const;
const checked = await timed(() => readRows(path, options));
const again = await timed(async () => {
  let rows = 0;
  for await (const row of checked.result.rows()) rows += row.cells.length > 0 ? 1 : 0;
  return rows;
});
if (again.result !== rowsMax) throw new Error(`There are ${String(again.result)} rows.`);
process.stdout.write(
  `${JSON.stringify({ parserMs: parsed.ms, checkedMs: checked.ms, againMs: again.ms, rssMb: process.resourceUsage().maxRSS / 1_024 })}\n`,
);
