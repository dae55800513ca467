// A check sends nothing, so it needs no turn at the embedded sandbox, whose books only one process may write.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { loadConfig } from '../../src/app/config/config.ts';
import { inPassing, withPaydrop } from '../../src/app/desk/open-desk.ts';

it('a check reads the corridors while another command has the sandbox; a second command that pays waits for its turn', async () => {
  const workspace = await mkdtemp(join(tmpdir(), 'paydrop-workspace-'));
  const config = loadConfig({ workspace }, {});
  try {
    await withPaydrop(config, async () => {
      const corridors = await inPassing(config, (passing) =>
        withPaydrop(passing, async ({ service }) => (await service.payoutCorridors({})).value),
      );
      expect(corridors).not.toEqual([]);
      await expect(withPaydrop(config, () => Promise.resolve())).rejects.toThrow(/embedded sandbox/);
    });
  } finally {
    await rm(workspace, { recursive: true });
  }
});
