// Attacks by the content of the inbox: names, links, texts, sizes, workbooks, approvals that nobody gave.
import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { appendFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';

import { systemClock } from '../../src/base/clock.ts';
import { HEADER, line, lineTo } from '../app/desk.ts';
import { makeWorkbook, workbookParts, type Made, type MadeSheet } from '../rows/make-workbook.ts';
import { makeZip, type ZipPart } from '../rows/make-zip.ts';
import { jsonIn, mostMemory, must, mustBeOnce, range, sleep, until, withScene } from './attack-scene.ts';

// ——— workbooks ———

const CELLS = HEADER.split(',');
const LETTERS = (at: number): string =>
  (at < 26 ? '' : String.fromCharCode(64 + Math.floor(at / 26))) + String.fromCharCode(65 + (at % 26));
const text = (words: string): string =>
  words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const rowOf = (number: number, cells: readonly string[]): string =>
  `<row r="${String(number)}">${cells.map((cell, at) => `<c r="${LETTERS(at)}${String(number)}" t="inlineStr"><is><t>${text(cell)}</t></is></c>`).join('')}</row>`;
const HEAD = rowOf(1, CELLS);
const PAYMENT = rowOf(2, line('EVIL-1', '999').split(','));
const SOUND: MadeSheet = { data: HEAD + PAYMENT };
const SHEET = 'xl/worksheets/sheet1.xml';
const STRINGS = 'xl/sharedStrings.xml';

/** The parts with one of them changed. */
const spoilt = (name: string, change: (data: string) => string, made: Made = {}): Buffer =>
  makeZip(
    workbookParts([SOUND], made).map((part) =>
      part.name === name ? { ...part, data: change(String(part.data)) } : part,
    ),
  );
const beside = (...parts: readonly ZipPart[]): Buffer => makeZip([...workbookParts([SOUND]), ...parts]);
const sheet = (data: string): Buffer => makeWorkbook([{ data }]);
const ENTITIES = range(20)
  .map((at) => `<!ENTITY e${String(at + 1)} "${`&e${String(at)};`.repeat(10)}">`)
  .join('');
const zeros = (bytes: number): Buffer => deflateRawSync(Buffer.alloc(bytes, 0x20));

/** Each is refused, or its one payment is made; none takes long, and none is read beyond itself. */
function evilWorkbooks(secret: string): readonly (readonly [name: string, content: Buffer])[] {
  const doctype = (name: string, inner: string) => spoilt(name, (data) => `<!DOCTYPE a [${inner}]>${data}`);
  return [
    ['entity that names a file', doctype(STRINGS, `<!ENTITY e SYSTEM "file://${secret}">`)],
    ['entity in a cell', sheet(`${HEAD}${PAYMENT.replace('EVIL-1', '&e;')}`)],
    ['parameter entity', doctype(SHEET, `<!ENTITY % p SYSTEM "file://${secret}"> %p;`)],
    ['entity over the network', doctype(SHEET, '<!ENTITY e SYSTEM "http://127.0.0.1:9/x">')],
    ['billion entities', doctype(SHEET, `<!ENTITY e0 "x">${ENTITIES}`)],
    [
      'include of a file',
      spoilt(SHEET, (data) =>
        data.replace(
          '<sheetData>',
          `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file://${secret}"/><sheetData>`,
        ),
      ),
    ],
    ['stylesheet', spoilt(SHEET, (data) => `<?xml-stylesheet href="file://${secret}"?>${data}`)],
    ['path that climbs', beside({ name: '../../../../tmp/paydrop-evil.txt', data: 'evil' })],
    ['absolute path', beside({ name: '/tmp/paydrop-evil.txt', data: 'evil' })],
    ['path with backslashes', beside({ name: '..\\..\\paydrop-evil.txt', data: 'evil' })],
    [
      'the sheet twice',
      beside({
        name: SHEET,
        data: String(
          workbookParts([{ data: HEAD + PAYMENT.replace('999', '998') }]).find(({ name }) => name === SHEET)
            ?.data,
        ),
      }),
    ],
    ['the sheet twice in other case', beside({ name: 'XL/Worksheets/Sheet1.xml', data: '<x/>' })],
    ['the sheet twice by a backslash', beside({ name: 'xl\\worksheets\\sheet1.xml', data: '<x/>' })],
    [
      'entries over each other',
      beside(...range(1_000).map((at) => ({ name: `xl/o${String(at)}`, data: 'x', lies: { start: 0 } }))),
    ],
    [
      'a size that lies',
      makeZip(
        workbookParts([SOUND]).map((part) =>
          part.name === SHEET ? { ...part, lies: { inflatedBytes: 10 } } : part,
        ),
      ),
    ],
    [
      'a sum that lies',
      makeZip(
        workbookParts([SOUND]).map((part) => (part.name === SHEET ? { ...part, lies: { crc32: 7 } } : part)),
      ),
    ],
    [
      'a name that lies',
      makeZip(
        workbookParts([SOUND]).map((part) =>
          part.name === SHEET ? { ...part, lies: { name: 'xl/other.xml' } } : part,
        ),
      ),
    ],
    [
      'an encrypted entry',
      makeZip(
        workbookParts([SOUND]).map((part) => (part.name === SHEET ? { ...part, lies: { flags: 1 } } : part)),
      ),
    ],
    [
      'an unknown packing',
      makeZip(
        workbookParts([SOUND]).map((part) =>
          part.name === SHEET ? { ...part, lies: { method: 14 } } : part,
        ),
      ),
    ],
    [
      'two archives in one',
      Buffer.concat([makeWorkbook([SOUND]), makeWorkbook([{ data: HEAD + PAYMENT.replace('999', '998') }])]),
    ],
    ['bytes before the archive', Buffer.concat([Buffer.from('#!/bin/sh\n'), makeWorkbook([SOUND])])],
    ['cut in half', makeWorkbook([SOUND]).subarray(0, 700)],
    [
      'a gigabyte of spaces in a part',
      beside({
        name: 'xl/media/x.emf',
        data: '',
        compressed: zeros(300_000_000),
        lies: { inflatedBytes: 300_000_000 },
      }),
    ],
    [
      'spaces in the sheet',
      spoilt(SHEET, (data) => data.replace('<sheetData>', `${' '.repeat(60_000_000)}<sheetData>`)),
    ],
    [
      'a long comment',
      spoilt(SHEET, (data) => data.replace('<sheetData>', `<!--${'x'.repeat(30_000_000)}--><sheetData>`)),
    ],
    [
      'a long attribute',
      spoilt(SHEET, (data) => data.replace('<sheetData>', `<sheetData x="${'y'.repeat(30_000_000)}">`)),
    ],
    ['a long cell', sheet(HEAD + PAYMENT.replace('EVIL-1', 'z'.repeat(20_000_000)))],
    ['deep elements', sheet(`${HEAD}${'<a>'.repeat(200_000)}${'</a>'.repeat(200_000)}`)],
    [
      'a million empty rows',
      sheet(
        HEAD +
          range(1_000_000)
            .map((at) => `<row r="${String(at + 2)}"/>`)
            .join(''),
      ),
    ],
    [
      '16,384 columns',
      sheet(
        `<row r="1">${range(16_384)
          .map((at) => `<c t="inlineStr"><is><t>c${String(at)}</t></is></c>`)
          .join('')}</row>`,
      ),
    ],
    ['a cell twice', sheet(HEAD + PAYMENT.replace('</row>', '<c r="F2"><v>1</v></c></row>'))],
    ['cells out of order', sheet(HEAD + PAYMENT.replace('<c r="A2"', '<c r="Z2"><v>1</v></c><c r="A2"'))],
    ['rows out of order', sheet(PAYMENT + HEAD)],
    ['a row of no number', sheet(HEAD + PAYMENT.replace('r="2"', 'r="-5"'))],
    ['a cell far away', sheet(HEAD + PAYMENT.replace('r="K2"', 'r="XFZ99999999"'))],
    ['__proto__ as a header', sheet(rowOf(1, ['__proto__', ...CELLS.slice(1)]) + PAYMENT)],
    ['macros', beside({ name: 'xl/vbaProject.bin', data: 'x' })],
    [
      'a link to another workbook',
      beside({ name: 'xl/externalLinks/externalLink1.xml', data: '<externalLink/>' }),
    ],
    [
      'a formula that calls out',
      sheet(
        HEAD +
          PAYMENT.replace(
            /<c r="A2".*?<\/c>/,
            '<c r="A2"><f>WEBSERVICE("http://127.0.0.1:9")</f><v>1</v></c>',
          ),
      ),
    ],
  ];
}

export async function workbooks(): Promise<string> {
  return withScene(async ({ root, pd, start, transfers, workspace }) => {
    const secret = join(root, 'secret.txt');
    const mark = 'SECRET-5b1f7e';
    writeFileSync(secret, mark);
    const all = evilWorkbooks(secret);
    let [slowest, longest, most, paid] = ['', 0, 0, 0];
    for (const [at, [name, content]] of all.entries()) {
      const path = join(root, `evil-${String(at)}.xlsx`);
      writeFileSync(path, content);
      const began = systemClock.monotonic();
      const running = start('run', '--wait', '5s', path);
      const [memory, { code }] = await Promise.all([mostMemory(running), running.ended]);
      const ms = systemClock.monotonic() - began;
      if (ms > longest) [longest, slowest] = [ms, name];
      most = Math.max(most, memory);
      if (code === 0 || code === 4) paid += 1;
      must(ms < 30_000, `${name} took ${String(Math.round(ms))} ms.`);
      must(memory < 600, `${name} took ${String(memory)} MB.`);
    }
    await pd('status');
    for (const [amount, count] of await transfers()) {
      must(amount === '999', `${amount} was paid.`);
      must(count <= 1, `999 was paid ${String(count)} times.`);
    }
    const { stdout } = spawnSync('grep', ['-rlaF', mark, workspace], { encoding: 'utf8' });
    must(stdout === '', `The secret lies in ${stdout}.`);
    return `${String(all.length)} workbooks: ${String(paid)} read as the one payment that they hold and paid once, the others refused; at most ${String(most)} MB and ${(longest / 1_000).toFixed(1)} s with the start of the process (${slowest}), nothing outside read or written`;
  });
}

// ——— texts that are large ———

/** A megabyte at a time, so that a text of any size is never whole in memory. */
async function write(
  path: string,
  head: string,
  piece: (at: number) => string,
  count: number,
): Promise<void> {
  await writeFile(path, head);
  for (let at = 0; at < count; at += 10_000)
    await appendFile(
      path,
      range(Math.min(10_000, count - at))
        .map((each) => piece(at + each))
        .join(''),
    );
}

/** Large texts in the inbox, each together with an honest file; the daemon answers all the while. */
export async function largeTexts(): Promise<string> {
  const LARGE: readonly (readonly [string, (path: string) => Promise<void>])[] = [
    [
      '1,000,000 wrong rows',
      (path) => write(path, `${HEADER}\n`, (at) => `x${String(at)},,,,,,,,,,\n`, 1_000_000),
    ],
    ['a cell of 50 MB', (path) => write(path, `${HEADER}\n"`, () => 'x'.repeat(5_000), 10_000)],
    [
      '16,384 columns',
      (path) =>
        writeFile(
          path,
          `${range(16_384)
            .map((at) => `c${String(at)}`)
            .join(',')}\n${'1,'.repeat(16_383)}1\n`,
        ),
    ],
    ['900,000 blank rows', (path) => write(path, `${HEADER}\n`, () => '\n', 900_000)],
    ['24 MB of quotes', (path) => write(path, `${HEADER}\n`, () => '"'.repeat(2_400), 10_000)],
    [
      'a country of 900,000 characters',
      (path) => writeFile(path, `${HEADER}\n${line('C-1', '100').replace('CHN', 'é'.repeat(900_000))}\n`),
    ],
  ];
  return withScene(
    async ({ root, inbox, pd, start, transfers }) => {
      await pd('status');
      const daemon = start('watch');
      const memory = mostMemory(daemon);
      let deafest = 0;
      const ending = new AbortController();
      const ended = ending.signal;
      const listening = (async () => {
        while (!ended.aborted) {
          const began = systemClock.monotonic();
          await fetch('http://127.0.0.1:18791/healthz')
            .then((response) => response.text())
            .catch(() => undefined);
          deafest = Math.max(deafest, systemClock.monotonic() - began);
          await sleep(50);
        }
      })();
      let slowest = 0;
      for (const [at, [, make]] of LARGE.entries()) {
        await make(join(root, 'large.csv'));
        await rename(join(root, 'large.csv'), join(inbox, `large-${String(at)}.csv`));
        await writeFile(
          join(inbox, `honest-${String(at)}.csv`),
          `${HEADER}\n${lineTo(`h${String(at)}`, `H-${String(at)}`, String(300 + at))}\n`,
        );
        slowest = Math.max(
          slowest,
          await until(`The payment beside ${LARGE[at]?.[0] ?? ''}`, async () =>
            (await transfers()).has(String(300 + at)),
          ),
        );
      }
      await until('An end of each', () => !readdirSync(inbox).some((name) => name.endsWith('.csv')));
      ending.abort();
      await listening;
      const { code } = await daemon.stop();
      // What is still being refused row by row is left to the next one.
      must(code === 0 || code === 5, `watch ended with ${String(code)}.`);
      const most = await memory;
      must(deafest < 15_000, `The daemon was deaf for ${String(Math.round(deafest))} ms.`);
      mustBeOnce(
        await transfers(),
        LARGE.map((_, at) => 300 + at),
      );
      return `${LARGE.map(([name]) => name).join(', ')}: honest files paid after at most ${String(slowest)} ms, /healthz within ${String(Math.round(deafest))} ms, at most ${String(most)} MB`;
    },
    { config: 'metrics: { listen: 127.0.0.1:18791 }' },
  );
}

// ——— approvals ———

/** Approvals that nobody gave, as files; then the right one. */
export async function approvals(): Promise<string> {
  return withScene(
    async ({ root, inbox, pd, start, file, transfers, workspace }) => {
      await pd('status');
      const marie = join(inbox, 'marie');
      mkdirSync(marie);
      const { said } = await pd('run', '--wait', '0', '--json', await file('a.csv', [line('A-1', '777')]));
      const asked = jsonIn(said) as {
        readonly batches: readonly { readonly batch: string; readonly file: { readonly sha256: string } }[];
      };
      const { batch = '', file: of } = asked.batches[0] ?? {};
      const right = `batch: ${batch}\nsha256: ${of?.sha256 ?? ''}\n`;
      const name = `${batch}.approve`;
      const daemon = start('watch');
      const [own, elsewhere] = [join(marie, name), join(root, 'said')];
      const fresh = (): void => rmSync(own, { force: true });
      const others: readonly (readonly [string, () => void])[] = [
        ['in the inbox', () => writeFileSync(join(inbox, name), right)],
        [
          'in a folder of nobody',
          () => {
            mkdirSync(join(inbox, 'nobody'));
            writeFileSync(join(inbox, 'nobody', name), right);
          },
        ],
        ['in the outbox', () => writeFileSync(join(workspace, 'outbox', name), right)],
        [
          'as a link in the folder of the approver',
          () => {
            writeFileSync(elsewhere, right);
            symlinkSync(elsewhere, own);
          },
        ],
        [
          'as a second name',
          () => {
            fresh();
            linkSync(elsewhere, own);
          },
        ],
        [
          'with another hash',
          () => {
            fresh();
            writeFileSync(own, right.replace(/sha256: ..../, 'sha256: 0000'));
          },
        ],
        ['of another batch', () => writeFileSync(join(marie, '20200101-00000000.approve'), '')],
        ['with a name that climbs', () => writeFileSync(join(marie, `..${name}`), right)],
        ['as a folder', () => mkdirSync(join(marie, `${batch}.approve.d`))],
        [
          'of a control file',
          () =>
            writeFileSync(
              join(inbox, `${batch}.control.json`),
              JSON.stringify({ approved: true, submittedBy: 'Marie' }),
            ),
        ],
      ];
      for (const [where, lay] of others) {
        lay();
        await sleep(2_600);
        must((await transfers()).size === 0, `An approval ${where} was obeyed.`);
      }
      fresh();
      writeFileSync(own, '');
      const ms = await until('The payment that was approved', async () => (await transfers()).has('777'));
      await daemon.stop();
      mustBeOnce(await transfers(), [777]);
      return `${String(others.length)} approvals that nobody gave: none obeyed; the right one after ${String(ms)} ms`;
    },
    { config: 'policy: { approval: required }\napprovers: [{ name: Marie, folder: marie }]' },
  );
}
