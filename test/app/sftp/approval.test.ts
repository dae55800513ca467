// An approval that comes over SFTP: the account of an approver has the batch paid, any other is answered in words, each on its own server folder.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Paydrop } from '../../../src/app/parts.ts';
import { NO_SSHD, startSshServer, type SshServer } from '../../sftp/openssh-server.ts';
import { askedOf } from '../approval/two-people.ts';
import { HEADER, line, transfersOf } from '../desk.ts';
import {
  keysOf,
  namesIn,
  openSftpDesk,
  QUICK,
  startExchange,
  type Exchanging,
  type SftpDesk,
} from './sftp-desk.ts';

const SOON = { timeout: 20_000, interval: 50 };

/** Marie's house has an account of its own, and what comes from there is hers. */
const RULES = 'policy: { approval: required }\napprovers: [{ name: Marie, folder: bank }]';

describe.skipIf(NO_SSHD !== '')(`an approval over SFTP${NO_SSHD}`, () => {
  let server: SshServer;
  let desk: SftpDesk;
  let paydrop: Paydrop;
  let exchanging: Exchanging;
  let bank: { readonly out: string; readonly into: string };

  beforeAll(async () => {
    server = await startSshServer({ kinds: ['ed25519'] });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    desk = await openSftpDesk(server);
    bank = { out: desk.folder('bank-out'), into: desk.folder('bank-in') };
    const often = 'settleFor: 50ms, pollEvery: 400ms';
    const { port } = server;
    const accounts = [
      keysOf(server, { name: 'erp', port, out: desk.out, into: desk.into }),
      keysOf(server, { name: 'bank', port, ...bank }),
    ].map((keys) => `{ ${keys}, ${often} }`);
    paydrop = await desk.open(`${QUICK}\n${RULES}\nsftp: [${accounts.join(', ')}]`);
    exchanging = startExchange(paydrop);
  });
  afterEach(async () => {
    await exchanging.stop();
    await desk.close();
  });

  /** A file from one of them, as far as its question. */
  async function asked(out: string): Promise<string> {
    await writeFile(join(out, 'salaries.csv'), `${HEADER}\n${line('A-1', '100')}\n`);
    const { summary } = await exchanging.next();
    expect(summary.state).toBe('awaiting-approval');
    return summary.batch;
  }

  const approve = (out: string, batch: string): Promise<void> => writeFile(join(out, `${batch}.approve`), '');

  /** What the account reads that was not obeyed. */
  async function refusalAt(into: string): Promise<{ readonly code: string; readonly reason: string }> {
    const name = await vi.waitFor(async () => {
      const found = (await namesIn(into)).find((each) => each.endsWith('.approve.refused.json'));
      expect(found).toBeDefined();
      return found ?? '';
    }, SOON);
    return JSON.parse(await readFile(join(into, name), 'utf8')) as { code: string; reason: string };
  }

  it('counts from the account of an approver alone; the other is told why nothing was approved, and nothing is sent for it', async () => {
    const batch = await asked(desk.out);
    await approve(desk.out, batch);
    const refusal = await refusalAt(desk.into);
    expect(refusal).toMatchObject({ code: 'approval_not_allowed', batch });
    expect(refusal.reason).toContain('was not in the folder of an approver');
    expect(await askedOf(paydrop, batch)).toMatchObject({ given: null });
    expect(await transfersOf(paydrop)).toEqual([]);

    await approve(bank.out, batch);
    const { summary } = await exchanging.next();
    expect(summary).toMatchObject({ batch, state: 'closed', outcomes: { paid: 1 } });
    expect(await askedOf(paydrop, batch)).toMatchObject({ given: { by: 'Marie' } });
    expect(await transfersOf(paydrop)).toHaveLength(1);
    await vi.waitFor(async () => {
      expect((await namesIn(desk.into)).some((name) => name.includes('.summary.'))).toBe(true);
    }, SOON);
    // Neither reads what is the other's; and nothing of it is left here.
    expect(await namesIn(bank.into)).toEqual([]);
    expect(await namesIn(bank.out)).toEqual(['processed']);
    expect(await namesIn(join(desk.workspace, 'processing'))).toEqual([]);
    expect(exchanging.troubles).toEqual([]);
  });

  it('does not count for a file that the same account brought', async () => {
    const batch = await asked(bank.out);
    await approve(bank.out, batch);
    expect(await refusalAt(bank.into)).toMatchObject({ code: 'approval_same_person' });
    expect(await transfersOf(paydrop)).toEqual([]);
  });
});
