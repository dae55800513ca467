// The listener for the service's notifications. It speaks plain HTTP, for a proxy in front of it that has the certificate. Any request costs a
// bounded time and memory, and at most a look at one payout.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { ConfigUnusable } from '../config/yaml-file.ts';
import { type ListenAddress, parseListenAddress, type WebhookKeys } from '../config/listeners.ts';
import { sentence } from '../../messages/messages.ts';
import {
  answerWebhook,
  refusals,
  WEBHOOK_LIMITS,
  type WebhookDesk,
  type WebhookLimits,
} from './answer-webhook.ts';
import type { StageOrHeld } from '../../payouts/lifecycle.ts';
import { stageOrHeld } from '../../payouts/progress.ts';
import type { Paydrop } from '../parts.ts';
import { webhookEndOf } from '../parts/meter.ts';

export type WebhookServerOptions = Pick<WebhookDesk, 'callbacks' | 'ledger' | 'log' | 'clock' | 'onHint'> &
  WebhookKeys & {
    /** `webhooks.listen`: an address and a port. */
    readonly listen: string;
    readonly limits?: Partial<WebhookLimits>;
    /** Called with every response; null when the sender had gone. */
    readonly onAnswer?: (status: number | null) => void;
  };

export type WebhookServer = {
  /** Where it listens, without a slash at its end; the service uses another address. */
  readonly url: string;
  /** Accepts no more, and resolves when everything in progress is durable and answered. */
  close(): Promise<void>;
};

/** Starts to listen. Throws `ConfigUnusable` when the address cannot be opened. */
export async function startWebhookServer(options: WebhookServerOptions): Promise<WebhookServer> {
  const limits = { ...WEBHOOK_LIMITS, ...options.limits };
  const { log, clock } = options;
  const desk: WebhookDesk = {
    ...options,
    keys: options,
    limits,
    refusals: refusals(limits.refusalsPerSecond, log, clock),
  };
  const taking = new Map<IncomingMessage, Promise<void>>();
  const server = openServer(limits, (incoming, outgoing) => {
    const taken = respond(desk, incoming, outgoing)
      .then((status) => options.onAnswer?.(status))
      .finally(() => taking.delete(incoming));
    taking.set(incoming, taken);
  });
  await bind(server, parseListenAddress(options.listen));
  // A connection that fails for want of file handles or memory is lost; the listener is not.
  server.on('error', (error) => log.error('webhook listener', { reason: error.message }));
  const { address, family, port } = server.address() as AddressInfo;
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${String(port)}`;
  log.info('webhooks are listened for', { reason: url });
  return { url, close: () => close(server, taking, desk) };
}

function openServer(
  limits: WebhookLimits,
  onRequest: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): Server {
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersWithinMs,
      requestTimeout: limits.requestWithinMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: limits.checkEveryMs,
    },
    onRequest,
  );
  server.maxConnections = limits.connectionsMax;
  return server;
}

async function respond(
  desk: WebhookDesk,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<number | null> {
  // A sender that breaks off needs no response, and polling finds the payout.
  outgoing.on('error', () => incoming.destroy());
  const status = await answerWebhook(desk, incoming);
  if (status === null) return null;
  // Only a genuine sender keeps the connection; nothing more is read from others.
  const end = status === 204 ? {} : { 'content-length': 0, connection: 'close' };
  outgoing.writeHead(status, { ...end, ...(status === 405 ? { allow: 'POST' } : {}) }).end();
  return status;
}

function bind(server: Server, { host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void =>
      reject(
        new ConfigUnusable(sentence('daemon.webhooksListen', { message: error.message }), { cause: error }),
      );
    server.once('error', refuse);
    server.listen(port, host, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

async function close(
  server: Server,
  taking: ReadonlyMap<IncomingMessage, Promise<void>>,
  desk: WebhookDesk,
): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  // No slow sender delays the end; complete notifications are still recorded.
  for (const incoming of taking.keys()) if (!incoming.complete) incoming.destroy();
  await Promise.all(taking.values());
  server.closeAllConnections();
  await closed;
  desk.refusals.tell();
}

// The daemon listens for notifications where the config gives the service an address. Running batches find the rows that they make due within a
// second, closed batches are looked at at once, and the next look takes up every other batch.

const ENDED: ReadonlySet<StageOrHeld> = new Set(['paid', 'failed']);

/**
 * Null without `service.callbackUrl`: then no notification comes. Throws `ConfigUnusable` when the address cannot be opened.
 * @param onReversal called when a notification concerns a payment that had ended.
 */
export async function listenForWebhooks(
  paydrop: Paydrop,
  onReversal: () => void,
): Promise<WebhookServer | null> {
  const { callbacks, keys, config, ledger, log, clock, meter, hearing } = paydrop;
  if (callbacks === null) return null;
  return startWebhookServer({
    listen: config.webhooks.listen,
    callbacks,
    get apiKey() {
      return keys.apiKey;
    },
    get other() {
      return keys.other;
    },
    ledger,
    log,
    clock,
    onHint: ({ progress }) => {
      if (ENDED.has(stageOrHeld(progress))) onReversal();
    },
    onAnswer: (status) => {
      meter.webhook(webhookEndOf(status));
      if (status === 204) hearing.heard();
    },
  });
}
