// What this process counts while it works. Every label is one of a few fixed words; nothing that it holds names a person, an account, a file or
// a payment, because whoever may read metrics need not be somebody who may read payments.
import type { Clock } from '../../base/clock.ts';
import { OUTCOMES, type Outcome } from '../../payouts/outcome.ts';
import type { Family, Sample, Spread } from './text-format.ts';
import type { Route } from './route-of.ts';

/** `none`: no whole answer came. */
export const CALL_STATUSES = ['2xx', '3xx', '4xx', '429', '5xx', 'none'] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];

/** `failed`: believed, and not recorded; the service is told so. */
export type WebhookEnd = 'accepted' | 'refused' | 'failed';

/** What an answer of the listener says of the request; null when nobody was left to hear it. */
export function webhookEndOf(status: number | null): WebhookEnd {
  if (status === 204) return 'accepted';
  return status === null || status >= 500 ? 'failed' : 'refused';
}

export type Meter = {
  readonly startedAt: number;
  call(route: Route, status: CallStatus, seconds: number): void;
  webhook(end: WebhookEnd): void;
  /** The daemon has looked at the inbox, where so many files wait. */
  looked(filesWaiting: number): void;
  /** A batch was closed with these ends of its rows. */
  closed(outcomes: Readonly<Record<Outcome, number>>): void;
  /** Monotonic ms of the last look, or of the start. */
  lookedAt(): number;
  families(): readonly Family[];
};

/** From a loopback answer to a call that has run into its time-out. */
const BOUNDS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

type Known = { counts: number[]; sum: number };

export function openMeter(clock: Clock): Meter {
  const startedAt = clock.now();
  const calls = new Map<string, { labels: Record<string, string>; value: number }>();
  const spreads = new Map<Route, Known>();
  const webhooks: Record<WebhookEnd, number> = { accepted: 0, refused: 0, failed: 0 };
  const ended = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  let lookedAt = clock.monotonic();
  let lastLook: number | null = null;
  let lastSuccess: number | null = null;
  let filesWaiting = 0;
  return {
    startedAt,
    call: (route, status, seconds) => {
      const known = calls.get(`${route} ${status}`);
      if (known === undefined) calls.set(`${route} ${status}`, { labels: { route, status }, value: 1 });
      else known.value += 1;
      addTo(spreads, route, seconds);
      if (status === '2xx') lastSuccess = clock.now();
    },
    webhook: (end) => {
      webhooks[end] += 1;
    },
    looked: (files) => {
      [lookedAt, lastLook, filesWaiting] = [clock.monotonic(), clock.now(), files];
    },
    closed: (outcomes) => {
      for (const outcome of OUTCOMES) ended[outcome] += outcomes[outcome];
    },
    lookedAt: () => lookedAt,
    families: () => [
      counter('paydrop_calls_total', 'Calls to the payout service, each try for itself.', [
        ...calls.values(),
      ]),
      durations(spreads),
      gauge(
        'paydrop_last_successful_call_timestamp_seconds',
        'When the service last answered with 2xx.',
        moment(lastSuccess),
      ),
      counter(
        'paydrop_webhooks_total',
        'Notifications of the service, and what others sent to their address.',
        byKey(webhooks, 'result'),
      ),
      counter(
        'paydrop_rows_closed_total',
        'Rows of the batches that this process has closed, by outcome.',
        byKey(ended, 'outcome'),
      ),
      gauge(
        'paydrop_last_look_timestamp_seconds',
        'When the daemon last looked at the inbox.',
        moment(lastLook),
      ),
      gauge('paydrop_inbox_files_waiting', 'Spreadsheets in the inbox that are not taken yet.', [
        { labels: {}, value: filesWaiting },
      ]),
    ],
  };
}

function addTo(spreads: Map<Route, Known>, route: Route, seconds: number): void {
  const known = spreads.get(route) ?? { counts: [...BOUNDS_SECONDS, Infinity].map(() => 0), sum: 0 };
  [...BOUNDS_SECONDS, Infinity].forEach((bound, index) => {
    if (seconds <= bound) known.counts[index] = (known.counts[index] ?? 0) + 1;
  });
  known.sum += seconds;
  spreads.set(route, known);
}

function durations(spreads: ReadonlyMap<Route, Known>): Family {
  return {
    name: 'paydrop_call_duration_seconds',
    help: 'How long calls to the payout service take, each try for itself.',
    type: 'histogram',
    spreads: [...spreads].map(([route, { counts, sum }]): Spread => ({
      labels: { route },
      bounds: BOUNDS_SECONDS,
      counts,
      sum,
    })),
  };
}

export function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, type: 'gauge', samples };
}

function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { name, help, type: 'counter', samples };
}

/** One sample for each key of a closed set. */
export function byKey(values: Readonly<Record<string, number>>, label: string): readonly Sample[] {
  return Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }));
}

/** Seconds since 1970; no sample for what has not happened. */
export function moment(ms: number | null): readonly Sample[] {
  return ms === null ? [] : [{ labels: {}, value: ms / 1_000 }];
}
