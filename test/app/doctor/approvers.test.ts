// An approver's folder that is missing, or open to others, approves nothing, so doctor names it before somebody waits for that.
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { examine } from '../../../src/app/desk/doctor.ts';
import { openDesk } from '../desk.ts';

it('doctor looks into the folder of each approver', async () => {
  const desk = await openDesk();
  try {
    const paydrop = await desk.open(
      'approvers: [{ name: Marie, folder: marie }, { name: Jean, folder: jean }, { name: Ada, folder: /srv/nowhere }]',
    );
    const { inbox } = paydrop.workspace;
    await mkdir(join(inbox, 'marie'), { mode: 0o700 });
    await mkdir(join(inbox, 'jean'));
    await chmod(join(inbox, 'jean'), 0o777);
    const found = (await examine(paydrop)).filter(({ name }) => name === 'approver');
    expect(found.map(({ ok, words }) => [ok, words.en])).toEqual([
      [true, `Marie: ${join(inbox, 'marie')}`],
      [false, expect.stringContaining(`Jean: others can write into ${join(inbox, 'jean')}`)],
      [false, expect.stringContaining('Ada: /srv/nowhere is not there.')],
    ]);
  } finally {
    await desk.close();
  }
});
