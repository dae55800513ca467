// Encrypted and signed files of a partner who works with gpg: paid, answered in the same way, and refused where the signature is not the agreed one.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import { checkAccount } from '../../../src/app/desk/check-account.ts';
import { gpgHome, NO_GPG, type GpgHome } from '../../sftp/gpg-home.ts';
import { NO_SSHD, startSshServer, type SshServer } from '../../sftp/openssh-server.ts';
import { approve, askedOf } from '../approval/two-people.ts';
import { HEADER, line, lineTo, transfersOf } from '../desk.ts';
import { namesIn, openSftpDesk, QUICK, startExchange, type Exchanging, type SftpDesk } from './sftp-desk.ts';

/** On a busy machine each gpg and each journey to the server takes seconds. */
const ALL = { timeout: 180_000 };
const SOON = { timeout: 90_000, interval: 50 };

describe.skipIf(NO_SSHD + NO_GPG !== '')(`files in OpenPGP envelopes${NO_SSHD}${NO_GPG}`, ALL, () => {
  let server: SshServer;
  let keys: GpgHome;
  let desk: SftpDesk;
  let exchanging: Exchanging;

  beforeAll(async () => {
    server = await startSshServer({ kinds: ['ed25519'] });
    keys = gpgHome('payer@example.com', 'erp@example.com', 'stranger@example.com');
  });
  afterAll(async () => {
    keys.close();
    await server.close();
  });
  beforeEach(async () => {
    desk = await openSftpDesk(server);
    await desk.write('payer.asc', keys.gpg('--armor', '--export-secret-keys', 'payer@example.com'));
    await desk.write('erp.gpg', keys.gpg('--export', 'erp@example.com'));
  });
  afterEach(async () => {
    await exchanging.stop();
    await desk.close();
  });

  async function begin(more = '', sections = '') {
    const paydrop = await desk.openWith(
      `openpgp: { privateKeyFile: payer.asc, partnerKeyFile: erp.gpg${more} }`,
      `${QUICK}\n${sections}`,
    );
    exchanging = startExchange(paydrop);
    return paydrop;
  }

  /** Lays a file of one payment into the account, in the envelope that these options make. */
  async function deliver(name: string, ...options: readonly string[]): Promise<void> {
    const plain = await desk.file(name, [line(`R-${name}`, String(100 + name.length))]);
    const sealed = keys.gpg('--output', '-', ...options, plain);
    await writeFile(join(desk.out, `${name}.pgp`), sealed);
  }

  const TO_US = ['--encrypt', '--recipient', 'payer@example.com'];
  const signedBy = (person: string): readonly string[] => ['--sign', '--local-user', person];

  async function refusedAs(code: string): Promise<void> {
    await vi.waitFor(async () => {
      const [name = ''] = await namesIn(desk.into);
      expect(name).toMatch(/^a\.csv\.\d{8}-[0-9a-f]{8}\.refused\.json\.pgp$/);
      const answer: unknown = JSON.parse(String(keys.gpg('--decrypt', join(desk.into, name))));
      expect(answer).toMatchObject({ code, file: { name: 'a.csv.pgp' } });
    }, SOON);
    expect(await namesIn(desk.out)).toEqual(['processed']);
    expect(exchanging.results).toEqual([]);
  }

  it('the name of a signed file chooses no profile: no signature covers it', async () => {
    await desk.write('profiles/house.yaml', 'files: ["a*"]\n');
    await begin(', signature: required');
    await deliver('a.csv', ...TO_US, ...signedBy('erp@example.com'));
    const { summary } = await exchanging.next();
    expect(summary.state).toBe('refused');
    const answer = await readFile(join(desk.workspace, 'outbox', summary.answers[0] ?? ''), 'utf8');
    expect(JSON.parse(answer)).toMatchObject({ code: 'profiles_several' });
  });

  it('a signed file is paid, and its answers are decrypted by gpg, signed by us', async () => {
    await begin();
    await deliver('a.csv', ...TO_US, ...signedBy('erp@example.com'), '--armor');
    expect((await exchanging.next()).summary).toMatchObject({ state: 'closed', file: { name: 'a.csv' } });
    const names = await vi.waitFor(async () => {
      const found = await namesIn(desk.into);
      expect(found.map((name) => name.split('.').slice(2).join('.')).sort()).toEqual([
        'ack.json.pgp',
        'reconciliation.csv.pgp',
        'result.csv.pgp',
        'summary.json.pgp',
      ]);
      return found;
    }, SOON);
    for (const name of names) {
      const sealed = join(desk.into, name);
      const plain = await readFile(join(desk.workspace, 'outbox', name.replace(/\.pgp$/, '')));
      await vi.waitFor(() => expect(keys.gpg('--decrypt', sealed).equals(plain)).toBe(true), SOON);
      expect(String(keys.gpg('--status-fd', '1', '--output', '/dev/null', '--decrypt', sealed))).toContain(
        'GOODSIG',
      );
    }
  });

  it('a file that nobody has signed is refused', async () => {
    await begin();
    await deliver('a.csv', ...TO_US);
    await refusedAs('signature_missing');
  });

  it('a file that a stranger has signed is refused, even where no signature is required', async () => {
    await begin(', signature: optional');
    await deliver('a.csv', ...TO_US, ...signedBy('stranger@example.com'));
    await refusedAs('signature_wrong');
  });

  it('a file that is encrypted to somebody else is refused', async () => {
    await begin();
    await deliver(
      'a.csv',
      '--encrypt',
      '--recipient',
      'stranger@example.com',
      ...signedBy('erp@example.com'),
    );
    await refusedAs('not_decrypted');
  });

  it('a plain file is refused where a signature is required, and paid where it is not', async () => {
    await begin();
    await writeFile(join(desk.out, 'a.csv'), `${HEADER}\n${line('A-1', '100')}\n`);
    await vi.waitFor(async () => {
      const [name = ''] = await namesIn(desk.into);
      expect(JSON.parse(String(keys.gpg('--decrypt', join(desk.into, name))))).toMatchObject({
        code: 'signature_missing',
      });
    }, SOON);
    await exchanging.stop();
    await desk.shut();
    await begin(', signature: optional, answers: false');
    await writeFile(join(desk.out, 'b.csv'), `${HEADER}\n${line('A-1', '200')}\n`);
    expect((await exchanging.next()).summary.outcomes.paid).toBe(1);
    await vi.waitFor(
      async () => expect((await namesIn(desk.into)).join()).toMatch(/b\.[^,]*\.ack\.json,/),
      SOON,
    );
  });

  /** The names of the refusals that the partner reads, once there are so many, each for the lack of a signature. */
  async function unsignedRefusals(count: number): Promise<readonly string[]> {
    return vi.waitFor(async () => {
      const names = (await namesIn(desk.into)).filter((name) => name.endsWith('.refused.json.pgp'));
      expect(names).toHaveLength(count);
      return names.map((name) => {
        const answer: unknown = JSON.parse(String(keys.gpg('--decrypt', join(desk.into, name))));
        expect(answer).toMatchObject({ code: 'signature_missing' });
        return (answer as { file: { name: string } }).file.name;
      });
    }, SOON);
  }

  it('a signed approval is the second of two, and not beside one of the same person', async () => {
    const approvers = 'approvers: [{ name: Marie Ngo, folder: erp }, { name: Joe Tchoua, folder: joe }]';
    const paydrop = await begin('', `policy: { twoApproversAbove: 1 XAF }\n${approvers}`);
    const asked = async (name: string): Promise<string> => {
      await writeFile(
        join(desk.workspace, 'inbox', `${name}.csv`),
        `${HEADER}\n${lineTo(name, name, '100')}\n`,
      );
      return (await exchanging.next()).summary.batch;
    };
    const signed = async (batch: string): Promise<void> => {
      const { sha256 = '' } = (await paydrop.ledger.batch(batch)) ?? {};
      const said = await desk.write('said', `batch: ${batch}\nsha256: ${sha256}`);
      const sealed = keys.gpg('--output', '-', ...TO_US, ...signedBy('erp@example.com'), said);
      await writeFile(join(desk.out, `${batch}.approve.pgp`), sealed);
    };
    const [own, other] = [await asked('own'), await asked('other')];
    await approve(paydrop, own, 'Marie Ngo');
    await signed(own);
    const refused = await vi.waitFor(async () => {
      const found = (await namesIn(desk.into)).find((each) => each.includes('.approve.refused.json'));
      return JSON.parse(String(keys.gpg('--decrypt', join(desk.into, found ?? 'not yet')))) as object;
    }, SOON);
    expect(refused).toMatchObject({ code: 'approval_second_person', batch: own });
    expect(await transfersOf(paydrop)).toEqual([]);

    await approve(paydrop, other, 'Joe Tchoua');
    await signed(other);
    expect((await exchanging.next()).summary).toMatchObject({ batch: other, outcomes: { paid: 1 } });
    expect(await askedOf(paydrop, other)).toMatchObject({
      first: { by: 'Joe Tchoua', proof: 'typed' },
      given: { by: 'Marie Ngo', proof: 'signature' },
    });
    expect(await transfersOf(paydrop)).toHaveLength(1);
  });

  it('an approval that nobody has signed approves nothing, sealed or not; one that is signed does', async () => {
    const rules = 'policy: { approval: required }\napprovers: [{ name: Marie, folder: erp }]';
    const paydrop = await begin('', rules);
    await writeFile(join(desk.workspace, 'inbox', 'salaries.csv'), `${HEADER}\n${line('A-1', '100')}\n`);
    const { batch } = (await exchanging.next()).summary;
    const name = `${batch}.approve`;
    const empty = await desk.write('empty', '');
    const seal = (...options: readonly string[]) =>
      writeFile(join(desk.out, `${name}.pgp`), keys.gpg('--output', '-', ...options, empty));

    await writeFile(join(desk.out, name), '');
    expect(await unsignedRefusals(1)).toEqual([name]);
    await seal(...TO_US);
    expect([...(await unsignedRefusals(2))].sort()).toEqual([name, `${name}.pgp`]);
    expect(await askedOf(paydrop, batch)).toMatchObject({ given: null });
    expect(await transfersOf(paydrop)).toEqual([]);

    const signed = async (text: string): Promise<void> => {
      const said = await desk.write('said', text);
      const sealed = keys.gpg('--output', '-', ...TO_US, ...signedBy('erp@example.com'), said);
      await writeFile(join(desk.out, `${name}.pgp`), sealed);
    };
    const refusal = () =>
      vi.waitFor(async () => {
        const found = (await namesIn(desk.into)).find((each) => each.startsWith(`erp.${name}.refused.json`));
        const path = join(desk.into, found ?? 'not yet');
        const { code } = JSON.parse(String(keys.gpg('--decrypt', path))) as { code: string };
        await rm(path);
        return code;
      }, SOON);
    const { sha256 = '' } = (await paydrop.ledger.batch(batch)) ?? {};
    // A signature that binds nothing would serve for any batch.
    for (const [text, code] of [
      ['', 'approval_unbound'],
      [`batch: ${batch}`, 'approval_unbound'],
      [`sha256: ${sha256}`, 'approval_unbound'],
      [`batch: ${batch}\nsha256: ${sha256.slice(0, 8)}`, 'approval_other_file'],
    ] as const) {
      await signed(text);
      expect(await refusal()).toBe(code);
    }
    // Nor does one count that somebody laid into the folder of the account here.
    await writeFile(join(desk.workspace, 'inbox', 'erp', name), `batch: ${batch}\nsha256: ${sha256}`);
    expect(await refusal()).toBe('approval_signature_needed');
    expect(await askedOf(paydrop, batch)).toMatchObject({ given: null });

    await signed(`batch: ${batch}\nsha256: ${sha256}\n`);
    expect((await exchanging.next()).summary).toMatchObject({
      batch,
      state: 'closed',
      outcomes: { paid: 1 },
    });
    expect(await askedOf(paydrop, batch)).toMatchObject({ given: { by: 'Marie', proof: 'signature' } });
  });

  it('a control file that nobody has signed is refused, and its file with it; both are taken once it is signed', async () => {
    const paydrop = await begin();
    await writeFile(join(desk.out, 'a.control.json'), '{ "rows": 1, "submittedBy": "Somebody else" }');
    expect(await unsignedRefusals(1)).toEqual(['a.control.json']);
    await deliver('a.csv', ...TO_US, ...signedBy('erp@example.com'));
    expect((await exchanging.next()).summary.state).toBe('refused');
    expect(await transfersOf(paydrop)).toEqual([]);

    const control = await desk.write('control', '{ "rows": 1, "submittedBy": "Jean Mbarga" }');
    const seal = (path: string) => keys.gpg('--output', '-', ...TO_US, ...signedBy('erp@example.com'), path);
    await writeFile(join(desk.out, 'a.control.json.pgp'), seal(control));
    await vi.waitFor(async () => expect(await namesIn(desk.out)).toEqual(['processed']), SOON);
    await deliver('a.csv', ...TO_US, ...signedBy('erp@example.com'));
    const { summary } = await exchanging.next();
    expect(summary).toMatchObject({ state: 'closed', outcomes: { paid: 1 } });
    expect((await paydrop.ledger.batch(summary.batch))?.submittedBy).toEqual(['Jean Mbarga']);
  });

  it('keys that cannot be used are told by the check, and nothing is taken', async () => {
    const paydrop = await begin();
    const [account] = paydrop.config.sftpAccounts ?? [];
    if (account === undefined || account.openpgp === null) throw new Error('The account has its keys.');
    const check = async (partnerKey: Uint8Array) =>
      checkAccount(
        { ...account, openpgp: { ...account.openpgp, partnerKey } as never },
        new AbortController().signal,
      );
    expect(await check(Buffer.from('no key'))).toContainEqual(
      expect.objectContaining({
        name: 'openpgp',
        ok: false,
        words: expect.objectContaining({ en: expect.stringMatching(/cannot be used/) as string }) as object,
      }),
    );
    expect(await check(account.openpgp.partnerKey)).toContainEqual(
      expect.objectContaining({ name: 'openpgp', ok: true }),
    );
  });
});
