// The two rejections that no single row can show: a reference that an earlier row carries, and a final no of the service.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { sameWords } from '../../src/base/language.ts';
import { rejectedRecords } from '../../src/results/answer-table.ts';
import type { CheckRules } from '../../src/app/workflow/validate/check-rules.ts';
import { validateFile } from '../../src/app/workflow/validate/validate-file.ts';
import { systemClock } from '../../src/base/clock.ts';
import { openSqlite } from '../../src/ledger/open-ledger.ts';
import { FRESH } from '../../src/payouts/progress.ts';
import { rejectionText } from '../../src/payouts/rejection.ts';
import { BATCH, newRow, readBy } from '../ledger/records.ts';
import { readTable } from '../rows/read-table.ts';
import { CORRIDORS, SENDER, WALLET_ROW } from './validation.ts';
import { own } from '../ledger/own.ts';

const folder = mkdtempSync(join(tmpdir(), 'rejections-'));
afterAll(() => rmSync(folder, { recursive: true }));

const RULES: CheckRules = {
  corridors: CORRIDORS,
  sender: SENDER,
  documents: { door: null, beside: new Map(), earlier: new Map(), rows: new Map() },
  earlier: new Map(),
};

/** A file of wallet rows with these references. */
function fileWith(...references: readonly string[]) {
  const names = Object.keys(WALLET_ROW).filter((name) => name === 'reference' || WALLET_ROW[name] !== '');
  const lines = references.map((reference) =>
    names.map((name) => (name === 'reference' ? reference : (WALLET_ROW[name] ?? ''))).join(','),
  );
  return readTable(`${[names.join(','), ...lines].join('\n')}\n`);
}

describe('reference_repeated', () => {
  it('the second row of a file with a reference is rejected and names the first; rows without one are not', async () => {
    const file = await fileWith('A-1', '', 'A-2', 'A-1', '');
    const checked = await Array.fromAsync(validateFile(file, RULES));
    expect(checked.map(({ rejections }) => rejectionText(rejections))).toEqual([
      '',
      '',
      '',
      'Reference (reference): The reference "A-1" is already in row 2. Give every row its own reference.',
      '',
    ]);
    expect(checked[3]).toMatchObject({ payout: null, rejections: [{ code: 'reference_repeated' }] });
  });
});

describe('refused_by_service', () => {
  it('a row that the service refused for good goes back with the words of the service', async () => {
    const file = await fileWith('A-1', 'A-2');
    const ledger = openSqlite(join(folder, 'ledger.sqlite'), systemClock);
    await ledger.addBatch(readBy(ledger));
    const refused = {
      ...FRESH,
      stage: 'rejected',
      why: { errorCode: '10018', reason: sameWords('The corridor takes no salaries.') },
    } as const;
    await ledger.addRows(await own(ledger, BATCH.id), [
      newRow(0),
      newRow(1, { row: '3', progress: refused }),
    ]);
    const rows = await Array.fromAsync(rejectedRecords(file, ledger, BATCH, 'rejected'));
    expect(rows.map(({ row, rejections }) => [row.place, rejections])).toEqual([
      [
        '3',
        [
          {
            code: 'refused_by_service',
            column: 'payout',
            words: sameWords('The corridor takes no salaries.'),
          },
        ],
      ],
    ]);
    await ledger.close();
  });
});

describe('the text of the payout.error column', () => {
  it('names each column before its fault', () => {
    expect(
      rejectionText([
        { code: 'amount_missing', column: 'Montant', words: sameWords('Write one.') },
        { code: 'purpose_missing', column: 'Objet', words: sameWords('Say it.') },
      ]),
    ).toBe('Montant: Write one. | Objet: Say it.');
  });

  it('names the columns that lack the same thing once, as people call them, in their language', () => {
    const missing = ['receiver.firstName', 'receiver.lastName'].map(
      (column) =>
        ({
          code: 'receiver_field_missing',
          column,
          words: { en: 'Fill it.', fr: 'Remplissez.', es: 'Rellénelo.' },
        }) as const,
    );
    expect(rejectionText(missing, 'fr')).toBe(
      'Prénom (receiver.firstName) et Nom de famille (receiver.lastName)\u00a0: Remplissez.',
    );
  });
});
