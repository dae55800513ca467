// What a daemon that starts with its machine finds of the previous one, whose process id may belong to any other program by now.
import { join } from 'node:path';
import { platform, ppid } from 'node:process';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { claimFile } from '../../../src/inbox/claim-file.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { openSqlite, placeOf } from '../../../src/ledger/open-ledger.ts';
import { atEnd } from '../../at-end.ts';
import { giveTo, processAt } from '../../ledger/machines.ts';
import { dropInto, QUICK, startWatching } from '../schedule/watching.ts';
import { endsOf, HURRIED, line, openDesk, type Desk } from '../desk.ts';

let desk: Desk;

beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

it.runIf(platform === 'linux')(
  'a batch and a claimed file of a daemon whose number belongs to another program now are gone on with',
  async () => {
    const paydrop = await desk.open(QUICK);
    const own = {
      ...placeOf(ppid),
      boot: '00000000-0000-4000-8000-000000000000',
    };
    const daemonBefore = openSqlite(paydrop.workspace.ledgerPath, systemClock, {
      ...processAt(),
      own,
    });
    atEnd(() => daemonBefore.close());
    await daemonBefore.runs.tell(null);
    const before = daemonBefore.run;
    const first = await desk.file('a.csv', [line('A-1', '100')]);
    const { summary } = await processBatch(paydrop, first, { ...HURRIED, signal: AbortSignal.abort() });
    giveTo(paydrop.workspace.ledgerPath, summary.batch, before);
    const dropped = await dropInto(desk, 'b.csv', [line('B-1', '200')]);
    const claim = await claimFile(paydrop.workspace, dropped, before, []);
    expect(claim?.origin).toBe(join(desk.workspace, 'inbox', 'b.csv'));
    const daemon = startWatching(paydrop);
    const one = await daemon.until(({ batch, state }) => batch === summary.batch && state === 'closed');
    const two = await daemon.until(({ batch, state }) => batch !== summary.batch && state === 'closed');
    await daemon.stop();
    expect(await endsOf(paydrop, one.summary.batch)).toEqual(['paid']);
    expect(await endsOf(paydrop, two.summary.batch)).toEqual(['paid']);
  },
);
