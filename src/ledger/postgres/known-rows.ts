// The lines of rows that this run has taken up, as it wrote them last: a step need not read again what it knows.
import type { RowRecord } from '../records.ts';
import type { Found } from '../seals.ts';
import { keyOf, type Place, type RowMemory } from '../tables/row-lines.ts';

const LINES_MAX = 5_000;

export class KnownRows implements RowMemory {
  readonly #lines = new Map<string, Found>();
  readonly doubts = new Set<string>();

  line(row: RowRecord): Found | null {
    const found = this.#lines.get(keyOf(row));
    return found?.['version'] === row.version ? found : null;
  }

  learn(line: Found): void {
    // Whatever was taken up and never written must not stay for ever.
    if (this.#lines.size >= LINES_MAX) this.#lines.clear();
    this.#lines.set(keyOf(line), line);
  }

  forget(row: Place): void {
    this.#lines.delete(keyOf(row));
  }
}
