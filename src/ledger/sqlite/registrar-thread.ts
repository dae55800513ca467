// The thread that registers large files: see `registrar.ts`.
import { parentPort, workerData } from 'node:worker_threads';

import { systemClock } from '../../base/clock.ts';
import { LeaseLost, LedgerUnusable } from '../ledger-unusable.ts';
import { joinSqlite } from '../open-ledger.ts';
import type { NewLine } from '../stored-rows.ts';
import {
  END,
  type RegistrarAnswer,
  type RegistrarFault,
  type RegistrarPlace,
  type RegistrarTask,
  turnsOf,
} from './registrar.ts';

/** Of whoever asked last: what is written here bears the same time as what is written there. */
let now = 0;

let before = Promise.resolve();

const { path, run, turns } = workerData as RegistrarPlace;
const { registration, leave } = joinSqlite(path, run, { ...systemClock, now: () => now }, turnsOf(turns));

parentPort?.on('message', (message: typeof END | readonly [number, RegistrarTask]) => {
  if (message === END) {
    leave();
    parentPort?.close();
    return;
  }
  const [task, asked] = message;
  // One after the other: what comes together would be one commit, for whose end the payments of other files would wait.
  const done = async (): Promise<void> => {
    now = asked.now;
    tell({ task, fault: await work(asked).then(() => null, faultOf) });
  };
  // Keys take seconds, and give way to the rows of other files between their pieces.
  if (asked.kind === 'keys') void done();
  else before = before.then(done);
});
tell('ready');

function work(task: RegistrarTask): Promise<void> {
  return task.kind === 'keys'
    ? registration.complete(task.held)
    : registration.addLines(task.held, JSON.parse(task.lines) as readonly NewLine[]);
}

function faultOf(error: unknown): RegistrarFault {
  if (error instanceof LeaseLost) return { kind: 'lost' };
  if (error instanceof LedgerUnusable) return { kind: 'unusable', words: error.words };
  return { kind: 'other', message: error instanceof Error ? error.message : String(error) };
}

function tell(answer: RegistrarAnswer): void {
  parentPort?.postMessage(answer);
}
