// What every implementation of `Ledger` must do, guarantee by guarantee, as src/ledger/ledger.ts has it. Two ledgers stand on the same
// store throughout, because another process may always work on it too.
import { describe } from 'vitest';

import { exerciseBatches } from './exercise-batches.ts';
import { exerciseDueRows } from './exercise-due-rows.ts';
import { exerciseEncounters } from './exercise-encounters.ts';
import { exerciseEvents } from './exercise-events.ts';
import { exerciseExchange } from './exercise-exchange.ts';
import { exerciseLimits } from './exercise-limits.ts';
import { exerciseHints } from './exercise-hints.ts';
import { exerciseNotices } from './exercise-notices.ts';
import { exerciseOrders } from './exercise-orders.ts';
import { exercisePaidBefore } from './exercise-paid-before.ts';
import { exerciseToLookAt } from './exercise-to-look-at.ts';
import { exerciseRecords } from './exercise-records.ts';
import { exerciseOwner } from './exercise-owner.ts';
import { exerciseRows } from './exercise-rows.ts';
import { exerciseRuns } from './exercise-runs.ts';
import { exerciseWhole } from './exercise-whole.ts';
import type { OpenLedgers } from './two-ledgers.ts';

export function exerciseLedger(name: string, open: OpenLedgers): void {
  describe(`${name}: runs`, () => exerciseRuns(open));
  describe(`${name}: owners`, () => exerciseOwner(open));
  describe(`${name}: batches`, () => exerciseBatches(open));
  describe(`${name}: batches to look at`, () => exerciseToLookAt(open));
  describe(`${name}: rows`, () => exerciseRows(open));
  describe(`${name}: rows that are due`, () => exerciseDueRows(open));
  describe(`${name}: orders`, () => exerciseOrders(open));
  describe(`${name}: records`, () => exerciseRecords(open));
  describe(`${name}: paid whole or not at all`, () => exerciseWhole(open));
  describe(`${name}: hints`, () => exerciseHints(open));
  describe(`${name}: notices`, () => exerciseNotices(open));
  describe(`${name}: payments made before`, () => exercisePaidBefore(open));
  describe(`${name}: limits`, () => exerciseLimits(open));
  describe(`${name}: exchange with other houses`, () => exerciseExchange(open));
  describe(`${name}: events`, () => exerciseEvents(open));
  describe(`${name}: encounters`, () => exerciseEncounters(open));
}
