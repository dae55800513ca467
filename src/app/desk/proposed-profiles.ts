// Profiles that makers propose at the page. Each reads its author's own uploads alone until another person, a treasurer or an admin, confirms exactly its text.
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { parse, stringify } from 'yaml';

import { publishFile } from '../../base/atomic-file.ts';
import { isoTime } from '../../base/clock.ts';
import { sameWords, type Words } from '../../base/language.ts';
import { isSameName } from '../../base/person-name.ts';
import type { Config } from '../config/config.ts';
import { type FileProfile, parseProfile, PROFILE_EXTENSION, proposedFolder } from '../config/profile-file.ts';
import { foldHeader, plainHeader } from '../../rows/known-columns.ts';
import { isAccount, masked } from '../../payouts/shown-payee.ts';
import type { Records } from '../parts.ts';
import { type Decider, type DeciderFault, mayDecide } from '../workflow/batch/may-decide.ts';
import { isGuarded, readsFilesOf } from '../workflow/batch/profile-for.ts';

/** A profile as people decide about it. */
type ShownProfile = {
  readonly name: string;
  /** Patterns of file names. */
  readonly files: readonly string[];
  /** Each header as it was written, and in plain words what the column is taken for; null for one that is not read. */
  readonly columns: readonly {
    readonly header: string;
    readonly column: string | null;
    readonly words: Words | null;
    /** Such a column may hold accounts: who looks at the profile sees their ends alone. */
    readonly isMasked: boolean;
  }[];
  readonly author: string | null;
  readonly confirmed: FileProfile['confirmed'];
  /** It reads its author's own uploads alone. */
  readonly isProposal: boolean;
  /** Another one of this name reads everybody's files until this one is confirmed. */
  readonly replaces: boolean;
  /** The YAML text, and its SHA-256 in hex: who confirms says which text was seen. */
  readonly text: string;
  readonly digest: string;
  /** Why the person who asks may not confirm it; null for somebody who may, and for one that is no proposal. */
  readonly whyNot: DeciderFault | null;
};

type Profiles = Pick<Config, 'fileProfiles' | 'proposedProfiles' | 'approvers'>;

/** Proposals first. */
export function shownProfiles(config: Profiles, decider: Decider): readonly ShownProfile[] {
  const { fileProfiles, proposedProfiles = [] } = config;
  const names = new Set(fileProfiles.map(({ profile }) => profile.name));
  return [
    ...proposedProfiles.map((each) => ({
      ...shown(each),
      isProposal: true,
      replaces: names.has(each.profile.name),
      whyNot: whyNot(config, each, decider),
    })),
    ...fileProfiles.map((each) => ({ ...shown(each), isProposal: false, replaces: false, whyNot: null })),
  ];
}

function shown({ profile, files, author, confirmed, text }: FileProfile) {
  const columns = writtenHeaders(text).map((header) => {
    const column = profile.columns.get(foldHeader(header)) ?? null;
    const isMasked = column === null || isAccount(column);
    return { header, column, words: column === null ? null : plainHeader(column), isMasked };
  });
  return { name: profile.name, files, columns, author, confirmed, text, digest: digestOf(text) };
}

/** The profile itself has them folded. */
function writtenHeaders(text: string): readonly string[] {
  const { columns } = parse(text) as { readonly columns?: Readonly<Record<string, unknown>> };
  return Object.keys(columns ?? {});
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function whyNot({ approvers }: Profiles, { author }: FileProfile, decider: Decider): DeciderFault | null {
  const may = mayDecide('profile', decider, author === null ? [] : [author], {
    // The approvers of the config decide about files; who decides about profiles is a matter of roles.
    approvers: decider.roles === null ? approvers : [],
    approvalBy: 'name',
  });
  return 'code' in may ? may : null;
}

type Confirmed = 'confirmed' | 'unknown' | 'changed' | 'guarded' | DeciderFault;

/** From then on it reads everybody's files of its names. `changed`: its text is another one than was seen. */
export async function confirmProfile(
  { config, clock, log }: Pick<Records, 'config' | 'clock' | 'log'>,
  name: string,
  { seen, ...decider }: Decider & { readonly seen: string },
): Promise<Confirmed> {
  const proposal = config.proposedProfiles?.find(({ profile }) => profile.name === name);
  if (proposal === undefined) return 'unknown';
  if (digestOf(proposal.text) !== seen) return 'changed';
  const fault = whyNot(config, proposal, decider);
  if (fault !== null) return fault;
  if (isGuarded(name, readsFilesOf(proposal), config)) return 'guarded';
  const confirmed = stringify({ confirmed: { by: decider.by, at: isoTime(clock.now()) } });
  const text = `${proposal.text.trimEnd()}\n${confirmed}`;
  const file = `${name}${PROFILE_EXTENSION}`;
  // What is written must be readable.
  parseProfile(text, name, sameWords(file));
  await publishFile(join(config.profilesPath, file), [text]);
  await rm(join(proposedFolder(config.profilesPath), file), { force: true });
  log.info('profile confirmed', { by: decider.by });
  return 'confirmed';
}

/** Takes a proposal away: its author's, or anybody's for who may confirm it. */
export async function withdrawProfile(
  { config }: Pick<Records, 'config'>,
  name: string,
  decider: Decider,
): Promise<'withdrawn' | 'unknown' | DeciderFault> {
  const proposal = config.proposedProfiles?.find(({ profile }) => profile.name === name);
  if (proposal === undefined) return 'unknown';
  const isOwn = proposal.author !== null && isSameName(proposal.author, decider.by);
  const fault = isOwn ? null : whyNot(config, proposal, decider);
  if (fault !== null) return fault;
  await rm(join(proposedFolder(config.profilesPath), `${name}${PROFILE_EXTENSION}`), { force: true });
  return 'withdrawn';
}

/** A cell as it is shown to who decides about a profile. */
export function shownCell(cell: string, isMasked: boolean): string {
  return isMasked && cell.trim() !== '' ? masked(cell.trim()) : cell;
}
