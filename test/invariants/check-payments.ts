// Money that moved: once for a row, for what the row says, and every movement with its two sides.
import { placed, statusAt, type CaseFile, type Violation } from './case-file.ts';
import { differences } from './differences.ts';
import type { Account, Minor } from './journal.ts';

/** I-1: of a row never two transfers are confirmed without a failure of the first. */
export function checkOncePerRow(file: CaseFile): readonly Violation[] {
  const live = new Map<string, Set<string>>();
  return placed(file.journal, 'status').flatMap(({ transferId, to }) => {
    const known = file.transfers.get(transferId);
    const row = known?.owner?.row;
    if (row === undefined || known?.by === 'other') return [];
    const ofRow = live.get(row) ?? new Set();
    live.set(row, ofRow);
    if (to === 'failed') ofRow.delete(transferId);
    if (to !== 'submitted' && to !== 'paid') return [];
    ofRow.add(transferId);
    const words = `transfers ${[...ofRow].join(' and ')} are both confirmed`;
    return ofRow.size > 1 ? [{ invariant: 'I-1', row, words }] : [];
  });
}

/** I-5: what our confirm submits is what the row asked for, with the row's document. */
export function checkWhatWasPaid(file: CaseFile): readonly Violation[] {
  const documents = placed(file.journal, 'document');
  return placed(file.journal, 'status').flatMap(({ transferId, to, by, place }): readonly Violation[] => {
    if (to !== 'submitted' || by !== 'confirm') return [];
    const known = file.transfers.get(transferId);
    const asked = file.askedOf.get(known?.owner?.row ?? '');
    if (known === undefined || asked === undefined)
      return [{ invariant: 'I-5', row: null, words: `${transferId} belongs to no row and was confirmed` }];
    const document = documents.findLast((entry) => entry.transferId === transferId && entry.place < place);
    const isDocumented = (document?.sha256 ?? null) === asked.documentSha256;
    const wrong = [...differences(asked, known.facts), ...(isDocumented ? [] : ['document'])];
    if (known.by === 'other') wrong.push('made by somebody else');
    return wrong.length === 0
      ? []
      : [
          {
            invariant: 'I-5',
            row: asked.row,
            words: `${transferId} was confirmed with another ${wrong.join(', ')}`,
          },
        ];
  });
}

/** I-4: nothing appears or vanishes, and what is pending is exactly what stands as created or submitted. */
export function checkBooks(file: CaseFile): readonly Violation[] {
  const balances = new Map<string, Minor>();
  const add = (currency: string, account: Account, amount: Minor): void => {
    const key = `${currency} ${account}`;
    balances.set(key, (balances.get(key) ?? 0n) + amount);
  };
  for (const { currency, from, to, amount } of placed(file.journal, 'moved')) {
    add(currency, from, -amount);
    add(currency, to, amount);
  }
  const expected = new Map<string, Minor>();
  for (const known of file.transfers.values()) {
    const account = { created: 'pending', submitted: 'pending', paid: 'paidOut', failed: null }[
      statusAt(known)
    ];
    if (account === null || account === undefined) continue;
    const key = `${known.facts.sourceCurrency} ${account}`;
    expected.set(key, (expected.get(key) ?? 0n) + known.facts.sendAmount + known.facts.feeAmount);
  }
  const keys = [...balances.keys()].filter((key) => !key.endsWith('world') && !key.endsWith('available'));
  return keys.flatMap((key) =>
    balances.get(key) === (expected.get(key) ?? 0n)
      ? []
      : [
          {
            invariant: 'I-4',
            row: null,
            words: `${key} is ${String(balances.get(key))}, not ${String(expected.get(key))}`,
          },
        ],
  );
}
