// A pattern of file names as it stands in the config or in a profile. A few braces may stand for millions of names, so it is measured before it is obeyed.
import { braceExpand } from 'minimatch';
import { z } from 'zod';
import { sentence } from '../../messages/messages.ts';
import { saysOf } from './config-unusable.ts';

const LENGTH_MOST = 1000;

/** Names that the braces of one pattern may stand for. */
const NAMES_MOST = 100;

const WRITE_SHORTER = sentence('config.write.shorter', { most: LENGTH_MOST, names: NAMES_MOST });

export const filePattern = z
  .string()
  .min(1)
  .superRefine((pattern, context) => {
    if (!isModest(pattern)) context.addIssue({ ...saysOf(WRITE_SHORTER), input: pattern });
  });

function isModest(pattern: string): boolean {
  if (pattern.length > LENGTH_MOST) return false;
  return braceExpand(pattern, { braceExpandMax: NAMES_MOST + 1 }).length <= NAMES_MOST;
}
