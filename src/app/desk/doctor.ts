// `doctor`: looks at everything that usually goes wrong, one line each, and says what to do.
import { access, constants } from 'node:fs/promises';

import { joinWords, sameWords, type Words } from '../../base/language.ts';
import { stopFileWords } from '../../inbox/stop-file.ts';
import { isFault, Unavailable } from '../../service/errors.ts';
import type { Paydrop } from '../parts.ts';
import { faultOfNotes } from '../workflow/take/batch-notes.ts';
import type { Finding } from './finding.ts';
import { describeHistory } from './describe-history.ts';
import { findOld } from '../workflow/close/remove-old.ts';
import { examineDisk, ledgerFolder } from './examine-disk.ts';
import { examineTelling } from './telling-status.ts';
import { assertLedgerKnowsAll } from '../workflow/resolve-doubt/known-batches.ts';
import { LedgerForgetful } from '../parts/command-errors.ts';
import { examineSchedules } from './examine-schedules.ts';
import { examinePermissions } from './examine-permissions.ts';
import { examineAccounts } from './examine-accounts.ts';
import { loadCorridors } from '../workflow/check/load-corridors.ts';
import { isBeingRebuilt } from '../../ledger/batch-states.ts';
import { sentence } from '../../messages/messages.ts';

/** A local clock that differs from the service's by more is worth setting: times and how long ago something was paid go by it. */
const CLOCK_DIFFERENCE_MS = 60_000;

export async function examine(paydrop: Paydrop): Promise<readonly Finding[]> {
  return [
    ...(await examineFolders(paydrop)),
    await examineDisk(ledgerFolder(paydrop)),
    await examinePermissions(paydrop),
    examineStopFile(paydrop),
    ...(await examineSchedules(paydrop)),
    await examineLedger(paydrop),
    await examineBatches(paydrop),
    await examineNotes(paydrop),
    await examineHistory(paydrop),
    await examineRetention(paydrop),
    ...(await examineService(paydrop)),
    examineSender(paydrop),
    ...(await examineTelling(paydrop)),
    ...(await examineAccounts(paydrop)),
  ];
}

async function examineFolders({ workspace }: Paydrop): Promise<readonly Finding[]> {
  const { inbox, processing, outbox, archive, refused } = workspace;
  return Promise.all(
    Object.entries({ inbox, processing, outbox, archive, refused }).map(([name, path]) =>
      examineFolder(name, path),
    ),
  );
}

async function examineFolder(name: string, path: string): Promise<Finding> {
  try {
    await access(path, constants.R_OK | constants.W_OK);
    return { name, ok: true, words: sameWords(path) };
  } catch {
    // Whatever the reason, the remedy is the same.
    return { name, ok: false, words: sentence('doctor.folder', { path }) };
  }
}

function examineStopFile({ workspace }: Paydrop): Finding {
  const words = stopFileWords(workspace);
  return { name: 'stop', ok: words === null, words: words ?? sentence('doctor.noStop') };
}

async function examineLedger({ ledger }: Paydrop): Promise<Finding> {
  const batches = await ledger.batches();
  const open = batches.filter(({ state }) => state !== 'closed' && state !== 'refused').length;
  return {
    name: 'ledger',
    ok: true,
    words: sentence('doctor.batches', { all: batches.length, open }),
  };
}

/** The end of a history can be taken out with all that it tells of, and the rest stands as it was written: the folders still show what was there. */
async function examineBatches(paydrop: Paydrop): Promise<Finding> {
  const name = 'batches';
  try {
    await assertLedgerKnowsAll(paydrop);
    return { name, ok: true, words: sentence('doctor.knowsAll') };
  } catch (error) {
    if (error instanceof LedgerForgetful) return { name, ok: false, words: error.words };
    throw error;
  }
}

/** Of closed batches too: they may still be answered anew. */
async function examineNotes(paydrop: Paydrop): Promise<Finding> {
  const faults: Words[] = [];
  for (const batch of await paydrop.ledger.batches()) {
    if (['taking', 'refused'].includes(batch.state) || isBeingRebuilt(batch)) continue;
    const fault = await faultOfNotes(paydrop, batch);
    if (fault !== null) faults.push(fault.words);
  }
  const words = faults.length === 0 ? sentence('doctor.notes') : faults.slice(0, NAMED_MOST);
  return { name: 'notes', ok: faults.length === 0, words: joinWords([words].flat()) };
}

/** Beyond so many the disk is the trouble. */
const NAMED_MOST = 5;

async function examineHistory({ ledger }: Paydrop): Promise<Finding> {
  const report = await ledger.verifyHistory();
  const faults = describeHistory(report);
  const words =
    faults.length === 0
      ? report.events === 0
        ? sentence('doctor.noHistory')
        : sentence('doctor.history', { events: report.events, lastHash: report.lastHash })
      : joinWords(faults);
  return { name: 'history', ok: faults.length === 0, words };
}

/** What the daemon would remove at its next look for it. */
async function examineRetention(paydrop: Paydrop): Promise<Finding> {
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

async function examineService(paydrop: Paydrop): Promise<readonly Finding[]> {
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
    const isKey = error instanceof Unavailable && error.reason === 'credentials';
    const words = isKey ? sentence('doctor.key', { name }) : sentence('doctor.unreachable', { name });
    return [{ name: 'service', ok: false, words }];
  }
}

export function examineClock(serviceNow: number | null, now: number): Finding {
  const difference = serviceNow === null ? 0 : Math.abs(serviceNow - now);
  const ok = difference <= CLOCK_DIFFERENCE_MS;
  const words = ok
    ? sentence('doctor.clock.agrees')
    : sentence('doctor.clock.differs', { seconds: Math.round(difference / 1000) });
  return { name: 'clock', ok, words };
}

function examineSender({ sender }: Paydrop): Finding {
  const country = sender['countryIsoCode'];
  return country === undefined
    ? { name: 'sender', ok: true, words: sentence('doctor.sender.none') }
    : { name: 'sender', ok: true, words: sentence('doctor.sender.from', { country }) };
}
