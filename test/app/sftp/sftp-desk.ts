// A finance desk whose files come from an account on a real OpenSSH server, and whose answers go back there.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { BatchResult } from '../../../src/app/workflow/batch/work.ts';
import type { Paydrop } from '../../../src/app/parts.ts';
import { watch } from '../../../src/app/daemon/daemon.ts';
import { exchangeFiles } from '../../../src/app/intake/sftp/account-work.ts';
import type { Words } from '../../../src/base/language.ts';
import type { SshServer } from '../../sftp/openssh-server.ts';
import { briskClock } from '../brisk-clock.ts';
import { openDesk, type Desk } from '../desk.ts';
import { leapClock } from '../leap-clock.ts';

export type SftpDesk = Desk & {
  /** Folders of the account, as its owner sees them. */
  readonly out: string;
  readonly into: string;
  /** Another folder of the server, empty. */
  readonly folder: (name: string) => string;
  /** Lets so much time pass at once, here and at the service. */
  readonly leap: (ms: number) => void;
  /** Opens paydrop with the account `erp`; `account` are more of its keys, `more` other sections of the config. */
  readonly openWith: (account?: string, more?: string) => Promise<Paydrop>;
};

/** On a clock that is several times as fast as ours: no look comes sooner than it takes to log in. */
export const QUICK = 'intake: { settleFor: 20ms, scanEvery: 100ms }';

let count = 0;

/** @param port where paydrop reaches the server; its own, or one that stands in between. */
export async function openSftpDesk(server: SshServer, port = server.port): Promise<SftpDesk> {
  const clock = leapClock(briskClock());
  const desk = await openDesk({ clock }, clock);
  count += 1;
  const own = `desk-${String(count)}`;
  const folder = (name: string): string => server.folder(`${own}/${name}`);
  const [out, into] = [folder('out'), folder('in')];
  return {
    ...desk,
    out,
    into,
    folder,
    leap: clock.leap,
    openWith: (account = '', more = QUICK) => {
      const usual = { settleFor: '50ms', pollEvery: '400ms' };
      const missing = Object.entries(usual).filter(([key]) => !account.includes(key));
      const all = [
        keysOf(server, { name: 'erp', port, out, into }),
        ...missing.map(([key, value]) => `${key}: ${value}`),
      ];
      const keys = [...all, ...(account === '' ? [] : [account])].join(', ');
      return desk.open(`${more}\nsftp: [{ ${keys} }]`);
    },
  };
}

type Place = { readonly name: string; readonly port: number; readonly out: string; readonly into: string };

/** The keys that an account on such a server has in the config. */
export function keysOf(server: SshServer, { name, port, out, into }: Place): string {
  const keys = Object.values(server.hostKeys).map((key) => `"${key}"`);
  return [
    `name: ${name}, host: 127.0.0.1, port: ${String(port)}, hostKey: [${keys.join(', ')}]`,
    `user: ${server.user}, privateKeyFile: "${server.keyFile}"`,
    `pull: "${out}", push: "${into}"`,
  ].join(', ');
}

export type Exchanging = {
  /** Resolves with the next result of a batch. */
  readonly next: () => Promise<BatchResult>;
  readonly results: readonly BatchResult[];
  /** The reported faults that a person has to repair, in English. */
  readonly troubles: readonly string[];
  readonly tryNow: () => void;
  readonly stop: () => Promise<void>;
};

/** The daemon with its accounts, as `paydrop watch` has them. */
export function startExchange(paydrop: Paydrop): Exchanging {
  const stopper = new AbortController();
  const results: BatchResult[] = [];
  const takers: ((result: BatchResult) => void)[] = [];
  const waiting: BatchResult[] = [];
  const troubles: string[] = [];
  const exchange = exchangeFiles(paydrop, (_account, words: Words) => troubles.push(words.en));
  const ended = watch(paydrop, {
    signal: stopper.signal,
    onResult: (result) => {
      results.push(result);
      const taker = takers.shift();
      if (taker === undefined) waiting.push(result);
      else taker(result);
    },
    onWaiting: () => undefined,
    onTrouble: (words) => troubles.push(words),
  });
  return {
    results,
    troubles,
    next: () => {
      const result = waiting.shift();
      return result === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(result);
    },
    tryNow: exchange.tryNow,
    stop: async () => {
      stopper.abort();
      await exchange.close();
      await ended;
    },
  };
}

const SUPPLIER =
  'reference,payoutCorridorId,sourceCurrency,destinationAmount,purposeOfRemittance,receiver.registeredName,receiver.address,receiver.city,receiver.countryIsoCode,delivery.bankAccountHolderFullName,delivery.bankAccountNumber,delivery.bankAccountSwiftCode,attachment';

/** A file of bank transfers, each with its reference and its document. */
export function supplierFile(...rows: readonly (readonly [reference: string, attachment: string])[]): string {
  // By its reference each has an amount of its own: the same amount to the same account again is held.
  const amountOf = (reference: string): number => 500 + Number(reference.replaceAll(/\D/g, ''));
  const lines = rows.map(
    ([reference, attachment]) =>
      `${reference},chn-cny-b2b-bank,XAF,${String(amountOf(reference))},EXPORTED_GOODS,Yiwu Trading,1 Road,Yiwu,CHN,Yiwu Trading,6222021208001234567,ICBKCNBJXXX,${attachment}`,
  );
  return `${[SUPPLIER, ...lines].join('\n')}\n`;
}

/** Runs commands of Debian's own `sftp` client; gives what it says. */
export function sftp(server: SshServer, ...commands: readonly string[]): string {
  const batch = join(server.folder('client-batch'), 'commands');
  writeFileSync(batch, `${commands.join('\n')}\n`);
  const options = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR'];
  const given = options.flatMap((option) => ['-o', option]);
  const where = `${server.user}@127.0.0.1`;
  return execFileSync(
    'sftp',
    ['-q', '-b', batch, '-i', server.keyFile, '-P', String(server.port), ...given, where],
    { encoding: 'utf8' },
  );
}

/** The names in a folder that are no dot files, in order. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
}
