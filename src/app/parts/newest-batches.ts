// All batches, the newest first, some at a time: whoever finds what it looks for among the last reads no more of them.
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/records.ts';

const PAGE = 50;

/** @param before those accepted before this one; null for all. */
export async function* newestBatches(
  ledger: Pick<Ledger, 'batches'>,
  before: BatchRecord | null = null,
): AsyncGenerator<BatchRecord> {
  for (let last = before; ;) {
    const page = await ledger.batches({ before: last, limit: PAGE });
    yield* page;
    last = page.at(-1) ?? null;
    if (page.length < PAGE) return;
  }
}
