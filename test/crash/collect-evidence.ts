// Gathers the evidence for the checker of answers, from the outside only: the files in the outbox, the service's own API, and its journal.
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { parseJsonExactly } from '../invariants/exact-amounts.ts';
import type {
  BatchEvidence,
  BookEvidence,
  ServiceEvidence,
  TransferEvidence,
} from '../invariants/evidence.ts';
import type { Scene } from './crash-scene.ts';

/** Every file of a scene with its answers; one without them is in `missing` too. */
export async function collectBatches({
  workspace,
  files,
}: Scene): Promise<{ readonly batches: readonly BatchEvidence[]; readonly missing: readonly string[] }> {
  const batches: BatchEvidence[] = [];
  const missing: string[] = [];
  for (const path of files) {
    const batch = await answersOf(join(workspace, 'outbox'), path);
    batches.push({ ...(batch ?? UNANSWERED), fileName: basename(path), file: await readFile(path, 'utf8') });
    if (batch === null) missing.push(basename(path));
  }
  return { batches, missing };
}

type Answers = Pick<BatchEvidence, 'result' | 'reconciliation' | 'summary'>;

/** What a file without answers is judged by: every row of it is lost. */
const UNANSWERED: Answers = {
  result: '',
  reconciliation: '',
  summary: '{"state":"none","file":{},"outcomes":{},"totals":[],"received":[]}',
};

async function answersOf(outbox: string, path: string): Promise<Answers | null> {
  const stem = basename(path, '.csv');
  // Whoever is killed at once has made no folder yet. A file that stays unanswered is found all the same.
  const names = await readdir(outbox).catch(() => []);
  const read = async (kind: RegExp): Promise<string | null> => {
    const found = names.filter((name) => name.startsWith(`${stem}.`) && kind.test(name)).sort(byVersion);
    const last = found.at(-1);
    return last === undefined ? null : readFile(join(outbox, last), 'utf8');
  };
  const result = await read(/\.result(-\d+)?\.csv$/);
  const reconciliation = await read(/\.reconciliation(-\d+)?\.csv$/);
  const summary = await read(/\.summary(-\d+)?\.json$/);
  if (result === null || reconciliation === null || summary === null) return null;
  return { result, reconciliation, summary };
}

/** `result-2` comes after `result`, and `result-10` after `result-9`. */
function byVersion(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

export async function collectService(scene: Scene): Promise<ServiceEvidence> {
  const transfers: TransferEvidence[] = [];
  for (let nextKey: string | null | undefined; nextKey !== null;) {
    const answer = await ask(scene, '/transfers?limit=200', nextKey);
    transfers.push(...(answer.json as readonly TransferEvidence[]));
    nextKey = answer.nextKey;
  }
  const { json: books } = await ask(scene, '/sandbox/books');
  return { transfers, books: books as readonly BookEvidence[], history: await readHistory(scene.journal) };
}

/** More than the faults of the sandbox take at once; each meets a fresh chance. */
const TRIES_MOST = 20;

async function ask(
  { sandbox }: Scene,
  path: string,
  nextKey?: string,
): Promise<{ readonly json: unknown; readonly nextKey: string | null }> {
  const headers = {
    'x-api-key': sandbox.apiKey,
    ...(nextKey === undefined ? {} : { 'x-next-key': nextKey }),
  };
  for (let tries = 0; tries < TRIES_MOST; tries += 1) {
    const answer = await tryOnce(`${sandbox.baseUrl}${path}`, headers);
    if (answer !== null) return answer;
  }
  throw new Error(`the sandbox does not answer ${path}`);
}

/** Null when a fault of the sandbox struck. */
async function tryOnce(url: string, headers: Record<string, string>) {
  try {
    const response = await fetch(url, { headers });
    if (!response.ok) return null;
    return { json: parseJsonExactly(await response.text()), nextKey: response.headers.get('x-next-key') };
  } catch {
    return null;
  }
}

type JournalLine = {
  readonly transfer?: { readonly id: string; readonly status: string };
  readonly transferChange?: { readonly id: string; readonly status?: string };
};

async function readHistory(journal: string): Promise<ServiceEvidence['history']> {
  const lines = (await readFile(journal, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.flatMap((line) => {
    const { transfer, transferChange } = JSON.parse(line) as JournalLine;
    const { id, status } = transfer ?? transferChange ?? {};
    return id === undefined || status === undefined ? [] : [{ id, status }];
  });
}
