// One function for each command, for the command line, a page and a program alike: they call nothing else of `app`. None of them prints, and each
// loads only what it needs: a command that asks the service nothing starts at once.
import type { ExitCode } from '../../base/exit-codes.ts';
import type { Words } from '../../base/language.ts';
import type { PayoutCorridor } from '../../service/wire.ts';
import type { SandboxOptions } from '../../sandbox/start-sandbox.ts';
import type { SftpAccount } from '../../sftp/connect.ts';
import type { Paydrop, Records } from '../parts.ts';
import type { RunControl } from '../parts/run-options.ts';
import type { DecisionEnd, DecisionOrder } from '../workflow/approval/decide-approval.ts';
import { exitCodeOf, type BatchResult } from '../workflow/work.ts';
import type { PauseOrder } from '../workflow/decisions/pause-batch.ts';
import type { ReleaseEnd, ReleaseOrder } from '../workflow/decisions/release-rows.ts';
import type { Rebuilt } from '../workflow/resolve-doubt/rebuild-ledger.ts';
import type { NamedStatus, Status } from './batch-status.ts';
import type { Finding } from './finding.ts';
import type { Findings } from './reconcile-batch.ts';
import type { Proposal } from './propose-profile.ts';
import type { StatedWords, Trial } from './try-profile.ts';
import type { TemplateOrder } from './write-template.ts';
import { sentence } from '../../messages/messages.ts';

/** All of paydrop, its records alone, and how a command is watched and bounded, for those who call the functions below. */
export type Desk = Paydrop;
export type DeskRecords = Records;
export type Control = RunControl;
export type Result = BatchResult;
export type { DecisionEnd, ReleaseEnd, Finding, Findings, Proposal, StatedWords, Trial };

/** `again`: bytes that were paid before are paid once more; `by`: who is known to bring the files. */
export type RunOrder = { readonly again: boolean; readonly by: readonly string[] };

/** Pays files one after the other; those that are left when the process is asked to stop are not begun. Throws what `describeError` puts into words. */
export async function run(
  paydrop: Paydrop,
  files: readonly string[],
  control: RunControl,
  { again, by }: RunOrder,
): Promise<readonly BatchResult[]> {
  const { processBatch } = await import('../workflow/process-batch.ts');
  await openWork(paydrop, control);
  const results: BatchResult[] = [];
  for (const file of files)
    if (!control.signal.aborted) results.push(await processBatch(paydrop, file, control, again, by));
  return results.flatMap((result) => [result, ...(result.others ?? [])]);
}

/** To be called before anything is paid, once a process: what a lost or older ledger has left is settled first. Throws as `bringUpToDate`. */
async function openWork(paydrop: Paydrop, control: RunControl): Promise<void> {
  const { bringUpToDate, settleRebuilt } = await import('../workflow/resolve-doubt/settle-rebuilt.ts');
  await bringUpToDate(paydrop, control);
  await settleRebuilt(paydrop);
}

/** The same before a daemon, which nobody watches later. Throws `ConfigUnusable` where it must not start. */
export async function openWatch(paydrop: Paydrop, warn: (words: Words) => void): Promise<void> {
  const { checkStart } = await import('./doctor.ts');
  const { SILENT_VIEW } = await import('../parts/run-options.ts');
  for (const warning of await checkStart(paydrop)) warn(warning);
  await openWork(paydrop, { waitMs: 0, signal: new AbortController().signal, view: SILENT_VIEW });
}

/** Goes on with one batch, or with all that are not finished, and lifts their pauses in the name of `by`, else of the system's user. Null when there is no batch of that name. */
export async function resume(
  paydrop: Paydrop,
  batch: string | null,
  control: RunControl,
  by?: string,
): Promise<readonly BatchResult[] | null> {
  const { resumeBatches } = await import('../workflow/process-batch.ts');
  return resumeBatches(paydrop, batch, control, by);
}

export async function approve(records: Records, batch: string, order: DecisionOrder): Promise<DecisionEnd> {
  const { approveBatch } = await import('../workflow/approval/decide-approval.ts');
  return approveBatch(records, batch, order);
}

/** `isLeft`: no other process has the batch, so whoever declined it closes it with `resume`. */
export async function decline(
  records: Records,
  batch: string,
  order: DecisionOrder & { readonly reason: string },
): Promise<{ readonly end: DecisionEnd; readonly isLeft: boolean }> {
  const { declineBatch } = await import('../workflow/approval/decide-approval.ts');
  const end = await declineBatch(records, batch, order);
  const carrier = (await records.ledger.batch(batch))?.owner;
  const isCarried = carrier !== undefined && records.ledger.runs.isElsewhere(carrier);
  return { end, isLeft: end.kind === 'decided' && !isCarried };
}

/** `finished`: there was nothing to pause. Null when there is no batch of that name. */
export async function pause(
  records: Records,
  batch: string,
  order: PauseOrder,
): Promise<'paused' | 'finished' | null> {
  const { pauseBatch } = await import('../workflow/decisions/pause-batch.ts');
  if ((await records.ledger.batch(batch)) === null) return null;
  if (!(await pauseBatch(records, batch, order))) return 'finished';
  records.log.info('paused', { batch, by: order.by });
  return 'paused';
}

/**
 * Lets held rows go, or cancels them; `isDone`: all that was asked for. Null when there is no batch of that name.
 * @param records the whole of paydrop where rows are to be cancelled: they are looked up at the service first.
 */
export async function release(
  records: Records | Paydrop,
  batch: string,
  order: ReleaseOrder,
): Promise<{ readonly end: ReleaseEnd; readonly isDone: boolean } | null> {
  const { releaseRows } = await import('../workflow/decisions/release-rows.ts');
  const known = await records.ledger.batch(batch);
  if (known === null) return null;
  const end = await releaseRows(records, known, order);
  const { released, file, onlySkip, left, closedBefore, unasked } = end;
  const code = file === null ? {} : { code: file };
  records.log.info(order.skip ? 'cancel' : 'release', {
    batch,
    by: order.by,
    rows: released.length,
    ...code,
  });
  return { end, isDone: onlySkip.length + left.length + closedBefore.length === 0 && unasked === null };
}

/** Recreates a lost ledger for files that were paid before, from the service alone; pays nothing. */
export async function rebuild(
  paydrop: Paydrop,
  files: readonly string[],
  control: RunControl,
): Promise<{
  readonly rebuilt: readonly (Rebuilt & { readonly isPaused: boolean })[];
  readonly leftOut: readonly Words[];
}> {
  const { rebuildFiles } = await import('../workflow/resolve-doubt/rebuild-ledger.ts');
  const { pauseOf } = await import('../../ledger/batch-rules.ts');
  const { rebuilt, leftOut } = await rebuildFiles(await patient(paydrop, control), files, control);
  return { rebuilt: rebuilt.map((each) => ({ ...each, isPaused: pauseOf(each.batch) !== null })), leftOut };
}

/** What people are to be told is told at the end of a command, after its own words, if that is quickly done. */
export async function tellPeople(paydrop: Paydrop, signal: AbortSignal): Promise<void> {
  const { tellAtEnd } = await import('../notify/tell-at-end.ts');
  await tellAtEnd(paydrop, signal);
}

/** Reads and validates; nothing is priced, moved or registered. */
export async function check(
  paydrop: Paydrop,
  files: readonly string[],
  control: Pick<RunControl, 'signal'>,
): Promise<readonly BatchResult[]> {
  const { checkFile } = await import('./check-file.ts');
  const asking = await patient(paydrop, control);
  const results: BatchResult[] = [];
  for (const file of files) results.push(await checkFile(asking, file));
  return results;
}

/** What the files would cost; nothing is sent. Those that are left when the process is asked to stop are not begun. `outbox`: as the reader knows that folder; empty for names alone. */
export async function preview(
  paydrop: Paydrop,
  files: readonly string[],
  { signal, view, outbox }: Pick<RunControl, 'signal' | 'view'> & { readonly outbox?: string },
): Promise<readonly BatchResult[]> {
  const { previewFile } = await import('./preview-file.ts');
  const { PATIENCE_MS } = await import('../parts/wait-for-service.ts');
  const asking = await patient(paydrop, { signal });
  const results: BatchResult[] = [];
  for (const file of files)
    if (!signal.aborted)
      results.push(await previewFile(asking, file, { waitMs: PATIENCE_MS, signal, view, outbox }));
  return results;
}

/** One batch, all of them, or the transfers of a period, its days both included. */
export type ReconcileOrder = {
  readonly batch?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
};

/** What was found, and the answers that were written; or what is wrong with the order, in words. Pays and changes nothing. */
export async function reconcile(
  paydrop: Paydrop,
  { batch, from, to }: ReconcileOrder,
  control: Pick<RunControl, 'signal' | 'view'>,
): Promise<{ readonly findings: Findings; readonly answers: readonly string[] } | { readonly fault: Words }> {
  const found = await import('./reconcile-batch.ts');
  const findings = new found.Findings();
  const asking = await patient(paydrop, control);
  if (from === undefined && to === undefined) {
    const { reconcileBatches } = await import('./reconcile-batch.ts');
    const answers = await reconcileBatches(asking, batch, findings, control);
    if (answers === null) return { fault: sentence('command.noBatch', { id: batch ?? '' }) };
    return { findings, answers };
  }
  if (from === undefined || to === undefined || batch !== undefined)
    return { fault: sentence('reconcile.oneOrPeriod') };
  const { periodOf, reconcilePeriod } = await import('./reconcile-period.ts');
  const period = periodOf({ from, to });
  if (period === null) return { fault: sentence('reconcile.twoDays') };
  return { findings, answers: await reconcilePeriod(asking, { from, to }, period, findings, control) };
}

/** Where every file stands; `earlier` counts the batches that are over and not listed, unless all are asked for. */
export async function status(records: Records, order: { readonly all: boolean }): Promise<Status> {
  const desk = await import('./batch-status.ts');
  return desk.statusOfAll(records, order.all);
}

/** The batch of this id, or every batch and every file of the inbox of this name; null when nothing is called so. */
export async function statusOf(records: Records, name: string): Promise<NamedStatus | null> {
  const desk = await import('./batch-status.ts');
  return desk.statusOfNamed(records, name);
}

/** What is wrong with the set-up, and what to do. */
export async function doctor(paydrop: Paydrop): Promise<readonly Finding[]> {
  const { examine } = await import('./doctor.ts');
  return examine(paydrop);
}

/** The same for the SFTP accounts of the config, or one of them; null when there is none of that name. */
export async function checkAccounts(
  accounts: readonly SftpAccount[],
  name: string | null,
  signal: AbortSignal,
): Promise<readonly { readonly account: string; readonly findings: readonly Finding[] }[] | null> {
  const { checkAccount } = await import('./check-account.ts');
  const asked = accounts.filter((account) => name === null || account.name === name);
  if (asked.length === 0) return null;
  const checked = [];
  for (const account of asked)
    checked.push({ account: account.name, findings: await checkAccount(account, signal) });
  return checked;
}

export type ProposedProfile = {
  readonly name: string;
  readonly proposal: Proposal;
  readonly trial: Trial | null;
  readonly yaml: string;
  /** Saves it among the profiles, and gives where. Throws `ConfigUnusable` where it may not be. */
  readonly save: (mayReplace: boolean) => Promise<string>;
};

/** How a file would be read; nothing is saved before `save` is called. */
export async function profile(
  paydrop: Paydrop,
  path: string,
  { stated, name }: { readonly stated: StatedWords; readonly name?: string | undefined },
): Promise<ProposedProfile> {
  const { proposeProfile } = await import('./propose-profile.ts');
  const { profileText, saveProfile } = await import('./try-profile.ts');
  const { readStated } = await import('./try-profile.ts');
  const { tryProfile } = await import('./try-profile.ts');
  const proposal = await proposeProfile(path, paydrop.config, readStated(stated));
  const trial = await tryProfile(paydrop, path, proposal);
  const called = name ?? proposal.profile.name;
  const save = (mayReplace: boolean) =>
    saveProfile(paydrop.config.profilesPath, called, proposal, mayReplace, trial?.payable ?? 0);
  return { name: called, proposal, trial, yaml: profileText(proposal), save };
}

/** Writes an empty spreadsheet that fits a corridor. */
export async function template(paydrop: Paydrop, order: TemplateOrder): Promise<void> {
  const { writeTemplate } = await import('./write-template.ts');
  await writeTemplate(paydrop, order);
}

/** What can be paid, with limits and required fields; only ways that fit each of the words. */
export async function corridors(paydrop: Paydrop, words: readonly string[] = []): Promise<Corridors> {
  return (await import('./write-template.ts')).fittingCorridors(paydrop, words);
}

/** The same as lines for people. */
export async function corridorsInWords(paydrop: Paydrop, words: readonly string[]): Promise<Lines> {
  return (await import('./write-template.ts')).inWords(await corridors(paydrop, words), paydrop);
}

type Corridors = readonly PayoutCorridor[];
type Lines = readonly string[];

/** The embedded payout service on a port of its own, handed to `onStarted` and closed when `signal` fires. */
export async function sandbox(
  options: SandboxOptions,
  signal: AbortSignal,
  onStarted: (sandbox: { readonly baseUrl: string; readonly apiKey: string }) => void,
): Promise<void> {
  const { serveSandbox } = await import('./demo.ts');
  await serveSandbox(options, signal, onStarted);
}

/** What went wrong, in words, and the exit code that says so. */
export async function describe(error: unknown): Promise<{ readonly code: ExitCode; readonly words: Words }> {
  const { describeError } = await import('../parts/describe-error.ts');
  return describeError(error);
}

/** The exit code of one batch, which scripts act on. */
export function exitCodeOfResult(result: BatchResult, waitMs: number): ExitCode {
  return exitCodeOf(result, waitMs);
}

/** In commands that carry no rows, what is only asked is asked again while the service is out of reach. */
async function patient(paydrop: Paydrop, { signal }: Pick<RunControl, 'signal'>): Promise<Paydrop> {
  const { patientReads } = await import('../parts/wait-for-service.ts');
  return patientReads(paydrop, signal);
}

/** How the clock of this machine differs from the service's, as what was asked so far shows; null where they agree. */
export async function clockWords(paydrop: Paydrop): Promise<Words | null> {
  const { differenceWords } = await import('../parts/wait-for-service.ts');
  return differenceWords(paydrop);
}
