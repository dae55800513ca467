// Attacks by names, headers, cells and files that are written while they are taken.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { appendFile, link, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { systemClock } from '../../src/base/clock.ts';
import { HEADER, line, lineTo } from '../app/desk.ts';
import { KEY, must, mustBeOnce, range, sleep, until, withScene } from './attack-scene.ts';

const PAID_NAMES = [
  `${'x'.repeat(200)}.csv`, 'a\nb.csv', 'a\u001b[2Jb.csv', 'a\u202egpj.csv', 'e\u0301te\u0301.csv', '\u00e9t\u00e9.csv', 'PAIE.CSV', 'paie.csv', '-rf.csv',
  '"$(id)".csv', "it's.csv", ' a.csv', 'a .csv', 'a;b.csv', 'a&b.csv', '%2e%2e.csv', '$HOME.csv', 'a|b.csv', '*.csv', 'con.csv', 'profile.yaml.csv', 'STOP.csv',
]; // prettier-ignore

/** Names that mean something to a disk, a shell or a terminal, and what is no file. */
export async function names(): Promise<string> {
  return withScene(async ({ root, inbox, pd, start, transfers }) => {
    await pd('status');
    const outside = join(root, 'outside.csv');
    const foreign = `${HEADER}\n${line('X-1', '999')}\n`;
    await writeFile(outside, foreign);
    const text = (at: number) =>
      `${HEADER}\n${lineTo(`n${String(at)}`, `N-${String(at)}`, String(100 + at))}\n`;
    for (const [at, name] of PAID_NAMES.entries()) await writeFile(join(inbox, name), text(at));
    symlinkSync(outside, join(inbox, 'link.csv'));
    symlinkSync('loop.csv', join(inbox, 'loop.csv'));
    symlinkSync('/dev/zero', join(inbox, 'zero.control.json'));
    await link(outside, join(inbox, 'twin.csv'));
    execFileSync('mkfifo', [join(inbox, 'pipe.csv'), join(inbox, 'con.csv.control.json')]);
    await mkdir(join(inbox, 'folder.csv'));
    writeFileSync(
      Buffer.concat([Buffer.from(`${inbox}/`), Buffer.from([0x66, 0xe9, 0x76]), Buffer.from('.csv')]),
      text(500),
    );
    const daemon = start('watch');
    const others = PAID_NAMES.filter((name) => name !== 'con.csv');
    const ms = await until('Payment of each name', async () => (await transfers()).size >= others.length);
    const { said } = await pd('status');
    const end = await daemon.stop();
    must(end.code === 0, `watch ended with ${String(end.code)}.`);
    must(!said.includes('\u001b[2J') && !said.includes('\u202e'), 'status printed a raw name.');
    must(/UTF-8/.test(said), 'status does not tell of the name that is no text.');
    must(!(await transfers()).has('999'), 'What lies outside was paid.');
    must(readFileSync(outside, 'utf8') === foreign, 'What lies outside was changed.');
    mustBeOnce(
      await transfers(),
      PAID_NAMES.flatMap((name, at) => (name === 'con.csv' ? [] : [100 + at])),
    );
    return `${String(others.length)} names paid once each in ${String(ms)} ms; 8 links, pipes, devices, folders and odd bytes: none opened`;
  });
}

const EVIL_HEADERS = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'delivery.__proto__',
  'receiver.constructor',
  'sender.__proto__.x',
  'payout.batch',
];
const EVIL_CELLS = [
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  "=cmd|' /C calc'!A0",
  '\uff1d1+1',
  '__proto__',
  '\u202e',
  '1e999',
  '\u0000',
  '{{7*7}}',
];

/** Headers and cells of strangers: no prototype is changed, and no answer holds a formula. */
export async function cells(): Promise<string> {
  return withScene(async ({ root, pd }) => {
    let files = 0;
    for (const [at, header] of EVIL_HEADERS.entries()) {
      const path = join(root, `h${String(at)}.csv`);
      await writeFile(path, `${HEADER},${header}\n${lineTo(`h${String(at)}`, `H-${String(at)}`, '100')},x\n`);
      await pd('run', '--wait', '0', path);
      files += 1;
    }
    for (const [at, cell] of EVIL_CELLS.entries()) {
      const path = join(root, `c${String(at)}.csv`);
      await writeFile(
        path,
        `${HEADER},note\n${lineTo(`c${String(at)}`, `C-${String(at)}`, 'x')},"${cell.replaceAll('"', '""')}"\n`,
      );
      await pd('check', path);
      files += 1;
    }
    const outbox = join(root, 'ws', 'outbox');
    const answers = readdirSync(outbox).filter((name) => name.endsWith('.csv'));
    for (const name of answers)
      for (const row of readFileSync(join(outbox, name), 'utf8').split('\n').slice(1))
        must(!/,"?[=@\t\uff1d]/.test(row), `${name} holds a formula: ${row}`);
    return `${String(files)} files, ${String(answers.length)} answers: no exit 1, no formula`;
  });
}

/** Long cells in each column: what takes more than a moment keeps a daemon deaf. */
export async function longCells(): Promise<string> {
  const units = [
    'a',
    'é',
    '0',
    ' ',
    '-',
    '+',
    '.',
    ',',
    "'",
    '\u0301',
    '\uff10',
    '(',
    '@',
    'ab ',
    '1 ',
    'Chine ',
  ];
  return withScene(async ({ root, pd }) => {
    const columns = HEADER.split(',');
    let [tried, slowest] = [0, 0];
    for (const unit of units) {
      const rows = columns.map((_, at) => {
        const row = lineTo(`l${String(at)}`, `L-${String(at)}`, '100').split(',');
        row[at] = `"${unit.repeat(Math.ceil(60_000 / unit.length))}"`;
        return row.join(',');
      });
      const path = join(root, `long-${String(tried)}.csv`);
      await writeFile(path, `${HEADER}\n${rows.join('\n')}\n`);
      const began = systemClock.monotonic();
      await pd('check', path);
      slowest = Math.max(slowest, systemClock.monotonic() - began);
      tried += columns.length;
    }
    must(slowest < 20_000, `A file took ${String(Math.round(slowest))} ms.`);
    return `${String(units.length)} patterns × ${String(columns.length)} columns, 60,000 characters each: slowest file ${String(Math.round(slowest))} ms with the start of its process`;
  });
}

/** Writers that go on while the file is taken: what is paid is one of the states that the file had. */
export async function writers(): Promise<string> {
  return withScene(async ({ inbox, pd, start, transfers }) => {
    await pd('status');
    const files = 34;
    const daemon = start('watch');
    await Promise.all(
      range(files).map(async (at) => {
        const path = join(inbox, `w${String(at)}.csv`);
        const row = (which: string) =>
          `${lineTo(`w${String(at)}${which}`, `W-${String(at)}-${which}`, String((which === 'a' ? 1_000 : 2_000) + at))}\n`;
        await writeFile(path, `${HEADER}\n${row('a').slice(0, 30)}`);
        await sleep(60);
        if (at % 3 === 0) await writeFile(path, `${HEADER}\n${row('a')}`);
        else if (at % 3 === 1) await appendFile(path, row('a').slice(30));
        else {
          await writeFile(`${path}.tmp`, `${HEADER}\n${row('b')}`);
          await rename(`${path}.tmp`, path);
        }
      }),
    );
    const ms = await until('Payment of each file', async () => (await transfers()).size >= files);
    await daemon.stop();
    mustBeOnce(
      await transfers(),
      range(files).map((at) => (at % 3 === 2 ? 2_000 : 1_000) + at),
    );
    return `${String(files)} files rewritten, appended to and replaced: 0 mixtures, ${String(ms)} ms`;
  });
}

/** What a row can call its own spreadsheet. */
const OWN_NAMES = [
  'swap.csv',
  './swap.csv',
  'd/../swap.csv',
  'SWAP.CSV',
  'swap.csv.pdf',
  'swap.pdf',
  'documents/swap.csv',
  '../swap.csv',
  'batch.1.json',
];

/** A spreadsheet that names itself, or another one in the clothes of a document, as its document; and a third comes into its place while it is taken. */
export async function swaps(): Promise<string> {
  let paid = 0;
  for (const [at, name] of [...OWN_NAMES, ...OWN_NAMES, ...OWN_NAMES].entries())
    await withScene(async ({ root, workspace, start, pd, transfers }) => {
      const text = (amount: number) =>
        `${HEADER},attachment\n${lineTo(`s${String(amount)}`, `S-${String(amount)}`, String(amount))},${name}\n`;
      const [path, other] = [join(root, 'swap.csv'), join(root, 'other')];
      const lay = async (amount: number): Promise<void> => {
        await writeFile(other, text(amount));
        await rename(other, path);
      };
      await mkdir(join(root, 'd'));
      for (const document of ['swap.pdf', 'swap.csv.pdf'])
        await writeFile(join(root, document), `%PDF-1.4\n${text(900)}`);
      await lay(100);
      const { ended } = start('run', '--wait', '5s', path);
      // Somewhere between the start of the process, the reading of the file and the copying of its documents.
      await Promise.race([ended, sleep(350 + 90 * at)]);
      await lay(900);
      await ended;
      await pd('resume', '--wait', '5s');
      const found = await transfers();
      must(found.size <= 1, `${name}: ${[...found.keys()].join(' and ')} were paid.`);
      for (const [amount, count] of found) {
        must(count === 1, `${name}: ${amount} was paid ${String(count)} times.`);
        const kept = readdirSync(join(workspace, 'archive'), { recursive: true, encoding: 'utf8' }).filter(
          (each) => each.endsWith('/swap.csv'),
        );
        must(
          kept.length === 1 &&
            readFileSync(join(workspace, 'archive', kept[0] ?? ''), 'utf8') === text(Number(amount)),
          `${name}: ${amount} was paid, and the archive holds another file.`,
        );
        paid += 1;
      }
    });
  must(paid > 0, 'No file was paid, so nothing was tried.');
  const waiting = await swappedWhileWaiting();
  return `${String(3 * OWN_NAMES.length)} swaps of a spreadsheet that names itself as document: ${String(paid)} paid as one of the two that lay there, never a mixture; ${waiting}`;
}

/** The copy that paydrop keeps is exchanged while its file waits for an approval, or after a kill: what is paid is what was read, or nothing. */
async function swappedWhileWaiting(): Promise<string> {
  const told: string[] = [];
  for (const isAsked of [true, false])
    await withScene(
      async ({ workspace, start, pd, file, transfers }) => {
        const lines = (from: number) =>
          range(10).map((row) => lineTo(`w${String(from + row)}`, `W-${String(row)}`, String(from + row)));
        const path = await file('w.csv', lines(100));
        const { child, ended } = start('run', ...(isAsked ? ['--wait', '0'] : []), path);
        if (!isAsked) {
          await until('The first payment', async () => (await transfers()).size > 0, 20);
          child.kill('SIGKILL');
        }
        await ended;
        const processing = join(workspace, 'processing');
        const batch = readdirSync(processing).find((each) => /^\d{8}-/.test(each)) ?? '';
        const copy = join(processing, batch, 'w.csv');
        writeFileSync(copy, [HEADER, ...lines(900)].join('\n'));
        const { code } = isAsked
          ? await pd('approve', batch, '--by', 'Marie')
          : await pd('resume', '--wait', '5s');
        await pd('resume', '--wait', '5s');
        told.push(`${isAsked ? 'while it waits' : 'after a kill'}: exit ${String(code)}`);
        for (const [amount] of await transfers())
          must(Number(amount) < 900, `${amount} of the other file was paid.`);
        writeFileSync(copy, readFileSync(path));
        if (isAsked) await pd('approve', batch, '--by', 'Marie');
        await pd('resume', '--wait', '10s');
        mustBeOnce(
          await transfers(),
          range(10).map((row) => 100 + row),
        );
      },
      { latencyMs: 50, config: isAsked ? 'policy: { approval: required }' : '' },
    );
  return `the copy exchanged ${told.join(', ')}: nothing of the other file paid`;
}

/** Very many strange files together with an honest one. */
export async function manyFiles(): Promise<string> {
  return withScene(async ({ inbox, pd, start, transfers }) => {
    await pd('status');
    const count = 100_000;
    for (const at of range(count))
      writeFileSync(
        join(inbox, `s${String(at)}.${['txt', 'dat', 'pdf', 'part'][at % 4] ?? ''}`),
        at % 4 === 0 ? 'x\n' : '',
      );
    await writeFile(join(inbox, 'honest.csv'), `${HEADER}\n${line('H-1', '321')}\n`);
    const daemon = start('watch');
    const ms = await until('The honest payment', async () => (await transfers()).has('321'));
    await daemon.stop();
    mustBeOnce(await transfers(), [321]);
    return `${String(count)} files: the honest one paid after ${String(ms)} ms`;
  });
}

/** Under a umask that allows everything: nothing for others, and the key nowhere. */
export async function permissions(): Promise<string> {
  const before = process.umask(0);
  try {
    return await withScene(async ({ root, pd, file }) => {
      await pd('run', '--wait', '10s', await file('p.csv', [line('P-1', '100'), line('P-2', 'x')]));
      await pd('check', await file('q.csv', [line('Q-1', 'x')]));
      const workspace = join(root, 'ws');
      const paths = readdirSync(workspace, { recursive: true, encoding: 'utf8' }).map((name) =>
        join(workspace, name),
      );
      for (const path of [workspace, ...paths]) {
        const found = statSync(path);
        must((found.mode & 0o077) === 0, `${path} is open to others: ${(found.mode & 0o777).toString(8)}.`);
        must(!found.isFile() || !readFileSync(path).includes(KEY), `${path} holds the key.`);
      }
      return `${String(paths.length)} files and folders: nothing for group or others, the key nowhere`;
    });
  } finally {
    process.umask(before);
  }
}
