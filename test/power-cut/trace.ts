// What a program has written, and what it waited for until it had reached the disk, as the kernel saw it: strace writes each call of the system down.
import { spawnSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** Calls that change what a disk holds or promise that it holds it, and those that would change it in a way that `Disk` does not know. */
const KNOWN = 'openat,close,write,writev,pwrite64,ftruncate,fsync,fdatasync,rename,unlink,mkdir,rmdir';
const UNKNOWN =
  'open,creat,pwritev,pwritev2,renameat,renameat2,unlinkat,mkdirat,link,linkat,symlink,symlinkat,truncate,fallocate,copy_file_range,sendfile';

/** A call that has ended well, in the order of the ends: what an unfinished one would have done is not promised to anybody. */
export type Call = {
  readonly name: string;
  /** As strace writes them, its texts as hex digits behind `\x`. */
  readonly words: string;
  readonly result: number;
};

/** False where the kernel lets nobody be watched, or nobody has installed strace. */
export const canTrace = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0;

/** What stands before a command in a shell to have it traced; `killAt`: at which of its own calls of these kinds the power goes. */
export function tracedTo(path: string, killAt?: { readonly kinds: string; readonly when: number }): string {
  const kill =
    killAt === undefined ? '' : `-e inject=${killAt.kinds}:signal=KILL:when=${String(killAt.when)}`;
  return `exec strace -f -xx -s 4000000 -o '${path}' -e trace=${KNOWN},${UNKNOWN} ${kill} "$@";`;
}

export async function* callsIn(path: string): AsyncGenerator<Call> {
  const begun = new Map<string, string>();
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const [, thread = '', said = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const unfinished = / <unfinished \.\.\.>$/.exec(said);
    if (unfinished !== null) {
      begun.set(thread, said.slice(0, unfinished.index));
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>/.exec(said);
    const whole = resumed === null ? said : (begun.get(thread) ?? '') + said.slice(resumed[0].length);
    const [, name, words = '', result] = /^(\w+)\((.*)\)\s+= (\d+)/.exec(whole) ?? [];
    if (name !== undefined) yield { name, words, result: Number(result) };
  }
}

/** The texts of a call. */
export function textsOf(words: string): readonly Buffer[] {
  return [...words.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text = '']) =>
    Buffer.from(text.replaceAll('\\x', ''), 'hex'),
  );
}
