// Everything that happens at a time, by a person, by a server or by a program happens once where three nodes are there to do it, one of them killed in the
// midst of it: real processes on a real database, with a mail server, an SFTP server, and notifications that come to any of them.
import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { expect, it } from 'vitest';

import type { NoticeMessage } from '../../src/app/config/notify-config.ts';
import { atEnd } from '../at-end.ts';
import { keysOf } from '../app/sftp/sftp-desk.ts';
import { mailbox } from '../app/telling/mailbox.ts';
import { collectBatches, collectService } from '../crash/collect-evidence.ts';
import { startPaydrop } from '../crash/processes.ts';
import { seeded } from '../crash/seeded.ts';
import { checkAnswers } from '../invariants/check-answers.ts';
import { freePort, receiver } from '../sandbox/receiver.ts';
import { NO_SSHD, startSshServer } from '../sftp/openssh-server.ts';
import { openClusterScene, type Node } from './cluster-scene.ts';
import { openFront } from './front.ts';
import { carriersOf } from './watch-cluster.ts';

const NODES = ['n1', 'n2', 'n3'];
const ROWS = 40;
const SOUND = { fault: null, batchFault: null, rowFault: null, sumFault: null };

/** For a machine that does much else: nothing here takes longer than until the next full minute. */
const SOON = { timeout: 180_000, interval: 100 };
const EVENTS = 'accepted, refused, duplicate, held, shortfall, approval, completion, changed, trouble'.split(
  ', ',
);

/** Once a day, the first time within two minutes: a file that comes later than that waits for tomorrow. */
function cronToday(): string {
  const at = new Date(Date.now() + 120_000);
  return `${String(at.getUTCMinutes())} ${String(at.getUTCHours())} * * *`;
}

/** How each file comes, in the order of their names. */
const WAYS = ['plain', 'approved', 'later', 'standing', 'erp', 'page', 'plain'] as const;

it.skipIf(NO_SSHD !== '')(
  `three nodes: what is due, approved, told, fetched, brought and notified happens once${NO_SSHD}`,
  async () => {
    const seed = Math.trunc(performance.timeOrigin % 1_000_000);
    const dice = seeded(seed);
    const ports = await Promise.all(NODES.map(() => freePort()));
    const [balancer, box, hook] = [await openFront(ports), await mailbox(), await receiver()];
    const webPort = await freePort();
    const server = await startSshServer({ kinds: ['ed25519'] });
    atEnd(() => server.close());
    const [out, into] = [server.folder('out'), server.folder('in')];
    const account = keysOf(server, { name: 'erp', port: server.port, out, into });
    const email = `{ host: 127.0.0.1, port: ${String(box.port)}, security: none, from: paydrop@example.com, to: treasury@example.com }`;
    const cluster = await openClusterScene({
      files: WAYS.length,
      rows: ROWS,
      seed,
      sandboxArgs: ['--latency', '10ms', '--settle', '1s', '--allow-http-callbacks'],
      config: [
        `service: { concurrency: 12, callbackUrl: "http://127.0.0.1:${String(balancer.port)}/hooks/" }`,
        'policy: { approvalBy: name }',
        `notify: { events: [${EVENTS.join(', ')}], email: ${email}, hook: { url: "${hook.url}" } }`,
        'tenants: [{ folder: plain }, { folder: approved, policy: { approval: required } }]',
        `schedules: [{ folder: later, cron: "* * * * *", timeZone: UTC }, { folder: standing, cron: "${cronToday()}", timeZone: UTC, standing: true }]`,
        `sftp: [{ ${account}, settleFor: 200ms, pollEvery: 1s }]`,
      ].join('\n'),
      configOf: (name) => {
        const index = NODES.indexOf(name);
        const web = index === 0 ? `web: { listen: "127.0.0.1:${String(webPort)}" }` : '';
        return `webhooks: { listen: "127.0.0.1:${String(ports[index])}" }\n${web}`;
      },
    });
    atEnd(() => cluster.close());
    const { scene, ledger, database } = cluster;
    const configOf = (node: string): string => join(scene.folder, `${node}.yaml`);
    const command = (node: string, ...words: readonly string[]) =>
      startPaydrop(['--config', configOf(node), '--workspace', scene.workspace, ...words], {
        baseUrl: scene.watched.baseUrl,
        apiKey: scene.sandbox.apiKey,
      }).ended;
    const nodes = new Map<string, Node>();
    atEnd(() => [...nodes.values()].forEach(({ process: node }) => node.kill()));
    const start = async (name: string): Promise<void> => {
      nodes.set(name, await cluster.start(name));
      expect(nodes.get(name)?.ended, `seed ${String(seed)}`).toBeNull();
    };
    await Promise.all(NODES.map(start));

    const fileOf = (index: number): string => scene.files[index] ?? '';
    const documentOf = (index: number): string =>
      `invoice-${basename(fileOf(index), '.csv').slice(-1).toUpperCase()}.pdf`;
    for (const [index, way] of WAYS.entries()) {
      if (way === 'page') continue;
      const folder = way === 'erp' ? out : join(scene.workspace, 'inbox', way);
      await mkdir(folder, { recursive: true });
      for (const name of [documentOf(index), basename(fileOf(index))])
        await copyFile(join(dirname(fileOf(index)), name), join(folder, name));
    }
    const batchOf = async (way: (typeof WAYS)[number]) => {
      const name = basename(fileOf(WAYS.indexOf(way)));
      return (await ledger.batches()).filter(({ fileName }) => basename(fileName) === name);
    };

    // A program sends a file to one node, and submits it twice at the same moment.
    const key = (
      await command('n1', 'people', 'key', '--name', 'Ledgerly', '--scopes', 'files:write,files:read')
    ).stdout.trim();
    const api = async (path: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${key}`);
      const response = await fetch(`http://127.0.0.1:${String(webPort)}/api/v1${path}`, { ...init, headers });
      return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
    };
    const paged = WAYS.indexOf('page');
    const send = async (path: string, name: string) =>
      api(path, {
        method: 'POST',
        headers: { 'x-file-name': name },
        body: await readFile(join(dirname(fileOf(paged)), name)),
      });
    await expect
      .poll(() => nodes.get('n1')?.ended?.stderr ?? api('/files').then(({ status }) => status, String), SOON)
      .toBe(200);
    const upload = await send('/uploads', basename(fileOf(paged)));
    const place = `/uploads/${String(upload.body['id'])}`;
    await send(`${place}/documents`, documentOf(paged));
    await expect.poll(async () => (await api(place)).body['state'], SOON).toBe('checked');
    const submit = () =>
      api(`${place}/submission`, {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json' },
      });
    const submitted = await Promise.all([submit(), submit()]);
    const taken = submitted.filter(({ status }) => status === 200 || status === 202);
    expect(new Set(taken.map(({ body }) => body['batch'])).size, JSON.stringify(submitted)).toBe(1);

    // Two people approve at the same moment, each at a machine of their own.
    await expect.poll(async () => (await batchOf('approved'))[0]?.approval?.kind ?? null, SOON).toBe('asked');
    const [asked] = await batchOf('approved');
    const answers = await Promise.all([
      command('n2', 'approve', asked?.id ?? '', '--by', 'Marie'),
      command('n3', 'approve', asked?.id ?? '', '--by', 'Paul'),
    ]);
    expect(
      answers.map(({ code }) => code),
      JSON.stringify(answers),
    ).toContain(0);

    // The node that carries most is killed, and comes back.
    await expect.poll(async () => (await carriersOf(database)).length, SOON).toBeGreaterThan(0);
    const carriers = (await carriersOf(database)).filter(({ name }) => name !== 'n1');
    const victim = nodes.get(carriers.length === 0 ? 'n2' : dice.oneOf(carriers).name);
    victim?.process.kill();
    await victim?.process.ended;
    await start(victim?.name ?? '');

    // Of the standing file today's copy is paid, and tomorrow's waits; each day has one.
    const open = async (): Promise<readonly string[]> =>
      (await ledger.batches())
        .filter(({ state, payAt }) => state !== 'closed' && !(payAt?.at ?? '').startsWith(tomorrow))
        .map(({ fileName, state, wait }) => `${fileName}: ${state}, ${wait?.for ?? ''}`);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await expect.poll(async () => (await ledger.batches()).length, SOON).toBeGreaterThanOrEqual(WAYS.length);
    await expect.poll(open, SOON).toEqual([]);
    const standing = (await batchOf('standing')).map(({ fileId, state }) => ({
      day: fileId.split('#')[1],
      state,
    }));
    const paidOn = standing.find(({ state }) => state === 'closed')?.day;
    expect(standing.map(({ day }) => day).sort()).toEqual(
      paidOn === undefined ? [tomorrow] : [paidOn, tomorrow],
    );

    // Money: each row once, and all books agree.
    const collected = await collectBatches(scene);
    const evidence = collected.batches.flatMap((batch, index) => {
      if (WAYS[index] !== 'standing') return [batch];
      return paidOn === undefined ? [] : [{ ...batch, day: paidOn }];
    });
    expect({
      missing: collected.missing.filter(
        (name) => paidOn !== undefined || name !== basename(fileOf(WAYS.indexOf('standing'))),
      ),
      violations: checkAnswers(evidence, await collectService(scene)),
      seed,
    }).toMatchObject({
      missing: [],
      violations: [],
    });
    expect(await ledger.history.verify()).toMatchObject(SOUND);

    // The approval is one person's, and that person was told so.
    const approval = (await batchOf('approved'))[0]?.approval;
    const by = approval?.kind === 'asked' ? approval.given?.by : undefined;
    expect(answers[['Marie', 'Paul'].indexOf(by ?? '')]?.code, JSON.stringify(answers)).toBe(0);

    // Answers: one of each kind and version for each file, and those of the account are at its server.
    const kinds = async (folder: string, index: number): Promise<readonly string[]> => {
      const stem = basename(fileOf(index), '.csv');
      return (await readdir(folder))
        .filter((name) => name.startsWith(`${stem}.`))
        .map((name) => name.replace(/^.*?\.[^.]*?\./, ''));
    };
    const erp = WAYS.indexOf('erp');
    const outbox = join(scene.workspace, 'outbox');
    for (const index of WAYS.keys()) {
      const found = await kinds(outbox, index);
      expect(found.filter((kind) => /result\.csv$/.test(kind)).length, found.join(', ')).toBe(1);
    }
    await expect.poll(() => kinds(into, erp), SOON).toEqual(await kinds(outbox, erp));

    // Notices: of one event of one file one message, whoever sends it; a kill may repeat it under the same id.
    await expect
      .poll(
        async () => (await ledger.notices.standing()).map(({ waiting, givenUp }) => waiting + givenUp),
        SOON,
      )
      .toEqual([0, 0]);
    const posted = hook.received.map(({ body }) => JSON.parse(body.toString('utf8')) as NoticeMessage);
    const told = new Set(
      posted.map(({ id, event, batch, subject }) => JSON.stringify([id, event, batch, subject])),
    );
    expect(told.size).toBe(new Set(posted.map(({ id }) => id)).size);
    const mails = new Map(
      box.mails.map(({ headers }) => [headers.get('message-id'), headers.get('subject')]),
    );
    for (const file of scene.files) {
      const ends = [...mails.values()].filter((subject) => subject?.includes(`${basename(file)}: finished`));
      expect(ends.length, [...mails.values()].join('\n')).toBe(1);
    }

    // Notifications came to all nodes, and each was taken.
    expect(Math.min(...balancer.taken)).toBeGreaterThan(0);
    for (const { process: node } of nodes.values()) node.signal('SIGTERM');
    // With 5 where one was about to look at tomorrow's copy.
    for (const { process: node } of nodes.values()) expect([0, 5]).toContain((await node.ended).code);
  },
  400_000,
);
