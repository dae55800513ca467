// Files from an account on a real OpenSSH server and answers back to it: each file is taken once, each answer delivered once and whole.
import { randomBytes } from 'node:crypto';
import {
  appendFile,
  copyFile,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { accountStatuses } from '../../../src/app/desk/telling-status.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { openSqlite } from '../../../src/ledger/open-ledger.ts';
import { atEnd } from '../../at-end.ts';
import { CONTAINER, processAt } from '../../ledger/machines.ts';
import { NO_SSHD, startSshServer, type SshServer } from '../../sftp/openssh-server.ts';
import { readStatus } from '../../invariants/status-messages.ts';
import { message, payment } from '../../rows/pain001/messages.ts';
import { HEADER, line, transfersOf } from '../desk.ts';
import {
  namesIn,
  openSftpDesk,
  QUICK,
  sftp,
  startExchange,
  supplierFile,
  type Exchanging,
  type SftpDesk,
} from './sftp-desk.ts';

const table = (...lines: readonly string[]): string => `${[HEADER, ...lines].join('\n')}\n`;

/** Long enough for a loaded machine. */
const SOON = { timeout: 20_000, interval: 20 };

const HOUR_MS = 3_600_000;

describe.skipIf(NO_SSHD !== '')(`an account on an OpenSSH server${NO_SSHD}`, () => {
  let server: SshServer;
  let desk: SftpDesk;
  let current: Paydrop;
  const running: Exchanging[] = [];

  beforeAll(async () => {
    server = await startSshServer({ kinds: ['ed25519'] });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    desk = await openSftpDesk(server);
  });
  afterEach(async () => {
    for (const exchanging of running.splice(0)) await exchanging.stop();
    await desk.close();
  });

  async function begin(account = '', more = QUICK) {
    const paydrop = await desk.openWith(account, more);
    current = paydrop;
    const exchanging = startExchange(paydrop);
    running.push(exchanging);
    return { paydrop, ...exchanging };
  }

  /** Until the account's owner sees these answers, by the ends of their names, each in its last version. */
  async function answered(...kinds: readonly string[]): Promise<readonly string[]> {
    return vi.waitFor(async () => {
      const names = await namesIn(desk.into);
      expect(names.map((name) => name.split('.')[2]).sort()).toEqual([...kinds].sort());
      expect(await accountStatuses(current)).toMatchObject([{ waiting: 0 }]);
      return names;
    }, SOON);
  }

  /** Until the server has been looked at again. */
  async function lookedAt({ ledger }: Paydrop): Promise<void> {
    const before = (await ledger.exchange.account('erp'))?.reachedAt;
    await vi.waitFor(async () => {
      expect((await ledger.exchange.account('erp'))?.reachedAt).not.toBe(before);
    }, SOON);
  }

  it('a payment message is paid once; its program gets both status messages, and another program keeps its XML', async () => {
    const iso =
      'executionDate: { past: pay }\niso20022: { debtors: [{ account: PAYDROP-XAF, currency: XAF }] }';
    const { paydrop, next } = await begin('', `${QUICK}\n${iso}`);
    await writeFile(join(desk.out, 'invoice.xml'), '<Invoice>somebody else’s</Invoice>');
    const paid = [payment(), payment({ reference: 'A-2', amount: '<InstdAmt Ccy="CNY">200</InstdAmt>' })];
    await writeFile(join(desk.out, 'salaries.xml'), message(paid, { day: '2026-01-05' }));
    expect((await next()).summary).toMatchObject({ state: 'closed', outcomes: { paid: 2 } });
    const names = await answered('ack', 'reconciliation', 'result', 'status-1', 'status-2', 'summary');
    expect(await transfersOf(paydrop)).toHaveLength(2);
    const [first, last] = await Promise.all(
      names
        .filter((name) => name.endsWith('.xml'))
        .sort()
        .map(async (name) => readStatus(await readFile(join(desk.into, name), 'utf8'))),
    );
    expect([first?.group, last?.group, last?.transactions]).toEqual(['ACCP', 'ACSC', []]);
    expect(await namesIn(desk.out)).toContain('invoice.xml');
    expect(await namesIn(desk.out)).not.toContain('salaries.xml');
  });

  it('a file is whole when it is placed: nobody waits in the inbox for it to settle', async () => {
    const { next } = await begin('', 'intake: { settleFor: 1h, scanEvery: 100ms }');
    await mkdir(join(desk.out, 'invoices'));
    await copyFile('samples/invoices/APN-2026-1442.pdf', join(desk.out, 'invoices/1.pdf'));
    await writeFile(join(desk.out, 'suppliers.csv'), supplierFile(['W-1', 'invoices/1.pdf']));
    expect((await next()).summary).toMatchObject({ state: 'closed', outcomes: { paid: 1 } });
  });

  it('a supplier file with its PDFs, written slowly, is paid once, and its answers are fetched by the sftp client', async () => {
    const { paydrop, next } = await begin('settleFor: 1h');
    const content = supplierFile(['S-1', 'invoices/1.pdf'], ['S-2', 'invoices/2.pdf']);
    await mkdir(join(desk.out, 'invoices'));
    // Straight to its final name, in pieces, with its documents behind it.
    const file = await open(join(desk.out, 'suppliers.csv'), 'w');
    for (const from of [0, 200, 400]) {
      await file.write(content.slice(from, from === 400 ? undefined : from + 200));
      await lookedAt(paydrop);
    }
    await file.close();
    // As many clients do: under another name, and renamed.
    await copyFile('samples/invoices/APN-2026-1442.pdf', join(desk.out, 'invoices/1.pdf.filepart'));
    await lookedAt(paydrop);
    await rename(join(desk.out, 'invoices/1.pdf.filepart'), join(desk.out, 'invoices/1.pdf'));
    sftp(server, `put samples/invoices/APN-2026-1442.pdf ${desk.out}/invoices/2.pdf`);
    // The first look may have begun before the last document was there.
    for (let looks = 0; looks < 2; looks += 1) await lookedAt(paydrop);
    expect(await transfersOf(paydrop)).toEqual([]);
    desk.leap(HOUR_MS);
    expect((await next()).summary).toMatchObject({ state: 'closed', outcomes: { paid: 2 } });
    const names = await answered('ack', 'reconciliation', 'result', 'summary');
    expect(await transfersOf(paydrop)).toHaveLength(2);
    expect(await namesIn(desk.out)).toEqual(['invoices', 'processed']);
    expect((await readdir(join(desk.out, 'processed'), { recursive: true })).sort()).toEqual([
      'invoices',
      'invoices/1.pdf',
      'invoices/2.pdf',
      'suppliers.csv',
    ]);
    sftp(server, `get ${desk.into}/* ${desk.workspace}`);
    for (const name of names)
      expect(await readFile(join(desk.workspace, name))).toEqual(
        await readFile(join(desk.workspace, 'outbox', name)),
      );
    expect((await readdir(desk.into)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('a file waits for its marker, which goes with it, and originals are deleted where the account says so', async () => {
    const { paydrop, next } = await begin(
      'readyMarker: ".done", processed: delete',
      `${QUICK.replace(' }', '')}, readyMarker: ".ok" }`,
    );
    // A link that somebody laid in the place of our own marker is replaced, and not written through.
    const elsewhere = join(desk.workspace, 'elsewhere');
    await writeFile(elsewhere, 'untouched');
    await mkdir(join(paydrop.workspace.inbox, 'erp', 'out'), { recursive: true });
    await symlink(elsewhere, join(paydrop.workspace.inbox, 'erp', 'out', 'a.csv.ok'));
    await writeFile(join(desk.out, 'a.csv'), table(line('A-1', '100')));
    await lookedAt(paydrop);
    await lookedAt(paydrop);
    expect(await namesIn(desk.out)).toEqual(['a.csv']);
    await writeFile(join(desk.out, 'a.csv.done'), '');
    expect((await next()).summary.outcomes.paid).toBe(1);
    expect(await readFile(elsewhere, 'utf8')).toBe('untouched');
    expect(await namesIn(desk.out)).toEqual([]);
  });

  it('what is no payment and no document, what fits no pattern and what is too large stays, and the last is told', async () => {
    const { paydrop, next, troubles } = await begin(
      'files: ["PAY*.csv"]',
      QUICK.replace(' }', ', bytesMax: 1KB }'),
    );
    await writeFile(join(desk.out, 'notes.docx'), 'x');
    await writeFile(join(desk.out, 'other.csv'), table(line('A-1', '100')));
    await writeFile(join(desk.out, 'pay-large.csv'), randomBytes(1_001));
    await writeFile(join(desk.out, 'pay-turned\u202Evsc.csv'), 'x');
    await writeFile(join(desk.out, 'pay-1.csv'), table(line('A-1', '100')));
    expect((await next()).summary.outcomes.paid).toBe(1);
    await answered('ack', 'reconciliation', 'result', 'summary');
    await lookedAt(paydrop);
    expect(await namesIn(desk.out)).toHaveLength(5);
    expect(troubles.join()).toMatch(/file names that are not allowed here.*pay-turned\uFFFDvsc\.csv/);
    expect(troubles.join()).toMatch(/pay-large\.csv is larger than files may be/);
    const [status] = await accountStatuses(paydrop);
    expect(status).toMatchObject({ account: 'erp', failingSince: null, waiting: 0 });
    expect(status?.words).toHaveLength(2);
  });

  it('a file of payments whose control file cannot be fetched waits for it, and the reason is told', async () => {
    const { next, troubles } = await begin('', QUICK.replace(' }', ', bytesMax: 1KB }'));
    const outside = join(desk.folder('elsewhere'), 'real.json');
    await writeFile(outside, '{"rows":99}');
    await symlink(outside, join(desk.out, 'link.control.json'));
    await mkdir(join(desk.out, 'folder.csv.control.json'));
    await writeFile(join(desk.out, 'large.control.json'), ' '.repeat(2_000));
    for (const [at, name] of ['link', 'folder', 'large'].entries())
      await writeFile(join(desk.out, `${name}.csv`), table(line(`C-${String(at)}`, `10${String(at)}`)));
    await writeFile(join(desk.out, 'plain.csv'), table(line('C-9', '109')));
    expect((await next()).summary.file.name).toBe('plain.csv');
    await lookedAt(current);
    expect((await namesIn(desk.out)).filter((name) => name.endsWith('.csv')).sort()).toEqual([
      'folder.csv',
      'large.csv',
      'link.csv',
    ]);
    expect(troubles.join()).toMatch(/link\.control\.json is a link/);
    expect(troubles.join()).toMatch(/folder\.csv\.control\.json is a link, a folder/);
    expect(troubles.join()).toContain(
      'large.csv waits on the server for its control file large.control.json.',
    );
    await unlink(join(desk.out, 'link.control.json'));
    expect((await next()).summary.file.name).toBe('link.csv');
  });

  it('a refused file and the same bytes again are answered', async () => {
    const { next } = await begin();
    await writeFile(join(desk.out, 'wrong.csv'), table(line('A-1', 'x')));
    expect((await next()).summary.state).toBe('refused');
    await answered('refused', 'rejected');
    await writeFile(join(desk.out, 'right.csv'), table(line('A-1', '100')));
    expect((await next()).summary.state).toBe('closed');
    await answered('refused', 'rejected', 'ack', 'reconciliation', 'result', 'summary');
    await writeFile(join(desk.out, 'again.csv'), table(line('A-1', '100')));
    expect(await next()).toMatchObject({ isRepeated: true });
    const names = await answered(
      'refused',
      'rejected',
      'ack',
      'reconciliation',
      'result',
      'summary',
      'duplicate',
    );
    expect(names.find((name) => name.startsWith('again.'))).toMatch(
      /^again\.\d{8}-[0-9a-f]{8}\.duplicate\.json$/,
    );
  });

  it('answers to files that came another way stay here, unless the account is for all', async () => {
    const { paydrop, next } = await begin();
    await writeFile(join(paydrop.workspace.inbox, 'local.csv'), table(line('L-1', '150')));
    await next();
    await writeFile(join(desk.out, 'a.csv'), table(line('A-1', '100')));
    await next();
    const names = await answered('ack', 'reconciliation', 'result', 'summary');
    expect(names.filter((name) => !name.startsWith('a.'))).toEqual([]);
    await running.shift()?.stop();
    await desk.shut();
    await writeFile(join(desk.workspace, 'outbox', `late.20261120-3f9a2c11.result.csv`), 'x');
    const all = await begin('answers: all');
    await vi.waitFor(async () => expect(await namesIn(desk.into)).toHaveLength(9), SOON);
    expect(all.troubles).toEqual([]);
  });

  it('answers go as soon as they are there, however seldom the account is looked at', async () => {
    await writeFile(join(desk.out, 'a.csv'), table(line('A-1', '100')));
    const { next } = await begin('pollEvery: 1h');
    expect((await next()).summary.outcomes.paid).toBe(1);
    await answered('ack', 'reconciliation', 'result', 'summary');
  });

  it('a server that is away delays no payment, is named by status, and gets everything in order when it is back', async () => {
    const { paydrop, next, troubles } = await begin();
    await writeFile(join(desk.out, 'a.csv'), table(line('A-1', '100')));
    await vi.waitFor(async () => expect(await namesIn(desk.out)).toEqual(['processed']), SOON);
    await server.kill();
    try {
      expect((await next()).summary.outcomes.paid).toBe(1);
      await appendFile(join(paydrop.workspace.inbox, 'local.csv'), table(line('L-1', '150')));
      expect((await next()).summary.outcomes.paid).toBe(1);
      await vi.waitFor(async () => {
        const [status] = await accountStatuses(paydrop);
        expect(status?.failingSince).not.toBeNull();
        expect(status?.waiting).toBeGreaterThan(0);
      }, SOON);
      expect(troubles.join()).toMatch(/Nobody answers at 127\.0\.0\.1|The connection to the server broke/);
    } finally {
      await server.start();
    }
    const names = await answered('ack', 'reconciliation', 'result', 'summary');
    const times = new Map<string, string>();
    for (const name of names) {
      const at = (await paydrop.ledger.exchange.answer('erp', name))?.at ?? '';
      times.set(name.split('.')[2] ?? '', at);
    }
    const order = ['ack', 'result', 'reconciliation', 'summary'].map((kind) => times.get(kind) ?? '');
    expect(order).toEqual([...order].sort());
    await vi.waitFor(async () => {
      expect(await accountStatuses(paydrop)).toMatchObject([{ failingSince: null, waiting: 0, words: [] }]);
    }, SOON);
  });

  it('of two daemons on one workspace one works with the account', async () => {
    const { paydrop } = await begin();
    await vi.waitFor(
      async () => expect((await paydrop.ledger.exchange.account('erp'))?.holder).toBe(paydrop.ledger.run),
      SOON,
    );
    const { exchange } = paydrop.ledger;
    expect(await exchange.hold('erp', '')).toBe(true);
    const other = openSqlite(
      paydrop.workspace.ledgerPath,
      systemClock,
      processAt(CONTAINER, () => false),
    );
    atEnd(() => other.close());
    expect(await other.exchange.hold('erp', '')).toBe(false);
    await exchange.letGo('erp');
    expect(await other.exchange.hold('erp', '')).toBe(true);
    expect(await exchange.hold('erp', '')).toBe(false);
  });
});
