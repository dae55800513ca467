// Two approvers on a ledger in PostgreSQL, as two machines see it: the first stands for both, and of two seconds at the same moment one counts.
import { afterEach, beforeEach, expect, it } from 'vitest';

import { compose } from '../../../src/app/compose.ts';
import { parseConfig } from '../../../src/app/config/config.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { processBatch } from '../../../src/app/workflow/process-batch.ts';
import { silentLog } from '../../../src/base/log.ts';
import { ownServer } from '../../ledger/postgres-ledgers.ts';
import { type Desk, HURRIED, lineTo, openDesk, SENDER, transfersOf } from '../desk.ts';
import { approve, askedOf, decline, resume } from './two-people.ts';

const newSchema = ownServer();
const TWO = 'policy: { twoApproversAbove: 1 XAF }\ntracking: { pollEvery: 100ms }';

let desk: Desk;
let opened: Paydrop[];
let url: string;
beforeEach(async () => {
  [desk, opened, url] = [await openDesk(), [], newSchema()];
});
afterEach(async () => {
  for (const each of opened) await each.close();
  await desk.close();
});

/** A machine: each has a workspace of its own. */
async function open(at: Desk): Promise<Paydrop> {
  const { sandbox, workspace } = desk;
  const paydrop = await compose(
    {
      ...parseConfig(`${SENDER}\n${TWO}`, 'the test'),
      ...{ workspacePath: at.workspace, baseUrl: new URL(sandbox.baseUrl), apiKey: sandbox.apiKey },
      ...{ ledgerPath: null, sharedLedger: { url, password: null, giveUpAfterMs: 5_000 }, folderPaths: {} },
      ...{ profilesPath: workspace, fileProfiles: [], sftpAccounts: [] },
    },
    silentLog,
  );
  opened.push(paydrop);
  return paydrop;
}

it('lets a file go after two people at two machines, and not after one at both', async () => {
  const elsewhere = await openDesk();
  const [here, there] = [await open(desk), await open(elsewhere)];
  const file = await desk.file('salaries.csv', [lineTo('Chen', 'A-1', '300')]);
  const { batch } = (await processBatch(here, file, HURRIED, false, ['Paul Biya'])).summary;
  expect(await askedOf(there, batch)).toMatchObject({ needed: 2, given: null });
  expect(await approve(here, batch, 'Marie Ngo')).toMatchObject({ kind: 'decided' });
  expect(await approve(there, batch, 'Marie Ngo')).toMatchObject({ code: 'approval_second_person' });
  expect(await approve(there, batch, 'Paul Biya')).toMatchObject({ code: 'approval_same_person' });
  expect((await resume(here, batch)).summary.state).toBe('awaiting-approval');
  expect(await transfersOf(here)).toEqual([]);
  const ends = await Promise.all([approve(here, batch, 'Joe Tchoua'), approve(there, batch, 'Ada Eto')]);
  expect(ends.map(({ kind }) => kind).sort()).toEqual(['decided', 'decided-before']);
  expect((await resume(here, batch)).summary.outcomes.paid).toBe(1);
  expect(await transfersOf(here)).toHaveLength(1);
  await opened.pop()?.close();
  await elsewhere.close();
});

it('has one first and one second of two at the same moment, and is declined after the first', async () => {
  const here = await open(desk);
  const brought = async (name: string): Promise<string> => {
    const file = await desk.file(`${name}.csv`, [lineTo(name, name, '300')]);
    return (await processBatch(here, file, HURRIED, false, ['Paul Biya'])).summary.batch;
  };
  const [both, declined] = [await brought('both'), await brought('declined')];
  await Promise.all(['Joe Tchoua', 'Ada Eto'].map((by) => approve(here, both, by)));
  const { first, given } = await askedOf(here, both);
  expect([first?.by, given?.by].sort()).toEqual(['Ada Eto', 'Joe Tchoua']);
  await approve(here, declined, 'Joe Tchoua');
  expect(await decline(here, declined)).toMatchObject({ kind: 'decided' });
  expect(await approve(here, declined, 'Ada Eto')).toMatchObject({ code: 'approval_declined' });
  expect(await transfersOf(here)).toEqual([]);
});
