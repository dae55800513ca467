// Publishing a file: the whole new one or the untouched old one, and never a stray file.
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { discardMarked, discardUnfinished, publishFile } from '../../src/base/atomic-file.ts';
import { readBytes } from '../../src/base/plain-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'publish-'));
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true });
});

function* cutShort(): Generator<string> {
  yield 'half of it';
  throw new Error('the source broke');
}

describe('a published file', () => {
  it('has all chunks, text and bytes, in their order', async () => {
    const path = join(folder, 'result.csv');
    await publishFile(path, ['naïve,', Buffer.from('é\n'), '', 'end']);
    expect(readFileSync(path, 'utf8')).toBe('naïve,é\nend');
  });

  it('can be written from a stream', async () => {
    const path = join(folder, 'result.csv');
    async function* chunks(): AsyncGenerator<string> {
      for (let line = 0; line < 1_000; line++) yield await Promise.resolve(`${String(line)}\n`);
    }
    await publishFile(path, chunks());
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(1_001);
  });

  it.each([1, 1_000, 262_143, 262_144, 262_145, 600_000])(
    'is as its source was, in pieces of %i bytes of which each takes the place of the last',
    async (size) => {
      const bytes = randomBytes(size === 1 ? 3_000 : 1_500_001);
      function* pieces(): Generator<Uint8Array> {
        const buffer = Buffer.alloc(size);
        for (let at = 0; at < bytes.length; at += size)
          yield buffer.subarray(0, bytes.copy(buffer, 0, at, at + size));
      }
      const [path, copy] = [join(folder, 'result.csv'), join(folder, 'copy.csv')];
      await publishFile(path, pieces());
      await publishFile(copy, readBytes(path));
      expect(readFileSync(path).equals(bytes)).toBe(true);
      expect(readFileSync(copy).equals(bytes)).toBe(true);
    },
  );

  it('replaces the one that stood there, and is only for its owner to read', async () => {
    const path = join(folder, 'result.csv');
    writeFileSync(path, 'old and longer', { mode: 0o644 });
    await publishFile(path, ['new']);
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('from a source that is gone, into a folder that is gone, is an error of the caller and of nobody else', async () => {
    const source = readBytes(join(folder, 'gone.csv'));
    await expect(publishFile(join(folder, 'gone', 'result.csv'), source)).rejects.toThrow('ENOENT');
    await expect(
      publishFile(join(folder, 'result.csv'), readBytes(join(folder, 'gone.csv'))),
    ).rejects.toThrow('ENOENT');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('whose folder was moved away meanwhile is told as an error, and leaves nothing there', async () => {
    const work = join(folder, 'work');
    mkdirSync(work);
    async function* moving(): AsyncGenerator<string> {
      yield 'half of it';
      renameSync(work, join(folder, 'archive'));
      await discardUnfinished(join(folder, 'archive'));
      yield 'and the rest';
    }
    await expect(publishFile(join(work, 'result.csv'), moving())).rejects.toThrow('ENOENT');
    expect(readdirSync(folder)).toEqual(['archive']);
    expect(readdirSync(join(folder, 'archive'))).toEqual([]);
  });

  it('that is marked is discarded by its mark alone, whatever else is written in its folder', async () => {
    const marks = join(folder, 'marks');
    const outbox = join(folder, 'outbox');
    for (const made of [marks, outbox]) mkdirSync(made);
    async function* discarded(): AsyncGenerator<string> {
      yield 'half of it';
      expect(readdirSync(marks)).toEqual([expect.stringMatching(/^\.result\.csv\..*\.tmp\.mark$/)]);
      await discardMarked(outbox, marks);
      yield 'and the rest';
    }
    async function* during(): AsyncGenerator<string> {
      yield 'unmarked ';
      const marked = publishFile(join(outbox, 'result.csv'), discarded(), { markIn: marks });
      await expect(marked).rejects.toThrow('ENOENT');
      yield 'and whole';
    }
    await publishFile(join(outbox, 'other.csv'), during());
    await publishFile(join(outbox, 'third.csv'), ['marked'], { markIn: marks });
    expect(readdirSync(outbox).sort()).toEqual(['other.csv', 'third.csv']);
    expect(readdirSync(marks)).toEqual([]);
  });

  it('whose mark cannot be made is not begun', async () => {
    const path = join(folder, 'result.csv');
    await expect(publishFile(path, ['new'], { markIn: join(folder, 'gone') })).rejects.toThrow('ENOENT');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves no temporary file', async () => {
    await publishFile(join(folder, 'result.csv'), ['new']);
    expect(readdirSync(folder)).toEqual(['result.csv']);
  });

  it('may have a name as long as the file system allows', async () => {
    const name = `${'a'.repeat(250)}.csv`;
    await publishFile(join(folder, name), ['new']);
    expect(readdirSync(folder)).toEqual([name]);
  });
});

describe('a write that fails', () => {
  it('half-way leaves the old file as it was and no temporary file', async () => {
    const path = join(folder, 'result.csv');
    writeFileSync(path, 'old');
    await expect(publishFile(path, cutShort())).rejects.toThrow('the source broke');
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['result.csv']);
  });

  it('at the rename leaves what stood there and no temporary file', async () => {
    const path = join(folder, 'result.csv');
    mkdirSync(join(path, 'not-empty'), { recursive: true });
    await expect(publishFile(path, ['new'])).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(['result.csv']);
    expect(readdirSync(path)).toEqual(['not-empty']);
  });

  it('because the folder is missing says so', async () => {
    await expect(publishFile(join(folder, 'no', 'result.csv'), ['new'])).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});
