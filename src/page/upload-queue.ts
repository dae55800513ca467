// Files on their way to paydrop, one after the other, with how far each is; they go on while other screens are opened. Documents go with the file of payments
// they were dropped with.
import { useLayoutEffect, useState } from 'preact/hooks';

import type { Upload } from '../contract/uploads.ts';
import { Problem, sendOctets } from './api.ts';
import { t } from './language.ts';

const DOCUMENT = /\.(?:pdf|png|jpe?g)$/i;

export type Sending = {
  readonly key: number;
  readonly file: File;
  readonly state: 'waiting' | 'sending' | 'sent' | 'failed';
  /** Bytes that have left. */
  readonly sent: number;
  readonly upload: string | null;
  readonly problem: Problem | null;
};

let queue: readonly Sending[] = [];
let count = 0;
let isRunning = false;
const ends = new Map<number, AbortController>();
const documents = new Map<number, readonly File[]>();
const watchers = new Set<() => void>();

function set(key: number, change: Partial<Sending>): void {
  queue = queue.map((each) => (each.key === key ? { ...each, ...change } : each));
  for (const draw of watchers) draw();
}

export function sorted(files: Iterable<File>): {
  readonly payments: readonly File[];
  readonly documents: readonly File[];
} {
  const { true: papers = [], false: payments = [] } = Object.groupBy([...files], ({ name }) =>
    DOCUMENT.test(name) ? 'true' : 'false',
  );
  return { payments, documents: papers };
}

/** Each file of payments is sent by itself; the documents serve all of them, each takes those that its rows name. */
export function enqueue(files: Iterable<File>): void {
  const { payments, documents: papers } = sorted(files);
  if (payments.length === 0) {
    const [first] = papers;
    if (first !== undefined)
      add(first, { state: 'failed', problem: new Problem(0, 'no_file', t('drop.noFile')) });
    return;
  }
  for (const file of payments) documents.set(add(file, {}), papers);
  void run();
}

function add(file: File, change: Partial<Sending>): number {
  const key = (count += 1);
  queue = [...queue, { key, file, state: 'waiting', sent: 0, upload: null, problem: null, ...change }];
  for (const draw of watchers) draw();
  return key;
}

async function run(): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  for (;;) {
    const next = queue.find(({ state }) => state === 'waiting');
    if (next === undefined) break;
    await send(next);
  }
  isRunning = false;
}

async function send({ key, file }: Sending): Promise<void> {
  const end = new AbortController();
  ends.set(key, end);
  set(key, { state: 'sending' });
  try {
    const { id } = await sendFile('/uploads', file.name, file, (sent) => set(key, { sent }), end.signal);
    const papers = documents.get(key) ?? [];
    if (papers.length > 0) waiting.set(id, papers);
    set(key, { state: 'sent', upload: id });
  } catch (error) {
    if (end.signal.aborted) forget(key);
    else
      set(key, {
        state: 'failed',
        problem: error instanceof Problem ? error : new Problem(0, 'page', t('problem.page')),
      });
  } finally {
    ends.delete(key);
  }
}

/** Ends its sending, or takes it off the list. */
export function forget(key: number): void {
  ends.get(key)?.abort();
  documents.delete(key);
  queue = queue.filter((each) => each.key !== key);
  for (const draw of watchers) draw();
}

export function useQueue(): readonly Sending[] {
  const [, draw] = useState(0);
  useLayoutEffect(() => {
    const watcher = (): void => draw((n) => n + 1);
    watchers.add(watcher);
    return () => void watchers.delete(watcher);
  }, []);
  return queue;
}

export function sendFile(
  path: string,
  name: string,
  content: Blob,
  onSent: (bytes: number) => void = () => undefined,
  signal?: AbortSignal,
): Promise<Upload> {
  return sendOctets<Upload>(path, content, { 'x-file-name': encodeURIComponent(name) }, onSent, signal);
}

/** Documents under the names that rows give them, in any folder; a document that no row names keeps its own name. */
export async function sendDocuments(
  { id, missing }: Pick<Upload, 'id' | 'missing'>,
  papers: readonly File[],
  onSent: () => void = () => undefined,
): Promise<void> {
  for (const file of papers) {
    const named = missing.find((path) => path.slice(path.lastIndexOf('/') + 1) === file.name);
    await sendFile(`/uploads/${id}/documents`, named ?? file.name, file);
    onSent();
  }
}

// Documents that came with the file are sent once it is known by which names its rows call them.

const waiting = new Map<string, readonly File[]>();

export function takeDocuments(upload: string): readonly File[] {
  const kept = waiting.get(upload) ?? [];
  waiting.delete(upload);
  return kept;
}
