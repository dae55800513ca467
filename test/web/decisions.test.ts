// What people decide at the page: approval by a signature of exactly the question that stands, and what stops files and rows and lets them go on.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { approve } from '../../src/app/desk/commands.ts';
import { examine } from '../../src/app/desk/doctor.ts';
import { Jobs } from '../../src/app/desk/jobs.ts';
import { openDoor } from '../../src/app/desk/open-door.ts';
import { HEADER, lineTo } from '../app/desk.ts';
import type { Asked, Wrong } from './authenticator.ts';
import { visitor, type Visitor } from './with-people.ts';
import { dataOf, openWeb, type Told, type Web } from './with-web.ts';

let web: Web;
let armand: Visitor;
let marie: Visitor;
let joe: Visitor;
let aline: Visitor;

beforeAll(async () => {
  web = await openWeb('policy: { approval: required, maxDrift: 0% }');
  [armand, marie, joe, aline] = await Promise.all([
    visitor(web, 'Armand Mbarga', 'maker', 'checker'),
    visitor(web, 'Marie Ngo', 'checker'),
    visitor(web, 'Joe Tchoua', 'treasurer'),
    visitor(web, 'Aline Biya', 'admin', 'auditor'),
  ]);
});
afterAll(() => web.close());

let files = 0;

/** A file that waits for its approval, brought by Armand. */
async function waiting(
  ...amounts: readonly string[]
): Promise<{ readonly batch: string; readonly digest: string }> {
  files += 1;
  const name = `file-${String(files)}`;
  const lines = amounts.map((amount, at) => lineTo(name, `${name}-${String(at)}`, amount));
  const batch = await submitted(name, lines);
  return { batch, digest: await asked(batch) };
}

async function submitted(name: string, lines: readonly string[]): Promise<string> {
  const sent = await fetch(`${web.url}/api/v1/uploads`, {
    method: 'POST',
    headers: { 'x-file-name': `${name}.csv`, cookie: armand.cookie, 'sec-fetch-site': 'same-origin' },
    body: `${[HEADER, ...lines].join('\n')}\n`,
  });
  const { id } = (await sent.json()) as { id: string };
  const { status, body } = await armand.json('POST', `/uploads/${id}/submission`, {});
  expect(status).toBe(202);
  return String(body['batch']);
}

async function asked(batch: string): Promise<string> {
  for (;;) {
    const { status, body } = await marie.json('GET', `/files/${batch}/approval`);
    if (status === 200) return String(body['digest']);
    await web.paydrop.clock.sleep(20);
  }
}

async function stateIs(batch: string, state: string): Promise<void> {
  while ((await marie.json('GET', `/files/${batch}`)).body['state'] !== state)
    await web.paydrop.clock.sleep(20);
}

/** Signs and sends; `between` happens when the passkey has signed. */
async function approved(
  who: Visitor,
  { batch, digest }: { readonly batch: string; readonly digest: string },
  wrong: Wrong = {},
  between: () => Promise<void> = () => Promise.resolve(),
): Promise<Told> {
  const path = `/files/${batch}/approval`;
  const options = await who.json('POST', `${path}/options`, { question: digest });
  if (options.status !== 200) return options;
  const assertion = who.passkey.sign(options.body as Asked, wrong);
  await between();
  return who.json('POST', path, { question: digest, challenge: options.body['challenge'], assertion });
}

describe('an approval', () => {
  it('is signed by somebody else, pays the file, and can be verified by what is kept', async () => {
    const file = await waiting('100', '200');
    const question = (await marie.json('GET', `/files/${file.batch}/approval`)).body;
    expect(question).toMatchObject({
      batch: file.batch,
      rows: 2,
      approvalBy: 'signature',
      state: 'waiting',
      submittedBy: ['Armand Mbarga'],
      mayAnswer: true,
      whyNot: null,
    });
    expect(dataOf(await marie.json('GET', '/approvals')).map(({ batch }) => batch)).toContain(file.batch);
    const before = marie.cookie;
    const { status, body } = await approved(marie, file);
    expect([status, body['state'], body['given']]).toMatchObject([
      200,
      'approved',
      { by: 'Marie Ngo', proof: 'signature', isSigned: true, digest: file.digest },
    ]);
    expect(marie.cookie).not.toBe(before);
    await stateIs(file.batch, 'closed');
    const approval = (await web.paydrop.ledger.batch(file.batch))?.approval;
    const evidence = approval?.kind === 'asked' ? approval.given?.evidence : undefined;
    const { passkeys, close } = await openDoor(web.paydrop.config);
    if (evidence === undefined) throw new Error('No evidence was kept.');
    expect(await passkeys.verify(evidence)).toEqual({ person: 'Marie Ngo', isSound: true });
    expect(await passkeys.verify({ ...evidence, digest: '0'.repeat(64) })).toEqual({
      person: 'Marie Ngo',
      isSound: false,
    });
    expect(await passkeys.verify({ ...evidence, nonce: 'AAAA' })).toEqual({
      person: 'Marie Ngo',
      isSound: false,
    });
    expect(await passkeys.verify({ ...evidence, credentialId: 'AAAA' })).toBeNull();
    close();
    const signatures = async () => (await examine(web.paydrop)).find(({ name }) => name === 'signatures');
    expect(await signatures()).toMatchObject({
      ok: true,
      words: { en: expect.stringContaining('1, each verified') as string },
    });
    const { ledger } = web.paydrop;
    await ledger.revise(file.batch, ({ approval: kept }) => ({
      change: { approval: kept?.kind === 'asked' ? { ...kept, rows: 3 } : kept },
      event: 'changed by hand',
    }));
    expect(await signatures()).toMatchObject({
      ok: false,
      words: { en: expect.stringContaining(file.batch) as string },
    });
    await ledger.revise(file.batch, () => ({ change: { approval }, event: 'as it was' }));
    expect(dataOf(await marie.json('GET', '/approvals?state=decided')).map(({ batch }) => batch)).toContain(
      file.batch,
    );
  });

  it('is not given by whoever brought the file, nor by a maker who checks too', async () => {
    const file = await waiting('300');
    expect(await approved(armand, file)).toMatchObject({
      status: 403,
      body: { code: 'approval_same_person' },
    });
    const order = { by: 'Mbarga Armand', via: 'the page', proof: 'signature' } as const;
    expect(await approve(web.paydrop, file.batch, { ...order, said: { digest: file.digest } })).toMatchObject(
      {
        kind: 'refused',
        code: 'approval_same_person',
      },
    );
  });

  it('is not given by a name on the command line', async () => {
    const file = await waiting('310');
    expect(await approve(web.paydrop, file.batch, { by: 'Marie Ngo', via: 'command' })).toMatchObject({
      kind: 'refused',
      code: 'approval_signature_needed',
    });
  });

  it.each([
    ['another origin', { origin: 'http://localhost:1' }],
    ['no look at the person', { unverified: true }],
    ['a counter that went back', { counter: 0 }],
    ['another challenge', { challenge: 'AAAA' }],
  ] as const)('is not given by a signature with %s', async (_, wrong) => {
    const file = await waiting('320');
    expect(await approved(marie, file, wrong)).toMatchObject({
      status: 401,
      body: { code: 'signature_refused' },
    });
    expect((await marie.json('GET', `/files/${file.batch}/approval`)).body['state']).toBe('waiting');
  });

  it('is not given by a signature for another file, by one that was used, nor by somebody else’s', async () => {
    const [one, other] = [await waiting('330'), await waiting('340')];
    const options = await marie.json('POST', `/files/${one.batch}/approval/options`, {
      question: one.digest,
    });
    const shown = {
      challenge: options.body['challenge'],
      assertion: marie.passkey.sign(options.body as Asked),
    };
    expect(
      (await marie.json('POST', `/files/${other.batch}/approval`, { question: other.digest, ...shown })).body[
        'code'
      ],
    ).toBe('challenge_unknown');
    const again = await marie.json('POST', `/files/${one.batch}/approval/options`, { question: one.digest });
    const foreign = { challenge: again.body['challenge'], assertion: joe.passkey.sign(again.body as Asked) };
    expect(
      (await marie.json('POST', `/files/${one.batch}/approval`, { question: one.digest, ...foreign })).body[
        'code'
      ],
    ).toBe('signature_refused');
    const third = await marie.json('POST', `/files/${one.batch}/approval/options`, { question: one.digest });
    const right = { challenge: third.body['challenge'], assertion: marie.passkey.sign(third.body as Asked) };
    expect(
      (await marie.json('POST', `/files/${one.batch}/approval`, { question: one.digest, ...right })).status,
    ).toBe(200);
    expect(
      (await marie.json('POST', `/files/${one.batch}/approval`, { question: one.digest, ...right })).body[
        'code'
      ],
    ).toBe('challenge_unknown');
  });

  it('is not given to a question that another one has replaced, be it between the look and the signature', async () => {
    const file = await waiting('350');
    expect(
      (await marie.json('POST', `/files/${file.batch}/approval/options`, { question: '0'.repeat(64) })).body[
        'code'
      ],
    ).toBe('approval_outdated');
    const end = await approved(marie, file, {}, async () => {
      const known = await web.paydrop.ledger.batch(file.batch);
      if (known?.approval?.kind !== 'asked') throw new Error('Nobody was asked.');
      const next = { ...known.approval, round: known.approval.round + 1 };
      await web.paydrop.ledger.revise(file.batch, () => ({
        change: { approval: next },
        event: 'asked again',
      }));
    });
    expect([end.status, end.body['code']]).toEqual([409, 'approval_outdated']);
    expect((await marie.json('GET', `/files/${file.batch}/approval`)).body).toMatchObject({
      state: 'waiting',
      given: null,
    });
  });

  it('by two at once counts once, and the other is told', async () => {
    for (let time = 0; time < 3; time += 1) {
      const file = await waiting(String(400 + time));
      const ends = await Promise.all([approved(marie, file), approved(joe, file)]);
      expect(ends.map(({ status }) => status)).toEqual([200, 200]);
      const by = ends.map(({ body }) => (body['given'] as { by: string }).by);
      expect(by[0]).toBe(by[1]);
      const events = dataOf(await aline.json('GET', `/files/${file.batch}/timeline?limit=200`));
      expect(events.filter(({ code }) => code === 'approval_given')).toHaveLength(1);
    }
  });

  it('is declined with a reason, and not given after that', async () => {
    const file = await waiting('500');
    expect((await marie.json('POST', `/files/${file.batch}/decline`, {})).status).toBe(422);
    const { body } = await marie.json('POST', `/files/${file.batch}/decline`, {
      reason: 'last month’s file',
    });
    expect(body).toMatchObject({
      state: 'declined',
      declined: { by: 'Marie Ngo', reason: 'last month’s file' },
    });
    expect((await approved(joe, file)).body['code']).toBe('approval_declined');
    await stateIs(file.batch, 'closed');
  });
});

describe('a pause', () => {
  it('stands with name and reason until somebody lifts it', async () => {
    const file = await waiting('600');
    expect(
      (await marie.json('POST', `/files/${file.batch}/pause`, { reason: 'asking the bank' })).body[
        'waitingFor'
      ],
    ).toBe('operator');
    await approved(joe, file);
    const record = await web.paydrop.ledger.batch(file.batch);
    expect(record?.decisions.at(-1)).toMatchObject({
      about: 'pause',
      by: 'Marie Ngo',
      reason: 'asking the bank',
    });
    expect((await marie.json('POST', `/files/${file.batch}/resume`, {})).status).toBe(200);
    await stateIs(file.batch, 'closed');
    expect(
      (await marie.json('POST', `/files/${file.batch}/pause`, { reason: 'too late' })).body['code'],
    ).toBe('batch_finished');
  });
});

describe('a comparison', () => {
  it('tells who was added since the last file of the same kind, who is gone, and whose amount differs', async () => {
    const row = (name: string, of: string, amount: string) =>
      lineTo(name, `${name}-${of}`, amount).replace('Li,Wei', `Li,${name}`);
    const last = await submitted('salaries-october', [row('anna', '10', '910'), row('bela', '10', '920')]);
    await approved(joe, { batch: last, digest: await asked(last) });
    const batch = await submitted('Salaries November', [
      row('anna', '11', '911'),
      row('cleo', '11', '930'),
      row('dora', '11', '940'),
    ]);
    await asked(batch);
    expect((await marie.json('GET', `/files/${batch}/comparison`)).body).toEqual({
      corrected: [],
      with: last,
      file: 'salaries-october.csv',
      receivers: { now: 3, before: 2, added: 2, gone: 1 },
      amounts: { changed: 1 },
      rows: { added: ['3', '4'], changed: ['2'] },
      totals: [{ currency: 'CNY', now: '2781', before: '1830' }],
    });
    expect((await marie.json('GET', `/files/${last}/comparison`)).body).toMatchObject({ with: null });
  });
});

describe('held rows', () => {
  const order = (more: object) => ({ reason: 'two salaries', ...more });

  /** A file of five rows, two of which were paid under other references. */
  async function twicePaid(name: string): Promise<string> {
    const row = (at: number, of: string) =>
      lineTo(`${name}-${String(at)}`, `${name}-${of}-${String(at)}`, '700');
    const batch = await submitted(`${name}-first`, [row(1, 'first'), row(2, 'first')]);
    await approved(joe, { batch, digest: await asked(batch) });
    await stateIs(batch, 'closed');
    const again = await submitted(
      `${name}-again`,
      [1, 2, 3, 4, 5].map((at) => row(at, 'again')),
    );
    await asked(again);
    return again;
  }

  it('are grouped by what holds them, tried first, and released by it, signed, and not by who brought them', async () => {
    const batch = await twicePaid('h');
    await asked(batch);
    const groups = dataOf(await joe.json('GET', '/held'));
    const group = groups.find(({ files }) =>
      (files as { batch: string }[]).some((file) => file.batch === batch),
    );
    expect(group).toMatchObject({ rows: 2 });
    const codes = [String(group?.['code'])];
    const path = `/files/${batch}/release`;
    const trial = (await joe.json('POST', path, { codes, dryRun: true })).body;
    expect(trial).toMatchObject({ matching: 2, released: 2, onlySkip: 0 });
    expect((await joe.json('POST', path, { codes: ['nothing'], dryRun: true })).body).toMatchObject({
      matching: 0,
    });
    expect((await joe.json('POST', path, order({ codes, seen: trial['seen'] }))).body['code']).toBe(
      'step_up_needed',
    );
    expect((await armand.confirmed('POST', path, order({ codes }))).body['code']).toBe(
      'approval_same_person',
    );
    expect((await joe.confirmed('POST', path, order({ codes, seen: 'other' }))).body['code']).toBe(
      'rows_changed',
    );
    expect((await joe.confirmed('POST', path, order({ codes, seen: trial['seen'] }))).body).toMatchObject({
      released: 2,
      isDone: true,
    });
    expect((await joe.confirmed('POST', path, order({ codes, seen: trial['seen'] }))).body['code']).toBe(
      'rows_changed',
    );
    const events = dataOf(await aline.json('GET', `/files/${batch}/timeline?row=2&limit=200`));
    expect(JSON.stringify(events)).toContain('two salaries');
    expect(JSON.stringify(events)).toContain('Joe Tchoua');
  });

  it('are closed unpaid once the service was asked', async () => {
    const batch = await twicePaid('c');
    await asked(batch);
    const path = `/files/${batch}/cancellation`;
    expect((await joe.json('POST', path, { dryRun: true })).body).toMatchObject({ matching: 2 });
    expect((await joe.confirmed('POST', path, { reason: 'typed twice' })).body).toMatchObject({
      released: 2,
      unasked: null,
    });
    expect(dataOf(await joe.json('GET', `/files/${batch}/rows?outcome=rejected`))).toHaveLength(2);
  });
});

describe('a job', () => {
  const ended = async (who: Visitor, id: unknown): Promise<Told['body']> => {
    for (;;) {
      const { body } = await who.json('GET', `/jobs/${String(id)}`);
      if (body['state'] !== 'running') return body;
      await web.paydrop.clock.sleep(20);
    }
  };

  it('prices an upload, is found again by whoever began it, and by nobody else', async () => {
    const sent = await fetch(`${web.url}/api/v1/uploads`, {
      method: 'POST',
      headers: { 'x-file-name': 'cost.csv', cookie: armand.cookie, 'sec-fetch-site': 'same-origin' },
      body: `${[HEADER, lineTo('cost', 'COST-1', '100'), lineTo('cost', 'COST-2', '120')].join('\n')}\n`,
    });
    const { id } = (await sent.json()) as { id: string };
    const { status, body } = await armand.json('POST', `/uploads/${id}/cost`, {});
    expect([status, body['kind'], body['of']]).toEqual([202, 'cost', id]);
    const done = await ended(armand, body['id']);
    expect(done).toMatchObject({
      state: 'done',
      result: { outcomes: { pending: 2 }, lines: [{ sourceCurrency: 'XAF', shortfall: '0' }] },
    });
    expect(dataOf(await armand.json('GET', '/jobs')).map(({ id: each }) => each)).toContain(body['id']);
    expect((await marie.json('GET', `/jobs/${String(body['id'])}`)).body['code']).toBe('job_unknown');
    expect((await marie.json('DELETE', `/jobs/${String(body['id'])}`)).status).toBe(404);
    expect((await joe.json('POST', `/uploads/${id}/cost`, {})).body['code']).toBe('role_missing');
  });

  it('names no folder of the server to whoever asks what a file with a fault would cost', async () => {
    const sent = await fetch(`${web.url}/api/v1/uploads`, {
      method: 'POST',
      headers: { 'x-file-name': 'wrong.csv', cookie: armand.cookie, 'sec-fetch-site': 'same-origin' },
      body: `${[HEADER, lineTo('cost', 'W-1', '100'), lineTo('cost', 'W-2', '1x')].join('\n')}\n`,
    });
    const { id } = (await sent.json()) as { id: string };
    const { body } = await armand.json('POST', `/uploads/${id}/cost`, {});
    const { result } = await ended(armand, body['id']);
    expect(JSON.stringify(result)).toContain('.rejected.csv');
    expect(JSON.stringify(result)).not.toContain(web.desk.workspace);
    expect(JSON.stringify(result)).toContain('Nothing was sent.');
    // Prices hold, but whoever reads French is not told of them in English.
    const french = await armand.json('POST', `/uploads/${id}/cost`, {}, { 'accept-language': 'fr' });
    const { result: inFrench } = await ended(armand, french.body['id']);
    expect(JSON.stringify(inFrench)).toContain('Rien n’a été envoyé.');
  });

  it('reconciles a batch for a treasurer', async () => {
    const file = await waiting('800');
    await approved(joe, file);
    await stateIs(file.batch, 'closed');
    const { body } = await joe.json('POST', '/reconciliations', { batch: file.batch });
    expect(await ended(joe, body['id'])).toMatchObject({
      state: 'done',
      result: { agrees: true, rows: 1, count: 0 },
    });
    expect((await marie.json('POST', '/reconciliations', { batch: file.batch })).body['code']).toBe(
      'role_missing',
    );
  });

  it.each([
    [{ batch: 'nope' }, 404, 'batch_unknown'],
    [{ from: '2026-11-20', to: '2026-11-19' }, 422, 'body_wrong'],
    [{ from: '2026-13-01', to: '2026-13-02' }, 422, 'body_wrong'],
    [{ from: '2026-02-01', to: '2026-02-30' }, 422, 'body_wrong'],
  ])('is not begun for what nobody can reconcile: %j', async (order, status, code) => {
    expect(await joe.json('POST', '/reconciliations', order)).toMatchObject({ status, body: { code } });
  });

  it('that is cancelled stays so', async () => {
    const jobs = new Jobs(web.paydrop.clock);
    const begun = Promise.withResolvers<null>();
    const work = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('cancelled')));
        begun.resolve(null);
      });
    const job = jobs.begin('Joe', 'cost', { of: 'a file' }, work);
    await begun.promise;
    expect(jobs.begin('Joe', 'cost', { of: 'a file' }, work)?.id).toBe(job?.id);
    jobs.begin('Joe', 'cost', { of: 'another' }, work);
    expect(jobs.begin('Joe', 'cost', { of: 'a third' }, work)).toBeNull();
    expect(jobs.cancel(job?.id ?? '', 'Marie')).toBeNull();
    expect(jobs.cancel(job?.id ?? '', 'Joe')).toMatchObject({ state: 'cancelled' });
    await jobs.close();
    expect(jobs.find(job?.id ?? '', 'Joe')).toMatchObject({ state: 'cancelled', result: null });
  });
});

describe('the stop', () => {
  it('is put by anybody with a reason, holds everything, and is lifted by a checker who signs', async () => {
    expect((await aline.json('GET', '/stop')).body).toEqual({ stop: null });
    // The clock of the file system runs some milliseconds behind.
    const before = web.paydrop.clock.now() - 1_000;
    const { body } = await aline.json('PUT', '/stop', { reason: 'wrong account' });
    const { words, since } = body['stop'] as { readonly words: string; readonly since: string };
    expect(words).toBe('Aline Biya: wrong account');
    expect(Date.parse(since)).toBeGreaterThanOrEqual(before);
    expect((await aline.json('PUT', '/stop', { reason: 'again' })).status).toBe(200);
    expect((await joe.json('DELETE', '/stop', { reason: 'settled' })).body['code']).toBe('step_up_needed');
    expect((await aline.json('DELETE', '/stop', { reason: 'settled' })).body['code']).toBe('role_missing');
    expect((await joe.confirmed('DELETE', '/stop', { reason: 'settled' })).body).toEqual({ stop: null });
    expect((await joe.confirmed('DELETE', '/stop', { reason: 'settled' })).body['code']).toBe('stop_none');
    const told = dataOf(await aline.json('GET', '/audit')).map(({ who, what, about }) => [who, what, about]);
    expect(told).toContainEqual(['Aline Biya', 'stop_put', 'wrong account']);
    expect(told).toContainEqual(['Joe Tchoua', 'stop_lifted', 'settled']);
    expect(told).toContainEqual(['Joe Tchoua', 'stepped_up', 'DELETE /stop']);
  });
});

it('an order that began before a person was removed is not carried out', async () => {
  const zed = await visitor(web, 'Zed Mbia', 'checker');
  const body = JSON.stringify({ reason: 'too late' });
  const order = request(`${web.url}/api/v1/stop`, {
    method: 'PUT',
    headers: {
      'content-type': 'application/json',
      'content-length': String(body.length),
      'sec-fetch-site': 'same-origin',
      cookie: zed.cookie,
    },
  });
  order.write(body.slice(0, 5));
  // By then the server has looked who asks.
  const { id } = dataOf(await aline.json('GET', '/people')).find(({ name }) => name === 'Zed Mbia') as {
    id: string;
  };
  expect((await aline.confirmed('DELETE', `/people/${id}`)).status).toBe(200);
  order.end(body.slice(5));
  const [answer] = (await once(order, 'response')) as [IncomingMessage];
  expect(answer.resume().statusCode).toBe(401);
  expect((await aline.json('GET', '/stop')).body).toEqual({ stop: null });
});
