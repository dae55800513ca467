// The log reports a missing folder of an approver once, and again only after something about it has changed.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { silentLog, type Log, type LogFields } from '../../../src/base/log.ts';
import { InboxWatch } from '../../../src/app/workflow/ready-files.ts';
import { atEnd } from '../../at-end.ts';
import { openDesk } from '../desk.ts';

it('is told once, and once more when it has gone again', async () => {
  const desk = await openDesk();
  atEnd(desk.close);
  const told: LogFields[] = [];
  const log: Log = { ...silentLog, warn: (_message, fields = {}) => void told.push(fields) };
  const paydrop = await desk.open('approvers: [{ name: Marie, folder: ../approvals }]');
  const inbox = new InboxWatch({ ...paydrop, log });
  const folder = join(desk.workspace, 'approvals');

  for (let looks = 0; looks < 3; looks += 1) await inbox.look();
  expect(told).toEqual([{ reason: 'ENOENT' }]);
  await mkdir(folder);
  for (let looks = 0; looks < 2; looks += 1) await inbox.look();
  expect(told).toHaveLength(1);
  await rm(folder, { recursive: true });
  for (let looks = 0; looks < 2; looks += 1) await inbox.look();
  expect(told).toHaveLength(2);
  // A file in its place is another fault, for a person to repair.
  await writeFile(folder, '');
  for (let looks = 0; looks < 2; looks += 1) await inbox.look();
  expect(told.slice(2)).toEqual([{ reason: 'ENOTDIR' }]);
});
