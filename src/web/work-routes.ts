// Work for which somebody waits: how the columns of a file would be read, and long work, which is begun, looked at, and cancelled by the caller that began it.
import { isOfProgram } from '../app/desk/batch-status.ts';
import * as commands from '../app/desk/commands.ts';
import type { Job } from '../app/desk/jobs.ts';
import { isGuarded, readsFileAt } from '../app/desk/page-decisions.ts';
import { columnChoices, spokenHint } from '../app/desk/try-profile.ts';
import { EXIT } from '../base/exit-codes.ts';
import { type PageReader, say } from '../base/language.ts';
import {
  type Proposal,
  proposal,
  type Reading,
  reading,
  type SavedReading,
  savedReading,
} from '../contract/columns.ts';
import {
  type CostOrder,
  costOrder,
  type Job as ShownJob,
  job,
  type ReconcileOrder,
  reconcileOrder,
} from '../contract/jobs.ts';
import { listOf, named, shortList } from '../contract/schema.ts';
import { type Call, found, listPart, param, type Reply, type Route, route } from './call.ts';
import { onlyOwnOf, scopeMissing } from './callers.ts';
import { Problem } from './problems.ts';

export function shownJob({ words, ...rest }: Job, reader: PageReader): ShownJob {
  return { ...rest, reason: words && say(words, reader) };
}

function begun(call: Call, known: Job | null): Reply<ShownJob> {
  if (known === null) throw new Problem('jobs_busy', { headers: { 'retry-after': '5' } });
  return {
    status: 202,
    json: shownJob(known, call.reader),
    headers: { location: `/api/v1/jobs/${known.id}` },
  };
}

/** What a command says, it says in the reader's language. */
function inLanguage({ room: { paydrop }, reader: { language } }: Call): Call['room']['paydrop'] {
  return { ...paydrop, config: { ...paydrop.config, language } };
}

/** As long as most quotations live. */
const PRICES_HOLD_MS = 10 * 60_000;

async function askCost(call: Call<CostOrder>) {
  const { uploads, jobs } = call.room;
  const id = param(call, 'id');
  const { again } = call.body;
  const { path, version } = found(await uploads.fileOf(id, call.by.name), 'upload_unknown');
  // Its result has words.
  const subject = {
    of: id,
    version: `${version} ${call.reader.language}`,
    holdsMs: again ? 0 : PRICES_HOLD_MS,
  };
  return begun(
    call,
    jobs.begin(call.by.id, 'cost', subject, async (signal, view) => {
      const control = { signal, view, outbox: '', reader: call.by.name };
      const [result] = await commands.preview(inLanguage(call), [path], control);
      if (result === undefined) throw new Error('Nothing was priced.');
      const { outcomes, preview = [], waitingFor, answers } = result.summary;
      return {
        outcomes,
        lines: preview,
        waitingFor,
        answers,
        words: result.words.map((words) => say(words, call.reader)),
        isStopped: result.isStopped ?? false,
      };
    }),
  );
}

/** The answer has all of them. */
const DIFFERENCES_MOST = 500;

async function reconcile(call: Call<ReconcileOrder>) {
  const { paydrop, jobs } = call.room;
  const asked = call.body;
  const own = onlyOwnOf(call.by);
  if ('batch' in asked) {
    const batch = found(await paydrop.ledger.batch(asked.batch), 'batch_unknown');
    if (own !== null && !isOfProgram(batch, own)) throw new Problem('batch_unknown');
  } else if (own !== null) throw scopeMissing('files:read-all');
  const of = 'batch' in asked ? asked.batch : 'from' in asked ? `${asked.from} – ${asked.to}` : 'all';
  return begun(
    call,
    jobs.begin(call.by.id, 'reconcile', { of }, async (signal, view) => {
      const done = await commands.reconcile(paydrop, asked, { signal, view });
      if ('fault' in done) throw new Error(say(done.fault, 'en'));
      const { findings, answers } = done;
      const differences = findings.differences
        .slice(0, DIFFERENCES_MOST)
        .map(({ batch, row, kind, sourceCurrency, effect, words }) => ({
          ...{ batch, row, kind, sourceCurrency, ...effect },
          words: say(words, call.reader),
        }));
      return {
        ...{
          agrees: findings.agrees,
          rows: findings.rows,
          count: findings.differences.length,
          differences,
        },
        totals: findings.money.lines(),
        words: findings.astray.map((words) => say(words, call.reader)),
        answers,
      };
    }),
  );
}

function jobReply({ reader }: Call, known: Job | null): Promise<Reply<ShownJob>> {
  return Promise.resolve({ status: 200, json: shownJob(found(known, 'job_unknown'), reader) });
}

// How the columns of a file are read, where their headers do not say it: by the very function that proposes a profile at a terminal.

/** @param name by which it would be saved; absent while it is only tried. */
async function proposed(
  call: Call,
  { values, ...said }: Reading,
  name?: string,
): Promise<commands.ProposedProfile> {
  const { uploads, files } = call.room;
  const { path } = found(await uploads.fileOf(param(call, 'id'), call.by.name), 'upload_unknown');
  const order = { said: { ...said, values: Object.entries(values) }, name };
  const beside = { files, signal: call.signal };
  return unlessUnfit(() => commands.profile(inLanguage(call), path, order, beside));
}

/** What cannot be read so is told in its own words. */
async function unlessUnfit<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, words } = await commands.describe(error);
    if (code !== EXIT.usage && code !== EXIT.refused) throw error;
    throw new Problem('profile_unfit', { words });
  }
}

async function readColumns(call: Call<Reading>): Promise<Reply<Proposal>> {
  const { name, proposal: found_, trial } = await proposed(call, call.body);
  const { files, headerPlace, columns, splits, questions } = found_;
  return {
    status: 200,
    json: {
      ...{ name, files, headerPlace, columns, splits },
      known: columnChoices().map(({ column, words }) => ({ column, words: say(words, call.reader) })),
      questions: questions.map(({ words, answers }) => ({ words: say(words, call.reader), answers })),
      trial: trial && {
        ...{ rows: trial.rows, payable: trial.payable, mayBeSaved: trial.mayBeSaved },
        hints: trial.hints.map((hint) => spokenHint(hint, call.reader.language)),
        faults: trial.faults.map((each) => ({ ...each, words: say(each.words, call.reader) })),
        asks: trial.asks.map(({ column, choices, meanings, likely }) => ({
          column,
          choices: choices.map((words) => say(words, call.reader)),
          meanings: meanings.map((words) => say(words, call.reader)),
          likely: likely && say(likely, call.reader),
        })),
      },
    },
  };
}

/** A daemon reads its config again within a moment. */
const OBEYED_WITHIN_MS = 10_000;
const LOOK_MS = 50;

async function saveColumns(call: Call<SavedReading>) {
  const { room, by } = call;
  const { name, mayReplace, ...said } = call.body;
  const { save } = await proposed(call, said, name);
  const { path } = found(await room.uploads.fileOf(param(call, 'id'), by.name), 'upload_unknown');
  if (isGuarded(name, readsFileAt(path), room.paydrop.config)) throw new Problem('profile_guarded');
  const standing = () => room.paydrop.config.proposedProfiles?.find(({ profile }) => profile.name === name);
  const before = standing();
  const isOwn = before?.author === by.name;
  if (before !== undefined && !(isOwn && mayReplace)) throw new Problem('profile_exists');
  await unlessUnfit(() => save(mayReplace, by.name));
  room.door.log(by.name, 'profile_proposed', name);
  room.lookNow();
  const { clock } = room.paydrop;
  const until = clock.monotonic() + OBEYED_WITHIN_MS;
  while (standing() === before && clock.monotonic() < until) await clock.sleep(LOOK_MS);
  await room.uploads.checkAgain(param(call, 'id'), by.name);
  return { status: 201 as const, json: { name } };
}

export const WORK_ROUTES: readonly Route[] = [
  route(
    'POST /uploads/:id/reading',
    ['maker'],
    'How the columns of a file would be read by what a person says of them, and what its rows would say to it',
    { body: reading, replies: { 200: proposal }, does: readColumns },
  ),
  route(
    'POST /uploads/:id/profile',
    ['maker'],
    'Proposes that as a profile for files of this name, and checks the file again; until a treasurer or an admin confirms it, it reads the own uploads of whoever proposed it',
    { body: savedReading, replies: { 201: named }, does: saveColumns },
  ),
  route(
    'POST /uploads/:id/cost',
    'files:write',
    'Prices an upload; a job, whose result has the totals by currency: the last one while its prices hold, unless asked again',
    { body: costOrder, replies: { 202: job }, does: askCost },
  ),
  route(
    'POST /reconciliations',
    'reconcile',
    'Compares a batch, a period or everything with the service; a job',
    { body: reconcileOrder, replies: { 202: job }, does: reconcile },
  ),
  route(
    'GET /jobs',
    'files:read',
    'The jobs that were begun by whoever asks, newest first, without their results',
    {
      query: shortList,
      replies: { 200: listOf(job) },
      does: (call) => {
        const { room, by, reader } = call;
        const jobs = room.jobs.of(by.id).map((each) => shownJob({ ...each, result: null }, reader));
        return Promise.resolve(listPart(call, jobs));
      },
    },
  ),
  route('GET /jobs/:job', 'files:read', 'How far a job is, and its result', {
    replies: { 200: job },
    does: (call) => jobReply(call, call.room.jobs.find(param(call, 'job'), call.by.id)),
  }),
  route('DELETE /jobs/:job', 'files:read', 'Cancels a job', {
    replies: { 200: job },
    does: (call) => jobReply(call, call.room.jobs.cancel(param(call, 'job'), call.by.id)),
  }),
];
