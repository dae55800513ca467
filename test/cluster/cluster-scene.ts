// Several machines in small: a database of our own, the sandbox, files to pay, and nodes that share them, each a real process with a config of its own and
// a way of its own to the database.
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { systemClock } from '../../src/base/clock.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { openScene, type Scene, type SceneOptions } from '../crash/crash-scene.ts';
import { startPaydrop, type Ended, type Started } from '../crash/processes.ts';
import { ClusterDatabase } from './cluster-database.ts';
import { openGate, type Gate } from './gate.ts';

export type Node = {
  readonly name: string;
  readonly process: Started;
  /** Its way to the database. */
  readonly gate: Gate;
  /** Null while it runs. */
  ended: Ended | null;
};

export type ClusterScene = {
  readonly scene: Scene;
  readonly database: ClusterDatabase;
  /** Sees what the nodes write, and writes nothing. */
  readonly ledger: Ledger;
  /** Starts a node, and waits for nothing. */
  readonly begin: (name: string) => Promise<Node>;
  /** The same; resolves once it watches, or has ended. */
  readonly start: (name: string) => Promise<Node>;
  /** Lays all files with their documents into the inbox that the nodes share. */
  readonly drop: () => Promise<void>;
  readonly close: (keep?: boolean) => Promise<void>;
};

type Options = SceneOptions & {
  readonly fsync?: boolean;
  /** True where another database follows this one, to take over. */
  readonly hasStandby?: boolean;
  /** What the config of one node says besides. */
  readonly configOf?: (node: string) => string;
};

export async function openClusterScene(options: Options): Promise<ClusterScene> {
  const database = await ClusterDatabase.start(options);
  const gates = new Map<string, Gate>();
  const gateOf = async (name: string): Promise<Gate> => {
    const gate = gates.get(name) ?? (await openGate(() => database.port));
    gates.set(name, gate);
    return gate;
  };
  const through = ({ port }: Gate): string =>
    `postgres://postgres@127.0.0.1:${String(port)}/postgres?schema=paydrop`;
  const own = options.config ?? '';
  const usual = [
    'metrics: { listen: null }',
    'intake: { settleFor: 100ms, scanEvery: 1s }',
    'tracking: { pollEvery: 500ms }',
  ].filter((line) => !own.includes(line.split(' ')[0] ?? ''));
  const config = [...usual, own].join('\n');
  const scene = await openScene({ ...options, config });
  const url = through(await gateOf('observer'));
  const ledger = await openLedger({ url, password: null, giveUpAfterMs: 5_000 }, systemClock);
  const service = { baseUrl: scene.watched.baseUrl, apiKey: scene.sandbox.apiKey };
  const begin = async (name: string): Promise<Node> => {
    const gate = await gateOf(name);
    const path = join(scene.folder, `${name}.yaml`);
    await copyFile(join(scene.folder, 'paydrop.yaml'), path);
    const own = `\nledger: ${through(gate)}\ncluster: { node: ${name} }\n${options.configOf?.(name) ?? ''}\n`;
    await writeFile(path, own, { flag: 'a' });
    const started = startPaydrop(['--config', path, '--workspace', scene.workspace, 'watch'], service);
    const node: Node = { name, process: started, gate, ended: null };
    void started.ended.then((end) => {
      node.ended = end;
    });
    return node;
  };
  return {
    scene,
    database,
    ledger,
    begin,
    start: async (name) => {
      const node = await begin(name);
      await Promise.race([node.process.said('watching').catch(() => undefined), node.process.ended]);
      await Promise.resolve();
      return node;
    },
    drop: async () => {
      const inbox = join(scene.workspace, 'inbox');
      await mkdir(inbox, { recursive: true });
      const folder = dirname(scene.files[0] ?? '');
      const documents = (await readdir(folder)).filter((name) => name.endsWith('.pdf'));
      for (const path of [...documents.map((name) => join(folder, name)), ...scene.files])
        await copyFile(path, join(inbox, basename(path)));
    },
    close: async (keep) => {
      await ledger.close();
      await scene.close(keep);
      for (const gate of gates.values()) await gate.close();
      await database.stop();
    },
  };
}
