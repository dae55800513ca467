// A stranger's file is read as it was when it was opened: one that is replaced at that moment is no link.
import {
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { readPlainFile } from '../../src/base/plain-file.ts';

function newFile(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'plain-')), 'manifest.json');
  writeFileSync(path, 'as it was');
  return realpathSync(path);
}

/** Holds this thread up until another one has opened the file. */
function untilOpen(path: string): void {
  const isOpen = (fd: string): boolean => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false;
    }
  };
  while (!readdirSync('/proc/self/fd').some(isOpen));
}

it.skipIf(!existsSync('/proc/self/fd'))(
  'a file that is replaced once it is open is read as it was',
  async () => {
    const path = newFile();
    const reading = readPlainFile(path);
    untilOpen(path);
    writeFileSync(`${path}.new`, 'as it is');
    renameSync(`${path}.new`, path);
    expect(Buffer.from(await reading).toString()).toBe('as it was');
  },
);

it('a file with a second name is none, unless it may have one', async () => {
  const path = newFile();
  linkSync(path, `${path}.other`);
  expect(await readPlainFile(path)).toBe('linked');
  expect(Buffer.from(await readPlainFile(path, { mayBeLinked: true })).toString()).toBe('as it was');
});
