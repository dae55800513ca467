// What strangers put into the inbox among honest files: only plain files are opened, everything is reported, and every honest file is paid.
import { execFileSync } from 'node:child_process';
import { link, mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { inboxStatus } from '../../../src/app/desk/inbox-status.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { endsOf, line, openDesk, PATIENT, type Desk } from '../desk.ts';
import { dropInto, QUICK, startWatching } from '../schedule/watching.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

/** Everything that can stand where a control file should; each gives a path its kind. */
const ODD: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  'a pipe': (path) => Promise.resolve(execFileSync('mkfifo', [path])),
  'a link to a device without an end': (path) => symlink('/dev/zero', path),
  'a link to nothing': (path) => symlink('/nowhere', path),
  'a folder': (path) => mkdir(path),
};

/** The honest file is paid while the daemon lives, and the daemon ends when it is asked to. */
async function honestIsPaid(paydrop: Paydrop) {
  const daemon = startWatching(paydrop);
  const { summary } = await daemon.until(
    ({ file, state }) => file.name === 'honest.csv' && state === 'closed',
  );
  expect(await endsOf(paydrop, summary.batch)).toEqual(['paid']);
  await daemon.look();
  const files = (await inboxStatus(paydrop)).files;
  await daemon.stop();
  return { daemon, files };
}

describe.each(Object.entries(ODD))('a control file that is %s', (_, make) => {
  it('is never opened: its spreadsheet waits and says so, and others are paid', async () => {
    const paydrop = await desk.open(QUICK);
    const evil = await dropInto(desk, 'evil.csv', [line('E-1', '100')]);
    await make(evil.replace('.csv', '.control.json'));
    await dropInto(desk, 'honest.csv', [line('A-1', '300')]);
    const { daemon, files } = await honestIsPaid(paydrop);
    expect(daemon.left.map(({ name, why }) => `${name} ${why}`)).toContain('evil.csv odd-control');
    expect(files.find(({ name }) => name === 'evil.csv')?.words).toContain(
      'control file that is a link, a folder or a device',
    );
  });

  it('refuses a file that is run', async () => {
    const paydrop = await desk.open();
    const path = await desk.file('evil.csv', [line('E-1', '100')]);
    await make(path.replace('.csv', '.control.json'));
    const { summary } = await processBatch(paydrop, path, PATIENT);
    if (summary.state === 'refused') return;
    throw new Error(`The file is ${summary.state}.`);
  });
});

it('a control file without an end is read to its 64 kB', async () => {
  const paydrop = await desk.open(QUICK);
  const control = (await dropInto(desk, 'evil.csv', [line('E-1', '100')])).replace('.csv', '.control.json');
  await writeFile(control, '{}');
  await truncate(control, 1_900_000_000);
  await dropInto(desk, 'honest.csv', [line('A-1', '300')]);
  const before = process.memoryUsage.rss();
  const { daemon } = await honestIsPaid(paydrop);
  expect(daemon.told.find(({ summary }) => summary.file.name === 'evil.csv')?.summary.state).toBe('refused');
  expect(process.memoryUsage.rss() - before).toBeLessThan(300_000_000);
});

it('a control file with a second name is no control file, and its spreadsheet waits', async () => {
  const paydrop = await desk.open(QUICK);
  const control = (await dropInto(desk, 'evil.csv', [line('E-1', '100')])).replace('.csv', '.control.json');
  await writeFile(`${control}.other`, '{}');
  await link(`${control}.other`, control);
  await dropInto(desk, 'honest.csv', [line('A-1', '300')]);
  const { daemon } = await honestIsPaid(paydrop);
  expect(daemon.left.map(({ name, why }) => `${name} ${why}`)).toContain('evil.csv odd-control');
});

it('a control file that comes slowly does not hide the documents that rows name', async () => {
  const paydrop = await desk.open(QUICK);
  const inbox = paydrop.workspace.inbox;
  await writeFile(join(inbox, 'bank.control.json'), '{"rows":');
  const path = await desk.file('drop.csv', []);
  const header = 'reference,destinationCountryIsoCode,transactionMode,deliveryMethod,sourceCurrency,destinationAmount,purposeOfRemittance,receiver.firstName,receiver.lastName,receiver.countryIsoCode,delivery.msisdn,attachment'; // prettier-ignore
  await writeFile(path, `${header}\n${line('A-1', '100')},late.pdf\n`);
  await rename(path, join(inbox, 'bank.csv'));
  const daemon = startWatching(paydrop);
  // It grows while the spreadsheet has settled long since.
  for (let looks = 0; looks < 6; looks += 1) {
    await writeFile(join(inbox, 'bank.control.json'), `{"rows":${' '.repeat(looks)}`);
    await daemon.look();
  }
  await writeFile(join(inbox, 'bank.control.json'), '{"rows":1}');
  while (!daemon.left.some(({ why }) => why === 'documents')) await daemon.look();
  await writeFile(join(inbox, 'late.pdf'), '%PDF-1.7');
  const { summary } = await daemon.until(({ state }) => state === 'closed' || state === 'refused');
  await daemon.stop();
  expect(await endsOf(paydrop, summary.batch)).toEqual(['paid']);
});

it('a name that is not written in UTF-8 is told, counted and left alone, and so is a folder', async () => {
  const paydrop = await desk.open(QUICK);
  const inbox = paydrop.workspace.inbox;
  const odd = (name: string): Buffer => Buffer.from(join(inbox, name), 'latin1');
  await writeFile(odd('salaires_f\u00e9vrier.csv'), 'x');
  await mkdir(odd('ann\u00e9e'));
  await dropInto(desk, 'honest.csv', [line('A-1', '300')]);
  const { daemon, files } = await honestIsPaid(paydrop);
  const names = ['ann\ufffde', 'salaires_f\ufffdvrier.csv'];
  expect(
    daemon.left
      .filter(({ why }) => why === 'not-utf8')
      .map(({ name }) => name)
      .sort(),
  ).toEqual(names);
  expect(
    files
      .filter(({ why }) => why === 'not-utf8')
      .map(({ name }) => name)
      .sort(),
  ).toEqual(names);
  expect(files.find(({ why }) => why === 'not-utf8')?.words).toContain('UTF-8');
  const families = paydrop.meter.families().filter(({ name }) => name === 'paydrop_inbox_files_waiting');
  expect(JSON.stringify(families)).toContain('2');
  for (const name of ['salaires_f\u00e9vrier.csv', 'ann\u00e9e']) await rm(odd(name), { recursive: true });
});

it.each(['the same folder', 'a folder of its own'])(
  'an honest file in %s goes before hundreds that cannot be read',
  async (where) => {
    const paydrop = await desk.open(QUICK);
    const inbox = paydrop.workspace.inbox;
    const folder = where === 'the same folder' ? inbox : join(inbox, 'odd');
    await mkdir(folder, { recursive: true });
    for (let index = 0; index < 200; index += 1)
      await writeFile(join(folder, `a${String(index)}.csv`), String(index));
    await dropInto(desk, 'honest.csv', [line('A-1', '300')]);
    const { daemon } = await honestIsPaid(paydrop);
    const refused = daemon.told.findIndex(({ summary }) => summary.file.name === 'honest.csv');
    expect(refused).toBeLessThan(120);
  },
);
