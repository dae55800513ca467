// The counters of this process. Every label is one of a few fixed words, and no label names a person, an account, a file or a payment: a reader
// of metrics need not be allowed to read payments.
import type { Words } from '../../base/language.ts';
import type { Clock } from '../../base/clock.ts';
import { OUTCOMES, type Outcome } from '../../payouts/lifecycle.ts';
import type { Operation } from '../../service/errors.ts';
import type { Transport } from '../../service/transport.ts';

/** `none`: no complete response came. */
type CallStatus = '2xx' | '3xx' | '4xx' | '429' | '5xx' | 'none';

/** `failed`: genuine, but not recorded; the service is told so. */
type WebhookEnd = 'accepted' | 'refused' | 'failed';

/** What the listener's response says about the request; null when the sender had gone. */
export function webhookEndOf(status: number | null): WebhookEnd {
  if (status === 204) return 'accepted';
  return status === null || status >= 500 ? 'failed' : 'refused';
}

export type Meter = {
  readonly startedAt: number;
  call(route: CountedRoute, status: CallStatus, seconds: number): void;
  webhook(end: WebhookEnd): void;
  /** The daemon has looked at the inbox, where this many files wait. */
  looked(filesWaiting: number): void;
  /** The inbox is missing, or another than at the start: in words; null while it is there. */
  inbox(fault: Words | null): void;
  inboxFault(): Words | null;
  /** The daemon would look, but waits for the ledger. */
  away(): void;
  /** A batch was closed with these outcomes. */
  closed(outcomes: Readonly<Record<Outcome, number>>): void;
  isAway(): boolean;
  /** Monotonic ms of the last look, or of the start; waiting for the ledger counts as looking. */
  lookedAt(): number;
  families(): readonly Family[];
};

/** From a loopback response to a call that reached its time-out. */
const BOUNDS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

const BOUNDS: readonly number[] = [...BOUNDS_SECONDS, Infinity];

type Histogram = { counts: number[]; sum: number };

export function openMeter(clock: Clock): Meter {
  const startedAt = clock.now();
  const calls = new Map<CountedRoute, Map<CallStatus, number>>();
  const spreads = new Map<CountedRoute, Histogram>();
  const webhooks: Record<WebhookEnd, number> = { accepted: 0, refused: 0, failed: 0 };
  const ended = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  let lookedAt = clock.monotonic();
  let lastLook: number | null = null;
  let lastSuccess: number | null = null;
  let filesWaiting = 0;
  let [isAway, inboxFault]: [boolean, Words | null] = [false, null];
  return {
    startedAt,
    call: (route, status, seconds) => {
      const known = calls.get(route) ?? new Map<CallStatus, number>();
      known.set(status, (known.get(status) ?? 0) + 1);
      calls.set(route, known);
      addTo(spreads, route, seconds);
      if (status === '2xx') lastSuccess = clock.now();
    },
    webhook: (end) => {
      webhooks[end] += 1;
    },
    looked: (files) => {
      [lookedAt, lastLook, filesWaiting, isAway] = [clock.monotonic(), clock.now(), files, false];
    },
    closed: (outcomes) => {
      for (const outcome of OUTCOMES) ended[outcome] += outcomes[outcome];
    },
    inbox: (fault) => {
      [inboxFault, lookedAt] = [fault, fault === null ? lookedAt : clock.monotonic()];
    },
    inboxFault: () => inboxFault,
    away: () => {
      [lookedAt, isAway] = [clock.monotonic(), true];
    },
    isAway: () => isAway,
    lookedAt: () => lookedAt,
    families: () => [
      counter('paydrop_calls_total', 'Calls to the payout service, each try for itself.', counted(calls)),
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
      ...lookFamilies({ lastLook, filesWaiting, isAway, isInboxGone: inboxFault !== null }),
    ],
  };
}

type Looks = {
  readonly lastLook: number | null;
  readonly filesWaiting: number;
  readonly isAway: boolean;
  readonly isInboxGone: boolean;
};

function lookFamilies({ lastLook, filesWaiting, isAway, isInboxGone }: Looks): readonly Family[] {
  return [
    gauge(
      'paydrop_last_look_timestamp_seconds',
      'When the daemon last looked at the inbox.',
      moment(lastLook),
    ),
    gauge('paydrop_inbox_files_waiting', 'Spreadsheets in the inbox that are not taken yet.', [
      { labels: {}, value: filesWaiting },
    ]),
    gauge('paydrop_inbox_gone', '1 while the inbox, or a folder for answers, is missing or another.', [
      { labels: {}, value: Number(isInboxGone) },
    ]),
    gauge('paydrop_ledger_away', '1 while the daemon waits for its ledger.', [
      { labels: {}, value: Number(isAway) },
    ]),
  ];
}

function counted(calls: ReadonlyMap<CountedRoute, ReadonlyMap<CallStatus, number>>): readonly Sample[] {
  return [...calls].flatMap(([route, byStatus]) =>
    [...byStatus].map(([status, value]) => ({ labels: { route, status }, value })),
  );
}

function addTo(spreads: Map<CountedRoute, Histogram>, route: CountedRoute, seconds: number): void {
  const known = spreads.get(route) ?? { counts: BOUNDS.map(() => 0), sum: 0 };
  let index = BOUNDS.length - 1;
  for (; index >= 0 && seconds <= (BOUNDS[index] ?? 0); index--)
    known.counts[index] = (known.counts[index] ?? 0) + 1;
  known.sum += seconds;
  spreads.set(route, known);
}

function durations(spreads: ReadonlyMap<CountedRoute, Histogram>): Family {
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

/** Seconds since 1970; no sample for an event that has not happened. */
export function moment(ms: number | null): readonly Sample[] {
  return ms === null ? [] : [{ labels: {}, value: ms / 1_000 }];
}

// Counts every try of every call, and its duration, at the point where it leaves for the network.

export function meteredTransport(transport: Transport, meter: Meter, clock: Clock): Transport {
  return (request) => {
    const startedAt = clock.monotonic();
    const count = (status: CallStatus): void =>
      meter.call(ROUTES[request.operation], status, (clock.monotonic() - startedAt) / 1_000);
    return transport(request).then(
      (response) => {
        count(classOf(response.status));
        return response;
      },
      (error: unknown) => {
        count('none');
        throw error;
      },
    );
  };
}

function classOf(status: number): CallStatus {
  if (status === 429) return '429';
  if (status < 300) return '2xx';
  if (status < 400) return '3xx';
  return status < 500 ? '4xx' : '5xx';
}

/** The calls of the interface without the ids in their paths: metric labels must be few, and must name no payment. */
const ROUTES = {
  payoutCorridors: 'GET /payout-corridors',
  createQuotation: 'POST /rates',
  quotation: 'GET /rates/{id}',
  quotationByExternalId: 'GET /rates/{id}',
  createTransfer: 'POST /transfers',
  transfer: 'GET /transfers/{id}',
  transferByExternalId: 'GET /transfers/{id}',
  transfers: 'GET /transfers',
  uploadAttachment: 'PUT /transfers/{id}/attachment',
  confirmTransfer: 'POST /transfers/{id}/confirm',
  balances: 'GET /public/balances',
} as const satisfies Record<Operation, string>;

type CountedRoute = (typeof ROUTES)[Operation];

// The text format that Prometheus reads. The usual library has had no release for years and brings three more packages; this page is all that is
// needed of it.

type Labels = Readonly<Record<string, string>>;
export type Sample = { readonly labels: Labels; readonly value: number };

/** Upper bounds of a histogram, and how many values lie at or below each; the last count is of all. */
type Spread = {
  readonly labels: Labels;
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
};

export type Family = { readonly name: string; readonly help: string } & (
  | { readonly type: 'counter' | 'gauge'; readonly samples: readonly Sample[] }
  | { readonly type: 'histogram'; readonly spreads: readonly Spread[] }
);

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function renderMetrics(families: readonly Family[]): string {
  return families.map(renderFamily).join('');
}

function renderFamily(family: Family): string {
  const { name, help, type } = family;
  const lines = type === 'histogram' ? family.spreads.flatMap((spread) => spreadLines(name, spread)) : [];
  const samples = type === 'histogram' ? [] : family.samples;
  return [
    `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ labels, value }) => lineOf(name, labels, value)),
    ...lines,
    '',
  ].join('\n');
}

function spreadLines(name: string, { labels, bounds, counts, sum }: Spread): readonly string[] {
  const all = counts.at(-1) ?? 0;
  return [
    ...bounds.map((bound, index) =>
      lineOf(`${name}_bucket`, { ...labels, le: String(bound) }, counts[index] ?? 0),
    ),
    lineOf(`${name}_bucket`, { ...labels, le: '+Inf' }, all),
    lineOf(`${name}_sum`, labels, sum),
    lineOf(`${name}_count`, labels, all),
  ];
}

function lineOf(name: string, labels: Labels, value: number): string {
  const shown = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${shown.length === 0 ? '' : `{${shown.join(',')}}`} ${String(value)}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
