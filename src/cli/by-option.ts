// `--by NAME`, the same for every command that asks who decides.
import { InvalidArgumentError, Option } from 'commander';

import { readPersonName } from '../base/person-name.ts';

export function byOption(description: string): Option {
  return new Option('--by <name>', description).argParser((text: string): string => {
    const name = readPersonName(text);
    if (name === null) throw new InvalidArgumentError('Write the name of a person, on one line.');
    return name;
  });
}
