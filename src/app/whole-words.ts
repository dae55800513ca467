// What the owner of a file is told that is paid whole or not at all, when something stands in its way. Each says that nothing was confirmed.
import { isoTime } from '../base/clock.ts';
import type { BatchRecord } from '../ledger/records.ts';
import type { Survey } from './survey-whole.ts';

const NOTHING = 'Nothing of the file was confirmed, because it is paid whole or not at all.';

/** Before the words of anything that holds every batch up. */
export function nothingConfirmed(words: string): string {
  return `${NOTHING} ${words}`;
}

/** A row waits for a person; the others wait for it. */
export function heldWords({ standings: { held } }: Survey, batch: BatchRecord): string {
  const rows = held === 1 ? '1 row waits' : `${String(held)} rows wait`;
  return `${NOTHING} ${rows} for a person: "paydrop status ${batch.id}" says why, "paydrop release" decides; then run "paydrop resume".`;
}

/** A row was refused for good: a person decides what becomes of the others. */
export function refusedWords({ refusedRows, standings: { refused } }: Survey): string {
  const more = refused > refusedRows.length ? ' and others' : '';
  const rows = refused === 1 ? `Row ${refusedRows.join()} was` : `Rows ${refusedRows.join(', ')}${more} were`;
  return `${rows} refused`;
}

/** After the file was stopped. */
export function stoppedWords(held: number, batch: BatchRecord): string {
  const rows = held === 1 ? '1 row waits' : `${String(held)} rows wait`;
  return (
    `The file is paid whole or not at all, and a row of it was refused, so the others were not confirmed: ${rows} for a person. ` +
    `"paydrop release ${batch.id}" pays the others without it; with --skip they are closed unpaid, and the corrected file can be dropped.`
  );
}

/** Transfers of an earlier try must have run out before anything new is created. */
export function runOutWords({ standings, provableAt }: Survey): string {
  const transfers = standings.stands + standings.open;
  const rows = transfers === 1 ? 'its row' : `its ${String(transfers)} rows`;
  return (
    `${NOTHING} The time was too short to confirm ${rows} after all had been reserved, or what was reserved earlier is too old. ` +
    `What is reserved runs out by itself, which is certain from ${isoTime(provableAt)} on; run "paydrop resume" then. No row has failed because of it.`
  );
}

/** The file would not fit into the time at this hour. */
export function tooSlowNow(words: string): string {
  return `Nothing of the file was confirmed. ${words} Raise "service.concurrency" in the config, or wait for a faster hour; then run "paydrop resume". No row has failed because of it.`;
}

/** Rows are in other hands, or their answers are still missing. */
export const UNDER_WAY_WORDS = `${NOTHING} Some rows are still being worked on, or got no answer yet. Run "paydrop resume".`;
