// What people say to each other about a file or a row of it, beside the people: nothing that is paid depends on it, and it outlives a lost ledger.
import { isoTime } from '../../base/clock.ts';
import { inOneCommit, logAccess, type PeopleFile, textOrNull } from './people-file.ts';

export type FileComment = {
  /** Counts those of a file. */
  readonly number: number;
  /** Null for a comment on the whole file. */
  readonly row: string | null;
  readonly by: string;
  /** ISO time. */
  readonly at: string;
  /** One line of plain text. */
  readonly text: string;
};

export class Comments {
  readonly #file: PeopleFile;

  constructor(file: PeopleFile) {
    this.#file = file;
  }

  /** In the order in which they were made. */
  of(batch: string): readonly FileComment[] {
    const found = this.#file.database.prepare('SELECT * FROM comments WHERE batch = ? ORDER BY number');
    return found.all(batch).map((each) => ({
      number: Number(each['number']),
      row: textOrNull(each['of_row']),
      by: String(each['who']),
      at: String(each['at']),
      text: String(each['said']),
    }));
  }

  add(batch: string, { row, by, text }: Pick<FileComment, 'row' | 'by' | 'text'>): void {
    inOneCommit(this.#file, () => {
      this.#file.database
        .prepare(
          `INSERT INTO comments (batch, number, of_row, who, at, said)
           SELECT ?1, 1 + coalesce(max(number), 0), ?2, ?3, ?4, ?5 FROM comments WHERE batch = ?1`,
        )
        .run(batch, row, by, isoTime(this.#file.clock.now()), text);
      logAccess(this.#file, by, 'commented', row === null ? batch : `${batch} ${row}`);
    });
  }
}
