// `doctor`: checks everything that usually goes wrong, one line each, and says what to do.
import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { platform } from 'node:process';

import { joinWords, sameWords, type Words } from '../../base/language.ts';
import { stopFileWords } from '../../inbox/stop-file.ts';
import { isFolder } from '../../inbox/workspace.ts';
import { isBeingRebuilt } from '../../ledger/batch-states.ts';
import { labelled, sentence } from '../../messages/messages.ts';
import { type Fault, Unavailable, isFault } from '../../service/errors.ts';
import { codeOf } from '../../service/network-cause.ts';
import { nextTimes, timeWords } from '../config/schedule-config.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import type { Paydrop, Records } from '../parts.ts';
import { CAUSE_WORDS } from '../parts/service-trouble.ts';
import { LedgerForgetful } from '../parts/describe-error.ts';
import { isFirmFolder } from '../workflow/approval/take-approval-file.ts';
import { loadCorridors } from '../workflow/validate/check-rules.ts';
import { findOld } from '../parts/remove-old.ts';
import { assertLedgerKnowsAll } from '../workflow/resolve-doubt/known-batches.ts';
import { faultOfNotes } from '../workflow/batch/profile-for.ts';
import { approversWithPaths } from '../workflow/batch/read-batch-file.ts';
import { examineAccounts } from './check-account.ts';
import { examineCluster } from './examine-cluster.ts';
import { describeHistory, type DoctorFinding } from './finding.ts';
import { examineSignatures } from './page-decisions.ts';
import { examineTelling } from './telling-status.ts';

/** If the local clock differs by more than this, it should be set: scheduled times and the age of payments depend on it. */
const CLOCK_DIFFERENCE_MS = 60_000;

export async function examine(paydrop: Paydrop): Promise<readonly DoctorFinding[]> {
  return [
    ...(await examineFolders(paydrop)),
    ...(isShared(paydrop) ? await examineCluster(paydrop) : [await examineDisk(ledgerFolder(paydrop))]),
    await examinePermissions(paydrop),
    examineStopFile(paydrop),
    ...(await examineSchedules(paydrop)),
    await examineLedger(paydrop),
    await examineBatches(paydrop),
    await examineNotes(paydrop),
    await examineHistory(paydrop),
    await examineSignatures(paydrop),
    await examineRetention(paydrop),
    ...(await examineService(paydrop)),
    examineSender(paydrop),
    ...(await examineApprovers(paydrop)),
    ...(await examineTelling(paydrop)),
    ...(await examineAccounts(paydrop)),
  ];
}

async function examineFolders({ workspace }: Paydrop): Promise<readonly DoctorFinding[]> {
  const { inbox, processing, outbox, archive, refused } = workspace;
  return Promise.all(
    Object.entries({ inbox, processing, outbox, archive, refused }).map(([name, path]) =>
      examineFolder(name, path),
    ),
  );
}

async function examineFolder(name: string, path: string): Promise<DoctorFinding> {
  try {
    await access(path, constants.R_OK | constants.W_OK);
    return { name, ok: true, words: sameWords(path) };
  } catch (error) {
    const fault = ABOUT_RIGHTS.has(codeOf(error)) ? 'doctor.folder' : 'doctor.folderMissing';
    return { name, ok: false, words: sentence(fault, { path }) };
  }
}

/** With any other answer the folder is not there: most likely a share is not mounted, or does not answer. */
const ABOUT_RIGHTS: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS']);

function examineStopFile({ workspace }: Paydrop): DoctorFinding {
  const words = stopFileWords(workspace);
  return { name: 'stop', ok: words === null, words: words ?? sentence('doctor.noStop') };
}

async function examineLedger({ ledger }: Paydrop): Promise<DoctorFinding> {
  const batches = await ledger.batches();
  const open = batches.filter(({ state }) => state !== 'closed' && state !== 'refused').length;
  return {
    name: 'ledger',
    ok: true,
    words: sentence('doctor.batches', { all: batches.length, open }),
  };
}

/** Somebody can cut off the end of a history with everything it reports, and the rest stays valid: but the folders still show what was there. */
async function examineBatches(paydrop: Paydrop): Promise<DoctorFinding> {
  const name = 'batches';
  try {
    await assertLedgerKnowsAll(paydrop);
    return { name, ok: true, words: sentence('doctor.knowsAll') };
  } catch (error) {
    if (error instanceof LedgerForgetful) return { name, ok: false, words: error.words };
    throw error;
  }
}

/** Of closed batches too: they may still be answered again. */
async function examineNotes(paydrop: Paydrop): Promise<DoctorFinding> {
  const faults: Words[] = [];
  for (const batch of await paydrop.ledger.batches()) {
    if (['taking', 'refused'].includes(batch.state) || isBeingRebuilt(batch)) continue;
    const fault = await faultOfNotes(paydrop, batch);
    if (fault !== null) faults.push(fault.words);
  }
  const words = faults.length === 0 ? sentence('doctor.notes') : faults.slice(0, NAMED_MOST);
  return { name: 'notes', ok: faults.length === 0, words: joinWords([words].flat()) };
}

/** With more than this, the disk itself is the trouble. */
const NAMED_MOST = 5;

async function examineHistory({ ledger }: Paydrop): Promise<DoctorFinding> {
  const report = await ledger.history.verify();
  const faults = describeHistory(report);
  const words =
    faults.length === 0
      ? report.events === 0
        ? sentence('doctor.noHistory')
        : sentence('doctor.history', { events: report.events, lastHash: report.lastHash })
      : joinWords(faults);
  return { name: 'history', ok: faults.length === 0, words };
}

/** What the daemon would remove at its next removal of old batches. */
async function examineRetention(paydrop: Paydrop): Promise<DoctorFinding> {
  const { archive, outbox } = paydrop.config.retention;
  const old = await findOld(paydrop);
  const archived = old.filter((batch) => batch.archived !== null).length;
  const answers = old.reduce((sum, batch) => sum + batch.answers.length, 0);
  const words =
    (archive ?? outbox) === null
      ? sentence('doctor.keepsAll')
      : sentence('doctor.retention', { archived, answers });
  return { name: 'retention', ok: true, words };
}

async function examineService(paydrop: Paydrop): Promise<readonly DoctorFinding[]> {
  const { service, serviceClock, clock, isSandbox, config } = paydrop;
  const name: Words = isSandbox ? sentence('doctor.sandbox') : sameWords(config.baseUrl?.origin ?? '');
  try {
    await serviceClock.ask(() => service.payoutCorridors());
    const corridors = await loadCorridors(service);
    const found = {
      name: 'service',
      ok: true,
      words: sentence('doctor.service', { name, corridors: corridors.length }),
    };
    return [found, examineClock(serviceClock.latestNow(), clock.now())];
  } catch (error) {
    if (!isFault(error)) throw error;
    return [{ name: 'service', ok: false, words: faultWords(error, name) }];
  }
}

function faultWords(fault: Fault, name: Words): Words {
  const { networkCause } = fault.context;
  if (networkCause !== undefined)
    return sentence('doctor.outOfReach', { name, cause: CAUSE_WORDS[networkCause] });
  const isKey = fault instanceof Unavailable && fault.reason === 'credentials';
  return isKey ? sentence('doctor.key', { name }) : sentence('doctor.unreachable', { name });
}

function examineClock(serviceNow: number | null, now: number): DoctorFinding {
  const difference = serviceNow === null ? 0 : Math.abs(serviceNow - now);
  const ok = difference <= CLOCK_DIFFERENCE_MS;
  const words = ok
    ? sentence('doctor.clock.agrees')
    : sentence('doctor.clock.differs', { seconds: Math.round(difference / 1000) });
  return { name: 'clock', ok, words };
}

function examineSender({ sender }: Paydrop): DoctorFinding {
  const country = sender['countryIsoCode'];
  return country === undefined
    ? { name: 'sender', ok: true, words: sentence('doctor.sender.none') }
    : { name: 'sender', ok: true, words: sentence('doctor.sender.from', { country }) };
}

/** A file of an approver counts in a folder that is there, and where nobody else may write. */
async function examineApprovers(paydrop: Paydrop): Promise<readonly DoctorFinding[]> {
  return Promise.all(
    approversWithPaths(paydrop).map(async (approver): Promise<DoctorFinding> => {
      if (!(await isFolder(approver.folder)))
        return { name: 'approver', ok: false, words: sentence('doctor.approver.missing', approver) };
      const ok = await isFirmFolder(approver.folder);
      const words = ok
        ? labelled(approver.name, sameWords(approver.folder))
        : sentence('doctor.approver.open', approver);
      return { name: 'approver', ok, words };
    }),
  );
}

// Who else on this machine may read the folders, or write there: they contain names and account numbers, and files in the inbox are paid.

const OTHERS = 0o007;
const GROUP = 0o070;
const GROUP_WRITES = 0o020;

type FolderKey = 'inbox' | 'outbox' | 'processing' | 'archive' | 'refused' | 'ledgerPath';

/** The rights that nobody but paydrop may have in each. A group may drop files and fetch answers, as people do over SFTP. */
const FORBIDDEN: Readonly<Record<FolderKey, number>> = {
  inbox: OTHERS,
  outbox: OTHERS | GROUP_WRITES,
  processing: OTHERS | GROUP,
  archive: OTHERS | GROUP,
  refused: OTHERS | GROUP,
  ledgerPath: OTHERS | GROUP,
};

const REMEDIES: Readonly<Record<number, string>> = {
  [OTHERS]: 'o-rwx',
  [OTHERS | GROUP_WRITES]: 'g-w,o-rwx',
  [OTHERS | GROUP]: 'go-rwx',
};

export async function examinePermissions({ workspace }: Pick<Paydrop, 'workspace'>): Promise<DoctorFinding> {
  const name = 'rights';
  // Rights are lists there, about which these bits say nothing.
  if (platform === 'win32') return { name, ok: true, words: sentence('doctor.rights.notLooked') };
  const wrong: string[] = [];
  for (const place of Object.keys(FORBIDDEN) as FolderKey[]) {
    const path = workspace[place];
    // Another finding reports what is missing.
    const mode = (await stat(path).catch(() => null))?.mode ?? 0;
    const forbidden = FORBIDDEN[place];
    if ((mode & forbidden) !== 0) wrong.push(`chmod ${REMEDIES[forbidden] ?? ''} ${path}`);
  }
  return wrong.length === 0
    ? { name, ok: true, words: sentence('doctor.rights.ok') }
    : {
        name,
        ok: false,
        words: sentence('doctor.rights.fault', { commands: wrong.join('; ') }),
      };
}

// The ledger needs a disk of this machine: over a network neither its locks nor its syncs are reliable.

/** Network file systems, by the magic numbers of Linux' statfs. */
const NETWORK: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0x517b: 'SMB',
  0xff534d42: 'CIFS',
  0xfe534d42: 'SMB2',
  0x00c36400: 'Ceph',
  0x5346414f: 'AFS',
};

/** @param root the folder of the ledger. */
async function examineDisk(root: string): Promise<DoctorFinding> {
  const found = await networkOf(root);
  return found === null
    ? { name: 'disk', ok: true, words: sentence('doctor.disk.ok') }
    : { name: 'disk', ok: false, words: networkWords(root, found) };
}

/** The name of the network file system; null on a disk of this machine, as far as that is known. */
export async function networkOf(path: string, ask: typeof statfs = statfs): Promise<string | null> {
  const { type } = await ask(path);
  // The number is signed on some systems.
  return NETWORK[type >>> 0] ?? null;
}

function networkWords(root: string, name: string): Words {
  return sentence('doctor.disk.network', { root, name });
}

/** The ledger is in a database, which does not use this machine's disk. */
function isShared({ config }: Pick<Records, 'config'>): boolean {
  return (config.sharedLedger ?? null) !== null;
}

function ledgerFolder({ config, workspace }: Pick<Records, 'config' | 'workspace'>): string {
  return dirname(config.ledgerPath ?? workspace.ledgerPath);
}

// What `doctor` says about the schedules: the next times of each, so that its owner sees what the expression means, and whether its folder exists.

/** Enough to show the rhythm. */
const SHOWN = 3;

export async function examineSchedules({
  config,
  clock,
  workspace,
}: Pick<Records, 'config' | 'clock' | 'workspace'>): Promise<readonly DoctorFinding[]> {
  const findings: DoctorFinding[] = [];
  for (const schedule of config.schedules) {
    const { folder, timeZone } = schedule;
    const times = nextTimes(schedule, clock.now(), SHOWN).map((ms) => timeWords(ms, timeZone));
    const isThere = await isFolder(join(workspace.inbox, folder));
    const words = isThere
      ? labelled(folder, joinWords(times, '; '))
      : sentence('doctor.schedule.noFolder', { folder });
    findings.push({ name: 'schedule', ok: isThere, words });
  }
  return findings;
}

// What a daemon checks before it starts, because nobody will watch it later: the disk of the ledger, and the clock of the machine.

/** Warnings, in words. Throws `ConfigUnusable` if the daemon must not start. */
export async function checkStart(paydrop: Paydrop, ask = networkOf): Promise<readonly Words[]> {
  const folder = ledgerFolder(paydrop);
  const network = isShared(paydrop) ? null : await ask(folder);
  if (network !== null) throw new ConfigUnusable(networkWords(folder, network));
  const { service, serviceClock, clock, log } = paydrop;
  try {
    await serviceClock.ask(() => service.payoutCorridors());
  } catch (error) {
    if (!isFault(error)) throw error;
    // If the service is out of reach at this moment, the daemon waits for it as at any other.
    return [];
  }
  const { ok, words } = examineClock(serviceClock.latestNow(), clock.now());
  if (ok) return [];
  log.warn('clock differs from the service');
  return [sentence('doctor.clockWarning', { words })];
}
