// The daemon with its background services: they wake it when a file comes, reload its config, exchange files, receive notifications, and notify
// people. SIGHUP reopens the log, reloads the config and tries SFTP accounts that failed, at once.
import { say } from '../../base/language.ts';
import type { Config } from '../config/config.ts';
import { type ListenAddress, parseListenAddress } from '../config/listeners.ts';
import { ConfigUnusable } from '../config/yaml-file.ts';
import { sentence } from '../../messages/messages.ts';
import { startCourier } from '../notify/courier.ts';
import { exchangeFiles } from '../intake/sftp/account-work.ts';
import type { TakeBeside } from '../intake/take-dropped.ts';
import type { Uploads } from '../intake/uploads.ts';
import type { FileThread } from '../parts/file-thread.ts';
import { watchInbox } from '../intake/watch-inbox.ts';
import type { Paydrop } from '../parts.ts';
import { followForSearch } from '../search/keep-search.ts';
import { mayDecide } from '../workflow/batch/may-decide.ts';
import { ConfigReload, obeyConfig } from './config-reload.ts';
import { KeyProof } from './key-proof.ts';
import { watch, type DaemonOptions } from './daemon.ts';
import { serveMetrics } from './metrics-server.ts';
import type { DaemonCalls } from './unfinished.ts';
import { listenForWebhooks } from './webhook-server.ts';

export type WatchOptions = Omit<DaemonOptions, 'onStart' | 'reload'> & {
  /** Reads everything as at the start; throws `ConfigUnusable`. */
  readonly loadConfig: () => Config;
  /** Null where the log is no file. */
  readonly reopenLog: (() => void) | null;
  /** Called after all background services have started. */
  readonly onStarted: () => void;
  /** Serves people and programs over HTTP where `web.listen` is set, with the parts of this process. */
  readonly startWeb: ((parts: WebParts) => Promise<Beside>) | null;
};

/** A background service; it runs as long as the daemon. */
export type Beside = { close(): Promise<void> };

/** The parts of the server for people and programs. */
export type WebParts = {
  readonly paydrop: Paydrop;
  readonly uploads: Uploads;
  readonly files: FileThread;
  /** Makes the daemon look at once, because something was decided. */
  readonly lookNow: () => void;
  readonly address: ListenAddress;
};

/** What a file waits for before it is taken. */
export type WaitingFile = Parameters<DaemonOptions['onWaiting']>[0];

/** Runs until the signal fires; returns whether no work is left. Throws `ConfigUnusable` when an address of the config cannot be opened. */
export async function runDaemon(
  paydrop: Paydrop,
  { loadConfig, reopenLog, onStarted, startWeb, ...options }: WatchOptions,
): Promise<{ readonly isDone: boolean }> {
  const { workspace, log, config } = paydrop;
  let close = (): Promise<void> => Promise.resolve();
  let tryNow = (): void => undefined;
  const reload = new ConfigReload(loadConfig, config);
  const started = Promise.withResolvers<DaemonCalls>();
  const call = (tell: (calls: DaemonCalls) => void): void => void started.promise.then(tell);
  const onHangUp = (): void => {
    reopenLog?.();
    reload.force();
    tryNow();
    call(({ wake }) => wake());
  };
  process.on('SIGHUP', onHangUp);
  // One value for all background services: a new config is put into it.
  const live = { ...paydrop };
  const beside = await startBeside(
    live,
    startWeb,
    {
      takeBeside: (name, take) => call(({ takeBeside }) => takeBeside(name, take)),
      lookBackNow: () => call(({ lookBackNow }) => lookBackNow()),
      wake: () => call(({ wake }) => wake()),
      lookNow: () => call(({ lookNow }) => lookNow()),
    },
    options.onTrouble,
  );
  const keyProof = new KeyProof(() => call(({ wake }) => wake()));
  const look: ConfigReload['look'] = () => {
    const changed = keyProof.proven(live, reload.look());
    if (changed !== null && 'config' in changed) Object.assign(live, obeyConfig(live, changed.config));
    return changed;
  };
  const exchange = exchangeFiles(paydrop, (account, words) =>
    options.onTrouble(`sftp ${account}: ${say(words, config.language)}`),
  );
  ({ tryNow } = exchange);
  const search = followForSearch(paydrop);
  onStarted();
  try {
    return await watch(paydrop, {
      ...options,
      reload: { look },
      onStart: (calls) => {
        started.resolve(calls);
        close = watchInbox(workspace.inbox, log, calls.wake);
      },
    });
  } finally {
    process.off('SIGHUP', onHangUp);
    await exchange.close();
    await search.close();
    await beside.close();
    await close();
  }
}

// The background services: the listener for notifications, the courier of notices, the metrics, and the server for people and programs. If one
// cannot start, it stops the others, so that nothing stays open after an error.

/** Throws `ConfigUnusable` when an address of the config cannot be opened. */
export async function startBeside(
  paydrop: Paydrop,
  startWeb: WatchOptions['startWeb'] = null,
  { takeBeside, lookBackNow, lookNow }: DaemonCalls = NOBODY,
  onTrouble: (words: string) => void = () => undefined,
): Promise<Beside> {
  const started: Beside[] = [];
  const close = async (): Promise<void> => {
    for (const each of started.splice(0).reverse()) await each.close();
  };
  const serveWeb = (): Promise<Beside | null> =>
    startWeb === null || paydrop.config.web.listen === null
      ? Promise.resolve(null)
      : webBeside(paydrop, startWeb, takeBeside, lookNow);
  try {
    const listen = () => listenForWebhooks(paydrop, lookBackNow);
    const courier = () => startCourier(paydrop, mayDecide);
    const metrics = () => serveMetrics(paydrop, onTrouble);
    for (const start of [metrics, courier, listen, serveWeb]) {
      const beside = await start();
      if (beside !== null) started.push(beside);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}

const NOBODY: DaemonCalls = {
  wake: () => undefined,
  lookNow: () => undefined,
  takeBeside: () => undefined,
  lookBackNow: () => undefined,
};

/** Loaded only where the web server is on. */
async function webBeside(
  paydrop: Paydrop,
  startWeb: NonNullable<WatchOptions['startWeb']>,
  takeBeside: TakeBeside,
  lookNow: () => void,
): Promise<Beside> {
  const { Uploads: Opened } = await import('../intake/uploads.ts');
  const { FileThread: Started } = await import('../parts/file-thread.ts');
  const files = new Started();
  const uploads = new Opened(paydrop, takeBeside, files);
  const address = parseListenAddress(paydrop.config.web.listen ?? '', 'web.listen');
  const web = await startWeb({ paydrop, uploads, files, address, lookNow }).catch((error: unknown) => {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new ConfigUnusable(sentence('config.web.taken', { message: error.message }), { cause: error });
  });
  return {
    close: async () => {
      await web.close();
      await uploads.close();
    },
  };
}
