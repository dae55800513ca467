// How a run on this ledger tells those of other hosts that it still works, as containers on one volume are to each other: none of them sees the
// processes of another. Runs of one host do without it, and so a killed one is known at once.
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { repeatEvery, systemClock } from '../base/clock.ts';

/** Seldom enough to cost nothing. */
const BEAT_MS = 15_000;

/** Three beats may be missed on a busy machine; whatever a lost host has left is taken up after this. */
const FRESH_MS = 60_000;

/** Beside the ledger, for whoever removes that. */
const FOLDER = '.runs';

/** Where each run of this process finds the others of its ledger. */
const folders = new Map<string, string>();

/** Beats until what it gives is called. A beat that the disk does not take is told to `onFault`, and to the other hosts this run counts as lost. */
export function startHeartbeat(
  ledgerPath: string,
  run: string,
  onFault: (error: unknown) => void,
): () => void {
  const folder = join(dirname(ledgerPath), FOLDER);
  const attempt = (work: (folder: string, run: string) => void): void => {
    try {
      work(folder, run);
    } catch (error) {
      onFault(error);
    }
  };
  folders.set(run, folder);
  attempt(beat);
  attempt(removeStale);
  const stop = repeatEvery(BEAT_MS, () => attempt(beat));
  return () => {
    stop();
    folders.delete(run);
    attempt(() => rmSync(fileOf(folder, run), { force: true }));
  };
}

/** True when the run of another host that `owner` names has told a short time ago that it works on the ledger of `run`. */
export function hasHeartbeat(owner: string, run: string): boolean {
  const folder = folders.get(run);
  return folder !== undefined && isFresh(fileOf(folder, owner));
}

/** By real time: a heart beats for other processes. */
function beat(folder: string, run: string): void {
  const seconds = systemClock.now() / 1_000;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(folder, run), `${run}\n`, { mode: 0o600 });
  utimesSync(fileOf(folder, run), seconds, seconds);
}

/** What killed runs have left; one that only stood still beats again. */
function removeStale(folder: string): void {
  for (const path of readdirSync(folder).map((name) => join(folder, name)))
    if (!isFresh(path)) rmSync(path, { force: true });
}

function isFresh(path: string): boolean {
  const found = statOrNull(path);
  // A clock that was set back must not keep the dead alive until it is as late again.
  return found?.isFile() === true && Math.abs(systemClock.now() - found.mtimeMs) < FRESH_MS;
}

/** What may not be read says as little as what is not there. */
function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** A run's name ends with an id that no other has. */
function fileOf(folder: string, run: string): string {
  return join(folder, basename(run));
}
