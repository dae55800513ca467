// The daemon listens for the service's notifications where the config says where the service can reach it. What they make due, the runs that
// are under way find by themselves within a second, and every other batch is taken up by its next look.
import type { Paydrop } from '../parts.ts';
import { webhookEndOf } from '../parts/meter.ts';
import { startWebhookServer, type WebhookServer } from './webhook-server.ts';

/** Null without `service.callbackUrl`: then nobody calls. Throws `ConfigUnusable` when the address cannot be had. */
export async function listenForWebhooks(paydrop: Paydrop): Promise<WebhookServer | null> {
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
    onHint: () => undefined,
    onAnswer: (status) => {
      meter.webhook(webhookEndOf(status));
      if (status === 204) hearing.heard();
    },
  });
}
