// How somebody else's file is read is not a maker's to decide: what a maker proposes reads the maker's own uploads, until another person confirms it.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { batchRows } from '../../src/ledger/batch-rows.ts';
import { processBatch } from '../../src/app/workflow/process-batch.ts';
import { HEADER, HURRIED, lineTo } from '../app/desk.ts';
import { visitor, type Visitor } from './with-people.ts';
import { dataOf, openWeb, order, sent, until, type Told, type Web } from './with-web.ts';

const OTHER = '+8613900139000';

/** A monthly file whose last column, which nobody reads, holds another telephone number. */
const monthly = (name: string, amount: string): string =>
  `${HEADER},Tel contact\n${lineTo(name, `${name}-1`, amount)},${OTHER}\n`;

const REDIRECTED = { 'delivery.msisdn': 'ignore', 'Tel contact': 'delivery.msisdn' };

let web: Web;
let armand: Visitor;
let mallory: Visitor;
let joe: Visitor;

beforeAll(async () => {
  web = await openWeb();
  [armand, mallory, joe] = await Promise.all([
    visitor(web, 'Armand Mbarga', 'maker'),
    visitor(web, 'Mallory Essomba', 'maker', 'treasurer'),
    visitor(web, 'Joe Tchoua', 'treasurer'),
  ]);
});
afterAll(() => web.close());

async function uploaded(who: Visitor, file: string, content: string): Promise<string> {
  const response = await fetch(`${web.url}/api/v1/uploads`, {
    method: 'POST',
    headers: { 'x-file-name': encodeURIComponent(file), cookie: who.cookie, 'sec-fetch-site': 'same-origin' },
    body: content,
  });
  expect(response.status).toBe(201);
  const { id } = (await response.json()) as { id: string };
  while ((await who.json('GET', `/uploads/${id}`)).body['state'] === 'checking')
    await web.paydrop.clock.sleep(20);
  return id;
}

const proposed = async (
  who: Visitor,
  file: string,
  name: string,
  columns: Readonly<Record<string, string>> = REDIRECTED,
): Promise<Told> =>
  who.json('POST', `/uploads/${await uploaded(who, file, monthly(name, '70'))}/profile`, { columns, name });

/** The telephone numbers to which a batch pays. */
async function paidTo(batch: string): Promise<readonly string[]> {
  const numbers: string[] = [];
  for await (const { payout } of batchRows(web.paydrop.ledger, batch))
    numbers.push(payout?.deliveryMethodInfo['msisdn'] ?? 'nobody');
  return numbers;
}

async function registered(batch: string): Promise<void> {
  for (;;) {
    const record = await web.paydrop.ledger.batch(batch);
    if (record !== null && record.rows > 0 && (await paidTo(batch)).length === record.rows) return;
    await web.paydrop.clock.sleep(20);
  }
}

describe('a profile that a maker proposes', () => {
  it('reads nobody else’s file: neither a person’s, nor a program’s, nor one from a folder', async () => {
    expect((await proposed(mallory, 'salaries 2026-11.csv', 'salaries')).status).toBe(201);
    const person = await uploaded(armand, 'salaries 2026-12.csv', monthly('person', '101'));
    const ofPerson = await armand.json('POST', `/uploads/${person}/submission`, {});
    expect(ofPerson.status).toBe(202);
    const { body } = await web.json(
      '/api/v1/uploads',
      sent('salaries 2027-01.csv', monthly('program', '102')),
    );
    await until(web, `/api/v1/uploads/${String(body['id'])}`, ({ state }) => state !== 'checking');
    const ofProgram = await web.json(`/api/v1/uploads/${String(body['id'])}/submission`, order({}));
    const path = await web.desk.write('salaries 2027-02.csv', monthly('folder', '103'));
    const ofFolder = await processBatch(web.paydrop, path, HURRIED, false);
    for (const batch of [ofPerson.body['batch'], ofProgram.body['batch'], ofFolder.summary.batch]) {
      await registered(String(batch));
      expect(await paidTo(String(batch))).not.toContain(OTHER);
    }
  });

  it('reads the uploads of its author', async () => {
    const own = await uploaded(mallory, 'salaries 2027-03.csv', monthly('own', '104'));
    const { body } = await mallory.json('POST', `/uploads/${own}/submission`, {});
    await registered(String(body['batch']));
    expect(await paidTo(String(body['batch']))).toEqual([OTHER]);
  });

  it('is confirmed by another treasurer or admin, who has seen its text, and never by its author', async () => {
    const shown = dataOf(await joe.json('GET', '/profiles')).find(({ name }) => name === 'salaries');
    expect(shown).toMatchObject({
      author: 'Mallory Essomba',
      confirmed: null,
      isProposal: true,
      mayConfirm: true,
    });
    const digest = String(shown?.['digest']);
    const path = '/profiles/salaries/confirmation';
    const own = await mallory.confirmed('POST', path, { digest });
    expect([own.status, own.body['code']]).toEqual([403, 'approval_same_person']);
    expect((await armand.json('POST', path, { digest })).body['code']).toBe('role_missing');
    expect((await joe.json('POST', path, { digest })).body['code']).toBe('step_up_needed');
    const other = await joe.confirmed('POST', path, { digest: '0'.repeat(64) });
    expect([other.status, other.body['code']]).toEqual([409, 'profile_changed']);
    expect((await joe.confirmed('POST', '/profiles/nothing/confirmation', { digest })).status).toBe(404);
  });

  it('changes what was checked: its submission is refused, it is checked again, and then it is taken', async () => {
    const checked = await uploaded(armand, 'salaries 2027-04.csv', monthly('checked', '105'));
    const [shown] = dataOf(await joe.json('GET', '/profiles'));
    const confirmed = await joe.confirmed('POST', '/profiles/salaries/confirmation', {
      digest: shown?.['digest'],
    });
    expect(confirmed.status).toBe(200);
    while (web.paydrop.config.fileProfiles.every(({ profile }) => profile.name !== 'salaries')) {
      const profiles = dataOf(await joe.json('GET', '/profiles'));
      if (profiles.some(({ name, isProposal }) => name === 'salaries' && isProposal === false)) break;
      await web.paydrop.clock.sleep(20);
    }
    const refused = await armand.json('POST', `/uploads/${checked}/submission`, {});
    expect([refused.status, refused.body['code']]).toEqual([409, 'upload_changed']);
    while ((await armand.json('GET', `/uploads/${checked}`)).body['state'] === 'checking')
      await web.paydrop.clock.sleep(20);
    const taken = await armand.json('POST', `/uploads/${checked}/submission`, {});
    expect(taken.status).toBe(202);
    await registered(String(taken.body['batch']));
    expect(await paidTo(String(taken.body['batch']))).toEqual([OTHER]);
  });

  it('is not all that decides: a file that was checked with another sending party is checked again', async () => {
    const checked = await uploaded(armand, 'wages 2027-04.csv', monthly('wages', '104'));
    const title = async (): Promise<unknown> =>
      (await web.json('/problems/batch_unknown', { key: null })).body['title'];
    const english = await title();
    web.reload({ language: 'fr', sender: { ...web.paydrop.sender, registeredName: 'Another SARL' } });
    while ((await title()) === english) await web.paydrop.clock.sleep(20);
    const submitted = () => armand.json('POST', `/uploads/${checked}/submission`, {});
    const first = await submitted();
    expect([first.status, first.body['code']]).toEqual([409, 'upload_changed']);
    while ((await armand.json('GET', `/uploads/${checked}`)).body['state'] === 'checking')
      await web.paydrop.clock.sleep(20);
    const taken = await submitted();
    expect(taken.status).toBe(202);
    await registered(String(taken.body['batch']));
    for await (const { payout } of batchRows(web.paydrop.ledger, String(taken.body['batch'])))
      expect(payout?.sendingParty).toMatchObject({ registeredName: 'Another SARL' });
  });

  it('may change a confirmed one of its name, which reads the files of others until the change is confirmed', async () => {
    const changed = await proposed(mallory, 'salaries 2027-05.csv', 'salaries', {});
    expect(changed.status).toBe(201);
    const others = await uploaded(armand, 'salaries 2027-06.csv', monthly('others', '106'));
    const { body } = await armand.json('POST', `/uploads/${others}/submission`, {});
    await registered(String(body['batch']));
    expect(await paidTo(String(body['batch']))).toEqual([OTHER]);
    expect((await joe.json('DELETE', '/profiles/salaries')).status).toBe(200);
    expect(await readdir(join(web.paydrop.config.profilesPath, 'proposed'))).toEqual([]);
  });
});

describe('an equals sign', () => {
  it('is part of what a person says of a column, a word or every row, and is kept as it was said', async () => {
    const id = await uploaded(mallory, 'signs pay.csv', monthly('signs', '108'));
    const said = {
      columns: { 'Tel contact': 'ignore' },
      constants: { documentReferenceNumber: 'Net=30' },
      name: 'signs',
    };
    const saved = await mallory.json('POST', `/uploads/${id}/profile`, said);
    expect([saved.status, saved.body['detail']]).toEqual([201, undefined]);
    const text = await readFile(join(web.paydrop.config.profilesPath, 'proposed', 'signs.yaml'), 'utf8');
    expect(text).toContain('documentReferenceNumber: Net=30');
    expect((await mallory.json('DELETE', '/profiles/signs')).status).toBe(200);
  });
});

describe('a sign in the name of a file', () => {
  it.each([
    ['@@@@@@@@ pay.csv', 'pensions pay.csv'],
    ['[a-z][a-z] pay.csv', 'ab pay.csv'],
    ['{a,b} pay.csv', 'a pay.csv'],
    ['!(x) pay.csv', 'pensions pay.csv'],
  ])('stands for itself alone in the pattern of its profile: %s does not read %s', async (file, other) => {
    const name = `sign-${String(file.charCodeAt(0))}`;
    expect((await proposed(mallory, file, name)).status).toBe(201);
    const plain = await uploaded(mallory, other, monthly(name, '107'));
    const { body } = await mallory.json('POST', `/uploads/${plain}/submission`, {});
    await registered(String(body['batch']));
    expect(await paidTo(String(body['batch']))).not.toContain(OTHER);
    expect((await mallory.json('DELETE', `/profiles/${name}`)).status).toBe(200);
  });
});
