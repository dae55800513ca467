// A folder or a file that the user of paydrop may not write: the words say which, whose it is, and as whom paydrop runs.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { describeError } from '../../src/app/parts/describe-error.ts';
import { EXIT } from '../../src/base/exit-codes.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-rights-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** As the system throws it: an administrator, as whom tests may run, is refused nothing. */
const refused = (code: string, path?: string) =>
  Object.assign(new Error(`${code}: permission denied`), {
    code,
    syscall: 'open',
    ...(path === undefined ? {} : { path }),
  });
const own = String(process.getuid?.() ?? 0);

it.each(['EACCES', 'EPERM'])('%s names the path, its owner and the own user', (code) => {
  const { code: exit, words } = describeError(refused(code, folder));
  expect(exit).toBe(EXIT.unfinished);
  expect(words.en).toContain(
    `${folder} may not be read and written by the user as whom paydrop runs (${own}).`,
  );
  expect(words.en).toContain(`${folder} belongs to user ${own}.`);
  expect(words.en).toContain(`(${code})`);
  expect(words.fr).toContain(`${folder} appartient à l’utilisateur ${own}.`);
});

it('of a file that nobody sees, the owner is that of the folder above it', () => {
  const path = join(folder, 'hidden', 'deeper', 'ledger.sqlite');
  const { words } = describeError(refused('EACCES', path));
  expect(words.en).toContain(`${path} may not be read and written`);
  expect(words.en).toContain(`${folder} belongs to user ${own}.`);
});

it('without a path it says what is known', () => {
  const { words } = describeError(refused('EACCES'));
  expect(words.en).toContain('A folder or file of the workspace may not be read and written');
  expect(words.en).not.toContain('belongs to');
});

it.each(['rename', 'unlink'])(
  'where a %s is refused, it is the folder that may not be written',
  (syscall) => {
    const error = Object.assign(refused('EACCES', join(folder, 'again.csv')), { syscall });
    const { words } = describeError(error);
    expect(words.en).toContain(`${folder} may not be read and written`);
    expect(words.en).not.toContain('again.csv');
  },
);
