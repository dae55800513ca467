// A batch walks through the states of the table, one after the other and never back.
import { afterEach, beforeEach, expect, it } from 'vitest';

import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import type { BatchState } from '../../src/ledger/batch-states.ts';
import { HURRIED, line, openDesk, PATIENT, type Desk } from './desk.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

/** The states that a batch was moved to, each once for each time that it was moved there. */
function watchStates(paydrop: Paydrop): readonly BatchState[] {
  const states: BatchState[] = [];
  const { ledger } = paydrop;
  const [revise, crossCheck, decideWhole] = [
    ledger.revise.bind(ledger),
    ledger.crossCheck.bind(ledger),
    ledger.decideWhole.bind(ledger),
  ];
  ledger.revise = async (of, decide) => {
    let to: BatchState | undefined;
    const seen = await revise(of, (batch, all) => {
      const revision = decide(batch, all);
      to = revision?.change.state;
      return revision;
    });
    if (to !== undefined && to !== seen?.state) states.push(to);
    return seen;
  };
  ledger.crossCheck = async (id, check) => {
    const isDone = await crossCheck(id, check);
    if (isDone && check.change.state !== undefined) states.push(check.change.state);
    return isDone;
  };
  ledger.decideWhole = async (id, decision) => {
    const whole = await decideWhole(id, decision);
    if (whole === decision.to) states.push('sending');
    return whole;
  };
  return states;
}

it.each([
  ['row by row', '', ['sending']],
  ['whole or not at all', 'policy: { strategy: reserve-then-confirm }', ['reserving', 'sending']],
] as const)('a file that is paid %s goes from state to state, and never back', async (_, config, paying) => {
  const paydrop = await desk.open(config);
  const states = watchStates(paydrop);
  await processBatch(paydrop, await desk.file('pay.csv', [line('A-1', '100'), line('A-2', '100')]), PATIENT);
  expect(states).toEqual(['checking', 'pricing', 'accepted', ...paying, 'following', 'closing', 'closed']);
});

it('a file that nobody waits for is followed, and closed by the go that finds its end', async () => {
  const paydrop = await desk.open();
  const states = watchStates(paydrop);
  await processBatch(paydrop, await desk.file('pay.csv', [line('A-1', '100')]), HURRIED);
  expect(states.at(-1)).toBe('following');
  await resumeBatches(paydrop, null, PATIENT);
  expect(states.slice(-3)).toEqual(['following', 'closing', 'closed']);
});
