// Everything that the tests write lies in one folder, which goes when they end, whatever became of them: of a worker that is killed nobody else cleans up.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'paydrop-tests-'));
  // PostgreSQL works under another user where the tests work as root.
  chmodSync(folder, 0o711);
  // Workers and their children have it from here.
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
