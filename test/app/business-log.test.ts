// The log reports the business of a day: the files that came, refusals, outcomes, and who decided. It names no payee and no account.
import { expect, it } from 'vitest';

import * as commands from '../../src/app/desk/commands.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { createLog } from '../../src/base/log.ts';
import { atEnd } from '../at-end.ts';
import { line, openDesk, PATIENT } from './desk.ts';

it('has a line for each change of a batch, with counts and who decided', async () => {
  const desk = await openDesk();
  atEnd(() => desk.close());
  const lines: string[] = [];
  const log = createLog('info', { write: (text) => void lines.push(text) });
  const paydrop = { ...(await desk.open('policy: { approval: required }')), log };
  const told = (batch: string) =>
    lines
      .map((text) => JSON.parse(text) as Record<string, unknown>)
      .filter((each) => each['batch'] === batch)
      .map((each) =>
        Object.fromEntries(Object.entries(each).filter(([name]) => !['time', 'batch'].includes(name))),
      );

  const refused = await processBatch(paydrop, await desk.file('bad.csv', [line('B', 'x')]), PATIENT);
  expect(told(refused.summary.batch)).toContainEqual({
    level: 'info',
    msg: 'file refused',
    code: 'rows_rejected',
    rows: 1,
  });

  const equal = line('', '100');
  const rows = [equal, equal, line('A-3', '300')];
  const { summary } = await processBatch(paydrop, await desk.file('payroll.csv', rows), PATIENT);
  const { batch } = summary;
  await commands.approve(paydrop, batch, { by: 'Marie', via: 'the test' });
  await resumeBatches(paydrop, batch, PATIENT, 'Awa');
  await commands.release(paydrop, batch, { by: 'Awa', reason: 'two', rows: new Set(['2']), skip: false });
  const said = told(batch);
  expect(said).toContainEqual({ level: 'info', msg: 'batch moved on', state: 'accepted', rows: 3 });
  expect(said).toContainEqual({
    level: 'info',
    msg: 'batch stands',
    state: 'awaiting-approval',
    standing: 'awaiting-approval',
    rows: 3,
    code: 'approval',
    outcomes: { held: 2, pending: 1 },
  });
  expect(said).toContainEqual({ level: 'info', msg: 'release', by: 'Awa', rows: 1 });
  expect(said.some(({ msg, by }) => msg === 'approval' && by === 'Marie')).toBe(true);
  expect(said).toContainEqual(
    expect.objectContaining({ msg: 'batch stands', outcomes: { paid: 1, held: 2 } }),
  );
  expect(lines.join('')).not.toMatch(/8613800138000|\bWei\b|A-3/);
});
