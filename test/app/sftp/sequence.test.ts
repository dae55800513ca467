// Numbered files: taken in their order, a gap waits or is reported, a number that returns with other content is refused, and a refused file frees its number.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { accountStatuses } from '../../../src/app/desk/telling-status.ts';
import { numberIn } from '../../../src/app/intake/sftp/sequence.ts';
import { NO_SSHD, startSshServer, type SshServer } from '../../sftp/openssh-server.ts';
import { HEADER, line } from '../desk.ts';
import { namesIn, openSftpDesk, startExchange, type Exchanging, type SftpDesk } from './sftp-desk.ts';

const SOON = { timeout: 20_000, interval: 50 };

it('the number of a name is where its form has "#"; an answer that comes back has the number of its file', () => {
  const sequence = { names: 'PAY(1)_*_####.csv', first: 1, onGap: 'wait' } as const;
  const number = (name: string) => numberIn(sequence, name);
  expect(number('out/PAY(1)_20261120_0012.csv')).toBe(12);
  expect(number('pay(1)_x_12345.CSV')).toBe(12_345);
  expect(number('PAY(1)_x_0012.20261120-3f9a2c11.rejected.csv')).toBe(12);
  expect(number('PAY1_x_0012.csv')).toBeNull();
  expect(number('PAY(1)_x_.csv')).toBeNull();
});

describe.skipIf(NO_SSHD !== '')(`numbered files of an account${NO_SSHD}`, () => {
  let server: SshServer;
  let desk: SftpDesk;
  let exchanging: Exchanging;

  beforeAll(async () => {
    server = await startSshServer({ kinds: ['ed25519'] });
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    desk = await openSftpDesk(server);
  });
  afterEach(async () => {
    await exchanging.stop();
    await desk.close();
  });

  async function begin(more = '') {
    const paydrop = await desk.openWith(`sequence: { names: "PAY-####.csv"${more} }`);
    exchanging = startExchange(paydrop);
    return paydrop;
  }

  const deliver = (name: string, amount: string): Promise<void> =>
    writeFile(join(desk.out, name), `${HEADER}\n${line(`R-${amount}`, amount)}\n`);

  const answeredWith = async (start: string, kind: string): Promise<void> => {
    await vi.waitFor(async () => {
      const names = await namesIn(desk.into);
      expect(names.filter((name) => name.startsWith(start) && name.includes(`.${kind}.`))).toHaveLength(1);
    }, SOON);
  };

  it('a gap keeps the later ones waiting until the missing one has come', async () => {
    const paydrop = await begin();
    const toldOf = async (words: RegExp): Promise<void> => {
      await vi.waitFor(async () => {
        expect((await accountStatuses(paydrop))[0]?.words.join()).toMatch(words);
      }, SOON);
    };
    await deliver('PAY-0002.csv', '200');
    await deliver('no-number.csv', '999');
    await toldOf(/PAY-0002\.csv waits on the server: 1 must come first/);
    await toldOf(/no-number\.csv has no number as in PAY-####\.csv/);
    expect(exchanging.results).toEqual([]);
    await deliver('PAY-0001.csv', '100');
    const paid = [await exchanging.next(), await exchanging.next()].map(({ summary }) => summary.file.name);
    expect(paid.sort()).toEqual(['PAY-0001.csv', 'PAY-0002.csv']);
    await vi.waitFor(
      async () => expect(await namesIn(desk.out)).toEqual(['no-number.csv', 'processed']),
      SOON,
    );
  });

  it('a number that was taken is refused with another content, and answered as a duplicate with the same', async () => {
    await begin(', first: 7');
    await deliver('PAY-0007.csv', '700');
    expect((await exchanging.next()).summary.outcomes.paid).toBe(1);
    await answeredWith('PAY-0007.', 'summary');
    await deliver('PAY-0007.csv', '701');
    await answeredWith('PAY-0007.', 'refused');
    await deliver('PAY-0006.csv', '600');
    await answeredWith('PAY-0006.', 'refused');
    await deliver('PAY-0007.csv', '700');
    expect(await exchanging.next()).toMatchObject({ isRepeated: true });
    await answeredWith('PAY-0007.', 'duplicate');
    await vi.waitFor(async () => expect(await namesIn(desk.out)).toEqual(['processed']), SOON);
  });

  it('a number stands while its file waits in the inbox for a document', async () => {
    await begin();
    const waiting = `${HEADER},attachment\n${line('R-1', '100')},bill.pdf\n`;
    await writeFile(join(desk.out, 'PAY-0001.csv'), waiting);
    await vi.waitFor(async () => expect(await namesIn(desk.out)).toEqual(['processed']), SOON);
    await deliver('PAY-0001.csv', '700');
    await answeredWith('PAY-0001.', 'refused');
    expect(exchanging.results).toEqual([]);
  });

  it('where gaps only warn, the later ones are taken, and the missing one when it comes', async () => {
    const paydrop = await begin(', onGap: warn');
    await deliver('PAY-0003.csv', '300');
    expect((await exchanging.next()).summary.outcomes.paid).toBe(1);
    await vi.waitFor(async () => {
      expect((await accountStatuses(paydrop))[0]?.words).toEqual([
        'Numbers are missing among the files that were taken: 1, 2. Ask for them, or set "sequence.first" above them.',
      ]);
    }, SOON);
    await deliver('PAY-0001.csv', '100');
    expect((await exchanging.next()).summary.outcomes.paid).toBe(1);
  });

  it('a file that was refused leaves its number to the one that mends it', async () => {
    await begin();
    await deliver('PAY-0001.csv', 'x');
    expect((await exchanging.next()).summary.state).toBe('refused');
    await answeredWith('PAY-0001.', 'refused');
    await deliver('PAY-0001.csv', '100');
    expect((await exchanging.next()).summary.outcomes.paid).toBe(1);
  });
});
