// What can be seen of a file before anything is known of it.
import type { Delimiter } from './csv-form.ts';

export type Peek = {
  /** At least the rows in which a header may stand. */
  readonly rows: readonly (readonly string[])[];
  readonly delimiter: Delimiter | null;
  readonly sheet: string | null;
};
