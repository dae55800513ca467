// The library: the client of the payout service, webhook signatures, the sandbox, and the whole path of a file. Nothing inside imports this.
import { compose as composeParts } from './app/compose.ts';
import type { Config } from './app/config/config.ts';
import { run, type Control, type Result, type RunOrder } from './app/desk/commands.ts';
import { say, type Language } from './base/language.ts';
import { systemClock, type Clock } from './base/clock.ts';
import type { Log } from './base/log.ts';
import type { PayoutService } from './service/payout-service.ts';

export { httpPayoutService } from './service/http-payout-service.ts';
export { undiciTransport } from './service/undici-transport.ts';
export type { ServiceRequest, Transport, TransportRequest, TransportResponse } from './service/transport.ts';
export { Refused, Unanswered, Unavailable, isFault } from './service/errors.ts';
export type { Fault } from './service/errors.ts';
export type * from './service/payout-service.ts';
export type { Balance, PayoutCorridor, Quotation, Transfer } from './service/wire.ts';
export { SIGNATURE_HEADER, signWebhook, signedPath, verifyWebhook } from './service/webhooks.ts';
export { startSandbox } from './sandbox/start-sandbox.ts';
export type { RunningSandbox, SandboxOptions } from './sandbox/start-sandbox.ts';
export { systemClock } from './base/clock.ts';
export type { Clock } from './base/clock.ts';
export { loadConfig } from './app/config/config.ts';
export type { Config } from './app/config/config.ts';
export { silentLog } from './base/log.ts';
export type { Log } from './base/log.ts';

/** How the caller watches and bounds a run. */
export type RunControl = Pick<Control, 'waitMs' | 'signal' | 'view'>;
export type { RunOrder };

/** The end of a batch, in the words of the config's language. */
export type BatchResult = Omit<Result, 'words'> & {
  readonly words: readonly string[];
};

/** paydrop with its ledger open and its service at hand. */
export type Paydrop = {
  /** True while the embedded sandbox stands in for the service. */
  readonly isSandbox: boolean;
  /** The client of the configured service, or of the sandbox. */
  readonly service: PayoutService;
  /** Pays files one after the other, as `paydrop run` does. `notBegun`: the files that `signal` left untouched. */
  run(
    files: readonly string[],
    control: RunControl,
    order?: Partial<RunOrder>,
  ): Promise<{ readonly results: readonly BatchResult[]; readonly notBegun: readonly string[] }>;
  /** Closes the ledger and the connections. */
  close(): Promise<void>;
};

/** Opens everything. Throws where the config or the ledger cannot be used. */
export async function compose(config: Config, log: Log, clock: Clock = systemClock): Promise<Paydrop> {
  const parts = await composeParts(config, log, clock);
  return {
    isSandbox: parts.isSandbox,
    service: parts.service,
    async run(files, control, order) {
      const { results, notBegun } = await run(parts, files, control, { again: false, by: [], ...order });
      return { results: results.map((result) => inLanguage(result, config.language)), notBegun };
    },
    close: () => parts.close(),
  };
}

function inLanguage({ words, ...result }: Result, language: Language): BatchResult {
  return { ...result, words: words.map((each) => say(each, language)) };
}
