// Doors that a name opens: documents that rows name, control files, payment messages, lists of receivers, and columns that a maker names at the page.
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import fc from 'fast-check';

import { loadProfiles } from '../../src/app/config/profile-file.ts';
import { profile } from '../../src/app/desk/commands.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { HEADER, HURRIED, lineTo, PATIENT, type Desk } from '../app/desk.ts';
import { messages, mutate, randomFrom } from '../rows/pain001/mutants.ts';
import { visitor } from '../web/with-people.ts';
import { openWeb, sent } from '../web/with-web.ts';
import {
  atDesk,
  type Door,
  door,
  HONEST,
  layAll,
  mustBeExpected,
  mustBePaidOnce,
  type Outside,
  watched,
} from './doors.ts';
import { cell, KINDS, type Kind, quoted, strange, strangeContent, type Strange } from './strange.ts';
import { mustBePaid, mustHold, sendHonest } from './upload-door.ts';
import { said as spoken } from '../app/said.ts';

/** Takes the files of a folder one by one, then an honest one, which is paid once. */
async function takeAll(paydrop: Paydrop, folder: string, names: readonly string[]): Promise<void> {
  for (const name of [...names, HONEST])
    await processBatch(paydrop, join(folder, name), HURRIED).catch(mustBeExpected);
  const results = (await resumeBatches(paydrop, null, PATIENT)) ?? [];
  const broken = results.filter(({ isBroken }) => isBroken === true);
  if (broken.length > 0) throw new Error(broken.flatMap(({ words }) => spoken(words)).join(' '));
  await mustBePaidOnce(paydrop);
}

async function typed(desk: Desk): Promise<string> {
  const folder = join(desk.workspace, 'typed');
  await mkdir(folder);
  await writeFile(join(folder, 'honest-0b5e.pdf'), '%PDF-1.7 honest');
  const row = `${lineTo('honest', 'HONEST-1', '321')},honest-0b5e.pdf`;
  await writeFile(join(folder, HONEST), `${HEADER},attachment\n${row}\n`);
  return folder;
}

/** A row for each way to what strangers have laid, and for ways out of the folder. */
async function documents(desk: Desk, all: readonly Strange[], outside: Outside): Promise<void> {
  const paydrop = await desk.open();
  const folder = await typed(desk);
  await layAll(folder, all, outside);
  const laid = all.map(({ folder: own, name }) =>
    [...(own === null ? [] : [own]), name].map(String).join('/'),
  );
  const away = `${outside.folder}/canary.pdf`;
  const ways = [
    ...laid,
    ...laid.map((name) => `${name}/link.pdf`),
    away,
    `../../../${basename(outside.folder)}/canary.pdf`,
  ];
  const names = ways.map((_, index) => `row-${String(index)}.csv`);
  for (const [index, way] of ways.entries()) {
    const row = `${lineTo(`doc ${String(index)}`, `D-${String(index)}`, String(400 + index))},${quoted(way)}`;
    await writeFile(join(folder, names[index] ?? ''), `${HEADER},attachment\n${row}\n`);
  }
  await takeAll(paydrop, folder, names);
}

type StrangeControl = { readonly kind: Kind; readonly content: Buffer; readonly isWhole: boolean };

const controlKey = fc.constantFrom(
  'rows',
  'sum',
  'submittedBy',
  'refused',
  'approved',
  '__proto__',
  'constructor',
);
const strangeControl: fc.Arbitrary<StrangeControl> = fc.record({
  kind: fc.oneof({ weight: 6, arbitrary: fc.constant('file' as const) }, fc.constantFrom(...KINDS)),
  content: fc.oneof(
    fc
      .dictionary(
        controlKey,
        fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(1, '1', 1e400, '1e9', '-0', 'Marie\u200b')),
      )
      .map((said) => Buffer.from(JSON.stringify(said))),
    strangeContent,
  ),
  isWhole: fc.boolean(),
});

function withControls(all: readonly StrangeControl[]): readonly Strange[] {
  return all.flatMap(({ kind, content, isWhole }, index) => {
    const [of, name] = [String(index), (text: string) => ({ folder: null, name: Buffer.from(text) })];
    const row = lineTo(`control ${of}`, `C-${of}`, String(500 + index));
    return [
      { kind: 'file', ...name(`c${of}.csv`), content: Buffer.from(`${HEADER}\n${row}\n`) },
      { kind, ...name(isWhole ? `c${of}.csv.control.json` : `c${of}.control.json`), content },
    ];
  });
}

const REAL = messages();
const strangeMessage: fc.Arbitrary<string> = fc
  .record({
    name: fc.constantFrom(...REAL.keys()),
    seed: fc.nat(),
    times: fc.nat(4),
    head: fc.constantFrom('', '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>'),
  })
  .map(({ name, seed, times, head }) => {
    const random = randomFrom(seed);
    let text = REAL.get(name) ?? '';
    for (let time = 0; time < times; time += 1) text = mutate(text, random);
    return text.replace(/(<\?xml[^>]*\?>)?/, `$1${head}`);
  });

async function paidMessages(desk: Desk, all: readonly string[]): Promise<void> {
  const paydrop = await desk.open('policy: { onInvalidRows: skip-rows }');
  const folder = await typed(desk);
  const names = all.map((_, index) => `m${String(index)}.xml`);
  for (const [index, text] of all.entries()) await writeFile(join(folder, names[index] ?? ''), text);
  await takeAll(paydrop, folder, names);
}

const OWN = HEADER.split(',').filter((column) => !/^(?:receiver|delivery)\./.test(column));
const OF_RECEIVER = HEADER.split(',').filter((column) => !OWN.includes(column));
const numbers = fc.oneof(fc.constantFrom('1', '01', '__proto__', 'constructor', ' 1 ', '１', ''), cell);

type StrangeList = {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly by: string;
  readonly asked: string;
};

const strangeList: fc.Arbitrary<StrangeList> = fc.record({
  header: fc.shuffledSubarray(['Nr', ...OF_RECEIVER, 'reference', 'amount', '__proto__'], { minLength: 2 }),
  rows: fc.array(
    fc.array(fc.oneof(numbers, fc.constantFrom('Li', 'Wei', 'CHN', '+8613800138000')), {
      minLength: 8,
      maxLength: 8,
    }),
    { minLength: 1, maxLength: 5 },
  ),
  by: fc.oneof(
    { weight: 4, arbitrary: fc.constant('Nr') },
    fc.constantFrom('nr ', '__proto__', 'reference', ''),
  ),
  asked: numbers,
});

/** A list that is taken becomes a profile; with it, a file that names a receiver is paid, or refused in words. */
async function receivers(desk: Desk, all: readonly StrangeList[]): Promise<void> {
  const paydrop = await desk.open();
  const folder = await typed(desk);
  const names: string[] = [];
  for (const [index, { header, rows, by, asked }] of all.entries()) {
    const [list, name] = [join(folder, `list-${String(index)}.csv`), `named ${'abcdefgh'.charAt(index)}.csv`];
    await writeFile(
      list,
      [header, ...rows].map((cells) => cells.slice(0, header.length).map(quoted).join(',')).join('\n'),
    );
    const row = lineTo('x', `L-${String(index)}`, String(600 + index))
      .split(',')
      .slice(0, OWN.length);
    await writeFile(join(folder, name), `Nr,${OWN.join(',')}\n${quoted(asked)},${row.join(',')}\n`);
    names.push(name);
    const said = { columns: {}, constants: {}, values: [], split: {}, same: {}, receivers: list, by };
    await profile(paydrop, join(folder, name), { said, name: `list-${String(index)}` })
      .then(({ save }) => save(true))
      .catch(mustBeExpected);
  }
  const fileProfiles = loadProfiles(paydrop.config.profilesPath);
  await takeAll({ ...paydrop, config: { ...paydrop.config, fileProfiles } }, folder, names);
}

const word = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HEADER.split(','), 'ignore', 'amount', 'payout.batch') },
  fc.constantFrom(
    '__proto__',
    'constructor',
    'sender.__proto__',
    'a=b',
    '=',
    'delivery.x',
    '\u0000',
    '\u202e',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
);
const HEADERS = [
  'A',
  'B=C',
  '__proto__',
  'constructor',
  '*',
  'D: {',
  '# E',
  '&a',
  '\u202eF',
  '=1+1',
  'Betrag',
];

type StrangeColumns = {
  readonly file: string;
  readonly header: readonly string[];
  readonly body: object;
  readonly rows: readonly (readonly string[])[];
};

const said = fc.dictionary(fc.oneof(fc.constantFrom(...HEADERS), word), word, { maxKeys: 8 });
const strangeColumns: fc.Arbitrary<StrangeColumns> = fc.record({
  file: fc.constantFrom(
    'evil.csv',
    'evil 2026-11.csv',
    '*.csv',
    '2026-11.csv',
    '[a-z]*.csv',
    '{a,b}.csv',
    '!x.csv',
    '#x.csv',
    'évil.csv',
  ),
  header: fc.shuffledSubarray(HEADERS, { minLength: 1 }),
  rows: fc.array(
    fc.array(fc.oneof(cell, fc.constantFrom(...lineTo('x', 'E-1', '100').split(','))), {
      minLength: 11,
      maxLength: 11,
    }),
    { minLength: 1, maxLength: 3 },
  ),
  body: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        columns: fc.oneof(
          fc.constant(
            Object.fromEntries(HEADERS.map((name, at) => [name, HEADER.split(',')[at] ?? 'ignore'])),
          ),
          said,
        ),
        constants: said,
        values: said,
        name: fc.constantFrom('evil', 'Evil_2', '../evil', 'evil.yaml', '', 'a'.repeat(81), '__proto__'),
        mayReplace: fc.boolean(),
      }),
    },
    fc.dictionary(word, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
  ),
});

/** What is said of the profile, and not of how it reads. */
const OF_PROFILE: ReadonlySet<string> = new Set(['name', 'mayReplace']);

async function columns(desk: Desk, all: readonly StrangeColumns[]): Promise<void> {
  const web = await openWeb('', desk);
  try {
    const maker = await visitor(web, 'Armand Mbarga', 'maker');
    for (const { file, header, rows, body } of all) {
      const text = [header, ...rows]
        .map((cells) => cells.slice(0, header.length).map(quoted).join(','))
        .join('\n');
      const { headers, ...upload } = sent(file, text);
      const own = {
        ...(headers as Record<string, string>),
        cookie: maker.cookie,
        'sec-fetch-site': 'same-origin',
      };
      const { body: told } = await web.json('/api/v1/uploads', { ...upload, headers: own, key: null });
      for (const way of ['reading', 'profile']) {
        const { status } = await maker.json(
          'POST',
          `/uploads/${String(told['id'])}/${way}`,
          way === 'reading'
            ? Object.fromEntries(Object.entries(body).filter(([key]) => !OF_PROFILE.has(key)))
            : body,
        );
        if (status >= 500 && status !== 503) throw new Error(`${way} is answered with ${String(status)}.`);
      }
    }
    await mustBePaid(web, await sendHonest(web));
    const { profilesPath } = web.paydrop.config;
    const names = existsSync(profilesPath) ? readdirSync(profilesPath) : [];
    if (!names.every((name) => /^[\w-]{1,80}\.yaml$/.test(name)))
      throw new Error(`${names.join()} lie among the profiles.`);
    await mustHold(web.paydrop);
  } finally {
    await web.stop();
  }
}

export function namedDoors(): readonly Door[] {
  const several = <T>(each: fc.Arbitrary<T>, maxLength: number) =>
    fc.array(each, { minLength: 1, maxLength });
  return [
    door('documents', several(strange, 8), (all) => atDesk((desk, outside) => documents(desk, all, outside))),
    door('control files', several(strangeControl, 8), (all) =>
      atDesk((desk, outside) => watched(desk, withControls(all), outside)),
    ),
    door('messages', several(strangeMessage, 6), (all) => atDesk((desk) => paidMessages(desk, all))),
    door('receivers', several(strangeList, 6), (all) => atDesk((desk) => receivers(desk, all))),
    door('columns', several(strangeColumns, 4), (all) => atDesk((desk) => columns(desk, all))),
  ];
}
