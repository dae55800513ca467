// The payees of the interface: who may read them, and who may say that an account was verified: a person who did not bring it, about exactly this account.
import { afterAll, beforeAll, expect, it } from 'vitest';

import type { Payee, PayeeHistory, RowPayee } from '../../src/contract/payees.ts';
import { HEADER, line } from '../app/desk.ts';
import { visitor, type Visitor } from './with-people.ts';
import { openWeb, order, type Told, type Web } from './with-web.ts';

let web: Web;
let armand: Visitor;
let marie: Visitor;
let aline: Visitor;
beforeAll(async () => {
  web = await openWeb();
  [armand, marie, aline] = await Promise.all([
    visitor(web, 'Armand Mbarga', 'maker', 'checker'),
    visitor(web, 'Marie Ngo', 'checker'),
    visitor(web, 'Aline Biya', 'auditor'),
  ]);
});
afterAll(() => web.close());

const to = (name: string, reference: string, digits: string): string =>
  line(reference, '100').replace('Li,Wei', name).replace('138000', digits);

/** A file that Armand brings and the sandbox pays. */
async function paid(name: string, lines: readonly string[]): Promise<string> {
  const response = await fetch(`${web.url}/api/v1/uploads`, {
    method: 'POST',
    headers: { 'x-file-name': `${name}.csv`, cookie: armand.cookie, 'sec-fetch-site': 'same-origin' },
    body: `${[HEADER, ...lines].join('\n')}\n`,
  });
  const { id } = (await response.json()) as { id: string };
  const { body } = await armand.json('POST', `/uploads/${id}/submission`, {});
  const batch = String(body['batch']);
  while ((await marie.json('GET', `/files/${batch}`)).body['state'] !== 'closed')
    await web.paydrop.clock.sleep(20);
  return batch;
}

/** The payee once the index, which follows the payments one after the other, knows of so many accounts. */
async function listed(find: string, accounts = 1): Promise<Payee> {
  for (;;) {
    const { body } = await web.json(`/api/v1/payees?find=${encodeURIComponent(find)}`);
    const [found] = body['data'] as readonly Payee[];
    if (found?.accounts === accounts) return found;
    await web.paydrop.clock.sleep(20);
  }
}

const payeeOf = async (batch: string, row: string): Promise<RowPayee> =>
  (await marie.json('GET', `/files/${batch}/payee?row=${row}`)).body as unknown as RowPayee;

const verified = (who: Visitor, id: string, body: object): Promise<Told> =>
  who.confirmed('POST', `/payees/${id}/verified`, { how: 'by telephone', ...body });

it('lists who was paid for whoever reads all files, and not for a program that reads its own', async () => {
  await paid('october', [to('Célestin,Mballa', 'O-1', '131111')]);
  const payee = await listed('mballa');
  expect(payee).toMatchObject({ name: 'Célestin Mballa', account: '••• 1111', verified: null });
  const { body } = await aline.json('GET', `/payees/${payee.id}`);
  expect((body as unknown as PayeeHistory).payments.map(({ row }) => row['reference'])).toEqual(['O-1']);
  const own = await web.key('Erp', ['files:read']);
  for (const path of ['', `/${payee.id}`])
    expect((await web.json(`/api/v1/payees${path}`, { key: own })).body['code']).toBe('scope_missing');
  expect(await web.json('/api/v1/payees/nobody')).toMatchObject({
    status: 404,
    body: { code: 'payee_unknown' },
  });
});

it('has a verification on record with who, when and how, for exactly this account', async () => {
  const batch = await paid('two', [to('Jean,Fotso', 'T-1', '132222'), to('Jean,Fotso', 'T-2', '133333')]);
  const { id } = await payeeOf(batch, '2');
  const { status, body } = await verified(marie, id, { batch, row: '2', how: 'by telephone, +237 6…' });
  expect([status, (body as unknown as RowPayee).verified]).toMatchObject([
    200,
    [{ account: '••• 2222', by: 'Marie Ngo', how: 'by telephone, +237 6…', batch, row: '2' }],
  ]);
  expect((await payeeOf(batch, '3')).verified).toEqual([]);
  await listed('fotso', 2);
  const known = (await aline.json('GET', `/payees/${id}`)).body as unknown as PayeeHistory;
  expect(known.accounts.map(({ account, verified: all }) => [account, all.length])).toEqual([
    ['••• 3333', 0],
    ['••• 2222', 1],
  ]);
  const { body: audit } = await aline.json('GET', `/audit?what=account_verified`);
  expect(audit['data']).toMatchObject([{ who: 'Marie Ngo', file: batch, about: `${batch} 2` }]);
});

it('is withdrawn by anybody who has come to doubt it, and stays in the audit', async () => {
  const batch = await paid('five', [to('Eva,Ngo', 'E-1', '137777')]);
  const { id } = await payeeOf(batch, '2');
  await verified(marie, id, { batch, row: '2' });
  const said = { batch, row: '2', how: 'the number was not hers' };
  const withdrawn = (): Promise<Told> => aline.json('DELETE', `/payees/${id}/verified`, said);
  expect(await withdrawn()).toMatchObject({ status: 200, body: { id, verified: [] } });
  expect((await withdrawn()).body['code']).toBe('row_unknown');
  const { body: audit } = await aline.json('GET', `/audit?what=verification_withdrawn`);
  expect(audit['data']).toMatchObject([{ who: 'Aline Biya', file: batch }]);
});

it('takes no verification from who brought the account, from a program, without a signature, or of another payee', async () => {
  const batch = await paid('three', [to('Ana,Biya', 'A-1', '134444'), to('Bea,Biya', 'A-2', '135555')]);
  const [ana, bea] = [await payeeOf(batch, '2'), await payeeOf(batch, '3')];
  const said = { batch, row: '2', how: 'by telephone' };
  const path = `/payees/${ana.id}/verified`;
  expect((await verified(armand, ana.id, said)).body['code']).toBe('approval_same_person');
  expect((await verified(aline, ana.id, said)).body['code']).toBe('role_missing');
  expect((await web.json(`/api/v1${path}`, order(said))).body['code']).toBe('people_only');
  expect((await marie.json('POST', path, said)).body['code']).toBe('step_up_needed');
  expect((await verified(marie, bea.id, said)).body['code']).toBe('row_unknown');
  expect((await verified(marie, ana.id, { ...said, row: '9' })).body['code']).toBe('row_unknown');
  expect((await payeeOf(batch, '2')).verified).toEqual([]);
});

it('gives all of them as a table that no program runs', async () => {
  const batch = await paid('six', [to('Eve,Abena', 'X-1', '138888')]);
  const { id } = await listed('abena');
  await verified(marie, id, { batch, row: '2', how: '=1+1' });
  const response = await web.ask('/api/v1/payees/table?find=abena');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const [header, line] = (await response.text()).split('\r\n');
  expect(header).toBe('name,account,accounts,lastAt,amount,currency,verifiedAt,verifiedBy,how,batch,row');
  expect(line).toMatch(/^Eve Abena,••• 8888,1,20\S+Z,100.00,CNY,20\S+Z,Marie Ngo,'=1\+1,\S+,2$/);
});

it('erases a payee for an admin who signs, and says so in the audit without the name', async () => {
  await paid('four', [to('Zoe,Essomba', 'Z-1', '136666')]);
  const { id } = await listed('essomba');
  const admin = await visitor(web, 'Joe Tchoua', 'admin');
  const [path, body] = [`/payees/${id}`, { reason: 'asked to be forgotten' }];
  expect((await marie.confirmed('DELETE', path, body)).body['code']).toBe('role_missing');
  expect((await admin.confirmed('DELETE', '/payees/nobody', body)).body['code']).toBe('payee_unknown');
  expect((await admin.confirmed('DELETE', path, body)).status).toBe(200);
  while ((await aline.json('GET', path)).status !== 404) await web.paydrop.clock.sleep(20);
  const { body: audit } = await aline.json('GET', `/audit?what=payee_erased`);
  expect(audit['data']).toMatchObject([{ who: 'Joe Tchoua', about: `${id}: asked to be forgotten` }]);
});
