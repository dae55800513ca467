// The rows of a workbook and of a message are kept from their first reading, and given only while the file is the one that was read.
import { randomBytes } from 'node:crypto';
import { appendFileSync } from 'node:fs';

import { expect, it, vi } from 'vitest';

import { readRows } from '../../src/rows/formats.ts';
import { makeWorkbook, rowsXml } from './make-workbook.ts';
import { PAIN001 } from '../../src/rows/pain001/pain001-file.ts';
import { ACCOUNT, blocks, message, ownMessage, payment } from './pain001/messages.ts';
import { fileOf, OPTIONS } from './read-table.ts';

const HEADER = ['reference', 'amount', 'note'];
const rowsOf = (count: number) => Array.from({ length: count }, (_, row) => [`A-${row}`, '1', 'x']);
const workbookOf = (count: number) =>
  fileOf(makeWorkbook([{ name: 'Pay', data: rowsXml([HEADER, ...rowsOf(count)]) }]), '.xlsx');

/** Whether a reading starts a process of its own. */
async function readsInProcess(path: string): Promise<boolean> {
  const { rows } = await readRows(path, OPTIONS);
  await vi.waitFor(() => expect(process.getActiveResourcesInfo()).not.toContain('ProcessWrap'), 20_000);
  let isInProcess = false;
  for await (const { place } of rows()) {
    // While its rows come: what has said all may be gone a moment later.
    isInProcess ||= process.getActiveResourcesInfo().includes('ProcessWrap');
    if (place === '2') break;
  }
  await vi.waitFor(() => expect(process.getActiveResourcesInfo()).not.toContain('ProcessWrap'), 20_000);
  return isInProcess;
}

it.each([10, 4_000])('the %i rows of a workbook are given again without another process', async (count) => {
  const path = workbookOf(count);
  expect(await readsInProcess(path)).toBe(false);
  const { rows } = await readRows(path, OPTIONS);
  const [first, again] = [await Array.fromAsync(rows()), await Array.fromAsync(rows())];
  expect(first).toHaveLength(count);
  expect(again).toEqual(first);
});

/** Text that cannot be packed well, and more of it than is kept of all workbooks. */
function endlessWorkbook(): string {
  const long = rowsOf(800).map(([reference, amount]) => [reference ?? '', amount ?? '', noise()]);
  return fileOf(makeWorkbook([{ name: 'Pay', data: rowsXml([HEADER, ...long]) }]), '.xlsx');
}

const noise = (): string => randomBytes(22_500).toString('base64');

it('a workbook of very much text is read anew', async () => {
  expect(await readsInProcess(endlessWorkbook())).toBe(true);
});

/** More rows than are packed together, two of one reference. */
const payments = Array.from({ length: 450 }, (_, row) => payment({ reference: `A-${String(row % 449)}` }));
const ANY = { ...OPTIONS, isAnyDebtor: true };

it('the rows of a message are given again as they are, also from a copy, and with what only the whole message shows', async () => {
  const path = fileOf(message(payments), '.xml');
  const { rows, table } = await readRows(path, ANY);
  const [first, again] = [
    await Array.fromAsync(rows()),
    await Array.fromAsync(rows(fileOf(message(payments), '.xml'))),
  ];
  expect(again).toEqual(first);
  expect(first.map(({ position, place }) => [position, place])).toEqual(
    payments.map((_, row) => [row, String(row + 1)]),
  );
  const repeated = first.filter(({ faults = [] }) =>
    faults.some(({ code }) => code === 'reference_repeated'),
  );
  expect(repeated.map(({ place }) => place)).toEqual(['1', '450']);
  const filled = table.columns.filter(({ index }) => table.blank?.has(index) !== true);
  expect(filled.every(({ index }) => first.some(({ cells }) => cells[index] !== ''))).toBe(true);
  expect(first.every(({ cells }) => [...(table.blank ?? [])].every((index) => cells[index] === ''))).toBe(
    true,
  );
});

const iban = (text: string) => `<Id><IBAN>${text}</IBAN></Id>`;
const invoice = '<RmtInf><Strd><RfrdDocInf><Nb>F-1</Nb></RfrdDocInf></Strd></RmtInf>';
const unlike = [
  payment({ reference: 'A-1', account: iban('FR7630006000011234567890180') }),
  payment({ reference: 'A-2', remittance: invoice, name: 'Jean Mballa' }),
  payment({ reference: 'NOTPROVIDED', address: '' }),
  payment({ reference: 'A-3', before: '<ChrgBr>CRED</ChrgBr>' }),
];
const OURS = { account: ACCOUNT, currency: 'XAF', isFromHere: true };

it.each([
  ['our own', ['03', '09', '12'].map(ownMessage), ANY],
  ['of rows that are unlike', [message(unlike), message(unlike.slice(1, 3))], ANY],
  [
    'of two days',
    [
      blocks([
        ['2026-11-28', unlike],
        ['2026-11-30', payments.slice(4, 449)],
      ]),
    ],
    ANY,
  ],
  ['of no sender of its own', [message(unlike)], { ...OPTIONS, debtors: [{ ...OURS, sender: null }] }],
  ['of a sender', [message(unlike)], { ...OPTIONS, debtors: [{ ...OURS, sender: { registeredName: 'S' } }] }],
])('the rows that are kept of a message %s are those that are read of it', async (_what, texts, options) => {
  for (const text of texts) {
    const path = fileOf(text, '.xml');
    const kept = await Array.fromAsync((await readRows(path, options)).rows());
    const read = await Array.fromAsync((await PAIN001.refusedMessage?.(path, options))?.rows() ?? []);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept).toEqual(read);
  }
});

it('a workbook or a message that has changed since is refused, kept or not', async () => {
  for (const path of [workbookOf(10), endlessWorkbook(), fileOf(message(payments), '.xml')]) {
    const { rows } = await readRows(path, ANY);
    appendFileSync(path, 'x');
    await expect(Array.fromAsync(rows())).rejects.toMatchObject({ code: 'file_changed' });
  }
});
