// Who had to wait on a day of many files: for the first payment and for the last answer, by the size of the file and by its folder. A small file beside
// large ones is measured by the small files that had none beside them.

export type Dropped = {
  readonly name: string;
  readonly folder: number;
  readonly rows: number;
  /** In ms of the day, like all times here. */
  readonly at: number;
  /** One of the many that a folder brings at once. */
  readonly isHeap: boolean;
  /** When a row of it was confirmed for the first time, as far as it was looked at. */
  confirmedAt: number | null;
  closedAt: number | null;
};

/** A file that is larger by so much: nobody should have to wait for it. */
const LARGER = 10;

/**
 * The median and 95 of 100 of the waits of small files beside a larger one stay within this factor of those with none beside them, and these ms. Both kinds come
 * on the same day, so this tells whether larger files are preferred, and not how long a small one waits in a cluster that is at its limit: those waits are
 * printed.
 */
const SMALL_ROWS = 100;
const FACTOR = 1.5;
const MORE_MS = 2_000;
/** Of fewer it cannot be said. */
const FEWEST = 5;

const CLASSES = [
  { least: 1, most: 10 },
  { least: 11, most: 100 },
  { least: 101, most: 1_000 },
  { least: 1_001, most: Infinity },
];

type Wait = (file: Dropped) => number;

const toConfirm: Wait = ({ confirmedAt, closedAt, at }) => (confirmedAt ?? closedAt ?? Infinity) - at;
const toEnd: Wait = ({ closedAt, at }) => (closedAt ?? Infinity) - at;

export function at(share: number, numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? NaN;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function spread(of: readonly Dropped[], wait: Wait): string {
  const waits = of.map(wait);
  return `median ${seconds(at(0.5, waits))}, 95 of 100 ${seconds(at(0.95, waits))}, most ${seconds(at(1, waits))}`;
}

function both(of: readonly Dropped[]): string {
  return `${String(of.length)} files: first confirm ${spread(of, toConfirm)}; last answer ${spread(of, toEnd)}`;
}

/** Those that were open when it came, and are so much larger. */
function largerBeside(small: Dropped, files: readonly Dropped[]): readonly Dropped[] {
  return files.filter(
    (large) =>
      large.rows >= LARGER * small.rows && large.at < small.at && (large.closedAt ?? Infinity) > small.at,
  );
}

/** Tells all of it, and returns whether no small file was kept waiting by a larger one. */
export function tellWaits(files: readonly Dropped[], tell: (words: string) => void): boolean {
  for (const { least, most } of CLASSES) {
    const of = files.filter(({ rows }) => rows >= least && rows <= most);
    if (of.length > 0)
      tell(`  ${String(least)} to ${most === Infinity ? 'more' : String(most)} rows, ${both(of)}`);
  }
  tellHeap(files, tell);
  tellFolders(files, tell);
  return tellSmall(files, tell);
}

/** The heap takes its turn among the other folders, so its files are none of those by which waiting is measured. */
function tellSmall(files: readonly Dropped[], tell: (words: string) => void): boolean {
  const small = files.filter(({ rows, isHeap }) => rows <= SMALL_ROWS && !isHeap);
  const withLarger = small.map((file) => ({ file, larger: largerBeside(file, files) }));
  const beside = withLarger.filter(({ larger }) => larger.length > 0);
  const alone = withLarger.filter(({ larger }) => larger.length === 0).map(({ file }) => file);
  const pairs = beside.flatMap(({ file, larger }) => larger.map((large) => ({ file, large })));
  const waited = pairs.filter(({ file, large }) => file.at + toConfirm(file) > (large.closedAt ?? Infinity));
  const last = pairs.filter(({ file, large }) => file.at + toEnd(file) > (large.closedAt ?? Infinity));
  tell(
    `of at most ${String(SMALL_ROWS)} rows, beside one ${String(LARGER)} times as large, ${both(beside.map(({ file }) => file))}`,
  );
  tell(`  as small with none beside, ${both(alone)}`);
  tell(
    `  of ${String(pairs.length)} pairs the small one had its first confirm behind the end of the large one in ${String(waited.length)}, and its last answer in ${String(last.length)}`,
  );
  if (beside.length < FEWEST || alone.length < FEWEST) {
    tell('NOT enough small files of both kinds to say whether they waited');
    return false;
  }
  const bounds = [0.5, 0.95].map((share) => {
    const bound = FACTOR * at(share, alone.map(toConfirm)) + MORE_MS;
    const found = at(
      share,
      beside.map(({ file }) => toConfirm(file)),
    );
    tell(
      `  ${String(100 * share)} of 100 first confirms beside larger ones: ${seconds(found)}, bound ${seconds(bound)}: ${found <= bound ? 'kept' : 'BROKEN'}`,
    );
    return found <= bound;
  });
  return bounds.every(Boolean);
}

function tellHeap(files: readonly Dropped[], tell: (words: string) => void): void {
  const heap = files.filter(({ isHeap }) => isHeap);
  if (heap.length === 0) return;
  const from = Math.min(...heap.map((file) => file.at));
  const to = Math.max(...heap.map(({ closedAt }) => closedAt ?? Infinity));
  tell(`the heap of one folder, ${both(heap)}`);
  const during = files.filter((file) => !file.isHeap && file.at >= from && file.at < to);
  tell(`  other folders meanwhile, ${both(during)}`);
}

/** What each folder brought, and for how long its files waited: the share of a folder is what its rows got while others had theirs. */
function tellFolders(files: readonly Dropped[], tell: (words: string) => void): void {
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  const folders = [...Map.groupBy(files, ({ folder }) => folder)].sort(([one], [other]) => one - other);
  tell('by folder: files, share of all rows, median wait to the first confirm and to the last answer');
  for (const [folder, of] of folders) {
    const own = of.reduce((sum, file) => sum + file.rows, 0);
    tell(
      `  ${String(folder).padStart(2, '0')}: ${String(of.length)}, ${((100 * own) / rows).toFixed(1)} %, ${seconds(at(0.5, of.map(toConfirm)))}, ${seconds(at(0.5, of.map(toEnd)))}`,
    );
  }
}
