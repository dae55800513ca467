// An error that nobody expected is the fault of the file that was being read: that file gets an answer, and its neighbours are paid. The bug is planted in
// the profile of one file, because nobody leaves a known one in place.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { check, run } from '../../src/app/desk/commands.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { exitCodeOf } from '../../src/app/workflow/batch/work.ts';
import { type Desk, line, openDesk, PATIENT, transfersOf } from './desk.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

/** Whatever reads a file by this profile meets an error of the program itself. */
function plantBug({ config }: Paydrop, name: string): void {
  const planted = config.fileProfiles.find(({ profile }) => profile.name === name);
  expect(planted).toBeDefined();
  Object.defineProperty(planted?.profile ?? {}, 'split', {
    get: () => {
      throw new TypeError('There is no 08:00 on that day.');
    },
  });
}

async function answersOf(stem: string): Promise<readonly string[]> {
  return (await readdir(join(desk.workspace, 'outbox'))).filter((name) => name.startsWith(`${stem}.`));
}

describe('an error that nobody expected in one file among several', () => {
  it.each([0, 1, 2])('as number %i is answered, and the others are paid', async (at) => {
    await desk.write('profiles/odd.yaml', "files: 'odd*.csv'\n");
    const paydrop = await desk.open();
    plantBug(paydrop, 'odd');
    const honest = [
      await desk.file('one.csv', [line('A-1', '100')]),
      await desk.file('two.csv', [line('B-1', '200')]),
    ];
    const odd = await desk.file('odd.csv', [line('C-1', '300')]);
    const files = honest.toSpliced(at, 0, odd);

    const checked = await check(paydrop, files, PATIENT);
    expect(checked.map((result) => exitCodeOf(result, 0))).toEqual([0, 0].toSpliced(at, 0, 1));
    const { results, notBegun } = await run(paydrop, files, PATIENT, { again: false, by: [] });
    expect(notBegun).toEqual([]);
    expect(results.map((result) => exitCodeOf(result, 0))).toEqual([0, 0].toSpliced(at, 0, 1));
    expect(await transfersOf(paydrop)).toHaveLength(2);

    const [name = ''] = (await answersOf('odd')).filter((each) => each.endsWith('.refused.json'));
    const answer = JSON.parse(await readFile(join(desk.workspace, 'outbox', name), 'utf8')) as object;
    expect(answer).toMatchObject({ code: 'unexpected_error' });
    expect(JSON.stringify(answer)).toContain('There is no 08:00 on that day.');
    for (const stem of ['one', 'two'])
      expect((await answersOf(stem)).some((each) => each.endsWith('.result.csv'))).toBe(true);
  });
});
