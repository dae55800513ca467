// A server that cannot prove that it is the service gets neither the key nor a request, whatever the environment says.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { env } from 'node:process';

import { describe, expect, it } from 'vitest';

import { atEnd } from '../at-end.ts';
import { CALLS, outcomeOf } from './calls.ts';
import { openClient } from './open-client.ts';

const certificate = (name: string): Buffer => readFileSync(join(import.meta.dirname, 'certificates', name));

/** Speaks TLS with a certificate that it made itself; `asked` counts the requests that it got to see. */
async function impostor() {
  const seen = { asked: 0 };
  const server = createServer(
    { key: certificate('self-signed-key.pem'), cert: certificate('self-signed.pem') },
    (_request, response) => {
      seen.asked += 1;
      response.end('[]');
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, baseUrl: `https://127.0.0.1:${String((server.address() as AddressInfo).port)}` };
}

describe('a certificate that nobody vouches for', () => {
  it('ends the connection before anything is sent: not executed', async () => {
    const { seen, baseUrl } = await impostor();
    const client = openClient({ baseUrl });
    expect(await outcomeOf(CALLS.confirmTransfer(client))).toBe('Unavailable unreachable');
    expect(seen.asked).toBe(0);
  });

  it('does so also where the environment switches the check off', async () => {
    const { seen, baseUrl } = await impostor();
    env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    atEnd(() => {
      delete env['NODE_TLS_REJECT_UNAUTHORIZED'];
    });
    const client = openClient({ baseUrl });
    expect(await outcomeOf(CALLS.confirmTransfer(client))).toBe('Unavailable unreachable');
    expect(seen.asked).toBe(0);
  });
});
