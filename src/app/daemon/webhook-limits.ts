// What one stranger may cost us: the bounds of the listener for notifications. Whatever they cut off, polling finds.

export type WebhookLimits = {
  readonly bodyBytesMax: number;
  readonly headerBytesMax: number;
  readonly headersWithinMs: number;
  readonly requestWithinMs: number;
  readonly checkEveryMs: number;
  readonly idleMs: number;
  readonly answerWithinMs: number;
  readonly connectionsMax: number;
  readonly refusalsPerSecond: number;
};

export const WEBHOOK_LIMITS: WebhookLimits = {
  // A transfer is about 2 kB.
  bodyBytesMax: 256 * 1024,
  // The service sends a handful of short headers, a proxy some more.
  headerBytesMax: 16 * 1024,
  // A notification comes in one packet; these leave room for a poor line.
  headersWithinMs: 5_000,
  requestWithinMs: 10_000,
  // How late a connection that is too slow is noticed.
  checkEveryMs: 1_000,
  // Proxies keep connections for the next notification.
  idleMs: 30_000,
  // The service waits for 30 s. The ledger itself gives up after 10 s, and two such waits may come one after the other.
  answerWithinMs: 20_000,
  // More than one service and its proxies need, and well below the 1,024 files that a process may commonly have open.
  connectionsMax: 512,
  // Beyond this a stranger is told to slow down, and nothing more is counted or logged for him.
  refusalsPerSecond: 50,
};
