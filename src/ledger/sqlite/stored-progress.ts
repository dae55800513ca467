// Progress as it is stored: only what is no longer as before the first step. Every step writes, seals and reads it again, and most of it never
// changes. What `FRESH` says of a field that is missing here must therefore stay as it is.
import { FRESH, type Progress } from '../../payouts/progress.ts';
import { readRecord } from '../ledger-unusable.ts';

const FIELDS = Object.keys(FRESH) as readonly (keyof Progress)[];

export function storeProgress(progress: Progress): string {
  const changed: Partial<Record<keyof Progress, unknown>> = { stage: progress.stage };
  for (const field of FIELDS) if (progress[field] !== FRESH[field]) changed[field] = progress[field];
  return JSON.stringify(changed);
}

export function readProgress(stored: string): Progress {
  return { ...FRESH, ...(readRecord(stored) as Partial<Progress>) };
}
