// A desk at which files need a second pair of eyes: what every test of approvals does to it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import {
  approveBatch,
  declineBatch,
  type DecisionEnd,
} from '../../../src/app/workflow/approval/decide-approval.ts';
import { questionCode } from '../../../src/app/workflow/approval/matches-request.ts';
import type { BatchResult } from '../../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { resumeBatches } from '../../../src/app/workflow/process-batch.ts';
import type { Asked } from '../../../src/ledger/approval.ts';
import { PATIENT, type Desk } from '../desk.ts';

export const REQUIRED = 'policy: { approval: required }';

export async function approve(
  paydrop: Paydrop,
  id: string,
  by = 'Marie',
  total: string | null = null,
): Promise<DecisionEnd> {
  const batch = await paydrop.ledger.batch(id);
  // As somebody does who has read the question that stands now.
  const question = batch?.approval?.kind === 'asked' ? questionCode(batch, batch.approval) : null;
  return approveBatch(paydrop, id, { by, via: 'the test', total, said: { question } });
}

export function decline(paydrop: Paydrop, id: string, reason = 'wrong month'): Promise<DecisionEnd> {
  return declineBatch(paydrop, id, { by: 'Marie', via: 'the test', reason });
}

/** Declined for correction: whoever brought it is to bring it again. */
export function sendBack(paydrop: Paydrop, id: string): Promise<DecisionEnd> {
  return declineBatch(paydrop, id, { by: 'Marie', via: 'the test', reason: 'row 2 twice', sendsBack: true });
}

export async function resume(paydrop: Paydrop, id: string, control = PATIENT): Promise<BatchResult> {
  const [result] = (await resumeBatches(paydrop, id, control)) ?? [];
  if (result === undefined) throw new Error('Nothing was resumed.');
  return result;
}

export async function askedOf({ ledger }: Paydrop, id: string): Promise<Asked> {
  const approval = (await ledger.batch(id))?.approval;
  if (approval?.kind !== 'asked') throw new Error('No approval was asked.');
  return approval;
}

/** The short name of the question that stands. */
export async function codeOf(paydrop: Paydrop, id: string): Promise<string> {
  const batch = await paydrop.ledger.batch(id);
  if (batch?.approval?.kind !== 'asked') throw new Error('No approval was asked.');
  return questionCode(batch, batch.approval);
}

/** Moves the rate of the yuan, in thousandths for a euro: fewer of them make every payment dearer. */
export async function moveRate(desk: Desk, thousandthsPerEur: string): Promise<void> {
  const response = await fetch(`${desk.sandbox.baseUrl}/sandbox/rates`, {
    method: 'POST',
    headers: { 'x-api-key': desk.sandbox.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ currency: 'CNY', thousandthsPerEur }),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** What the sandbox has of it by itself. */
export const USUAL_RATE = '7812';

export function outboxFile({ workspace }: Desk, name: string): Promise<string> {
  return readFile(join(workspace, 'outbox', name), 'utf8');
}
