// Builds every part once, in order, and closes them again. Only this folder knows whether a sandbox stands behind the service.
import { systemClock, type Clock } from '../base/clock.ts';
import { sameWords, type Words } from '../base/language.ts';
import type { Log } from '../base/log.ts';
import type { RateLimits } from '../delivery/adaptive-rate.ts';
import { pacedTransport } from '../delivery/paced-transport.ts';
import { RateControl } from '../delivery/rate-control.ts';
import { ServiceClock } from '../delivery/service-clock.ts';
import type { Workspace } from '../inbox/workspace.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { sentence } from '../messages/messages.ts';
import { RatesOfBatches } from '../payouts/moved-price.ts';
import type { RunningSandbox } from '../sandbox/start-sandbox.ts';
import { httpPayoutService } from '../service/http-payout-service.ts';
import type { PartyFields, PayoutService } from '../service/payout-service.ts';
import { undiciTransport } from '../service/undici-transport.ts';
import { callbacks, type Callbacks } from '../service/webhooks.ts';
import { composeRecords } from './compose-records.ts';
import { type Config, proxyOf } from './config/config.ts';
import { isLoopback } from './config/listeners.ts';
import { ConfigUnusable } from './config/yaml-file.ts';
import { type Paydrop, TakesInTurn } from './parts.ts';
import { openCluster } from './parts/cluster.ts';
import { meteredTransport, openMeter, type Meter } from './parts/meter.ts';
import { ServiceTrouble } from './parts/service-trouble.ts';
import { LiveKeys, openCallbackKey, openHearing } from './parts/webhooks.ts';

/** Opens everything. Throws `ConfigUnusable` or `LedgerUnusable`. */
export async function compose(config: Config, log: Log, clock: Clock = systemClock): Promise<Paydrop> {
  const records = await composeRecords(config, log, clock);
  const { workspace, ledger } = records;
  try {
    await bind(ledger, config);
    await ledger.runs.endDead();
    const sandbox = config.baseUrl === null ? await openSandbox(workspace, clock, log) : null;
    const apiKey = config.apiKey ?? sandbox?.apiKey ?? '';
    const keys = new LiveKeys({ apiKey, other: config.otherWebhookKey ?? null });
    const callbacks = await openCallbacks(config, workspace);
    const rateControl = new RateControl(clock, rateLimitsOf(config));
    const meter = openMeter(clock);
    const mayCall = (): boolean => ledger.runs.mayCall();
    const trouble = new ServiceTrouble(log);
    const { service, closeService } = connect(
      config,
      sandbox,
      keys,
      clock,
      rateControl,
      meter,
      mayCall,
      trouble,
    );
    const hearing = openHearing(clock);
    const cluster =
      (config.sharedLedger ?? null) === null
        ? null
        : await openCluster({ ...records, rateControl, limits: rateLimitsOf(config), hearing });
    return {
      ...records,
      service,
      serviceClock: new ServiceClock(clock),
      rateControl,
      rates: new RatesOfBatches(),
      takes: new TakesInTurn(),
      meter,
      isSandbox: sandbox !== null,
      keys,
      callbacks,
      hearing,
      trouble,
      cluster,
      sender: senderOf(config, sandbox !== null),
      sandbox,
      close: async () => {
        await cluster?.close();
        await records.close();
        await closeService();
        await sandbox?.close();
      },
    };
  } catch (error) {
    await records.close();
    throw error;
  }
}

/** A run on a real service loads nothing of the sandbox. */
async function openSandbox({ root }: Workspace, clock: Clock, log: Log): Promise<RunningSandbox> {
  const { openEmbeddedSandbox } = await import('./parts/embedded-sandbox.ts');
  return openEmbeddedSandbox(root, clock, log);
}

/** Lets people try the embedded sandbox without any configuration; never used against a real service. */
const SAMPLE_SENDER: PartyFields = {
  registeredName: 'Wouri Négoce SARL',
  registrationNumber: 'RC/DLA/2014/B/3127',
  address: '118 Rue Joss, Bonanjo',
  city: 'Douala',
  countryIsoCode: 'CMR',
  msisdn: '+237233421890',
};

/** The default sending party; the sample one only where no money moves. */
export function senderOf({ sender }: Config, isSandbox: boolean): PartyFields {
  return sender ?? (isSandbox ? SAMPLE_SENDER : {});
}

function connect(
  config: Config,
  sandbox: RunningSandbox | null,
  keys: LiveKeys,
  clock: Clock,
  rateControl: RateControl,
  meter: Meter,
  mayCall: () => boolean,
  trouble: ServiceTrouble,
): { readonly service: PayoutService; readonly closeService: () => Promise<void> } {
  const baseUrl = config.baseUrl ?? new URL(sandbox?.baseUrl ?? '');
  const { concurrency, timeout } = config.service;
  const proxy = config.baseUrl === null ? null : proxyOf(config, baseUrl);
  const { transport, close } = undiciTransport(baseUrl, concurrency, proxy);
  return {
    service: httpPayoutService({
      transport: pacedTransport(meteredTransport(transport, meter, clock), rateControl, clock, mayCall),
      get apiKey() {
        return keys.apiKey;
      },
      timeoutMs: timeout,
      clock,
      onEnd: (fault) => trouble.hear(fault),
    }),
    closeService: close,
  };
}

function rateLimitsOf({ service: { concurrency, requestsPerSecond } }: Config): RateLimits {
  return { lanes: concurrency, perSecond: requestsPerSecond ?? Infinity };
}

async function openCallbacks({ service }: Config, { root }: Workspace): Promise<Callbacks | null> {
  const { callbackUrl } = service;
  return callbackUrl === undefined ? null : callbacks(callbackUrl, await openCallbackKey(root));
}

/** Rows that were paid on one service must not look paid on another. */
async function bind(ledger: Ledger, { baseUrl, workspacePath }: Config): Promise<void> {
  const own = serviceName(baseUrl);
  const bound = await ledger.bindTo(own);
  if (bound === own) return;
  throw new ConfigUnusable(
    sentence('compose.otherService', { workspacePath, bound: shownName(bound), own: shownName(own) }),
  );
}

/** The service's name from the ledger, in the reader's language. */
function shownName(name: string): Words {
  if (name === EMBEDDED) return sentence('compose.embedded');
  return name === LOCAL ? sentence('compose.local') : sameWords(name);
}

const EMBEDDED = 'the embedded sandbox';
const LOCAL = 'a service on this machine';

/** A service on this machine may return on another port; it is still the same test service. */
function serviceName(baseUrl: URL | null): string {
  if (baseUrl === null) return EMBEDDED;
  return isLoopback(baseUrl) ? LOCAL : baseUrl.origin;
}
