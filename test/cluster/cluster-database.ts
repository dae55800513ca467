// The database of a cluster: it can crash and come back, and where another one follows it be lost for good, when that one takes over under the same address.
import { setTimeout as wait } from 'node:timers/promises';

import pg from 'pg';

import { startPostgres, type PostgresServer, type Standby } from '../postgres/server.ts';

export class ClusterDatabase {
  readonly #hasStandby: boolean;
  #server: PostgresServer;
  /** The one that takes over, once it has everything. */
  #standby: Promise<Standby> | null = null;
  #asking: pg.Client | null = null;

  private constructor(server: PostgresServer, hasStandby: boolean) {
    this.#server = server;
    this.#hasStandby = hasStandby;
  }

  static async start(options: {
    readonly fsync?: boolean;
    readonly hasStandby?: boolean;
  }): Promise<ClusterDatabase> {
    const database = new ClusterDatabase(
      await startPostgres({ fsync: options.fsync === true }),
      options.hasStandby === true,
    );
    await database.#follow();
    return database;
  }

  get port(): number {
    return Number(new URL(this.#server.url).port);
  }

  crash(): Promise<void> {
    return this.#server.crash();
  }

  /** After a crash. */
  restart(): Promise<void> {
    return this.#server.start();
  }

  /** The machine of the database is lost, and the other one takes its place. Resolves once that can be written to. */
  async failOver(): Promise<void> {
    if (this.#standby === null) throw new Error('No other database follows this one.');
    const standby = await this.#standby;
    await this.#server.lose();
    await standby.promote();
    this.#server = standby;
    void this.#follow();
  }

  /** Lines of the ledger, read past all nodes; none while the database is away. */
  async ask(text: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> {
    try {
      this.#asking ??= await this.#connect();
      return (await this.#asking.query<Record<string, unknown>>(text, [...values])).rows;
    } catch {
      await this.#asking?.end().catch(() => undefined);
      this.#asking = null;
      return [];
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.#server.url, options: '-c search_path=paydrop' });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Again where the database crashed meanwhile. */
  async #follow(): Promise<void> {
    if (!this.#hasStandby) return;
    const server = this.#server;
    const following = async (): Promise<Standby> => {
      for (;;) {
        try {
          return await server.follow();
        } catch {
          await wait(200);
        }
      }
    };
    this.#standby = following();
    await this.#standby;
  }

  async stop(): Promise<void> {
    await this.#asking?.end().catch(() => undefined);
    const standby = await this.#standby;
    // First the one that is waited for: a server that stops waits for what follows it.
    await standby?.lose();
    await this.#server.lose();
  }
}
