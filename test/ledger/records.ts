// Batches and rows as a ledger is given them, right as they stand, so that a test names only what it changes.
import { expect } from 'vitest';

import type { BatchChange, BatchRecord, NewRow, RowRecord } from '../../src/ledger/records.ts';
import type { Ledger, RowChange } from '../../src/ledger/ledger.ts';
import { newHold } from '../../src/payouts/hold.ts';
import type { Stage, StageOrHeld } from '../../src/payouts/lifecycle.ts';
import type { Payout } from '../../src/payouts/payout.ts';
import { FRESH, type Progress } from '../../src/payouts/progress.ts';
import { keysOf } from '../../src/payouts/payment-keys.ts';
import { PAYOUT } from '../delivery/due-row.ts';

export const BATCH: BatchRecord = {
  id: '20261120-79c1bde8',
  fileId: '79c1bde8'.repeat(8),
  sha256: '79c1bde8'.repeat(8),
  fileName: 'salaries.csv',
  state: 'taking',
  owner: null,
  token: 0,
  wait: null,
  decisions: [],
  onInvalidRows: 'refuse-file',
  whole: null,
  sandbox: true,
  rows: 0,
  content: null,
  acceptedAt: '2026-11-20T08:30:00.000Z',
  finished: null,
};

export const BY_MARIE = { by: 'Marie Dupont', reason: 'wrong bank file' } as const;

/** As a person leaves a batch of which nobody had decided anything. */
export const PAUSED = {
  decisions: [
    {
      about: 'pause',
      ...BY_MARIE,
      at: '2026-11-20T08:31:00.000Z',
      words: {
        en: 'Paused by Marie Dupont.',
        fr: 'Mis en pause par Marie Dupont.',
        es: 'Puesto en pausa por Marie Dupont.',
      },
    },
  ],
} as const satisfies BatchChange;
export const RESUMED: BatchChange = {
  decisions: [
    ...PAUSED.decisions,
    { about: 'resume', by: 'Marie Dupont', reason: null, at: '2026-11-20T08:32:00.000Z' },
  ],
};

/** A batch whose rows this run registers. */
export function readBy({ run }: Pick<Ledger, 'run'>, batch: BatchRecord = BATCH): BatchRecord {
  return { ...batch, state: 'checking', owner: run };
}

/** The same as a ledger keeps it that announced it, or took it over. */
export function keptBy({ run }: Pick<Ledger, 'run'>, batch: BatchRecord): BatchRecord {
  return { ...batch, owner: run, token: expect.any(Number) as number };
}

/** Another batch, of a file of its own; `digit` tells it from the others. */
export function batchNumber(digit: number, changes: Partial<BatchRecord> = {}): BatchRecord {
  const sha256 = String(digit).repeat(64);
  return { ...BATCH, id: `20261120-${sha256.slice(0, 8)}`, fileId: sha256, sha256, ...changes };
}

/** A row to register: due, ready, of nobody else's reference or payment. */
export function newRow(position: number, { fingerprint = null, ...changes }: Changes = {}): NewRow {
  const { payout = PAYOUT } = changes;
  return {
    position,
    row: String(position + 2),
    payout,
    rejections: [],
    reference: null,
    lineage: null,
    keys: { ...(payout === null ? NO_KEYS : keysOf(payout)), fingerprint, payment: fingerprint },
    progress: FRESH,
    isDue: true,
    ...changes,
  };
}

/** `fingerprint`: two rows with the same one are the same payment. */
type Changes = Partial<NewRow> & { readonly fingerprint?: string | null };

const NO_KEYS = { payee: null, shortPayee: null, account: null };

/** Rows 0, 1, 2… */
export function newRows(count: number, changes: Changes = {}): readonly NewRow[] {
  return Array.from({ length: count }, (_, position) => newRow(position, changes));
}

export function inStage(stage: StageOrHeld): Pick<NewRow, 'progress'> {
  return { progress: stage === 'held' ? HELD : { ...FRESH, stage } };
}

export const HELD: Progress = { ...FRESH, hold: newHold('equal_rows', 0) };

export function paidFrom(sourceCurrency: string): Pick<NewRow, 'payout'> {
  const payout: Payout = { ...PAYOUT, sourceCurrency };
  return { payout };
}

/** A change that moves a row on and gives it back, due no more. */
export function movedTo(stage: Stage, row: RowRecord, changes: Partial<RowChange> = {}): RowChange {
  return { progress: { ...row.progress, stage }, dueAt: null, event: stage, ...changes };
}
