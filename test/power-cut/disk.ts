// A disk that forgets everything that was not synced. It follows a trace: of a file it keeps the content at its last sync, of a folder the names at its
// last sync. A renamed file is in one place or the other, and in the new one once the new folder is synced.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import type { Dice } from '../crash/seeded.ts';
import { type Call, textsOf } from './trace.ts';

type Change = { readonly at: number; readonly bytes: Buffer } | { readonly length: number };

class OnDisk {
  synced: Buffer;
  /** What was written since, in its order. */
  changes: Change[] = [];

  constructor(synced = Buffer.alloc(0)) {
    this.synced = synced;
  }

  holding(isKept: () => boolean): Buffer {
    return this.changes.filter(isKept).reduce(changed, this.synced);
  }

  now(): Buffer {
    return this.holding(() => true);
  }

  sync(): void {
    this.synced = this.now();
    this.changes = [];
  }
}

class Folder {
  names = new Map<string, OnDisk | Folder>();
  synced = new Map<string, OnDisk | Folder>();
  /** What came from another folder, which has it until this one is synced. */
  moved: { readonly from: Folder; readonly name: string }[] = [];

  sync(): void {
    const leaving = [...this.synced].filter(([name]) => this.left.has(name));
    this.synced = new Map([...leaving, ...this.names]);
    for (const { from, name } of this.moved) {
      from.left.delete(name);
      if (!from.names.has(name)) from.synced.delete(name);
    }
    this.moved = [];
  }

  /** Names of what stands in another folder as soon as that is synced. */
  left = new Set<string>();
}

/** `synced`: what was waited for, and nothing else. `names`: names as they were, but of files only what was waited for. `some`: each write by chance. */
export const LOSSES = ['synced', 'names', 'some'] as const;
export type Loss = (typeof LOSSES)[number];

/** SQLite keeps no promise in it, and creates it again. */
const isForgotten = (name: string): boolean => name.endsWith('-shm');

export class Disk {
  readonly #root: string;
  readonly #tree: Folder;
  readonly #open = new Map<number, { readonly file: OnDisk | Folder; at: number }>();

  /** @param root the folder that is followed, which stands on the disk as it is now. */
  constructor(root: string) {
    this.#root = root;
    this.#tree = loaded(root);
  }

  /** Whether this descriptor is one of a file that is followed. */
  has(descriptor: number): boolean {
    return this.#open.has(descriptor);
  }

  /** Names and contents in a folder as they would be found now, and as they would be found after a power cut that spares all names. */
  *filesIn(
    path: string,
  ): Generator<{ readonly name: string; readonly now: Buffer; readonly synced: Buffer }> {
    const folder = this.#find(path);
    if (folder instanceof Folder)
      for (const [name, file] of folder.names)
        if (file instanceof OnDisk) yield { name, now: file.now(), synced: file.synced };
  }

  follow({ name, words, result }: Call): void {
    if (name === 'openat') this.#opened(words, result);
    else if (name === 'close') this.#open.delete(Number(words));
    else if (name === 'write' || name === 'writev') this.#write(words, result);
    else if (name === 'pwrite64') this.#writeAt(words, result);
    else if (name === 'ftruncate') this.#truncate(words);
    else if (name === 'fsync' || name === 'fdatasync') this.#open.get(Number(words))?.file.sync();
    else this.#rename(name, textsOf(words).map(String));
  }

  /** What is found in a new folder `target` once the power is back. */
  writeTo(target: string, loss: Loss, dice: Dice): void {
    const isKept = (): boolean => loss === 'some' && dice.below(2) === 0;
    const write = (folder: Folder, path: string): void => {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      for (const [name, file] of loss === 'synced' ? folder.synced : folder.names) {
        if (isForgotten(name)) continue;
        if (file instanceof Folder) write(file, join(path, name));
        else writeFileSync(join(path, name), file.holding(isKept), { mode: 0o600 });
      }
    };
    write(this.#tree, target);
  }

  #opened(words: string, descriptor: number): void {
    const [path = ''] = textsOf(words).map(String);
    this.#open.delete(descriptor);
    const folder = this.#find(dirname(path));
    if (path !== this.#root && !(folder instanceof Folder)) return;
    let file = this.#find(path);
    if (file === undefined && folder instanceof Folder && words.includes('O_CREAT')) {
      file = new OnDisk();
      folder.names.set(basename(path), file);
    }
    if (file === undefined) return;
    if (file instanceof OnDisk && words.includes('O_TRUNC')) file.changes.push({ length: 0 });
    this.#open.set(descriptor, { file, at: 0 });
  }

  #write(words: string, written: number): void {
    const opened = this.#open.get(Number.parseInt(words));
    if (!(opened?.file instanceof OnDisk)) return;
    const bytes = Buffer.concat(textsOf(words)).subarray(0, written);
    opened.file.changes.push({ at: opened.at, bytes });
    opened.at += written;
  }

  #writeAt(words: string, written: number): void {
    const file = this.#open.get(Number.parseInt(words))?.file;
    const [, at = ''] = /, (\d+)$/.exec(words) ?? [];
    const [bytes] = textsOf(words);
    if (file instanceof OnDisk && bytes !== undefined)
      file.changes.push({ at: Number(at), bytes: bytes.subarray(0, written) });
  }

  #truncate(words: string): void {
    const [descriptor, length] = words.split(', ').map(Number);
    const file = this.#open.get(descriptor ?? -1)?.file;
    if (file instanceof OnDisk) file.changes.push({ length: length ?? 0 });
  }

  #rename(name: string, [path = '', other = '']: readonly string[]): void {
    const folder = this.#find(dirname(path));
    if (!(folder instanceof Folder)) return;
    const file = this.#find(path);
    switch (name) {
      case 'mkdir':
        folder.names.set(basename(path), new Folder());
        return;
      case 'unlink':
      case 'rmdir':
        folder.names.delete(basename(path));
        return;
      case 'rename': {
        const to = this.#find(dirname(other));
        if (!(to instanceof Folder) || file === undefined)
          throw new Error(`${path} leaves what is followed.`);
        folder.names.delete(basename(path));
        to.names.set(basename(other), file);
        if (to !== folder) {
          folder.left.add(basename(path));
          to.moved.push({ from: folder, name: basename(path) });
        }
        return;
      }
      default:
        throw new Error(`${name} of ${path} is not followed.`);
    }
  }

  #find(path: string): OnDisk | Folder | undefined {
    if (path === this.#root) return this.#tree;
    if (!path.startsWith(`${this.#root}/`)) return undefined;
    const above = this.#find(dirname(path));
    return above instanceof Folder ? above.names.get(basename(path)) : undefined;
  }
}

function loaded(path: string): Folder {
  const folder = new Folder();
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name);
    folder.names.set(entry.name, entry.isDirectory() ? loaded(below) : new OnDisk(readFileSync(below)));
  }
  folder.synced = new Map(folder.names);
  return folder;
}

function changed(before: Buffer, change: Change): Buffer {
  if ('length' in change) {
    const after = Buffer.alloc(change.length);
    before.copy(after);
    return after;
  }
  const after = Buffer.alloc(Math.max(before.length, change.at + change.bytes.length));
  before.copy(after);
  change.bytes.copy(after, change.at);
  return after;
}
