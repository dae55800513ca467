// A daemon does not start on a disk where its ledger is not safe, and says so when its clock is wrong.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { checkStart, examine, networkOf } from '../../../src/app/desk/doctor.ts';
import { openDesk, type Desk } from '../desk.ts';
import { leapClock } from '../leap-clock.ts';

let desk: Desk;
const clock = leapClock();
beforeEach(async () => {
  desk = await openDesk({}, clock);
});
afterEach(() => desk.close());

it('a daemon starts without a word on a local disk and with the right time', async () => {
  expect(await checkStart(await desk.open())).toEqual([]);
});

it('a ledger on a network share is refused with what to do; doctor says whether it is', async () => {
  const paydrop = await desk.open();
  await expect(checkStart(paydrop, () => Promise.resolve('NFS'))).rejects.toThrow(
    /network file system \(NFS\).*Put the workspace on a disk of this machine/,
  );
  const findings = await examine(paydrop);
  expect(findings.find(({ name }) => name === 'disk')).toMatchObject({ ok: true });
});

it('a network file system is known by its number, signed or not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-disk-'));
  const typed = (type: number) => networkOf(folder, (() => Promise.resolve({ type })) as never);
  expect([await typed(0x6969), await typed(-11_317_950), await typed(0xef53)]).toEqual(['NFS', 'CIFS', null]);
  await rm(folder, { recursive: true });
});

it('a clock that is an hour ahead of the service is told', async () => {
  const paydrop = await desk.open();
  clock.leap(3_600_000);
  const [warning, ...others] = await checkStart(paydrop);
  expect(warning?.en).toMatch(/differs from the service's by 3[56]\d\d s/);
  expect(others).toEqual([]);
});

it('a service that is out of reach is no reason not to start', async () => {
  expect(await checkStart(await desk.open('', 'nobody'))).toEqual([]);
});
