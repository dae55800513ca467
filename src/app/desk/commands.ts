// One function for each command, for the command line, a page and a program alike: they call nothing else of `app`. None of them prints, and each
// loads only what it needs: a command without calls to the service starts at once.
import type { ExitCode } from '../../base/exit-codes.ts';
import type { Language, Words } from '../../base/language.ts';
import type { Payee, PayeeHistory } from '../../contract/payees.ts';
import type { Proof } from '../../contract/proof.ts';
import type { FoundPayments, SearchOrder } from '../../contract/search.ts';
import type { ErrorEnd } from '../parts/describe-error.ts';
import type { PayoutCorridor } from '../../service/wire.ts';
import type { SandboxOptions } from '../../sandbox/start-sandbox.ts';
import type { SftpAccount } from '../../sftp/account.ts';
import type { Paydrop, Records } from '../parts.ts';
import { type RunControl, type RunOrder, SILENT_VIEW } from '../parts/run-options.ts';
import type { DecisionEnd, DecisionOrder, DeclineOrder } from '../workflow/approval/decide-approval.ts';
import { exitCodeOf, type BatchResult } from '../workflow/batch/work.ts';
import type { DeciderFault } from '../workflow/batch/may-decide.ts';
import type { PauseOrder } from '../workflow/decisions/pause-batch.ts';
import type { ReleaseEnd, ReleaseOrder } from '../workflow/decisions/release-rows.ts';
import type { RebuiltFile } from '../workflow/resolve-doubt/rebuild-ledger.ts';
import type { NamedStatus, Status } from './batch-status.ts';
import type { DoctorFinding } from './finding.ts';
import type { Findings } from './reconcile-batch.ts';
import type { Proposal } from './propose-profile.ts';
import type { CheckedProof } from './prove-payments.ts';
import type { readColumns } from './read-columns.ts';
import type { SaidOfFile, Trial } from './try-profile.ts';
import type { JournalOrder, saveJournal } from './write-journal.ts';
import type { TemplateOrder } from './write-template.ts';
import { sentence } from '../../messages/messages.ts';

/** All parts of paydrop, its records alone, and the control of a command, for callers of the functions below. */
export type Desk = Paydrop;
export type DeskRecords = Records;
export type Control = RunControl;
export type Result = BatchResult;
export type {
  DeciderFault,
  DecisionEnd,
  ReleaseEnd,
  RunOrder,
  DoctorFinding as Finding,
  Findings,
  Proposal,
  SaidOfFile,
  Trial,
};

/** Pays files one after the other, and asks for the corridors before all else, also before the rest is loaded; when the process is asked to stop, the remaining ones are not begun. Throws errors that `describeError` puts into words. */
export async function run(
  paydrop: Paydrop,
  files: readonly string[],
  control: RunControl,
  { again, by, agreed }: RunOrder,
): Promise<{ readonly results: readonly BatchResult[]; readonly notBegun: readonly string[] }> {
  const asking = await (await import('../parts/wait-for-service.ts')).askingAhead(paydrop);
  const { brokenFile, processBatch } = await import('../workflow/process-batch.ts');
  await openWork(paydrop, control);
  const results: BatchResult[] = [];
  const going = { ...control, keepsGoing: true };
  for (const file of files)
    if (!control.signal.aborted) {
      const result = await processBatch(asking, file, going, again, by, agreed?.get(file)).catch(
        (error: unknown) => brokenFile(asking, file, error),
      );
      results.push(await withRemedy(asking, file, result));
    }
  const notBegun = files.slice(results.length);
  return { results, notBegun };
}

/** The file is answered already: what can be said of it besides is left out where it cannot be read again. */
async function withRemedy(paydrop: Paydrop, path: string, result: BatchResult): Promise<BatchResult> {
  if (result.summary.outcomes.rejected === 0) return result;
  const { withSaidOnceOfRun } = await import('./check-file.ts');
  return withSaidOnceOfRun(paydrop, path, result).catch(() => result);
}

/** Call it once a process before anything is paid: it first resolves what a lost or older ledger has left. Throws like `bringUpToDate`. */
async function openWork(paydrop: Paydrop, control: RunControl): Promise<void> {
  const { bringUpToDate, settleRebuilt } = await import('../workflow/resolve-doubt/settle-rebuilt.ts');
  await bringUpToDate(paydrop, control);
  await settleRebuilt(paydrop);
}

/** The same before a daemon, which nobody watches later. Throws `ConfigUnusable` if it must not start. */
export async function openWatch(paydrop: Paydrop, warn: (words: Words) => void): Promise<void> {
  const { checkStart } = await import('./doctor.ts');
  for (const warning of await checkStart(paydrop)) warn(warning);
  await openWork(paydrop, { waitMs: 0, signal: new AbortController().signal, view: SILENT_VIEW });
}

/** Goes on with one batch, or with all unfinished ones, and lifts their pauses in the name of `by`, else of the system's user. Null when there is no batch of that name. */
export async function resume(
  paydrop: Paydrop,
  batch: string | null,
  control: RunControl,
  by?: string,
): Promise<readonly BatchResult[] | null> {
  const { resumeBatches } = await import('../workflow/process-batch.ts');
  return resumeBatches(paydrop, batch, { ...control, keepsGoing: true }, by);
}

export async function approve(records: Records, batch: string, order: DecisionOrder): Promise<DecisionEnd> {
  const { approveBatch } = await import('../workflow/approval/decide-approval.ts');
  return approveBatch(records, batch, order);
}

/** `isLeft`: no other process has the batch, so the person who declined it closes it with `resume`. */
export async function decline(
  records: Records,
  batch: string,
  order: DeclineOrder,
): Promise<{ readonly end: DecisionEnd; readonly isLeft: boolean }> {
  const { declineBatch } = await import('../workflow/approval/decide-approval.ts');
  const end = await declineBatch(records, batch, order);
  const { owner = null } = (await records.ledger.batch(batch)) ?? {};
  return { end, isLeft: end.kind === 'decided' && !records.ledger.runs.isElsewhere(owner) };
}

/** The roles of the person of that name at the page, none for a stranger; null where nobody there may let anything go, so that a typed name says all there is. */
export async function rolesOf({ config }: Records, name: string): Promise<readonly string[] | null> {
  if (config.web.listen === null) return null;
  const { rolesAtPage } = await import('./open-door.ts');
  return rolesAtPage(config, name);
}

/** A person says that the account which paid has another address or key. `same` and `unbound` change nothing. */
export async function moveService(
  records: Records,
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<{ readonly kind: 'moved' | 'same' | 'unbound' | 'refused'; readonly words: Words }> {
  const { moveAccount } = await import('../parts/bound-account.ts');
  const { mayDecide } = await import('../workflow/batch/may-decide.ts');
  const roles = await rolesOf(records, by);
  // It is said at the machine alone: there is no page on which it could be signed.
  const may = mayDecide('service', { by, roles }, [], { ...records.config, approvalBy: 'name' });
  return 'code' in may ? { kind: 'refused', words: may.words } : moveAccount(records, { by: may.by, reason });
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
 * Releases or cancels held rows; `isDone`: everything that was asked for is done; `instead`: nothing was changed, and which command does it; a fault where this person may not. Null when there is no batch of that name.
 * @param records all of paydrop if rows are to be cancelled: they are looked up at the service first.
 */
export async function release(
  records: Records | Paydrop,
  batch: string,
  order: ReleaseOrder,
): Promise<
  { readonly end: ReleaseEnd; readonly isDone: boolean; readonly instead: Words | null } | DeciderFault | null
> {
  const { orderRelease } = await import('../workflow/decisions/mailbox.ts');
  const known = await records.ledger.batch(batch);
  if (known === null) return null;
  const end = await orderRelease(records, known, order);
  if ('words' in end) return end;
  const { released, file, onlySkip, left, closedBefore, unasked } = end;
  const code = file === null ? {} : { code: file };
  records.log.info(order.skip ? 'cancel' : 'release', {
    batch,
    by: order.by,
    rows: released.length,
    ...code,
  });
  const { insteadOfRelease, isUnchanged } = await import('./instead-of-release.ts');
  return {
    end,
    isDone:
      onlySkip.length + left.length + closedBefore.length === 0 &&
      unasked === null &&
      end.isRecorded !== true,
    instead: isUnchanged(end) ? insteadOfRelease(known, order.skip) : null,
  };
}

/** Rebuilds a lost ledger for files that were taken before, from the files, their folders and the service; pays nothing. */
export async function rebuild(
  paydrop: Paydrop,
  files: readonly string[],
  control: RunControl,
): Promise<{
  readonly rebuilt: readonly RebuiltFile[];
  readonly leftOut: readonly Words[];
}> {
  const { rebuildFiles } = await import('../workflow/resolve-doubt/rebuild-ledger.ts');
  return rebuildFiles(await patient(paydrop, control), files, control);
}

/** At the end of a command, after its own words, sends the waiting notices if that is quick. */
export async function tellPeople(paydrop: Paydrop, signal: AbortSignal): Promise<void> {
  const { tellAtEnd } = await import('../notify/tell-at-end.ts');
  const { mayDecide } = await import('../workflow/batch/may-decide.ts');
  await tellAtEnd(paydrop, mayDecide, signal);
}

/** Throws `ConfigUnusable` where a folder that the config names outside of the workspace is missing: nothing is read or paid without a place for its answers. */
export async function assertFolders({ workspace }: Records): Promise<void> {
  const { missingFolder } = await import('../../inbox/workspace.ts');
  const folder = await missingFolder(workspace);
  if (folder === null) return;
  const { ConfigUnusable } = await import('../config/yaml-file.ts');
  throw new ConfigUnusable(sentence('folders.missing', { folder }));
}

/** Reads and validates; nothing is priced, moved or registered. */
export async function check(
  paydrop: Paydrop,
  files: readonly string[],
  control: Pick<RunControl, 'signal'>,
): Promise<readonly BatchResult[]> {
  const { checkFile } = await import('./check-file.ts');
  const { brokenFile } = await import('../workflow/process-batch.ts');
  const asking = await patient(paydrop, control);
  const results: BatchResult[] = [];
  for (const file of files)
    results.push(await checkFile(asking, file).catch((error: unknown) => brokenFile(asking, file, error)));
  return results;
}

/** The cost of the files; nothing is sent. When the process is asked to stop, the remaining ones are not begun. `outbox`: as the reader knows that folder; empty for names alone. `reader`: the person who uploaded them, signed in. */
export async function preview(
  paydrop: Paydrop,
  files: readonly string[],
  {
    signal,
    view,
    outbox,
    reader,
  }: Pick<RunControl, 'signal' | 'view'> & { readonly outbox?: string; readonly reader?: string },
): Promise<readonly BatchResult[]> {
  const { previewFile } = await import('./preview-file.ts');
  const { PATIENCE_MS } = await import('../parts/wait-for-service.ts');
  const asking = await patient(paydrop, { signal });
  const results: BatchResult[] = [];
  for (const file of files)
    if (!signal.aborted)
      results.push(await previewFile(asking, file, { waitMs: PATIENCE_MS, signal, view, outbox, reader }));
  return results;
}

/** One batch, all of them, or the transfers of a period, including both its days. */
type ReconcileOrder = {
  readonly batch?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
};

/** The findings, and the answers that were written; or the fault of the order, in words. Pays and changes nothing. */
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

/** Writes a proof of payment, or a statement where not everything is paid, and says where; or the fault of the order, in words. Throws `ConfigUnusable` for a place where none may be written. */
export async function proof(
  records: Records,
  batch: string,
  order: { readonly rows: string | null; readonly language: Language },
  { path, mayReplace }: { readonly path?: string | undefined; readonly mayReplace: boolean },
): Promise<
  | { readonly path: string; readonly code: string; readonly proof: Proof; readonly words: Words }
  | { readonly fault: Words }
> {
  const { saveProof, writeProofOf } = await import('./prove-payments.ts');
  const written = await writeProofOf(records, batch, order);
  if (written === null) return { fault: sentence('command.noBatch', { id: batch }) };
  return 'fault' in written ? written : saveProof(written, path ?? written.name, mayReplace);
}

/** Whether a proof of payment is genuine, and what of it the ledger has otherwise by now. Throws `ConfigUnusable` where there is no file to read. */
export async function verify(records: Records, path: string): Promise<CheckedProof> {
  const { checkProof } = await import('./prove-payments.ts');
  return checkProof(records, path);
}

/** Writes the entries that an accountant imports, and says where; or the fault of the order, in words. Throws `ConfigUnusable` for a place where none may be written. */
export async function journal(
  records: Records,
  order: JournalOrder,
  place: { readonly path?: string | undefined; readonly mayReplace: boolean },
): ReturnType<typeof saveJournal> {
  const { saveJournal: save } = await import('./write-journal.ts');
  return save(records, order, place);
}

/** The state of every file; `earlier` counts the finished batches that are not listed, unless all are asked for. */
export async function status(records: Records, order: { readonly all: boolean }): Promise<Status> {
  const desk = await import('./batch-status.ts');
  return desk.statusOfAll(records, order.all);
}

/** The batch with this id, or every batch and every inbox file of this name; null when there is none. */
export async function statusOf(records: Records, name: string): Promise<NamedStatus | null> {
  const desk = await import('./batch-status.ts');
  return desk.statusOfNamed(records, name);
}

/** Files and payments by words. The index is first brought level with the ledger; `onBuilding` is called where that takes a while. */
export async function find(
  records: Records,
  order: SearchOrder,
  signal: AbortSignal,
  onBuilding: () => void,
): Promise<FoundPayments> {
  const { Search } = await import('./find.ts');
  const search = new Search(records, false);
  try {
    await search.catchUp(signal, onBuilding);
    return await search.find(order, { own: null, reader: records.config.language, signal });
  } finally {
    await search.close();
  }
}

/** Everybody who was paid, by words of the name or the end of an account; of one alone also the history. The index is brought level like that of `find`. */
export async function payees(
  records: Records,
  order: { readonly find: string | null; readonly limit: number },
  signal: AbortSignal,
  onBuilding: () => void,
): Promise<PayeesFound> {
  const [{ Search }, { Payees }, { VerifiedAccounts }, { openedPeople }] = await Promise.all([
    import('./find.ts'),
    import('./payees.ts'),
    import('../people/verified-accounts.ts'),
    import('../people/people-file.ts'),
  ]);
  const search = new Search(records, false);
  const file = openedPeople(records.workspace, records.clock);
  try {
    await search.catchUp(signal, onBuilding);
    const known = new Payees(search, file && new VerifiedAccounts(file));
    const { payees: found, next } = await known.list({ ...order, after: null, signal });
    const [only] = found;
    const payee =
      found.length === 1 && only ? await known.history(only.id, records.config.language, signal) : null;
    return { payees: found, isMore: next !== null, payee };
  } finally {
    file?.database.close();
    await search.close();
  }
}

/** `payee`: of the only one that is found. */
export type PayeesFound = {
  readonly payees: readonly Payee[];
  readonly isMore: boolean;
  readonly payee: PayeeHistory | null;
};

/** The faults of the set-up, and the remedies. */
export async function doctor(paydrop: Paydrop): Promise<readonly DoctorFinding[]> {
  const { examine } = await import('./doctor.ts');
  return examine(paydrop);
}

/** The same for the SFTP accounts of the config, or one of them; null when there is none of that name. */
export async function checkAccounts(
  accounts: readonly SftpAccount[],
  name: string | null,
  signal: AbortSignal,
): Promise<readonly { readonly account: string; readonly findings: readonly DoctorFinding[] }[] | null> {
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
  /** Saves it among the profiles, or, in somebody's name, among the proposals; returns its path. Throws `ConfigUnusable` if it may not be saved there. */
  readonly save: (mayReplace: boolean, author?: string) => Promise<string>;
};

/** Shows how a file would be read; nothing is saved before `save` is called. @param beside where others must not wait for it. */
export async function profile(
  paydrop: Paydrop,
  path: string,
  { said, name }: { readonly said: SaidOfFile; readonly name?: string | undefined },
  beside?: Parameters<typeof readColumns>[2],
): Promise<ProposedProfile> {
  const { profileText, saveProfile } = await import('./try-profile.ts');
  const { readColumns: read } = await import('./read-columns.ts');
  const { proposal, trial } = await read(paydrop, { path, said }, beside);
  const called = name ?? proposal.profile.name;
  const { profilesPath } = paydrop.config;
  const save = async (mayReplace: boolean, author?: string): Promise<string> => {
    const { proposedFolder } = await import('../config/profile-file.ts');
    const folder = author === undefined ? profilesPath : proposedFolder(profilesPath);
    const { mayBeSaved = false, asks = [] } = trial ?? {};
    return saveProfile(folder, called, proposal, mayReplace, mayBeSaved, author ?? null, asks);
  };
  return { name: called, proposal, trial, yaml: profileText(proposal, trial?.asks), save };
}

/** Writes an empty spreadsheet for a corridor. */
export async function template(paydrop: Paydrop, order: TemplateOrder): Promise<void> {
  const { writeTemplate } = await import('./write-template.ts');
  await writeTemplate(paydrop, order);
}

/** The corridors, with limits and required fields; only those that fit each of the words. */
export async function corridors(paydrop: Paydrop, words: readonly string[] = []): Promise<Corridors> {
  return (await import('./write-template.ts')).fittingCorridors(paydrop, words);
}

/** The same as lines for people. */
export async function corridorsInWords(paydrop: Paydrop, words: readonly string[]): Promise<Lines> {
  return (await import('./write-template.ts')).inWords(await corridors(paydrop, words), paydrop);
}

type Corridors = readonly PayoutCorridor[];
type Lines = readonly string[];

/** The embedded payout service on its own port, passed to `onStarted` and closed when `signal` fires. */
export async function sandbox(
  options: SandboxOptions,
  signal: AbortSignal,
  onStarted: (sandbox: { readonly baseUrl: string; readonly apiKey: string }) => void,
): Promise<void> {
  const { serveSandbox } = await import('./demo.ts');
  await serveSandbox(options, signal, onStarted);
}

/** The error in words, and its exit code. */
export async function describe(error: unknown): Promise<ErrorEnd> {
  const { describeError } = await import('../parts/describe-error.ts');
  return describeError(error);
}

/** The exit code of one batch, on which scripts rely. */
export function exitCodeOfResult(result: BatchResult, waitMs: number): ExitCode {
  return exitCodeOf(result, waitMs);
}

/** In commands that carry no rows, reads are repeated while the service is out of reach. */
async function patient(paydrop: Paydrop, { signal }: Pick<RunControl, 'signal'>): Promise<Paydrop> {
  const { patientReads } = await import('../parts/wait-for-service.ts');
  return patientReads(paydrop, signal);
}

/** How this machine's clock differs from the service's, judged by the calls so far; null where they agree. */
export async function clockWords(paydrop: Paydrop): Promise<Words | null> {
  const { differenceWords } = await import('../parts/wait-for-service.ts');
  return differenceWords(paydrop);
}
