// The memory of the sandbox across restarts: an append-only file of JSON lines, one indivisible change each, written before the answer that
// tells of it. It survives `kill -9`; it is not synced to the disk, because a sandbox that outlives a power cut is worth less than a quick one.
import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';

import { publishFile } from '../base/atomic-file.ts';
import { parseExactJson } from '../base/exact-json.ts';
import { applyChange, type Change, changeSchema, changesTo, type State } from './state.ts';

export type Journal = {
  /** Writes one change down; throws when it could not, and leaves nothing of it behind. */
  append(change: Change): void;
  close(): void;
};

/** A sandbox without a state file forgets everything at its end. */
export const noJournal: Journal = { append: () => undefined, close: () => undefined };

const CHUNK_BYTES = 1 << 20;
const LINE_END = 0x0a;

/** Replays the journal at `path`, if there is one, into `state`. A last line that was cut by the end of its process is left out. */
export function replayJournal(path: string, state: State): void {
  if (!existsSync(path)) return;
  let broken: number | null = null;
  let number = 0;
  for (const line of linesOf(path)) {
    number += 1;
    if (broken !== null) throw new Error(`line ${broken} of the state file ${path} cannot be read`);
    const change = changeOf(line);
    if (change === null) broken = number;
    else applyChange(state, change);
  }
}

/** Replaces the file by the fewest lines that say the same, and goes on behind them. */
export async function openJournal(path: string, state: State): Promise<Journal> {
  await publishFile(path, compacted(state));
  const file = openSync(path, 'r+');
  // The position is kept here, so that what a failed write left behind can be cut off again.
  let bytes = fstatSync(file).size;
  return {
    append(change) {
      const line = Buffer.from(`${JSON.stringify(change)}\n`);
      try {
        writeAll(file, line, bytes);
      } catch (error) {
        ftruncateSync(file, bytes);
        throw error;
      }
      bytes += line.byteLength;
    },
    close: () => closeSync(file),
  };
}

function* compacted(state: State): Generator<string> {
  for (const change of changesTo(state)) yield `${JSON.stringify(change)}\n`;
}

function changeOf(line: string): Change | null {
  try {
    return changeSchema.parse(parseExactJson(line));
  } catch {
    // Whether this is a cut last line or a damaged file is for the caller, who knows what comes after it.
    return null;
  }
}

/** The complete lines of a file of any size; what follows the last line end was cut. */
function* linesOf(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    let rest: Buffer = Buffer.alloc(0);
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
      const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
      const end = bytes.lastIndexOf(LINE_END);
      if (end >= 0) yield* bytes.toString('utf8', 0, end).split('\n');
      rest = bytes.subarray(end + 1);
    }
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, bytes: Buffer, position: number): void {
  for (let written = 0; written < bytes.byteLength;)
    written += writeSync(file, bytes, written, bytes.byteLength - written, position + written);
}
