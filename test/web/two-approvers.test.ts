// Two approvers at the page: each signs the same digest with a passkey of their own, in sight of who was the first, and both signatures can be verified.
import { afterAll, beforeAll, expect, it } from 'vitest';

import { examine } from '../../src/app/desk/doctor.ts';
import { HEADER, lineTo } from '../app/desk.ts';
import type { Asked } from './authenticator.ts';
import { visitor, type Visitor } from './with-people.ts';
import { dataOf, openWeb, type Told, type Web } from './with-web.ts';

let web: Web;
let armand: Visitor;
let marie: Visitor;
let joe: Visitor;

beforeAll(async () => {
  web = await openWeb('policy: { twoApproversAbove: 1 XAF }');
  [armand, marie, joe] = await Promise.all([
    visitor(web, 'Armand Mbarga', 'maker', 'checker'),
    visitor(web, 'Marie Ngo', 'checker'),
    visitor(web, 'Joe Tchoua', 'treasurer'),
  ]);
});
afterAll(() => web.close());

/** A file that waits for its approval, brought by Armand. */
async function waiting(name: string): Promise<{ readonly batch: string; readonly digest: string }> {
  const sent = await fetch(`${web.url}/api/v1/uploads`, {
    method: 'POST',
    headers: { 'x-file-name': `${name}.csv`, cookie: armand.cookie, 'sec-fetch-site': 'same-origin' },
    body: `${[HEADER, lineTo(name, `${name}-1`, '100')].join('\n')}\n`,
  });
  const { id } = (await sent.json()) as { id: string };
  const batch = String((await armand.json('POST', `/uploads/${id}/submission`, {})).body['batch']);
  for (;;) {
    const { status, body } = await marie.json('GET', `/files/${batch}/approval`);
    if (status === 200) return { batch, digest: String(body['digest']) };
    await web.paydrop.clock.sleep(20);
  }
}

type File = Awaited<ReturnType<typeof waiting>>;

async function signed(who: Visitor, { batch, digest }: File): Promise<() => Promise<Told>> {
  const path = `/files/${batch}/approval`;
  const options = await who.json('POST', `${path}/options`, { question: digest });
  if (options.status !== 200) return () => Promise.resolve(options);
  const said = { question: digest, challenge: options.body['challenge'] };
  const assertion = who.passkey.sign(options.body as Asked);
  return () => who.json('POST', path, { ...said, assertion });
}

const approved = async (who: Visitor, file: File): Promise<Told> => (await signed(who, file))();

async function isClosed(batch: string): Promise<void> {
  while ((await marie.json('GET', `/files/${batch}`)).body['state'] !== 'closed')
    await web.paydrop.clock.sleep(20);
}

it('is paid once two people have signed; everybody sees who was the first, and who is asked now', async () => {
  const file = await waiting('salaries');
  const { status, body } = await approved(marie, file);
  const first = { by: 'Marie Ngo', isSigned: true, digest: file.digest };
  expect([status, body]).toMatchObject([
    200,
    { state: 'waiting', needed: 2, first, given: null, mayAnswer: false, whyNot: 'approval_second_person' },
  ]);
  expect((await marie.json('GET', `/files/${file.batch}`)).body['state']).toBe('awaiting-approval');
  expect(await approved(marie, file)).toMatchObject({
    status: 403,
    body: { code: 'approval_second_person' },
  });
  expect(await approved(armand, file)).toMatchObject({ status: 403, body: { code: 'approval_same_person' } });
  const asked = dataOf(await joe.json('GET', '/approvals')).find(({ batch }) => batch === file.batch);
  expect(asked).toMatchObject({ mayAnswer: true, first });
  expect(await approved(joe, file)).toMatchObject({
    status: 200,
    body: { state: 'approved', first, given: { by: 'Joe Tchoua', digest: file.digest } },
  });
  await isClosed(file.batch);
  const told = dataOf(await joe.json('GET', `/files/${file.batch}/timeline?limit=200`));
  const codes = told.map(({ code }) => String(code)).filter((code) => code.endsWith('given'));
  expect(codes.sort()).toEqual(['approval_first_given', 'approval_given']);
});

it('has one second of two who signed at the same moment', async () => {
  const [file, other] = [await waiting('first'), await waiting('second')];
  expect((await approved(marie, file)).status).toBe(200);
  const again = await signed(joe, file);
  const ends = await Promise.all([again(), again()]);
  expect(ends.filter(({ status }) => status === 200)).toHaveLength(1);
  const both = await Promise.all(
    [await signed(marie, other), await signed(joe, other)].map((give) => give()),
  );
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  for (const { batch } of [file, other]) {
    await isClosed(batch);
    const { body } = await marie.json('GET', `/files/${batch}/approval`);
    const names = [body['first'], body['given']].map((answer) => (answer as { by: string }).by);
    expect(names.sort()).toEqual(['Joe Tchoua', 'Marie Ngo']);
  }
});

it('is told in the audit by both, and doctor verifies both signatures', async () => {
  const finding = (await examine(web.paydrop)).find(({ name }) => name === 'signatures');
  expect(finding).toMatchObject({ ok: true, words: { en: expect.stringContaining('6') as string } });
  const { batch } = await waiting('third');
  await web.paydrop.ledger.revise(batch, ({ approval }) => {
    if (approval?.kind !== 'asked') throw new Error('It was asked.');
    const evidence = { digest: approval.coverage, nonce: '', credentialId: '', authenticatorData: '' };
    const forged = { ...evidence, clientDataJSON: '', signature: '' };
    const first = {
      by: 'Marie Ngo',
      at: '2026-11-30T00:00:00Z',
      via: 'the page',
      proof: 'signature' as const,
    };
    return { change: { approval: { ...approval, first: { ...first, evidence: forged } } }, event: 'forged' };
  });
  const after = (await examine(web.paydrop)).find(({ name }) => name === 'signatures');
  expect(after).toMatchObject({ ok: false, words: { en: expect.stringContaining(batch) as string } });
});
