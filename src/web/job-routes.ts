// Long work: begun, looked at, and cancelled, each by the caller that began it.
import { z } from 'zod';

import * as commands from '../app/desk/commands.ts';
import type { Job } from '../app/desk/jobs.ts';
import { type Language, say } from '../base/language.ts';
import { answered, day, job, listOf, text } from './bodies.ts';
import { type Call, found, list, param, type Reply, type Route } from './call.ts';

export function shownJob({ words, ...rest }: Job, language: Language): z.output<typeof job> {
  return { ...rest, reason: words === null ? null : say(words, language) };
}

const begun = (call: Call, known: Job | null): Reply => ({
  status: 202,
  json: shownJob(found(known, 'jobs_busy'), call.language),
  ...(known === null ? {} : { headers: { location: `/api/v1/jobs/${known.id}` } }),
});

const askCost: Route['does'] = async (call) => {
  const { paydrop, uploads, jobs } = call.room;
  const id = param(call, 'id');
  const path = found(await uploads.pathOf(id, call.by.name), 'upload_unknown');
  return begun(
    call,
    jobs.begin(call.by.id, 'cost', id, async (signal, view) => {
      const [result] = await commands.preview(paydrop, [path], { signal, view, outbox: '' });
      if (result === undefined) throw new Error('Nothing was priced.');
      const { outcomes, preview = [], waitingFor, answers } = result.summary;
      return {
        outcomes,
        lines: preview,
        waitingFor,
        answers,
        words: result.words,
        isStopped: result.isStopped ?? false,
      };
    }),
  );
};

const order = z.union([
  z.strictObject({ batch: text.max(100) }),
  z.strictObject({ from: day, to: day }),
  z.strictObject({}),
]);

/** The answer has all of them. */
const DIFFERENCES_MOST = 500;

const reconcile: Route['does'] = (call) => {
  const { paydrop, jobs } = call.room;
  const asked = call.body as z.output<typeof order>;
  const of = 'batch' in asked ? asked.batch : 'from' in asked ? `${asked.from} – ${asked.to}` : 'all';
  return Promise.resolve(
    begun(
      call,
      jobs.begin(call.by.id, 'reconcile', of, async (signal, view) => {
        const done = await commands.reconcile(paydrop, asked, { signal, view });
        if ('fault' in done) return { fault: say(done.fault, call.language) };
        const { findings, answers } = done;
        const differences = findings.differences
          .slice(0, DIFFERENCES_MOST)
          .map(({ batch, row, kind, sourceCurrency, effect, words }) => ({
            ...{ batch, row, kind, sourceCurrency, ...effect },
            words: say(words, call.language),
          }));
        return {
          ...{
            agrees: findings.agrees,
            rows: findings.rows,
            count: findings.differences.length,
            differences,
          },
          totals: findings.money.lines(),
          words: findings.astray.map((words) => say(words, call.language)),
          answers,
        };
      }),
    ),
  );
};

const listJobs: Route['does'] = ({ room, by, language }) =>
  Promise.resolve(
    list(
      room.jobs.of(by.id).map((each) => shownJob(each, language)),
      null,
    ),
  );

const readJob: Route['does'] = (call) => {
  const known = found(call.room.jobs.find(param(call, 'job'), call.by.id), 'job_unknown');
  return Promise.resolve({ status: 200, json: shownJob(known, call.language) });
};

const cancelJob: Route['does'] = (call) => {
  const known = found(call.room.jobs.cancel(param(call, 'job'), call.by.id), 'job_unknown');
  return Promise.resolve({ status: 200, json: shownJob(known, call.language) });
};

export const JOB_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: '/uploads/:id/cost',
    who: 'files:write',
    summary: 'Prices an upload; a job, whose result has the totals by currency',
    body: answered,
    replies: { 202: job },
    does: askCost,
  },
  {
    method: 'POST',
    path: '/reconciliations',
    who: 'reconcile',
    summary: 'Compares a batch, a period or everything with the service; a job',
    body: order,
    replies: { 202: job },
    does: reconcile,
  },
  {
    method: 'GET',
    path: '/jobs',
    who: 'files:read',
    summary: 'The jobs that were begun by whoever asks, newest first',
    replies: { 200: listOf(job) },
    does: listJobs,
  },
  {
    method: 'GET',
    path: '/jobs/:job',
    who: 'files:read',
    summary: 'How far a job is, and its result',
    replies: { 200: job },
    does: readJob,
  },
  {
    method: 'DELETE',
    path: '/jobs/:job',
    who: 'files:read',
    summary: 'Cancels a job',
    replies: { 200: job },
    does: cancelJob,
  },
];
