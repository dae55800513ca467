// The demo finds the sample files from where it lies, and its answers agree with the books of the sandbox.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { SAMPLE_FILES } from '../../src/app/desk/demo.ts';
import { SAMPLES } from './sample-files.ts';

it('names files of the samples', () => {
  expect(SAMPLE_FILES).toEqual([`${SAMPLES}payroll.csv`, `${SAMPLES}suppliers.csv`]);
});

it('pays them, and the books of the sandbox agree', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paydrop-demo-test-'));
  const { status, stdout } = spawnSync(process.execPath, ['src/main.ts', 'demo'], {
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: folder },
  });
  rmSync(folder, { recursive: true });
  expect(status, stdout).toBe(0);
  expect(stdout).toMatch(/^XAF: debited .*: they agree$/m);
}, 120_000);
