// What comes to one node and concerns another: a notification, a decision, a config that differs, and what a node that was killed had begun. Three real
// processes on a real database; each thing happens once, whoever does it.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { expect, it } from 'vitest';

import { claimFile } from '../../src/inbox/claim-file.ts';
import { openWorkspace } from '../../src/inbox/workspace.ts';
import { FROM_START } from '../../src/ledger/history.ts';
import { STAGES } from '../../src/payouts/lifecycle.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { HEADER, lineTo, magic } from '../app/desk.ts';
import { leapClock } from '../app/leap-clock.ts';
import { atEnd } from '../at-end.ts';
import { collectService } from '../crash/collect-evidence.ts';
import { startPaydrop, type Ended } from '../crash/processes.ts';
import { freePort } from '../sandbox/receiver.ts';
import { openClusterScene, type ClusterScene, type Node } from './cluster-scene.ts';
import { openFront } from './front.ts';

const NODES = ['n1', 'n2', 'n3'];
const SOUND = { fault: null, batchFault: null, rowFault: null, sumFault: null };
const SOON = { timeout: 120_000, interval: 50 };
const SLOW_MS = 300_000;

type Options = Parameters<typeof openClusterScene>[0];

/** The nodes are started by each test. */
async function open(options: Partial<Options>) {
  const cluster = await openClusterScene({ files: 1, rows: 1, ...options });
  const { scene, ledger } = cluster;
  atEnd(() => cluster.close());
  const started: Node[] = [];
  atEnd(() => started.forEach(({ process: node }) => node.kill()));
  const start = async (...names: readonly string[]): Promise<readonly Node[]> => {
    const nodes = await Promise.all(names.map((name) => cluster.start(name)));
    expect(nodes.map(({ ended }) => ended)).toEqual(nodes.map(() => null));
    started.push(...nodes);
    return nodes;
  };
  const command = (node: string, ...words: readonly string[]): Promise<Ended> =>
    startPaydrop(['--config', join(scene.folder, `${node}.yaml`), '--workspace', scene.workspace, ...words], {
      baseUrl: scene.watched.baseUrl,
      apiKey: scene.sandbox.apiKey,
    }).ended;
  const batchOf = async (name: string) =>
    (await ledger.batches()).filter(({ fileName }) => basename(fileName) === name);
  const stateOf = async (name: string) => (await batchOf(name)).map(({ state }) => state);
  const answersOf = async (stem: string): Promise<readonly string[]> =>
    (await readdir(join(scene.workspace, 'outbox')))
      .filter((name) => name.startsWith(`${stem}.`))
      .map((name) => name.replace(/^.*?\.[^.]*?\./, ''))
      .toSorted();
  return { ...cluster, start, command, batchOf, stateOf, answersOf };
}

async function drop(folder: string, name: string, lines: readonly string[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, name);
  await writeFile(path, `${[HEADER, ...lines].join('\n')}\n`);
  return path;
}

/** The node that had the batch last. */
async function carrierOf({ database }: Pick<ClusterScene, 'database'>, batch: string): Promise<string> {
  const [found] = await database.ask(
    `SELECT b.note::json ->> 'node' AS node FROM batches f JOIN beats b ON b.run = f.owner WHERE f.id = $1`,
    [batch],
  );
  return String(found?.['node']);
}

/** Each node has read, after one was notified, what the others say: none looks early by itself any more. */
async function allKnow({ database }: Pick<ClusterScene, 'database'>): Promise<void> {
  const said = async (): Promise<readonly string[]> =>
    (await database.ask('SELECT said FROM beats WHERE said IS NOT NULL')).map((row) => String(row['said']));
  const isHeard = (text: string): boolean => (JSON.parse(text) as { heard: number }).heard > 0;
  await expect.poll(async () => (await said()).some(isHeard), SOON).toBe(true);
  // Whoever reads writes its own words anew, without this space.
  await database.ask(`UPDATE beats SET said = said || ' '`);
  await expect.poll(async () => (await said()).some((text) => text.endsWith(' ')), SOON).toBe(false);
}

it(
  'a notification that comes to one node leads another to look; of a reversal all hear at once, and one answers',
  async () => {
    const clock = leapClock();
    const ports = await Promise.all(NODES.map(() => freePort()));
    const seen: string[] = [];
    const front = await openFront(ports, () => seen.push('notified'));
    const here = await open({
      sandbox: async (journal) => {
        const settings = { settleMs: 3_000, reversalMs: 600_000, allowHttpCallbacks: true };
        const { close, ...sandbox } = await startSandbox({ ...settings, statePath: journal, clock });
        return { ...sandbox, stop: close };
      },
      // Longer than this test: nothing but a notification ends a payment in time.
      config: `tracking: { pollEvery: 10m }\nservice: { callbackUrl: "http://127.0.0.1:${String(front.port)}/hooks/" }`,
      configOf: (name) => `webhooks: { listen: "127.0.0.1:${String(ports[NODES.indexOf(name)])}" }`,
    });
    const { scene, ledger } = here;
    scene.watched.watch({
      received: ({ method, path }) => {
        if (method === 'GET' && path.startsWith('/transfers')) seen.push('looked');
        return 'pass';
      },
    });
    const inbox = join(scene.workspace, 'inbox');
    const carrier = async (name: string) => {
      await expect.poll(() => here.stateOf(name), SOON).toEqual(['following']);
      return carrierOf(here, (await here.batchOf(name))[0]?.id ?? '');
    };
    await here.start(...NODES);
    const other = (node: string): number => NODES.findIndex((name) => name !== node);
    // Nobody has heard of the service yet: the first file tells the node that does not carry it, and by that all.
    front.leadTo([]);
    await drop(inbox, 'first.csv', [lineTo('Aa', 'A-1', '100')]);
    front.leadTo([other(await carrier('first.csv'))]);
    await expect.poll(() => here.stateOf('first.csv'), SOON).toEqual(['closed']);
    await allKnow(here);
    seen.splice(0);
    await drop(inbox, 'second.csv', [magic('B-1', '0100001')]);
    front.leadTo([other(await carrier('second.csv'))]);
    await expect.poll(() => here.stateOf('second.csv'), SOON).toEqual(['closed']);
    expect(seen.slice(0, 2)).toEqual(['notified', 'looked']);
    const before = await here.answersOf('second');
    expect(before).not.toContain('result-2.csv');
    front.leadTo([0, 1, 2]);
    clock.leap(900_000);
    const versions = (version: string) => [...before, ...before.flatMap((name) => again(name, version))];
    await expect.poll(() => here.answersOf('second'), SOON).toEqual(versions('2').toSorted());
    expect(Math.min(...front.taken)).toBeGreaterThan(0);
    await expect
      .poll(async () => (await here.batchOf('second.csv'))[0]?.finished?.due ?? null, SOON)
      .toBeNull();
    const summary = (await readdir(join(scene.workspace, 'outbox'))).find((name) =>
      name.includes('summary-2'),
    );
    expect(JSON.parse(await readFile(join(scene.workspace, 'outbox', summary ?? ''), 'utf8'))).toMatchObject({
      outcomes: { failed: 1, paid: 0 },
    });
    expect(await here.answersOf('second')).toEqual(versions('2').toSorted());
    expect(await ledger.history.verify()).toMatchObject(SOUND);
  },
  SLOW_MS,
);

/** The name of an answer's later version; none of what is written once. */
function again(name: string, version: string): readonly string[] {
  const found = /^(result|reconciliation|summary)(\.\w+)$/.exec(name);
  return found === null ? [] : [`${found[1] ?? ''}-${version}${found[2] ?? ''}`];
}

it(
  'of two people who decide at the same moment at two nodes none is told what is not so; what waits for its time outlives its node',
  async () => {
    const here = await open({
      config: [
        'policy: { approvalBy: name }',
        'tenants: [{ folder: approved, policy: { approval: required } }]',
        'schedules: [{ folder: later, cron: "* * * * *", timeZone: UTC }]',
      ].join('\n'),
    });
    const { scene, ledger } = here;
    const inbox = join(scene.workspace, 'inbox');
    const nodes = await here.start(...NODES);
    await drop(join(inbox, 'later'), 'later.csv', [lineTo('Later', 'L-1', '100')]);
    for (const name of ['a', 'b', 'c'])
      await drop(join(inbox, 'approved'), `${name}.csv`, [lineTo(`Asked ${name}`, `${name}-1`, '100')]);
    await expect
      .poll(async () => (await here.batchOf('later.csv'))[0]?.wait?.for ?? null, SOON)
      .toBe('schedule');
    const [scheduled] = await here.batchOf('later.csv');
    const carrier = await carrierOf(here, scheduled?.id ?? '');
    const victim = nodes.find(({ name }) => name === carrier);
    expect(victim, carrier).toBeDefined();
    victim?.process.kill();
    const [one = '', other = ''] = NODES.filter((name) => name !== carrier);
    for (const name of ['a', 'b', 'c']) {
      await expect
        .poll(async () => (await here.batchOf(`${name}.csv`))[0]?.approval?.kind ?? null, SOON)
        .toBe('asked');
      const id = (await here.batchOf(`${name}.csv`))[0]?.id ?? '';
      const answers = await Promise.all([
        here.command(one, 'approve', id, '--by', 'Marie'),
        here.command(other, 'decline', id, '--by', 'Paul', '--reason', 'not ours'),
      ]);
      const [approved, declined] = answers.map(({ code }) => code === 0);
      expect([approved, declined], JSON.stringify(answers)).toContain(true);
      await expect.poll(() => here.stateOf(`${name}.csv`), SOON).toEqual(['closed']);
      const [row] = await ledger.rows(id, 0, 10);
      // An approval can be declined until it is used: who was told so must be right.
      expect(row?.progress.stage, JSON.stringify(answers)).toBe(declined === true ? 'rejected' : 'paid');
    }
    await expect.poll(() => here.stateOf('later.csv'), SOON).toEqual(['closed']);
    const paid = (await ledger.batches()).map(async ({ id }) => (await ledger.rows(id, 0, 10))[0]?.progress);
    const stages = (await Promise.all(paid)).map((progress) => progress?.stage);
    const { transfers } = await collectService(scene);
    const late = (await ledger.rows(scheduled?.id ?? '', 0, 1))[0]?.progress.transfer;
    expect(Date.parse(late?.createdAt ?? '')).toBeGreaterThanOrEqual(Date.parse(scheduled?.payAt?.at ?? ''));
    expect(transfers.filter(({ status }) => status === 'paid')).toHaveLength(
      stages.filter((stage) => stage === 'paid').length,
    );
    expect(await ledger.history.verify()).toMatchObject(SOUND);
  },
  SLOW_MS,
);

it(
  'what a killed node had claimed is taken once, and what is old is removed once, by three that start at the same moment; doctor names the one whose config differs',
  async () => {
    const here = await open({
      config:
        'tracking: { pollEvery: 100ms, reversalWindow: 10ms }\nretention: { archive: 10ms, outbox: 10ms }',
      configOf: (name) => (name === 'n3' ? 'limits: { perRow: [1000000 XAF] }' : ''),
    });
    const { scene, ledger, database } = here;
    const inbox = join(scene.workspace, 'inbox');
    const old = ['a', 'b', 'c', 'd'].map((name) => `early-${name}.csv`);
    const [first] = await here.start('n1');
    for (const name of old) await drop(inbox, name, [lineTo(name, `${name}-1`, '100')]);
    for (const name of old) await expect.poll(() => here.stateOf(name), SOON).toEqual(['closed']);
    // A look back comes before the removal.
    first?.process.kill();
    await first?.process.ended;
    const [second] = await here.start('n1');
    for (const name of old) {
      const left = async () => {
        const [batch] = await here.batchOf(name);
        return [batch?.finished?.due ?? null, await ledger.nextDueAt(batch?.id ?? '', STAGES)];
      };
      await expect.poll(left, SOON).toEqual([null, null]);
    }
    const [run] = (await database.ask('SELECT run FROM runs WHERE ended_at IS NULL')).map((found) =>
      String(found['run']),
    );
    second?.process.kill();
    await second?.process.ended;
    const workspace = await openWorkspace(scene.workspace);
    for (const name of ['left-a.csv', 'left-b.csv']) {
      const path = await drop(inbox, name, [lineTo(name, `${name}-1`, '100')]);
      expect(await claimFile(workspace, path, run ?? '', [])).not.toBeNull();
    }
    const nodes = await here.start(...NODES);
    for (const name of ['left-a.csv', 'left-b.csv'])
      await expect.poll(() => here.stateOf(name), SOON).toEqual(['closed']);
    const archived = async () =>
      (await readdir(workspace.archive, { recursive: true })).filter((name) => name.includes('early-'));
    await expect.poll(archived, SOON).toEqual([]);
    for (const name of old) await expect.poll(() => here.answersOf(basename(name, '.csv')), SOON).toEqual([]);
    const removals: string[] = [];
    for (const { id, fileName } of await ledger.batches()) {
      if (!old.includes(fileName)) continue;
      const { events } = await ledger.history.events({ batch: id, position: null }, FROM_START, 1_000);
      removals.push(...events.flatMap(({ event }) => (event.includes('archive') ? [fileName] : [])));
    }
    expect(removals.toSorted()).toEqual(old);
    expect((await collectService(scene)).transfers).toHaveLength(old.length + 2);

    const doctor = async (node: string) => {
      const { stdout } = await here.command(node, 'doctor', '--json');
      const { findings } = JSON.parse(stdout) as {
        findings: readonly { name: string; ok: boolean; words: string }[];
      };
      return findings.find(({ name }) => name === 'nodes');
    };
    expect(await doctor('n1')).toMatchObject({ ok: false, words: expect.stringMatching(/n3/) as string });
    expect((await doctor('n1'))?.words).not.toMatch(/n1|n2/);
    const { stdout } = await here.command('n2', 'status', '--json');
    const status = JSON.parse(stdout) as { nodes: readonly { node: string }[] };
    expect(status.nodes.map(({ node }) => node).toSorted()).toEqual(NODES);
    for (const { process: node } of nodes) node.signal('SIGTERM');
    const ended = await Promise.all(nodes.map(({ process: node }) => node.ended));
    for (const { code, stderr } of ended)
      expect([code, stderr.replaceAll('watching', '')]).toEqual([0, expect.not.stringContaining('ENOENT')]);
    expect(await ledger.history.verify()).toMatchObject(SOUND);
  },
  SLOW_MS,
);
