// What `doctor` says of the schedules: when each comes next, so that its owner sees what the expression really means, and whether its folder is there.
import { join } from 'node:path';

import { joinWords } from '../../base/language.ts';
import { isFolder } from '../../inbox/workspace.ts';
import type { Records } from '../parts.ts';
import { nextTimes, timeWords } from '../config/occurrences.ts';
import type { Finding } from './finding.ts';
import { sentence } from '../../messages/messages.ts';

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
    const times = nextTimes(schedule, clock.now(), SHOWN).map((ms) => timeWords(ms, timeZone));
    const isThere = await isFolder(join(workspace.inbox, folder));
    const words = isThere
      ? sentence('doctor.schedule.next', { folder, times: joinWords(times, '; ') })
      : sentence('doctor.schedule.noFolder', { folder });
    findings.push({ name: 'schedule', ok: isThere, words });
  }
  return findings;
}
