// A ledger counts the money of one account. With another address or key nothing is sent, unless the service shows a transfer that the ledger knows, or a named person says that the account moved.
import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { compose } from '../../src/app/compose.ts';
import { composeRecords } from '../../src/app/compose-records.ts';
import { parseConfig, type Config } from '../../src/app/config/config.ts';
import { moveService } from '../../src/app/desk/commands.ts';
import { accountInUse, accountOf, assertSameAccount } from '../../src/app/parts/bound-account.ts';
import { describeError } from '../../src/app/parts/describe-error.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { processBatch, resumeBatches } from '../../src/app/workflow/process-batch.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { startSandbox, type RunningSandbox } from '../../src/sandbox/start-sandbox.ts';
import { httpPayoutService } from '../../src/service/http-payout-service.ts';
import { undiciTransport } from '../../src/service/undici-transport.ts';
import { approve, REQUIRED } from './approval/two-people.ts';
import { endsOf, HURRIED, line, openDesk, PATIENT, SENDER, type Desk } from './desk.ts';

const OTHER_KEY = 'another-key-of-another-account';

let desk: Desk;
let other: RunningSandbox;
const opened: Paydrop[] = [];

beforeEach(async () => {
  desk = await openDesk();
  other = await startSandbox({ settleMs: 20, apiKey: OTHER_KEY });
});
afterEach(async () => {
  for (const paydrop of opened.splice(0)) await paydrop.close();
  await other.close();
  await desk.close();
});

type Account = { readonly baseUrl: string | null; readonly apiKey: string | null };

function configFor({ baseUrl, apiKey }: Account, text = ''): Config {
  const file = parseConfig([SENDER, 'tracking: { pollEvery: 100ms }', text].join('\n'), 'the test');
  return {
    ...file,
    workspacePath: desk.workspace,
    baseUrl: baseUrl === null ? null : new URL(baseUrl),
    apiKey,
    ledgerPath: null,
    folderPaths: {},
    profilesPath: join(desk.workspace, 'profiles'),
    fileProfiles: [],
    sftpAccounts: [],
  };
}

async function openAt(account: Account, text = ''): Promise<Paydrop> {
  const paydrop = await compose(configFor(account, text), silentLog, systemClock);
  opened.push(paydrop);
  return paydrop;
}

async function shut(): Promise<void> {
  for (const paydrop of opened.splice(0)) await paydrop.close();
}

/** By the only process. */
async function anew(account: Account): Promise<Paydrop> {
  await shut();
  return openAt(account);
}

const own = (): Account => ({ baseUrl: desk.sandbox.baseUrl, apiKey: desk.sandbox.apiKey });
const foreign = (): Account => ({ baseUrl: other.baseUrl, apiKey: OTHER_KEY });

/** One row is paid, and two are left that nobody can tell apart. */
async function halfPaid(): Promise<string> {
  const file = await desk.file('payroll.csv', [line('A-1', '100'), line('', '300'), line('', '300')]);
  const paydrop = await openAt(own());
  const { batch } = (await processBatch(paydrop, file, PATIENT)).summary;
  expect((await endsOf(paydrop, batch))[0]).toBe('paid');
  await shut();
  return batch;
}

async function transfersAtOther(): Promise<number> {
  const { transport, close } = undiciTransport(new URL(other.baseUrl), 1);
  const { apiKey } = other;
  const service = httpPayoutService({ transport, apiKey, timeoutMs: 10_000, clock: systemClock });
  const { value } = await service.transfers({});
  await close();
  return value.transfers.length;
}

describe('a workspace from which something was paid', () => {
  it('sends nothing through another account, and says what to do', async () => {
    await halfPaid();
    const fault = await openAt(foreign()).catch((error: unknown) => error);
    expect(fault).toMatchObject({ name: 'ServiceChanged' });
    const { code, errorCode, words } = describeError(fault);
    expect([code, errorCode]).toEqual([5, 'service_changed']);
    expect(words.en).toContain('paydrop service --moved');
    expect(await transfersAtOther()).toBe(0);
  });

  it('sends nothing through another one, however many held rows stand before a paid one', async () => {
    const held = Array.from({ length: 8 }, () => line('', '300'));
    const file = await desk.file('payroll.csv', [...held, line('A-1', '100')]);
    await processBatch(await openAt(own()), file, PATIENT);
    await expect(anew(foreign())).rejects.toMatchObject({ name: 'ServiceChanged' });
  });

  it('whose note of it cannot be read sends nothing once its ledger is lost', async () => {
    await halfPaid();
    await desk.loseLedger();
    await writeFile(join(desk.workspace, 'service.json'), 'x');
    await expect(openAt(own())).rejects.toMatchObject({ name: 'ServiceChanged' });
  });

  it('goes on under another key that shows its transfers, and through another port of this machine', async () => {
    const batch = await halfPaid();
    desk.sandbox.rotateKey('key-b');
    const paydrop = await openAt({ ...own(), apiKey: 'key-b' });
    expect(await paydrop.ledger.account.bound()).toBe(JSON.stringify(accountInUse(paydrop)));
    expect(await resumeBatches(paydrop, batch, PATIENT)).toHaveLength(1);
    await shut();
    expect((await openAt({ baseUrl: 'http://127.0.0.1:9', apiKey: 'key-b' })).isSandbox).toBe(false);
  });

  it('is the account of its config once a named person has said so, and says so once', async () => {
    const batch = await halfPaid();
    const records = await composeRecords(configFor(foreign()), silentLog);
    const said = { by: 'Ama', reason: 'the bank has a new address' };
    expect((await moveService(records, said)).kind).toBe('moved');
    expect((await moveService(records, said)).kind).toBe('same');
    expect(await records.ledger.account.bound()).toContain('"by":"Ama"');
    await records.close();
    const paydrop = await openAt(foreign());
    expect((await endsOf(paydrop, batch))[0]).toBe('paid');
  });

  it('may be moved by an approver alone where the config names approvers', async () => {
    await halfPaid();
    const approvers = 'approvers: [{ name: Ama, folder: approvals }]';
    const records = await composeRecords(configFor(foreign(), approvers), silentLog);
    expect((await moveService(records, { by: 'Ben', reason: 'moved' })).kind).toBe('refused');
    expect((await moveService(records, { by: 'Ama', reason: 'moved' })).kind).toBe('moved');
    await records.close();
  });

  it('knows its account after its ledger was lost', async () => {
    await halfPaid();
    await desk.loseLedger();
    await expect(openAt(foreign())).rejects.toMatchObject({ name: 'ServiceChanged' });
    expect((await openAt(own())).isSandbox).toBe(false);
  });

  it('asks before it sends where the service could not be asked at the start', async () => {
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const paydrop = await openAt(own());
    await processBatch(paydrop, file, PATIENT);
    await shut();
    const port = Number(new URL(other.baseUrl).port);
    await other.close();
    const away = await openAt(foreign());
    other = await startSandbox({ settleMs: 20, apiKey: OTHER_KEY, port });
    const second = await desk.file('second.csv', [line('B-1', '200')]);
    await expect(processBatch(away, second, HURRIED)).rejects.toMatchObject({ name: 'ServiceChanged' });
    expect(await transfersAtOther()).toBe(0);
  });
});

describe('a workspace from which nothing was sent', () => {
  it('is free to use another account', async () => {
    await processBatch(await openAt(own()), await desk.file('wrong.csv', [line('A-1', 'x')]), PATIENT);
    await shut();
    const paydrop = await openAt(foreign());
    const { summary } = await processBatch(
      paydrop,
      await desk.file('right.csv', [line('B-1', '100')]),
      PATIENT,
    );
    expect(summary.outcomes.paid).toBe(1);
    expect(await paydrop.ledger.account.bound()).toContain(other.baseUrl);
    await shut();
    await expect(openAt(own())).rejects.toMatchObject({ name: 'ServiceChanged' });
  });

  it('is not, while another process uses it with the first one', async () => {
    const first = await openAt(own());
    await processBatch(first, await desk.file('payroll.csv', [line('', '300'), line('', '300')]), PATIENT);
    await expect(openAt(foreign())).rejects.toMatchObject({ name: 'ServiceChanged' });
  });

  it('does not pay through another account what was approved', async () => {
    const paydrop = await openAt(own(), REQUIRED);
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const { batch } = (await processBatch(paydrop, file, PATIENT)).summary;
    await expect(anew(foreign())).rejects.toMatchObject({ name: 'ServiceChanged' });
    expect((await approve(await openAt(own(), REQUIRED), batch)).kind).toBe('decided');
    await expect(anew(foreign())).rejects.toMatchObject({ name: 'ServiceChanged' });
    expect(await transfersAtOther()).toBe(0);
  });

  it('does not pay with play money what was taken for a real service', async () => {
    const file = await desk.file('payroll.csv', [line('', '300'), line('', '300')]);
    await processBatch(await openAt(own()), file, PATIENT);
    await expect(anew({ baseUrl: null, apiKey: null })).rejects.toMatchObject({ name: 'ServiceChanged' });
    const records = await composeRecords(configFor({ baseUrl: null, apiKey: null }), silentLog);
    expect((await moveService(records, { by: 'Ama', reason: 'by mistake' })).kind).toBe('refused');
    await records.close();
  });

  it('that two processes begin to use at the same moment belongs to the faster one', async () => {
    const [mine, theirs] = [accountOf(configFor(own())), accountOf(configFor(foreign()))];
    const [slower, faster] = [
      await composeRecords(configFor(own()), silentLog),
      await composeRecords(configFor(foreign()), silentLog),
    ];
    await faster.ledger.runs.tell('here');
    // Between the look of the slower one and its binding.
    const ledger = new Proxy(slower.ledger, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key);
        if (key !== 'account') return typeof value === 'function' ? (value.bind(target) as unknown) : value;
        const bind = async (account: string, seen: string | null) => {
          await faster.ledger.account.bind(JSON.stringify(theirs), null);
          return target.account.bind(account, seen);
        };
        return { ...target.account, bind };
      },
    });
    const { transport, close } = undiciTransport(new URL(desk.sandbox.baseUrl), 1);
    const { apiKey } = desk.sandbox;
    const service = httpPayoutService({ transport, apiKey, timeoutMs: 10_000, clock: systemClock });
    const judged = assertSameAccount({ ...slower, ledger }, mine, service);
    await expect(judged).rejects.toMatchObject({ name: 'ServiceChanged' });
    expect(await slower.ledger.account.bound()).toBe(JSON.stringify(theirs));
    await close();
    for (const records of [slower, faster]) await records.close();
  });
});

describe('a workspace that has paid play money', () => {
  it('is free to pay real money: what was paid in play moves aside, and its file is new', async () => {
    const file = await desk.file('payroll.csv', [line('A-1', '100')]);
    const playing = await openAt({ baseUrl: null, apiKey: null });
    expect(playing.setAside).toBeNull();
    await processBatch(playing, file, PATIENT);
    await shut();
    const paydrop = await openAt(own());
    const folder = paydrop.setAside ?? '';
    expect(existsSync(join(folder, 'ledger.sqlite'))).toBe(true);
    expect((await readdir(join(folder, 'outbox'))).length).toBeGreaterThan(0);
    expect(await readdir(join(desk.workspace, 'outbox'))).toEqual([]);
    const { summary } = await processBatch(paydrop, file, PATIENT);
    expect(summary.outcomes.paid).toBe(1);
    await shut();
    expect((await openAt(own())).setAside).toBeNull();
  });

  it('does not pay play money for real files: from a real service it does not go back', async () => {
    await halfPaid();
    await expect(openAt({ baseUrl: null, apiKey: null })).rejects.toMatchObject({ name: 'ServiceChanged' });
  });
});
