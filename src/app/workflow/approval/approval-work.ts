// What every step of an approval works with: the batch as the one who carries it has it, its file, and how long may be waited.
import type { BatchRecord } from '../../../ledger/records.ts';
import type { ReadFile } from '../../../rows/format.ts';
import type { Paydrop } from '../../parts.ts';
import type { RunControl } from '../../parts/run-options.ts';

export type ApprovalWork = {
  readonly paydrop: Paydrop;
  readonly batch: BatchRecord;
  readonly read: ReadFile;
  readonly control: RunControl;
};
