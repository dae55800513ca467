// What `doctor` says of the schedules: when each comes next, so that its owner sees what the expression really means, and whether its folder is there.
import { join } from 'node:path';

import { isFolder } from '../../inbox/workspace.ts';
import type { Records } from '../parts.ts';
import { nextTimes, timeWords } from '../config/occurrences.ts';
import type { Finding } from './finding.ts';

/** Enough to see the rhythm. */
const SHOWN = 3;

export async function examineSchedules({
  config,
  clock,
  workspace,
}: Pick<Records, 'config' | 'clock' | 'workspace'>): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const schedule of config.schedules) {
    const { folder, timeZone } = schedule;
    const times = nextTimes(schedule, clock.now(), SHOWN).map((ms) => timeWords(ms, timeZone).en);
    const isThere = await isFolder(join(workspace.inbox, folder));
    const words = isThere
      ? `${folder}: ${times.join('; ')}`
      : `${folder}: the inbox has no such folder. Create it, or correct the name.`;
    findings.push({ name: 'schedule', ok: isThere, words });
  }
  return findings;
}
