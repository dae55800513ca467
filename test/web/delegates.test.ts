// A delegate at the page: named with a passkey, signs for whoever is on leave, and both names stand in the record, the audit and the answers.
import { afterAll, beforeAll, expect, it } from 'vitest';

import { dayIn } from '../../src/app/config/schedule-config.ts';
import { examine } from '../../src/app/desk/doctor.ts';
import { MACHINE_ZONE } from '../../src/base/local-time.ts';
import { HEADER, lineTo } from '../app/desk.ts';
import type { Asked } from './authenticator.ts';
import { visitor, type Visitor } from './with-people.ts';
import { dataOf, openWeb, type Told, type Web } from './with-web.ts';

let web: Web;
let [armand, marie, joe, zoe, aline]: Visitor[] = [];

beforeAll(async () => {
  web = await openWeb('policy: { twoApproversAbove: 1 XAF }');
  [armand, marie, joe, zoe, aline] = await Promise.all([
    visitor(web, 'Armand Mbarga', 'maker'),
    visitor(web, 'Marie Ngo', 'checker', 'maker'),
    visitor(web, 'Joe Tchoua', 'treasurer'),
    visitor(web, 'Zoé Abena', 'maker'),
    visitor(web, 'Aline Biya', 'admin', 'auditor'),
  ]);
});
afterAll(() => web.close());

const person = (one: Visitor | undefined): Visitor => {
  if (one === undefined) throw new Error('Somebody who came in.');
  return one;
};

async function waiting(
  name: string,
  by = armand,
): Promise<{ readonly batch: string; readonly digest: string }> {
  const who = person(by);
  const sent = await fetch(`${web.url}/api/v1/uploads`, {
    method: 'POST',
    headers: { 'x-file-name': `${name}.csv`, cookie: who.cookie, 'sec-fetch-site': 'same-origin' },
    body: `${[HEADER, lineTo(name, `${name}-1`, '100')].join('\n')}\n`,
  });
  const { id } = (await sent.json()) as { id: string };
  const batch = String((await who.json('POST', `/uploads/${id}/submission`, {})).body['batch']);
  for (;;) {
    const { status, body } = await who.json('GET', `/files/${batch}/approval`);
    if (status === 200) return { batch, digest: String(body['digest']) };
    await web.paydrop.clock.sleep(20);
  }
}

type File = Awaited<ReturnType<typeof waiting>>;

async function signed(one: Visitor | undefined, { batch, digest }: File): Promise<() => Promise<Told>> {
  const who = person(one);
  const path = `/files/${batch}/approval`;
  const options = await who.json('POST', `${path}/options`, { question: digest });
  if (options.status !== 200) return () => Promise.resolve(options);
  const said = { question: digest, challenge: options.body['challenge'] };
  const assertion = who.passkey.sign(options.body as Asked);
  return () => who.json('POST', path, { ...said, assertion });
}

const approved = async (who: Visitor | undefined, file: File): Promise<Told> => (await signed(who, file))();
/** In the zone of the office, which is that of the machine here. */
const day = (later = 0): string => dayIn(MACHINE_ZONE, web.paydrop.clock.now() + later * 86_400_000);

/** Marie names Zoé, from today on. */
async function named(): Promise<string> {
  const able = dataOf(await person(marie).json('GET', '/delegations/people'));
  const { id } = able.find(({ name }) => name === 'Zoé Abena') ?? {};
  const body = { delegate: id, from: day(), to: day(2) };
  const { status, body: made } = await person(marie).confirmed('POST', '/delegations', body);
  expect([status, made]).toMatchObject([
    201,
    { person: { name: 'Marie Ngo' }, delegate: { name: 'Zoé Abena' } },
  ]);
  return String(made['id']);
}

it('needs a signature to be named, and a role to approve in whoever names', async () => {
  const able = dataOf(await person(marie).json('GET', '/delegations/people'));
  expect(able.map(({ name }) => name).sort()).toEqual(['Aline Biya', 'Armand Mbarga', 'Zoé Abena']);
  const body = { delegate: able[0]?.['id'], from: day(), to: day(2) };
  expect((await person(marie).json('POST', '/delegations', body)).body).toMatchObject({
    code: 'step_up_needed',
  });
  expect((await person(zoe).confirmed('POST', '/delegations', body)).body).toMatchObject({
    code: 'role_missing',
  });
  expect((await web.json('/api/v1/delegations')).body).toMatchObject({ code: 'people_only' });
});

it('approves for whoever is on leave, once with a third person, and both names stand everywhere', async () => {
  const file = await waiting('salaries');
  expect(await approved(zoe, file)).toMatchObject({ status: 403, body: { code: 'role_missing' } });
  const id = await named();
  const first = { by: 'Zoé Abena', standsFor: 'Marie Ngo', isSigned: true };
  expect(await approved(zoe, file)).toMatchObject({ status: 200, body: { state: 'waiting', first } });
  expect(await approved(marie, file)).toMatchObject({
    status: 403,
    body: { code: 'approval_second_person' },
  });
  expect(await approved(joe, file)).toMatchObject({
    status: 200,
    body: { state: 'approved', first, given: { by: 'Joe Tchoua', standsFor: null } },
  });
  const { approval } = (await web.paydrop.ledger.batch(file.batch)) ?? {};
  expect(approval).toMatchObject({ first: { by: 'Zoé Abena', standsFor: 'Marie Ngo' } });
  const audit = dataOf(await person(aline).json('GET', `/audit?file=${file.batch}`));
  const told = audit.map(({ who, what, about }) => [who, what, about]);
  expect(told).toContainEqual(['Zoé Abena', 'stood_in', `${file.batch} Marie Ngo`]);
  expect(told).toContainEqual(['Zoé Abena', 'approved', file.batch]);
  const finding = (await examine(web.paydrop)).find(({ name }) => name === 'signatures');
  expect(finding).toMatchObject({ ok: true, words: { en: expect.stringContaining('2') as string } });
  expect((await person(aline).json('DELETE', `/delegations/${id}`)).status).toBe(200);
});

it('approves neither what one of the two brought, nor beside the other', async () => {
  const id = await named();
  const [own, of, other] = [await waiting('own', zoe), await waiting('of', marie), await waiting('other')];
  for (const file of [own, of])
    expect(await approved(zoe, file)).toMatchObject({ status: 403, body: { code: 'approval_same_person' } });
  expect((await approved(marie, other)).status).toBe(200);
  expect(await approved(zoe, other)).toMatchObject({ status: 403, body: { code: 'approval_second_person' } });
  const held = await person(zoe).json('POST', `/files/${other.batch}/pause`, { reason: 'not mine' });
  expect(held.body).toMatchObject({ code: 'role_missing' });
  await person(zoe).json('DELETE', `/delegations/${id}`);
});

it('is asked about again between the signature and the approval, and may decline', async () => {
  const [file, declined] = [await waiting('revoked'), await waiting('declined')];
  const id = await named();
  const give = await signed(zoe, file);
  const said = { reason: 'wrong month' };
  expect((await person(zoe).json('POST', `/files/${declined.batch}/decline`, said)).body).toMatchObject({
    declined: { by: 'Zoé Abena', standsFor: 'Marie Ngo' },
  });
  expect((await person(joe).json('DELETE', `/delegations/${id}`)).body).toMatchObject({
    code: 'delegate_unknown',
  });
  expect((await person(marie).json('DELETE', `/delegations/${id}`)).status).toBe(200);
  expect(await give()).toMatchObject({ status: 403, body: { code: 'role_missing' } });
  expect(dataOf(await person(aline).json('GET', '/delegations'))).toEqual([]);
});
