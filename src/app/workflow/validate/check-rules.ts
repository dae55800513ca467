// Everything that the rows of a file are checked against, gathered once for the file.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { editDistance } from '../../../base/plain-text.ts';
import { BatchFolderFault } from '../../../inbox/batch-note.ts';
import { type DocumentList, isSameDoor, readDocumentList } from '../../../inbox/documents.ts';
import { batchFolders } from '../../../inbox/workspace.ts';
import { isAccountColumn } from '../../../rows/cell.ts';
import { FileRefused } from '../../../rows/file-refused.ts';
import type { ReadFile } from '../../../rows/format.ts';
import { holdsPayments } from '../../../rows/formats.ts';
import { cellOf, isSaid } from '../../../rows/row.ts';
import type { CorridorFilter, PartyFields, PayoutService } from '../../../service/payout-service.ts';
import {
  CORRIDORS_LIMIT,
  DELIVERY_METHODS,
  type PayoutCorridor,
  TRANSACTION_MODES,
} from '../../../service/wire.ts';
import type { Paydrop } from '../../parts.ts';
import { ALL_CORRIDORS } from '../../parts/wait-for-service.ts';
import { profileIn } from '../batch/profile-for.ts';
import { type ReadingConfig, namingRows, readTakenFile } from '../batch/read-batch-file.ts';

export type CheckRules = {
  readonly corridors: readonly PayoutCorridor[];
  /** The default sending party. */
  readonly sender: PartyFields;
  readonly documents: DocumentList;
  readonly earlier: EarlierDigits;
};

/** Throws a `Fault` when the service does not give its corridors. */
export async function rulesFor(
  paydrop: Paydrop,
  file: ReadFile,
  documents: DocumentList,
): Promise<CheckRules> {
  const { service, sender } = paydrop;
  const corridors = await loadCorridors(service);
  const earlier = await readEarlierDigits(paydrop, file, documents.door);
  return { corridors, sender, documents, earlier };
}

// All corridors of the organization. One response has at most 200 and does not say whether there are more, so after a full one it asks in parts.

/** Every enabled or disabled corridor that the service lists. Throws a `Fault`. */
export async function loadCorridors(service: PayoutService): Promise<readonly PayoutCorridor[]> {
  const all = await page(service, {});
  if (!isFull(all)) return all;
  const parts = TRANSACTION_MODES.flatMap((transactionMode) =>
    DELIVERY_METHODS.map((deliveryMethod) => ({ transactionMode, deliveryMethod })),
  );
  const found = new Map(all.map((corridor) => [corridor.id, corridor]));
  for (const part of parts) {
    for (const corridor of await loadPart(service, part, found)) found.set(corridor.id, corridor);
  }
  return [...found.values()];
}

/** A part that is full again is split by the currencies known so far. */
async function loadPart(
  service: PayoutService,
  filter: CorridorFilter,
  known: ReadonlyMap<string, PayoutCorridor>,
): Promise<readonly PayoutCorridor[]> {
  const part = await page(service, filter);
  if (!isFull(part)) return part;
  const currencies = new Set([...known.values(), ...part].map(({ targetCurrency }) => targetCurrency));
  const split: PayoutCorridor[] = [...part];
  for (const currency of currencies) split.push(...(await page(service, { ...filter, currency })));
  return split;
}

async function page(service: PayoutService, filter: CorridorFilter): Promise<readonly PayoutCorridor[]> {
  return (await service.payoutCorridors({ ...filter, ...ALL_CORRIDORS })).value;
}

function isFull(corridors: readonly PayoutCorridor[]): boolean {
  return corridors.length >= CORRIDORS_LIMIT.most;
}

// The corridors that somebody may have meant who mistyped an id.

/** Ids, the nearest first: by common words, then by the letters to change. */
export function nearestCorridors(
  id: string,
  corridors: readonly PayoutCorridor[],
  most: number,
): readonly string[] {
  const wanted = id.toLowerCase();
  const words = new Set(wordsOf(wanted));
  return corridors
    .map((corridor) => ({
      id: corridor.id,
      shared: wordsOf(corridor.id.toLowerCase()).filter((word) => words.has(word)).length,
      letters: editDistance(wanted, corridor.id.toLowerCase()),
    }))
    .sort((a, b) => b.shared - a.shared || a.letters - b.letters)
    .slice(0, most)
    .map((near) => near.id);
}

function wordsOf(id: string): readonly string[] {
  return id.split(/[^a-z0-9]+/).filter((word) => word !== '');
}

// A CSV file that was opened and saved in a spreadsheet program has lost the leading zeros of its accounts. If a row comes back from an answer,
// its earlier digits are known, and the shorter number is not paid.

/** `<batch>/<row>` → canonical name → the digits when the row first came. */
type EarlierDigits = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The account digits in the batches that a file's rows came from; empty where their files are gone. */
export async function readEarlierDigits(
  { workspace, config }: Pick<Paydrop, 'workspace'> & { readonly config: ReadingConfig },
  file: ReadFile,
  door: string | null,
): Promise<EarlierDigits> {
  const earlier = new Map<string, ReadonlyMap<string, string>>();
  if (!isSaid(file.table, 'payout.batch')) return earlier;
  const batches = new Set((await namingRows(file)).flatMap(({ before }) => before?.batch ?? []));
  for (const batch of batches)
    for (const folder of batchFolders(workspace, batch)) {
      if (!(await cameThrough(folder, door))) continue;
      const original = await originalIn(folder, batch, config);
      if (original !== null) await addDigits(earlier, batch, original);
    }
  return earlier;
}

/** Whether a batch came through the same door as the rows that ask for it; if that is unknown, it did not. */
async function cameThrough(folder: string, door: string | null): Promise<boolean> {
  if (door === null) return true;
  const list = await readDocumentList(folder).catch((error: unknown) => {
    if (error instanceof BatchFolderFault) return null;
    throw error;
  });
  return list !== null && isSameDoor(door, list.door);
}

/** The original file of the batch, as it was read then. */
async function originalIn(folder: string, batch: string, config: ReadingConfig): Promise<ReadFile | null> {
  const names = await readdir(folder).catch(() => []);
  const name = names.find((each) => holdsPayments(each) && !each.includes(`.${batch}.`));
  if (name === undefined) return null;
  try {
    return await readTakenFile(join(folder, name), config, (await profileIn(folder))?.profile ?? null);
  } catch (error) {
    // It was refused because it could not be read, so nothing is known of its digits either.
    if (error instanceof FileRefused || error instanceof BatchFolderFault) return null;
    throw error;
  }
}

async function addDigits(
  earlier: Map<string, ReadonlyMap<string, string>>,
  batch: string,
  file: ReadFile,
): Promise<void> {
  const columns = [...file.table.indexOf.keys()].filter(isAccountColumn);
  for await (const row of file.rows()) {
    const digits = columns.map((name) => [name, cellOf(file.table, row, name).trim()] as const);
    const zeros = digits.filter(([, text]) => /^0\d+$/.test(text));
    if (zeros.length > 0) earlier.set(`${batch}/${row.place}`, new Map(zeros));
  }
}
