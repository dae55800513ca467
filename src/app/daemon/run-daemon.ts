// The daemon with everything beside it: what wakes it when a file comes, reads its config again, fetches and brings files, hears the service, and
// tells people. SIGHUP has its log opened again and its config read at once.
import { say } from '../../base/language.ts';
import type { Config } from '../config/config.ts';
import { exchangeFiles } from '../intake/sftp/account-work.ts';
import { watchInbox } from '../intake/watch-inbox.ts';
import type { Paydrop } from '../parts.ts';
import { startBeside } from './background-services.ts';
import { ConfigReload } from './config-reload.ts';
import { watch, type DaemonOptions } from './daemon.ts';

export type WatchOptions = Omit<DaemonOptions, 'onStart' | 'reload'> & {
  /** Reads everything as at the start; throws `ConfigUnusable`. */
  readonly loadConfig: () => Config;
  /** Null where the log is no file. */
  readonly reopenLog: (() => void) | null;
  /** Once everything beside it has started. */
  readonly onStarted: () => void;
};

/** What is waited for before a file is taken. */
export type WaitingFile = Parameters<DaemonOptions['onWaiting']>[0];

/** Runs until the signal fires; gives whether nothing is left to do. Throws `ConfigUnusable` when an address of the config cannot be had. */
export async function runDaemon(
  paydrop: Paydrop,
  { loadConfig, reopenLog, onStarted, ...options }: WatchOptions,
): Promise<{ readonly isDone: boolean }> {
  const { workspace, log, config } = paydrop;
  let close = (): Promise<void> => Promise.resolve();
  const reload = new ConfigReload(loadConfig, config);
  let wakeUp = (): void => undefined;
  const onHangUp = (): void => {
    reopenLog?.();
    reload.force();
    wakeUp();
  };
  process.on('SIGHUP', onHangUp);
  const beside = await startBeside(paydrop);
  const exchange = exchangeFiles(paydrop, (account, words) =>
    options.onTrouble(`sftp ${account}: ${say(words, config.language)}`),
  );
  onStarted();
  try {
    return await watch(paydrop, {
      ...options,
      reload,
      onStart: (wake) => {
        wakeUp = wake;
        close = watchInbox(workspace.inbox, log, wake);
      },
    });
  } finally {
    process.off('SIGHUP', onHangUp);
    await exchange.close();
    await beside.close();
    await close();
  }
}
