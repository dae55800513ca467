// What people have verified: that an account is a payee's own, asked in a way that was trusted before. It counts for exactly this payee and this account, each by
// its key, and is kept here because no ledger knows it and a lost one is rebuilt without it.
import { type Clock, isoTime } from '../../base/clock.ts';
import type { Verification } from '../../contract/payees.ts';
import type { BatchRecord } from '../../ledger/records.ts';
import { isAmongPeople } from '../../base/person-name.ts';
import type { Workspace } from '../../inbox/workspace.ts';
import {
  inOneCommit,
  logAccess,
  openedPeople,
  type PeopleFile,
  type PeopleRow,
  textOrNull,
} from './people-file.ts';

/** `payee`: see `payeeKey`; `account`: see `accountKey`. */
type AccountOfPayee = { readonly payee: string; readonly account: string };
/** `shown`: the masked end of the account. */
type VerifiedRow = Pick<Verification, 'by' | 'how' | 'batch' | 'row'> & { readonly shown: string | null };

export class VerifiedAccounts {
  readonly #file: PeopleFile;

  constructor(file: PeopleFile) {
    this.#file = file;
  }

  /** An earlier one stays on record. The log names the row, and neither payee nor what was said: it cannot be changed, and a person may ask to be forgotten. */
  add({ payee, account }: AccountOfPayee, { by, how, shown, batch, row }: VerifiedRow): void {
    inOneCommit(this.#file, () => {
      this.#file.database
        .prepare(
          'INSERT INTO verified_accounts (payee, account, at, by, how, shown, batch, row) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        )
        .run(payee, account, isoTime(this.#file.clock.now()), by, how, shown, batch, row);
      logAccess(this.#file, by, 'account_verified', `${batch} ${row}`);
    });
  }

  /** From here on it counts no more, whoever said it; false where nobody had. */
  withdraw({ payee, account }: AccountOfPayee, { by, how, batch, row }: Omit<VerifiedRow, 'shown'>): boolean {
    return inOneCommit(this.#file, () => {
      const { changes } = this.#file.database
        .prepare(
          'UPDATE verified_accounts SET withdrawn_at = ?, withdrawn_why = ? WHERE payee = ? AND account = ? AND withdrawn_at IS NULL',
        )
        .run(isoTime(this.#file.clock.now()), how, payee, account);
      if (changes === 0) return false;
      logAccess(this.#file, by, 'verification_withdrawn', `${batch} ${row}`);
      return true;
    });
  }

  /** By the key of the account, the newest first. */
  of(payee: string): ReadonlyMap<string, readonly Verification[]> {
    const found = this.#file.database
      .prepare('SELECT * FROM verified_accounts WHERE payee = ? AND withdrawn_at IS NULL ORDER BY seq DESC')
      .all(payee);
    const ofEach = Map.groupBy(found, ({ account }) => String(account));
    return new Map([...ofEach].map(([account, all]) => [account, all.map(toVerification)]));
  }

  /** The newest of each row from which one was read. */
  ofBatch(batch: string): ReadonlyMap<string, Verification> {
    const found = this.#file.database
      .prepare('SELECT * FROM verified_accounts WHERE batch = ? AND withdrawn_at IS NULL ORDER BY seq')
      .all(batch)
      .map(toVerification);
    return new Map(found.map((each) => [each.row, each]));
  }
}

function toVerification(found: PeopleRow): Verification {
  return {
    account: textOrNull(found['shown']),
    at: String(found['at']),
    by: String(found['by']),
    how: String(found['how']),
    batch: String(found['batch']),
    row: String(found['row']),
  };
}

/** Who has verified an account last, and when; or when somebody came to doubt that word. */
export type Verified = { readonly by: string; readonly at: string; readonly isWithdrawn: boolean };

/** By both keys. */
export type VerifiedForFile = ReadonlyMap<string, Verified>;

export const verifiedKey = (payee: string, account: string): string => `${payee} ${account}`;

/** What counts for a file: never what somebody says who brought it. A file of people that cannot be read holds up no payment: without it an account is asked about. */
export function verifiedFor(
  { workspace, clock }: { readonly workspace: Pick<Workspace, 'root'>; readonly clock: Clock },
  { submittedBy = [] }: Pick<BatchRecord, 'submittedBy'>,
): VerifiedForFile {
  let file: PeopleFile | null = null;
  try {
    file = openedPeople(workspace, clock);
    const all = file?.database.prepare('SELECT * FROM verified_accounts ORDER BY seq').all() ?? [];
    const isOwn = (by: unknown): boolean => isAmongPeople(submittedBy, String(by));
    const counting = all.filter(({ by, withdrawn_at }) => withdrawn_at !== null || !isOwn(by));
    return new Map(
      counting.map((each): [string, Verified] => {
        const isWithdrawn = each['withdrawn_at'] !== null;
        const at = String(isWithdrawn ? each['withdrawn_at'] : each['at']);
        const key = verifiedKey(String(each['payee']), String(each['account']));
        return [key, { by: String(each['by']), at, isWithdrawn }];
      }),
    );
  } catch (error) {
    if (error instanceof Error && 'errcode' in error) return new Map();
    throw error;
  } finally {
    file?.database.close();
  }
}
