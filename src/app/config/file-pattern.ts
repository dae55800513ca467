// A pattern of file names as it stands in the config or in a profile. A few braces may stand for millions of names, so it is measured before it is obeyed.
import { braceExpand } from 'minimatch';
import { z } from 'zod';

const LENGTH_MOST = 1000;

/** Names that the braces of one pattern may stand for. */
const NAMES_MOST = 100;

const WRITE_SHORTER = `write a shorter pattern, or several: one has at most ${String(LENGTH_MOST)} characters, and its braces stand for at most ${String(NAMES_MOST)} names`;

export const filePattern = z.string().min(1).refine(isModest, WRITE_SHORTER);

function isModest(pattern: string): boolean {
  if (pattern.length > LENGTH_MOST) return false;
  return braceExpand(pattern, { braceExpandMax: NAMES_MOST + 1 }).length <= NAMES_MOST;
}
