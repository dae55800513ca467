// The comparison for the intake: the library alone reads the same file and counts its rows. Nothing is checked or kept.
import { createReadStream } from 'node:fs';

import { parse } from 'csv-parse';
import excel from 'exceljs';

const [path = ''] = process.argv.slice(2);

async function countXlsx(): Promise<number> {
  let rows = 0;
  const reader = new excel.stream.xlsx.WorkbookReader(path, { sharedStrings: 'cache', worksheets: 'emit' });
  for await (const sheet of reader) for await (const row of sheet) rows += row.number > 0 ? 1 : 0;
  return rows;
}

async function countCsv(): Promise<number> {
  let rows = 0;
  for await (const cells of createReadStream(path).pipe(parse()))
    rows += (cells as string[]).length > 0 ? 1 : 0;
  return rows;
}

const rows = path.endsWith('.xlsx') ? await countXlsx() : await countCsv();
process.stdout.write(`${String(rows)}\n`);
