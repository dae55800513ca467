// Every point at which a fetch or a delivery can be interrupted: the next run takes the file once, and delivers each version of the answer once.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { Paydrop } from '../../../src/app/parts.ts';
import type { AccountDesk } from '../../../src/app/intake/sftp/files-to-fetch.ts';
import { bringAnswer } from '../../../src/app/intake/sftp/bring-answer.ts';
import { dueAnswers } from '../../../src/app/parts/due-answers.ts';
import { pullAccount } from '../../../src/app/intake/sftp/pull-account.ts';
import { hashFile } from '../../../src/inbox/take-file.ts';
import { Settling } from '../../../src/inbox/inbox-entries.ts';
import type { Exchange } from '../../../src/ledger/exchange.ts';
import { connectionLost, type SftpAccount } from '../../../src/sftp/account.ts';
import { connect } from '../../../src/sftp/connect.ts';
import type { SftpSession } from '../../../src/sftp/sftp-session.ts';
import { batchNumber } from '../../ledger/records.ts';
import { NO_SSHD, startSshServer, type SshServer } from '../../sftp/openssh-server.ts';
import { openSftpDesk, type SftpDesk } from './sftp-desk.ts';

const ALIVE = { timeoutMs: 10_000, signal: new AbortController().signal };

/** Where a life ends: at the n-th call of all that reach the server or the ledger, before or after what it does. */
type Death = { readonly call: number; readonly isAfter: boolean };

class Dead extends Error {}

/** Counts the calls of both, and dies at one of them. */
function mortal<T extends object>(
  part: T,
  counter: { calls: number; names: string[] },
  death: Death | null,
): T {
  return new Proxy(part, {
    get: (target, name: string) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || ['read', 'hold', 'account', 'answer'].includes(name)) return method;
      return async (...given: unknown[]) => {
        counter.calls += 1;
        counter.names.push(name);
        const isNow = counter.calls === death?.call;
        if (isNow && !death.isAfter) throw connectionLost(new Dead());
        const result: unknown = await (method as (...all: unknown[]) => unknown).apply(target, given);
        if (isNow) throw connectionLost(new Dead());
        return result;
      };
    },
  });
}

describe.skipIf(NO_SSHD !== '')(`cut short at any point${NO_SSHD}`, () => {
  let server: SshServer;
  let desk: SftpDesk;
  let paydrop: Paydrop;
  let account: SftpAccount;
  let session: SftpSession;

  beforeAll(async () => {
    server = await startSshServer({ kinds: ['ed25519'] });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    desk = await openSftpDesk(server);
    paydrop = await desk.openWith();
    const [first] = paydrop.config.sftpAccounts ?? [];
    if (first === undefined) throw new Error('The account is in the config.');
    account = { ...first, settleForMs: 0 };
    session = await connect(account, ALIVE);
    await paydrop.ledger.exchange.hold(account.name, '2026-01-01T00:00:00.000Z');
  });
  afterEach(async () => {
    await session.close();
    await desk.close();
  });

  /** One run of paydrop, which may die; what it remembers by itself dies with it. */
  async function live(
    work: (life: AccountDesk, mortalSession: SftpSession) => Promise<unknown>,
    death: Death | null,
  ): Promise<readonly string[]> {
    const counter = { calls: 0, names: [] as string[] };
    const exchange: Exchange = mortal(paydrop.ledger.exchange, counter, death);
    const ledger = new Proxy(paydrop.ledger, {
      get: (target, name) => {
        if (name === 'exchange') return exchange;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const life: AccountDesk = {
      paydrop: { ...paydrop, ledger },
      account,
      settling: new Settling(0),
      compared: new Set(),
      foreign: new Set(),
    };
    await work(life, mortal(session, counter, death)).catch((error: unknown) => {
      if (!(error instanceof Error && error.cause instanceof Dead)) throw error;
    });
    return counter.names;
  }

  /** Two looks: the first sees the file, the second finds it still. */
  const look = async (life: AccountDesk, own: SftpSession): Promise<void> => {
    await pullAccount(life, own);
    await pullAccount(life, own);
  };

  /** As the inbox does: takes what has been placed, and the ledger knows it. */
  async function take(): Promise<readonly string[]> {
    const folder = join(desk.workspace, 'inbox', 'erp', 'out');
    const names = existsSync(folder) ? await readdir(folder) : [];
    const contents = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    for (const name of names) {
      const sha256 = await hashFile(join(folder, name));
      const batch = { ...batchNumber(1), id: `20261120-${sha256.slice(0, 8)}`, fileId: sha256, sha256 };
      const earlier = (await paydrop.ledger.batch({ fileId: sha256 })) ?? undefined;
      await paydrop.ledger.addBatch(batch, earlier);
      await rm(join(folder, name));
    }
    return contents;
  }

  it.each(['move', 'delete'] as const)(
    'a file is taken once, and its original leaves (%s)',
    async (processed) => {
      account = { ...account, processed };
      const path = join(desk.out, 'a.csv');
      await writeFile(path, 'first');
      const calls = await live(look, null);
      expect(calls).toContain('addPull');
      expect(await take()).toEqual(['first']);
      expect(calls.length).toBeGreaterThan(8);
      for (let call = 1; call <= calls.length; call += 1)
        for (const isAfter of [false, true]) {
          const content = `${String(call)} ${String(isAfter)}`;
          await writeFile(path, content);
          await live(look, { call, isAfter });
          const taken = [...(await take())];
          await live(look, null);
          taken.push(...(await take()));
          expect([content, taken]).toEqual([content, [content]]);
          expect(existsSync(path)).toBe(false);
          expect(await paydrop.ledger.exchange.openPulls('erp')).toEqual([]);
          expect(await readdir(join(desk.workspace, 'inbox', 'erp'))).toEqual(['out']);
        }
    },
  );

  it('a file whose copy was removed before it came into the inbox is fetched anew', async () => {
    const path = join(desk.out, 'a.csv');
    await writeFile(path, 'first');
    const calls = await live(look, null);
    await take();
    await writeFile(path, 'again');
    await live(look, { call: calls.indexOf('addPull') + 1, isAfter: true });
    const [pull] = await paydrop.ledger.exchange.openPulls('erp');
    await rm(pull?.temporary ?? '');
    await live(look, null);
    expect(await take()).toEqual(['again']);
    expect(existsSync(path)).toBe(false);
    expect(await paydrop.ledger.exchange.openPulls('erp')).toEqual([]);
  });

  it('another file that was laid in the place of one that was placed, in the same second and of the same size, is not lost', async () => {
    const path = join(desk.out, 'a.csv');
    await writeFile(path, 'first');
    const calls = await live(look, null);
    await take();
    await writeFile(path, 'again');
    const { atime, mtime } = await stat(path);
    await live(look, { call: calls.indexOf('changePull') + 1, isAfter: true });
    expect(await take()).toEqual(['again']);
    await writeFile(path, 'other');
    await utimes(path, atime, mtime);
    await live(look, null);
    expect(await take()).toEqual(['other']);
  });

  const name = 'a.20261120-3f9a2c11.result.csv';

  const bring = async (life: AccountDesk, own: SftpSession): Promise<void> => {
    for (const answer of await dueAnswers(life.paydrop, account, new Map()))
      await bringAnswer(life, own, desk.into, answer);
  };

  it('each version of an answer comes once, whole', async () => {
    account = { ...account, answers: 'all' };
    /** As the account's owner does: fetches what is there, and clears it away. */
    const collect = async (): Promise<readonly string[]> => {
      const names = (await readdir(desk.into)).filter((each) => !each.startsWith('.'));
      const contents = await Promise.all(names.map((each) => readFile(join(desk.into, each), 'utf8')));
      for (const each of names) await rm(join(desk.into, each));
      return contents;
    };
    await writeFile(join(desk.workspace, 'outbox', name), 'the first version');
    const calls = await live(bring, null);
    expect(calls).toContain('noteAnswer');
    expect(await collect()).toEqual(['the first version']);
    for (let call = 1; call <= calls.length; call += 1)
      for (const isAfter of [false, true]) {
        const content = createHash('sha256')
          .update(`${String(call)} ${String(isAfter)}`)
          .digest('hex');
        await writeFile(join(desk.workspace, 'outbox', name), content);
        await live(bring, { call, isAfter });
        const collected = [...(await collect())];
        await live(bring, null);
        await live(bring, null);
        collected.push(...(await collect()));
        expect([call, isAfter, collected]).toEqual([call, isAfter, [content]]);
        expect(await readdir(desk.into)).toEqual([]);
      }
  });

  it('an answer whose upload somebody cut before it got its name is brought again', async () => {
    account = { ...account, answers: 'all' };
    await writeFile(join(desk.workspace, 'outbox', name), 'the only version');
    const calls = await live(bring, null);
    await rm(join(desk.into, name));
    await writeFile(join(desk.workspace, 'outbox', name), 'another version');
    await live(bring, { call: calls.indexOf('noteAnswer') + 1, isAfter: true });
    await writeFile(join(desk.into, `.${name}.part`), 'another');
    await live(bring, null);
    expect(await readFile(join(desk.into, name), 'utf8')).toBe('another version');
  });
});
