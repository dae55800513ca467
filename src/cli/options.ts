// What several commands take: the name of the person who decides, how long to wait.
import { InvalidArgumentError, Option } from 'commander';

import { parseDuration } from '../base/duration.ts';
import { readPersonName } from '../base/person-name.ts';
import type { Text } from '../messages/messages.ts';

/** `--by NAME`, the same for every command that asks who decides. */
export function byOption(description: string, text: Text): Option {
  return new Option('--by <name>', description).argParser((name: string): string => {
    const read = readPersonName(name);
    if (read === null) throw new InvalidArgumentError(text('help.wrong.name'));
    return read;
  });
}

/** `--wait DURATION`, in ms. */
export function waitOption(text: Text): Option {
  return new Option('--wait <duration>', text('help.wait')).argParser((duration: string): number => {
    const ms = parseDuration(duration);
    if (ms === null) throw new InvalidArgumentError(text('help.wrong.wait'));
    return ms;
  });
}
