// The server is killed in the middle of transfers, in both directions, again and again: each file is paid once, and its owner, who clears the folder
// as soon as something is there, gets each answer once and whole. How often is said by PAYDROP_TEST_SFTP_KILLS.
import { createHash } from 'node:crypto';
import { readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { accountStatuses } from '../../../src/app/desk/telling-status.ts';
import { startCuttingProxy, type CuttingProxy } from '../../sftp/cutting-proxy.ts';
import { NO_SSHD, startSshServer, type SshServer } from '../../sftp/openssh-server.ts';
import { transfersOf } from '../desk.ts';
import { namesIn, openSftpDesk, startExchange, supplierFile } from './sftp-desk.ts';

/** Two in each direction show that it works; a measurement asks for more. */
const KILLS = Number(process.env['PAYDROP_TEST_SFTP_KILLS'] ?? '4');

/** What an invoice weighs that was scanned. */
const DOCUMENT_BYTES = 400_000;

/** Up to here the dice of a death fall: what is fetched, with the listings around it, and what is said and brought. */
const BYTES = { fetching: DOCUMENT_BYTES, bringing: 15_000 } as const;

/** Numbers from 0 to 1 that are the same in every run. */
function dice(seed: string): number {
  return createHash('sha256').update(seed).digest().readUInt32BE() / 2 ** 32;
}

describe.skipIf(NO_SSHD !== '')(`a server that is killed${NO_SSHD}`, () => {
  let server: SshServer;
  let proxy: CuttingProxy;

  beforeAll(async () => {
    server = await startSshServer({ kinds: ['ed25519'] });
    proxy = await startCuttingProxy(server);
  });
  afterAll(async () => {
    await proxy.close();
    await server.close();
  });

  it(
    `${String(KILLS)} times: nothing is taken or delivered twice, or in part`,
    async () => {
      const desk = await openSftpDesk(server, proxy.port);
      const paydrop = await desk.openWith();
      const exchanging = startExchange(paydrop);
      /** Every version of every answer that its owner has fetched. */
      const collected: string[] = [];
      const collect = async (): Promise<void> => {
        for (const name of await namesIn(desk.into)) {
          const content = await readFile(join(desk.into, name));
          collected.push(`${name} ${createHash('sha256').update(content).digest('hex')}`);
          await rm(join(desk.into, name));
        }
      };
      const pdf = await readFile('samples/invoices/APN-2026-1442.pdf');
      let files = 0;
      while (proxy.cuts() < KILLS) {
        files += 1;
        const direction = files % 2 === 0 ? 'bringing' : 'fetching';
        proxy.cutAfter(Math.floor(dice(`kill ${String(files)}`) * BYTES[direction]), direction);
        const stem = `suppliers-${String(files)}`;
        await writeFile(join(desk.out, `${stem}.pdf`), Buffer.concat([pdf, Buffer.alloc(DOCUMENT_BYTES)]));
        await writeFile(
          join(desk.out, `${stem}.csv.filepart`),
          supplierFile([`R-${String(files)}`, `${stem}.pdf`]),
        );
        await rename(join(desk.out, `${stem}.csv.filepart`), join(desk.out, `${stem}.csv`));
        expect((await exchanging.next()).summary).toMatchObject({ state: 'closed', outcomes: { paid: 1 } });
        await vi.waitFor(
          async () => {
            await collect();
            const kinds = new Set(
              collected.filter((each) => each.startsWith(`${stem}.`)).map((each) => each.split('.')[2]),
            );
            expect([...kinds].sort()).toEqual(['ack', 'reconciliation', 'result', 'summary']);
            expect(await namesIn(desk.out)).toEqual(['processed']);
          },
          { timeout: 60_000, interval: 20 },
        );
      }
      // The last versions are on their way still.
      await vi.waitFor(async () => expect(await accountStatuses(paydrop)).toMatchObject([{ waiting: 0 }]), {
        timeout: 60_000,
        interval: 50,
      });
      await exchanging.stop();
      await collect();
      expect(await transfersOf(paydrop)).toHaveLength(files);
      // One version twice would be one answer twice; half of one would be a version that the outbox never had.
      expect(new Set(collected).size).toBe(collected.length);
      for (const name of await namesIn(join(desk.workspace, 'outbox'))) {
        const content = await readFile(join(desk.workspace, 'outbox', name));
        expect(collected).toContain(`${name} ${createHash('sha256').update(content).digest('hex')}`);
      }
      expect(await readdir(desk.into)).toEqual([]);
      expect(await namesIn(join(desk.out, 'processed'))).toHaveLength(2 * files);
      expect(await namesIn(join(desk.workspace, 'inbox', 'erp', 'out'))).toEqual([]);
      await desk.close();
    },
    60_000 + KILLS * 30_000,
  );
});
