// Builds every part once, in order, and closes them again. Only this folder knows whether a sandbox stands behind the service.
import { systemClock, type Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { RateLimits } from '../delivery/adaptive-rate.ts';
import { pacedTransport } from '../delivery/paced-transport.ts';
import { RateControl } from '../delivery/rate-control.ts';
import { ServiceClock } from '../delivery/service-clock.ts';
import { PlacedFiles } from '../inbox/inbox-entries.ts';
import type { Workspace } from '../inbox/workspace.ts';
import { RatesOfBatches } from '../payouts/moved-price.ts';
import type { RunningSandbox } from '../sandbox/start-sandbox.ts';
import { httpPayoutService } from '../service/http-payout-service.ts';
import { isFault } from '../service/errors.ts';
import type { PartyFields, PayoutService } from '../service/payout-service.ts';
import { undiciTransport } from '../service/undici-transport.ts';
import { callbacks, type Callbacks } from '../service/webhooks.ts';
import { composeRecords } from './compose-records.ts';
import { callsAtOnceOf, type Config, proxyOf } from './config/config.ts';
import { type Paydrop, type Records, TakesInTurn } from './parts.ts';
import { accountOf, assertSameAccount } from './parts/bound-account.ts';
import { openCluster } from './parts/cluster.ts';
import { meteredTransport, openMeter, type Meter } from './parts/meter.ts';
import { setPlayMoneyAside } from './parts/play-money-aside.ts';
import { ServiceTrouble } from './parts/service-trouble.ts';
import { LiveKeys, openCallbackKey, openHearing } from './parts/webhooks.ts';

/** Opens everything. Throws `ConfigUnusable` or `LedgerUnusable`. */
export async function compose(config: Config, log: Log, clock: Clock = systemClock): Promise<Paydrop> {
  const { opened, close } = openParts();
  try {
    const { records, setAside } = await openRecords(config, log, clock);
    opened.records = () => records.close();
    const { workspace, ledger } = records;
    await ledger.runs.endDead();
    const sandbox = config.baseUrl === null ? await openSandbox(config, workspace, clock, log) : null;
    if (sandbox !== null) opened.sandbox = () => sandbox.close();
    const apiKey = config.apiKey ?? sandbox?.apiKey ?? '';
    const keys = new LiveKeys({ apiKey, other: config.otherWebhookKey ?? null });
    const callbacks = await openCallbacks(config, workspace);
    const rateControl = new RateControl(clock, rateLimitsOf(config));
    const meter = openMeter(clock);
    const mayCall = (): boolean => ledger.runs.mayCall();
    const trouble = new ServiceTrouble(log, clock);
    const { asAccount, closeService } = connect(config, sandbox, clock, rateControl, meter, mayCall, trouble);
    opened.service = () => {
      trouble.end();
      return closeService();
    };
    const service = asAccount(() => keys.apiKey);
    await assertUnchanged(records, service);
    const hearing = openHearing(clock);
    const cluster =
      (config.sharedLedger ?? null) === null
        ? null
        : await openCluster({ ...records, rateControl, limits: rateLimitsOf(config), hearing });
    if (cluster !== null) opened.cluster = () => cluster.close();
    return {
      ...records,
      setAside,
      service,
      asAccount,
      serviceClock: new ServiceClock(clock),
      rateControl,
      rates: new RatesOfBatches(),
      takes: new TakesInTurn(),
      placed: new PlacedFiles(),
      meter,
      isSandbox: sandbox !== null,
      keys,
      callbacks,
      hearing,
      trouble,
      cluster,
      sender: senderOf(config, sandbox !== null),
      sandbox,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Throws `ServiceChanged`. A service that cannot be asked leaves it to every go, which asks before it sends. */
async function assertUnchanged(records: Records, service: PayoutService): Promise<void> {
  try {
    await assertSameAccount(records, accountOf(records.config), service);
  } catch (error) {
    if (!isFault(error)) throw error;
  }
}

/** Nothing is written any more once the calls under way are cut. */
const CLOSED_IN_TURN = ['cluster', 'records', 'service', 'sandbox'] as const;

type OpenParts = { [Part in (typeof CLOSED_IN_TURN)[number]]?: (() => Promise<void>) | undefined };

/** What is open so far, and how all of it is closed in turn. */
function openParts(): { readonly opened: OpenParts; readonly close: () => Promise<void> } {
  const opened: OpenParts = {};
  const close = async (): Promise<void> => {
    for (const part of CLOSED_IN_TURN) {
      const closePart = opened[part];
      opened[part] = undefined;
      await closePart?.();
    }
  };
  return { opened, close };
}

/** The records; play money that was paid before moves aside where the config names a real service. */
async function openRecords(
  config: Config,
  log: Log,
  clock: Clock,
): Promise<{ readonly records: Records; readonly setAside: string | null }> {
  const records = await composeRecords(config, log, clock);
  try {
    const setAside = await setPlayMoneyAside(records, accountOf(config));
    if (setAside === null) return { records, setAside };
    return { records: await composeRecords(config, log, clock), setAside };
  } catch (error) {
    // Whatever ended it, it may be closed already.
    await records.close().catch(() => undefined);
    throw error;
  }
}

/** A run on a real service loads nothing of the sandbox. */
async function openSandbox(
  { sendsNothing = false }: Config,
  { root }: Workspace,
  clock: Clock,
  log: Log,
): Promise<RunningSandbox> {
  const { openEmbeddedSandbox } = await import('./parts/embedded-sandbox.ts');
  return openEmbeddedSandbox(root, clock, log, sendsNothing);
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
  clock: Clock,
  rateControl: RateControl,
  meter: Meter,
  mayCall: () => boolean,
  trouble: ServiceTrouble,
): { readonly asAccount: Paydrop['asAccount']; readonly closeService: () => Promise<void> } {
  const baseUrl = config.baseUrl ?? new URL(sandbox?.baseUrl ?? '');
  const { timeout } = config.service;
  const proxy = config.baseUrl === null ? null : proxyOf(config, baseUrl);
  const { transport, close } = undiciTransport(baseUrl, callsAtOnceOf(config.service).most, proxy);
  const paced = pacedTransport(meteredTransport(transport, meter, clock), rateControl, clock, mayCall);
  const asAccount: Paydrop['asAccount'] = (keyNow) =>
    httpPayoutService({
      transport: paced,
      get apiKey() {
        return keyNow();
      },
      timeoutMs: timeout,
      clock,
      onEnd: (fault) => trouble.hear(fault),
    });
  return { asAccount, closeService: close };
}

function rateLimitsOf({ service }: Config): RateLimits {
  const { most, first } = callsAtOnceOf(service);
  return { lanes: most, firstLanes: first, perSecond: service.requestsPerSecond ?? Infinity };
}

async function openCallbacks({ service }: Config, { root }: Workspace): Promise<Callbacks | null> {
  const { callbackUrl } = service;
  return callbackUrl === undefined ? null : callbacks(callbackUrl, await openCallbackKey(root));
}
