// Several machines in small: a database of our own, the sandbox, files to pay, and nodes that share them, each a real process with a config of its own.
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { systemClock } from '../../src/base/clock.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { openScene, type Scene, type SceneOptions } from '../crash/crash-scene.ts';
import { startPaydrop, type Ended, type Started } from '../crash/processes.ts';
import { startPostgres, type PostgresServer } from '../postgres/server.ts';

export type Node = {
  readonly name: string;
  readonly process: Started;
  /** Null while it runs. */
  ended: Ended | null;
};

export type ClusterScene = {
  readonly scene: Scene;
  readonly database: PostgresServer;
  /** Sees what the nodes write, and writes nothing. */
  readonly ledger: Ledger;
  /** Starts a node; resolves once it watches. */
  readonly start: (name: string) => Promise<Node>;
  /** Lays all files with their documents into the inbox that the nodes share. */
  readonly drop: () => Promise<void>;
  readonly close: (keep?: boolean) => Promise<void>;
};

export async function openClusterScene(
  options: SceneOptions & { readonly fsync?: boolean },
): Promise<ClusterScene> {
  const database = await startPostgres({ fsync: options.fsync === true });
  const url = `${database.url}?schema=paydrop`;
  const config = [
    `ledger: ${url}`,
    'metrics: { listen: null }',
    'intake: { settleFor: 100ms, scanEvery: 1s }',
    'tracking: { pollEvery: 500ms }',
    options.config ?? '',
  ].join('\n');
  const scene = await openScene({ ...options, config });
  const ledger = await openLedger({ url, password: null, giveUpAfterMs: 5_000 }, systemClock);
  const settings = await readdir(scene.folder);
  if (!settings.includes('paydrop.yaml')) throw new Error('The scene has a config.');
  const service = { baseUrl: scene.watched.baseUrl, apiKey: scene.sandbox.apiKey };
  return {
    scene,
    database,
    ledger,
    start: async (name) => {
      const path = join(scene.folder, `${name}.yaml`);
      await copyFile(join(scene.folder, 'paydrop.yaml'), path);
      await writeFile(path, `\ncluster: { node: ${name} }\n`, { flag: 'a' });
      const started = startPaydrop(['--config', path, '--workspace', scene.workspace, 'watch'], service);
      const node: Node = { name, process: started, ended: null };
      void started.ended.then((ended) => {
        node.ended = ended;
      });
      await Promise.race([started.said('watching'), started.ended]);
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
      await database.stop();
    },
  };
}
