// Everything that the tests write lies in one folder, which goes when they end, whatever became of them: of a worker that is killed nobody else cleans up.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'paydrop-tests-'));
  // Workers and their children have it from here.
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
