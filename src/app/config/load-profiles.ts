// The profiles of a folder: one file each, called as the profile is.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

import { ConfigUnusable } from './config-unusable.ts';
import { parseProfile, type FileProfile } from './profile-file.ts';
import { sentence } from '../../messages/messages.ts';

export const PROFILE_EXTENSION = '.yaml';

/** All profiles of the folder, by name; none when there is no folder. Throws `ConfigUnusable`. */
export function loadProfiles(folder: string): readonly FileProfile[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => extname(name) === PROFILE_EXTENSION && !name.startsWith('.'))
    .sort()
    .map((name) => loadProfile(join(folder, name)));
}

function loadProfile(path: string): FileProfile {
  const name = basename(path, PROFILE_EXTENSION);
  try {
    return parseProfile(readFileSync(path, 'utf8'), name, sentence('config.profile.place', { path }));
  } catch (error) {
    if (error instanceof ConfigUnusable) throw error;
    throw new ConfigUnusable(sentence('config.profile.unreadable', { path }), { cause: error });
  }
}
