// A finance desk: one workspace, a sandbox on a port that outlives every paydrop opened on it, and files to drop.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { compose } from '../../src/app/compose.ts';
import type { Paydrop } from '../../src/app/parts.ts';
import { parseConfig } from '../../src/app/config/config.ts';
import { readLedgerPlaces } from '../../src/app/config/ledger-config.ts';
import { loadProfiles } from '../../src/app/config/profile-file.ts';
import { readAccounts } from '../../src/app/config/accounts.ts';
import type { RunControl } from '../../src/app/parts/run-options.ts';
import type { Clock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import type { RowRecord } from '../../src/ledger/records.ts';
import { startSandbox, type RunningSandbox, type SandboxOptions } from '../../src/sandbox/start-sandbox.ts';
import type { Transfer } from '../../src/service/wire.ts';
import { stageOrHeld, whyOf } from '../../src/payouts/progress.ts';
import { stillDisk } from '../still-disk.ts';

export const SENDER =
  'sender: { registeredName: Wouri SARL, registrationNumber: RC1, address: Rue Joss, city: Douala, countryIsoCode: CMR }';

/** Long enough for a few rows on any machine, and below the time limit of a test. */
export const PATIENT: RunControl = {
  waitMs: 10_000,
  signal: new AbortController().signal,
  view: { start: () => undefined, settled: () => undefined, end: () => undefined },
};

/** Leaves as soon as everything is submitted. */
export const HURRIED: RunControl = { ...PATIENT, waitMs: 0 };

/** A payment is final at the first look at it, and that comes soon: most tests wait for it, and it is not what they are about. */
const SETTLE_MS = 20;
const TRACKING = 'tracking: { pollEvery: 100ms }';

/** A port on which nobody listens: the discard port of old. */
const NOBODY = new URL('http://127.0.0.1:9');

export type Desk = {
  readonly workspace: string;
  readonly sandbox: RunningSandbox;
  /** Opens paydrop on the workspace; `text` is more of its config, an address that of another service. */
  readonly open: (text?: string, service?: 'sandbox' | 'nobody' | URL) => Promise<Paydrop>;
  /** Writes a file to drop; gives its path. */
  readonly file: (name: string, lines: readonly string[]) => Promise<string>;
  /** Writes a file of any content below the folder of dropped ones, such as `profiles/x.yaml` before `open`; gives its path. */
  readonly write: (name: string, content: string | Uint8Array) => Promise<string>;
  /** As if the ledger's disk had died. */
  readonly loseLedger: () => Promise<void>;
  /** Closes every paydrop that is open. */
  readonly shut: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** @param clock whose time every paydrop of the desk lives by; to be the sandbox's own where it is not the system's. */
export async function openDesk(options: SandboxOptions = {}, clock?: Clock): Promise<Desk> {
  if (clock !== undefined) stillDisk();
  const workspace = await mkdtemp(join(tmpdir(), 'paydrop-workspace-'));
  const drop = await mkdtemp(join(tmpdir(), 'paydrop-drop-'));
  const sandbox = await startSandbox({ settleMs: SETTLE_MS, ...options });
  const opened: Paydrop[] = [];
  const open: Desk['open'] = async (text = '', service = 'sandbox') => {
    const usual = [SENDER, TRACKING].filter((line) => !text.includes(line.split(' ')[0] ?? ''));
    const file = parseConfig([...usual, text].join('\n'), 'the test');
    const named = service === 'sandbox' ? new URL(sandbox.baseUrl) : NOBODY;
    const baseUrl = service instanceof URL ? service : named;
    const own = { workspacePath: workspace, baseUrl, apiKey: sandbox.apiKey };
    const profilesPath = join(drop, 'profiles');
    const read = {
      ...readLedgerPlaces(file, { url: undefined, by: 'PAYDROP_LEDGER_URL', passwordFile: undefined }, drop),
      folderPaths: {},
      profilesPath,
      fileProfiles: loadProfiles(profilesPath),
      sftpAccounts: readAccounts(
        file.sftp,
        { base: drop, environment: {} },
        loadProfiles(profilesPath).map(({ profile }) => profile.name),
      ),
    };
    const paydrop = await compose({ ...file, ...own, ...read }, silentLog, clock);
    opened.push(paydrop);
    return paydrop;
  };
  const shut = async (): Promise<void> => {
    for (const paydrop of opened.splice(0)) await paydrop.close();
  };
  return {
    workspace,
    sandbox,
    open,
    file: async (name, lines) => {
      await writeFile(join(drop, name), `${[HEADER, ...lines].join('\n')}\n`);
      return join(drop, name);
    },
    write: async (name, content) => {
      await mkdir(dirname(join(drop, name)), { recursive: true });
      await writeFile(join(drop, name), content);
      return join(drop, name);
    },
    shut,
    loseLedger: async () => {
      await shut();
      for (const name of await readdir(workspace))
        if (name.startsWith('ledger.sqlite')) await rm(join(workspace, name));
    },
    close: async () => {
      await shut();
      await sandbox.close();
      // What a browser had still asked for may end meanwhile, and leave a file.
      for (const folder of [workspace, drop]) await rm(folder, { recursive: true, maxRetries: 5 });
    },
  };
}

/** Switches a corridor of the desk's sandbox on or off. */
export async function switchCorridor({ sandbox }: Desk, id: string, isEnabled: boolean): Promise<void> {
  const response = await fetch(`${sandbox.baseUrl}/sandbox/corridors/${id}`, {
    method: 'POST',
    headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ isEnabled }),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** The columns of `line`. */
export const HEADER =
  'reference,destinationCountryIsoCode,transactionMode,deliveryMethod,sourceCurrency,destinationAmount,purposeOfRemittance,receiver.firstName,receiver.lastName,receiver.countryIsoCode,delivery.msisdn';

/** One payment; the same amount is the same payment. */
export function line(reference: string, amount: string): string {
  return `${reference},CHN,B2C,wechat,XAF,${amount},SALARY_PAYMENT,Li,Wei,CHN,+8613800138000`;
}

/** A payment to somebody else for each name: rows of two files that are two payments. */
export function lineTo(name: string, reference: string, amount: string): string {
  let digits = 0;
  for (const letter of name) digits = (digits * 31 + letter.charCodeAt(0)) % 1_000_000;
  return line(reference, amount).replace('8613800138000', `861380${String(1_000_000 + digits)}`);
}

/** A payment whose telephone number ends in these digits, by which the sandbox decides what becomes of it. */
export function magic(reference: string, digits: string): string {
  return line(reference, '100').replace('8613800138000', `8613${digits}`);
}

export async function transfersOf({ service }: Paydrop): Promise<readonly Transfer[]> {
  const { value } = await service.transfers({});
  if (value.nextKey !== null) throw new Error('There are more transfers than one page shows.');
  return value.transfers;
}

/** What became of the rows of a batch: `paid`, or the stage with its code. */
export async function endsOf({ ledger }: Paydrop, batch: string): Promise<readonly string[]> {
  const rows: readonly RowRecord[] = await ledger.rows(batch, 0, 1_000);
  return rows.map(({ progress }) => {
    const errorCode = whyOf(progress)?.errorCode;
    return errorCode === undefined ? stageOrHeld(progress) : `${stageOrHeld(progress)} ${errorCode}`;
  });
}
