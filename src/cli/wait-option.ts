// `--wait DURATION`, the same for every command that waits.
import { InvalidArgumentError, Option } from 'commander';

import { parseDuration } from '../base/duration.ts';

export function waitOption(): Option {
  return new Option(
    '--wait <duration>',
    'how long to wait for final statuses, such as 30s or 10m; 0 does not wait',
  ).argParser((text: string): number => {
    const ms = parseDuration(text);
    if (ms === null) throw new InvalidArgumentError('Write a duration such as 30s, 10m or 0.');
    return ms;
  });
}
