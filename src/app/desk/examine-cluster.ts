// What `doctor` and `status` say about a ledger that several machines share: the requirements on the database, and the nodes that work on it.
import { sameWords, type Words } from '../../base/language.ts';
import type { DatabaseFacts } from '../../ledger/postgres/examine-database.ts';
import { sentence } from '../../messages/messages.ts';
import { isLoopback } from '../config/listeners.ts';
import { configDigest, type SharedLedger } from '../config/ledger-config.ts';
import type { Records } from '../parts.ts';
import { livingNodes } from '../parts/daemon-note.ts';
import type { DoctorFinding } from './finding.ts';

/** The oldest version with the features that the ledger uses. */
const VERSION_LEAST = 14;

/** The database's clock decides about leases, but people read times by their own. */
const CLOCK_DIFFERENCE_MS = 2_000;

/** Empty where the ledger is a file. */
export async function examineCluster(
  records: Pick<Records, 'config' | 'ledger'>,
): Promise<readonly DoctorFinding[]> {
  const { sharedLedger = null } = records.config;
  if (sharedLedger === null) return [];
  const { examineDatabase } = await import('../../ledger/postgres/examine-database.ts');
  const facts = await examineDatabase(sharedLedger);
  return [...databaseFindings(facts, sharedLedger), await examineNodes(records)];
}

export function databaseFindings(
  facts: DatabaseFacts,
  { url }: Pick<SharedLedger, 'url'>,
): readonly DoctorFinding[] {
  const { version, settings, synchronousStandbys, clockDifferenceMs, isPooled } = facts;
  const off = ['fsync', 'full_page_writes', 'synchronous_commit'].filter((name) => settings[name] !== 'on');
  const seconds = Math.round(Math.abs(clockDifferenceMs) / 1_000);
  return [
    finding('database', Math.floor(version / 10_000) >= VERSION_LEAST, {
      ok: sentence('doctor.database.version', { version: shownVersion(version) }),
      fault: sentence('doctor.database.old', { version: shownVersion(version), least: VERSION_LEAST }),
    }),
    finding('durable', off.length === 0, {
      ok: sentence('doctor.database.durable'),
      fault: sentence('doctor.database.off', { names: off.join(', ') }),
    }),
    finding('standby', synchronousStandbys > 0, {
      ok: sentence('doctor.database.standby', { count: synchronousStandbys }),
      fault: sentence('doctor.database.noStandby'),
    }),
    finding('tls', isPrivate(url), {
      ok: sentence('doctor.database.tls'),
      fault: sentence('doctor.database.open'),
    }),
    finding('databaseClock', Math.abs(clockDifferenceMs) <= CLOCK_DIFFERENCE_MS, {
      ok: sentence('doctor.database.clock'),
      fault: sentence('doctor.database.clockDiffers', { seconds }),
    }),
    finding('pooling', !isPooled, {
      ok: sentence('doctor.database.direct'),
      fault: sentence('doctor.database.pooled'),
    }),
  ];
}

function finding(
  name: string,
  ok: boolean,
  words: { readonly ok: Words; readonly fault: Words },
): DoctorFinding {
  return { name, ok, words: ok ? words.ok : words.fault };
}

/** `180004` is 18.4. */
function shownVersion(version: number): string {
  return `${String(Math.floor(version / 10_000))}.${String(version % 10_000)}`;
}

/** People's names and accounts travel there. */
function isPrivate(text: string): boolean {
  const url = new URL(text);
  return isLoopback(url) || url.searchParams.get('sslmode') === 'verify-full';
}

/** Nodes with different rules would pay a file by the rules of the one that takes it. */
export async function examineNodes({
  config,
  ledger,
}: Pick<Records, 'config' | 'ledger'>): Promise<DoctorFinding> {
  const own = configDigest(config);
  const nodes = await livingNodes(ledger);
  const different = nodes.flatMap(({ node, digest }) => (digest === null || digest === own ? [] : [node]));
  const names = nodes.map(({ node }) => node).join(', ');
  return finding('nodes', different.length === 0, {
    ok:
      nodes.length === 0
        ? sentence('doctor.nodes.none')
        : sentence('doctor.nodes.equal', { names: sameWords(names) }),
    fault: sentence('doctor.nodes.different', { names: different.join(', ') }),
  });
}

/** A process that works on the ledger at this moment. */
export type NodeStatus = {
  readonly node: string;
  /** ISO. */
  readonly since: string;
  /** The batches that it carries. */
  readonly carries: readonly string[];
};

/** Empty where the ledger is a file. */
export async function nodeStatuses({
  config,
  ledger,
}: Pick<Records, 'config' | 'ledger'>): Promise<readonly NodeStatus[]> {
  if ((config.sharedLedger ?? null) === null) return [];
  const batches = await ledger.batches();
  return (await livingNodes(ledger)).map(({ run, node, since }) => {
    const carried = batches.filter(
      ({ owner, state }) => owner === run && state !== 'closed' && state !== 'refused',
    );
    return { node, since, carries: carried.map(({ id }) => id) };
  });
}
