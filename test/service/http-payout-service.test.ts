// The client over a real loopback port, against the sandbox.
import { describe, expect, it } from 'vitest';

import { withSandbox } from '../sandbox/with-sandbox.ts';
import { exerciseService } from './exercise-service.ts';
import { openClient } from './open-client.ts';

exerciseService('the client over HTTP', async () => {
  const { baseUrl, clock } = await withSandbox();
  const service = openClient({ baseUrl });
  return { service, now: () => clock.now(), advance: (ms) => clock.advance(ms) };
});

describe('the client over HTTP', () => {
  it.each(['', 'another-key'])(
    'is told of the key %j that it was refused, and nothing else',
    async (apiKey) => {
      const { baseUrl } = await withSandbox();
      const service = openClient({ baseUrl, apiKey });
      const refused = service.balances();
      await expect(refused).rejects.toMatchObject({ name: 'Unavailable', reason: 'credentials' });
      if (apiKey !== '') await expect(refused).rejects.not.toThrow(apiKey);
    },
  );
});
