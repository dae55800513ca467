// A log that cannot be written: payments do not wait for it, and it reports how much of it was lost.
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it, vi } from 'vitest';

import { parseConfig } from '../../src/app/config/config.ts';
import { openLog } from '../../src/app/parts/open-log.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { atEnd } from '../at-end.ts';
import { endsOf, line, openDesk, PATIENT } from './desk.ts';

/** A line of about a kilobyte, so that two thousand of them are more than is kept. */
const LONG = 'x'.repeat(1_000);

function configOf(file: string) {
  const config = parseConfig(`log: { level: debug, file: ${file} }`, 'c');
  return config as Parameters<typeof openLog>[0];
}

describe('a log on a full disk', () => {
  it('holds up no payment, and is told once', async () => {
    const desk = await openDesk();
    atEnd(() => desk.close());
    const told: string[] = [];
    const log = openLog(configOf('/dev/full'), (words) => void told.push(words));
    const paydrop = { ...(await desk.open()), log };
    const path = await desk.file('salaries.csv', [line('A', '100'), line('B', '200')]);
    const { summary } = await processBatch(paydrop, path, PATIENT);
    expect(await endsOf(paydrop, summary.batch)).toEqual(['paid', 'paid']);
    expect(told).toEqual(['The log /dev/full cannot be written (ENOSPC). Nothing else waits for it.\n']);
  });

  it('keeps a part of what was said, and counts what it lost, for the day on which there is room', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'log-'));
    atEnd(() => rmSync(folder, { recursive: true }));
    const [path, standing] = [join(folder, 'paydrop.log'), join(folder, 'standing.log')];
    symlinkSync('/dev/full', path);
    const log = openLog(configOf(path), () => undefined);
    for (let line = 0; line < 2_000; line++) log.info(LONG);
    rmSync(path);
    symlinkSync(standing, path);
    log.reopen?.();
    const lines = (): readonly { msg: string; lines?: number }[] =>
      readFileSync(standing, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { msg: string; lines?: number });
    await vi.waitFor(
      () => {
        log.info('there is room');
        expect(lines().at(-1)?.msg).toBe('there is room');
      },
      { timeout: 20_000 },
    );
    await vi.waitFor(() => expect(lines().some(({ lines: lost = 0 }) => lost > 900)).toBe(true), {
      timeout: 20_000,
    });
    const kept = lines().filter(({ msg }) => msg === LONG).length;
    const lost = lines().find(({ lines: lost }) => lost !== undefined)?.lines;
    expect(kept + (lost ?? 0)).toBe(2_000);
  });
});
