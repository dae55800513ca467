// Folders of the inbox with rules of their own, and what is left alone because nobody has said what to do with it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { examineSchedules } from '../../../src/app/desk/doctor.ts';
import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { takenProfile } from '../../../src/app/workflow/batch/profile-for.ts';
import { inboxEntries } from '../../../src/inbox/inbox-entries.ts';
import { endsOf, line, openDesk, PATIENT, type Desk } from '../desk.ts';
import { calendarClock } from './calendar-clock.ts';
import { dropInto, QUICK, startWatching } from './watching.ts';

const clock = calendarClock('2026-11-20T10:00:00Z');
let desk: Desk;

beforeEach(async () => {
  desk = await openDesk({ clock }, clock);
});
afterEach(() => desk.close());

const NORTH = 'tenants: [{ folder: north, policy: { onInvalidRows: skip-rows } }]';

describe('a folder with rules of its own', () => {
  it('has its policy, and others have theirs', async () => {
    const paydrop = await desk.open(NORTH);
    const wrong = [line('A-1', '100'), line('A-2', 'x')];
    const north = await processBatch(paydrop, await dropInto(desk, 'north/a.csv', wrong), PATIENT);
    expect(await endsOf(paydrop, north.summary.batch)).toEqual(['paid', 'rejected']);
    const elsewhere = await processBatch(paydrop, await dropInto(desk, 'b.csv', [...wrong, '']), PATIENT);
    expect(elsewhere.summary.state).toBe('refused');
  });

  it('wins over what a profile says, and is kept beside the file', async () => {
    await desk.write('profiles/bank.yaml', 'files: "*.nothing"\npolicy: { onInvalidRows: refuse-file, duplicateWindow: 9d }\n'); // prettier-ignore
    const config = 'tenants: [{ folder: north, profile: bank, policy: { onInvalidRows: skip-rows, newAccount: hold } }]'; // prettier-ignore
    const paydrop = await desk.open(config);
    const { summary } = await processBatch(
      paydrop,
      await dropInto(desk, 'north/a.csv', [line('A-1', '100'), line('A-2', 'x')]),
      PATIENT,
    );
    expect(await endsOf(paydrop, summary.batch)).toEqual(['paid', 'rejected']);
    const kept = await takenProfile(paydrop.workspace, { id: summary.batch });
    expect(kept?.profile.name).toBe('bank');
    expect(kept?.policy).toEqual({
      onInvalidRows: 'skip-rows',
      duplicateWindow: 9 * 86_400_000,
      newAccount: 'hold',
    });
  });

  it('of two in each other the inner one counts', async () => {
    const paydrop = await desk.open(
      'tenants: [{ folder: north, policy: { onInvalidRows: skip-rows } }, { folder: north/strict }]',
    );
    const path = await dropInto(desk, 'north/strict/a.csv', [line('A-1', '100'), line('A-2', 'x')]);
    expect((await processBatch(paydrop, path, PATIENT)).summary.state).toBe('refused');
  });
});

describe('a folder that the config does not name', () => {
  it('is left alone, and told once, where the config names others', async () => {
    const paydrop = await desk.open(`${NORTH}\n${QUICK}`);
    await dropInto(desk, 'nroth/a.csv', [line('A-1', '100')]);
    await dropInto(desk, 'north/b.csv', [line('B-1', '100')]);
    await dropInto(desk, 'c.csv', [line('C-1', '300')]);
    const daemon = startWatching(paydrop);
    for (const name of ['b.csv', 'c.csv'])
      await daemon.until(({ file, state }) => file.name === name && state === 'closed');
    await daemon.stop();
    expect(daemon.left.filter(({ why }) => why === 'unnamed-folder').map(({ name }) => name)).toEqual([
      'nroth/a.csv',
    ]);
    expect((await inboxEntries(join(desk.workspace, 'inbox'))).map(({ name }) => name)).toEqual([
      'nroth/a.csv',
    ]);
  });
});

it('doctor shows the next three times of a schedule, and says where its folder is missing', async () => {
  const schedule = (folder: string) => `{ folder: ${folder}, cron: "0 9 L * *", timeZone: Africa/Douala }`;
  const paydrop = await desk.open(`schedules: [${schedule('salaries')}, ${schedule('slaries')}]`);
  await dropInto(desk, 'salaries/a.csv', [line('A-1', '100')]);
  await writeFile(join(desk.workspace, 'inbox', 'slaries'), 'a file');
  expect(await examineSchedules(paydrop)).toMatchObject([
    {
      name: 'schedule',
      ok: true,
      words: {
        en: 'salaries: Monday, 30 November 2026 at 09:00 (Africa/Douala); Thursday, 31 December 2026 at 09:00 (Africa/Douala); Sunday, 31 January 2027 at 09:00 (Africa/Douala)',
      },
    },
    { name: 'schedule', ok: false, words: { en: expect.stringContaining('no such folder') as string } },
  ]);
});
