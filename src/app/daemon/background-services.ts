// What runs beside the daemon for as long as it does: the listener for notifications, the courier that tells people, and the numbers. One that
// cannot start takes the others down again, so that nothing is left open behind an error.
import type { Paydrop } from '../parts.ts';
import { serveMetrics } from './metrics-server.ts';
import { startCourier } from '../notify/courier.ts';
import { listenForWebhooks } from './webhook-server.ts';

export type Beside = { close(): Promise<void> };

/** Throws `ConfigUnusable` when an address of the config cannot be had. */
export async function startBeside(paydrop: Paydrop): Promise<Beside> {
  const started: Beside[] = [];
  const close = async (): Promise<void> => {
    for (const each of started.splice(0).reverse()) await each.close();
  };
  try {
    for (const start of [serveMetrics, startCourier, listenForWebhooks]) {
      const beside = await start(paydrop);
      if (beside !== null) started.push(beside);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}
