// A person reads times in one form on a screen, and the zone is named once; programs have them in ISO 8601.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { processBatch } from '../../src/app/workflow/process-batch.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { print } from '../../src/cli/command-context.ts';
import { showAll, showNamed } from '../../src/cli/show-status.ts';
import { line, openDesk, PATIENT, type Desk } from '../app/desk.ts';

let desk: Desk;
let paydrop: Paydrop;
let batch: string;

beforeEach(async () => {
  desk = await openDesk();
  paydrop = await desk.open(`policy: { approval: required }
schedules: [{ folder: salaries, cron: 0 9 28 * *, timeZone: Africa/Douala }]`);
  const { summary } = await processBatch(paydrop, await desk.file('a.csv', [line('A', '100')]), PATIENT);
  ({ batch } = summary);
  await writeFile(join(paydrop.workspace.inbox, 'STOP'), '');
});
afterEach(() => desk.close());

async function shownBy(show: () => Promise<unknown>): Promise<string> {
  const lines: string[] = [];
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  await show();
  spy.mockRestore();
  return lines.join('');
}

const ISO = /\d{4}-\d\d-\d\dT\d\d:\d\d/;
const LOCAL = /\d{4}-\d\d-\d\d \d\d:\d\d/;

describe('status', () => {
  it('has its times in one form, and names the zone once', async () => {
    const shown = await shownBy(() => showAll(paydrop, {}));
    expect(shown).not.toMatch(ISO);
    expect(shown).toMatch(/STOP has been in the inbox .* since \d{4}-\d\d-\d\d \d\d:\d\d\. /);
    expect(shown.match(/Africa\/Douala/g)).toHaveLength(1);
  });

  it('of one file names the zone with each time', async () => {
    const shown = await shownBy(() => showNamed(paydrop, batch, {}));
    expect(shown).not.toMatch(ISO);
    expect(shown).not.toMatch(new RegExp(`${LOCAL.source}(?! \\(Africa/Douala\\))`));
  });

  it('leaves them to programs as they are', async () => {
    expect(await shownBy(() => showAll(paydrop, { json: true }))).toMatch(ISO);
  });

  it('shows a question on lines of its own, and its commands once', async () => {
    const shown = await shownBy(() => showAll(paydrop, {}));
    const lines = shown.split('\n').map((each) => each.trim());
    expect(lines).toContain(`paydrop approve ${batch} --by NAME`);
    expect(lines).toContain(`paydrop decline ${batch} --by NAME --reason TEXT`);
    expect(shown.match(/paydrop approve/g)).toHaveLength(1);
  });
});

it('where only a signature counts, no status proposes the command that types a name', async () => {
  const rule = 'policy: { approval: required, approvalBy: signature }';
  const signed = await openDesk();
  const own = await signed.open(rule);
  const { summary } = await processBatch(own, await signed.file('b.csv', [line('B', '100')]), PATIENT);
  const shown = await shownBy(() => showNamed(own, summary.batch, {}));
  await signed.close();
  expect(shown).toContain(`${summary.batch}.approve.pgp`);
  expect(shown).not.toContain('paydrop approve');
});

it('any other screen names the zone of the machine', async () => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const said = await shownBy(async () => {
    print('Stopped since 2026-11-29T14:35:38.630Z.');
    return Promise.resolve();
  });
  expect(said).toMatch(new RegExp(`^Stopped since ${LOCAL.source} \\(${zone}\\)\\.\\n$`));
});
