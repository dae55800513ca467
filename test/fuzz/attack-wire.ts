// Attacks over the wire: answers as no document says, and notifications that the service never sent.
import { createServer, request as send } from 'node:http';
import { createConnection, type AddressInfo, type Socket } from 'node:net';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { systemClock } from '../../src/base/clock.ts';
import { SIGNATURE_HEADER, signWebhook } from '../../src/service/webhooks.ts';
import { lineTo } from '../app/desk.ts';
import { dice, KEY, must, mustBeOnce, range, until, withScene } from './attack-scene.ts';

type Random = () => number;

/** How many answers were altered, and which share is from now on. */
type Altered = { count: number; share: number };

const OTHERS: readonly unknown[] = [
  '',
  null,
  0,
  -1,
  'paid',
  'failed',
  'created',
  '9'.repeat(400),
  [],
  {},
  true,
  '1e400',
  '__proto__',
  'NaN',
  '0x10',
  '１００',
];

/** One field is gone, twice there, or says something else; or the whole is of another kind. */
function altered(body: Buffer, random: Random): Buffer {
  const kind = random();
  if (kind < 0.1)
    return Buffer.from(
      ['', '<html>200 OK</html>', '[]', 'null', '"paid"', '{"ok":true}'][Math.floor(random() * 6)] ?? '',
    );
  if (kind < 0.2) return body.subarray(0, Math.floor(random() * body.length));
  try {
    const parsed: unknown = JSON.parse(body.toString());
    const target = Array.isArray(parsed) ? (parsed[Math.floor(random() * parsed.length)] as unknown) : parsed;
    if (typeof target !== 'object' || target === null) return body;
    const fields = Object.keys(target);
    const field = fields[Math.floor(random() * fields.length)] ?? '';
    const record = target as Record<string, unknown>;
    if (kind < 0.4) Reflect.deleteProperty(record, field);
    else if (kind < 0.6 && typeof record[field] === 'string')
      record[field] = record[field].replace(/\d/, '7');
    else record[field] = OTHERS[Math.floor(random() * OTHERS.length)];
    return Buffer.from(JSON.stringify(parsed));
  } catch {
    return body;
  }
}

/** A middle box on a port of its own, which alters so many answers. */
async function middleBox(
  baseUrl: string,
  random: Random,
  box: Altered,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const target = new URL(baseUrl);
  const server = createServer((incoming, response) => {
    const { method, url: path, headers } = incoming;
    const outgoing = send(
      { host: target.hostname, port: target.port, method, path, headers, agent: false },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => {
          const whole = Buffer.concat(parts);
          const isAltered = random() < box.share && whole.length > 0;
          const body = isAltered ? altered(whole, random) : whole;
          if (isAltered) box.count += 1;
          const kept = { ...answer.headers };
          delete kept['content-length'];
          delete kept['transfer-encoding'];
          const status =
            isAltered && random() < 0.15
              ? ([200, 201, 204, 302, 400, 404, 409, 418, 500][Math.floor(random() * 9)] ?? 200)
              : (answer.statusCode ?? 200);
          response.writeHead(status, status === 204 ? kept : { ...kept, 'content-length': body.length });
          response.end(status === 204 ? undefined : body);
        });
      },
    );
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    close: () => new Promise((closed) => (server.closeAllConnections(), server.close(() => closed()))),
  };
}

const FILES_MOST = 60;

/** Answers that no document describes: nothing is paid twice, and no row is told as something else than what the books say. */
export async function answers(): Promise<string> {
  const [atLeast, rows, atOnce] = [3_625, 400, 3];
  const box: Altered = { count: 0, share: 0.3 };
  const outcomes = new Map<string, number>();
  const random = dice(4711);
  let files = 0;
  await withScene(
    async ({ file, pd, workspace, transfers }) => {
      const payOne = async (): Promise<void> => {
        const at = files++;
        // The amount tells the row; all of them together are a small part of the balance.
        const own = range(rows).map((row) => at * rows + row);
        const lines = own.map((each) =>
          lineTo(`x${String(each)}`, `X-${String(each)}`, (100 + each / 100).toFixed(2)),
        );
        await pd('run', '--wait', '15s', await file(`x${String(at)}.csv`, lines));
      };
      // Each process has a pace of its own, which falls as its answers are spoilt.
      while (box.count < atLeast && files < FILES_MOST) {
        await Promise.all(range(atOnce).map(payOne));
        await pd('resume', '--wait', '5s');
      }
      must(box.count >= atLeast, `Only ${String(box.count)} answers were altered.`);
      // The box is honest again: what is left is decided.
      box.share = 0;
      for (let turn = 0; turn < 3; turn += 1) await pd('resume', '--wait', '60s');
      const found = await transfers();
      for (const [amount, count] of found) must(count === 1, `${amount} was paid ${String(count)} times.`);
      for (const [amount, outcome] of toldIn(join(workspace, 'outbox'))) {
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        const isPaid = found.has(amount);
        must(outcome !== 'paid' || isPaid, `${amount} is told paid, and is not.`);
        must(
          isPaid ? !['failed', 'rejected', 'duplicate'].includes(outcome) : outcome !== 'submitted',
          `${amount} is told ${outcome}, and ${isPaid ? 'is' : 'is not'} paid.`,
        );
      }
    },
    { through: (baseUrl) => middleBox(baseUrl, random, box), config: 'service: { timeout: 2s }' },
  );
  const told = [...outcomes].map(([outcome, count]) => `${outcome} ${String(count)}`).join(', ');
  return `${String(files * rows)} rows, ${String(box.count)} altered answers: 0 twice, 0 told otherwise than the books (${told})`;
}

/** Amount and outcome of each row of all results. */
function toldIn(outbox: string): readonly (readonly [amount: string, outcome: string])[] {
  return readdirSync(outbox)
    .filter((each) => each.endsWith('.result.csv'))
    .flatMap((name) => {
      const [header = '', ...lines] = readFileSync(join(outbox, name), 'utf8').trim().split('\n');
      const at = (column: string): number => header.trim().split(',').indexOf(column);
      return lines
        .map((each) => each.split(','))
        .map(
          (cells) =>
            [String(Number(cells[at('destinationAmount')])), cells[at('payout.outcome')] ?? ''] as const,
        );
    });
}

// ——— notifications ———

const PORT = 18_792;

async function callback(
  path: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${String(PORT)}${path}`, {
    method: 'POST',
    body,
    headers,
  }).catch(() => null);
  await response?.text().catch(() => '');
  return response?.status ?? 0;
}

/** Forged, replayed, oversized, and slow ones, while a file is paid. */
export async function notifications(): Promise<string> {
  return withScene(
    async ({ file, pd, start, inbox, transfers }) => {
      await pd('status');
      const daemon = start('watch');
      await until('The listener', async () => (await callback('/', '', {})) !== 0);
      const amounts = range(30).map((row) => 100 + row);
      const path = await file(
        'n.csv',
        amounts.map((amount) => lineTo(`n${String(amount)}`, `N-${String(amount)}`, String(amount))),
      );
      const body = JSON.stringify({ id: 'x', externalId: 'x', status: 'paid', statusCode: 20_000 });
      const forged: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
        ['/', {}, body],
        ['/', { [SIGNATURE_HEADER]: '' }, body],
        ['/', { [SIGNATURE_HEADER]: '0'.repeat(64) }, body],
        ['/', { [SIGNATURE_HEADER]: 'z'.repeat(64) }, body],
        ['/', { [SIGNATURE_HEADER]: '0'.repeat(8_000) }, body],
        ['/', { [SIGNATURE_HEADER]: signWebhook('', '/', Buffer.from(body)) }, body],
        ['/', { [SIGNATURE_HEADER]: signWebhook('other', '/', Buffer.from(body)) }, body],
        ['/', { [SIGNATURE_HEADER]: signWebhook(KEY, '/', Buffer.from(body)) }, `${body} `],
        ['/other', { [SIGNATURE_HEADER]: signWebhook(KEY, '/', Buffer.from(body)) }, body],
        ['/hook', { [SIGNATURE_HEADER]: '0'.repeat(64) }, body],
        ['/hook/..%2f', {}, body],
        ['/hook?x=1', {}, body],
        ['/', { 'content-type': 'application/json', 'content-encoding': 'gzip' }, 'x'],
        ['/', {}, '['.repeat(200_000)],
        ['/', {}, '9'.repeat(5_000_000)],
        ['/', { authorization: `Bearer ${KEY}` }, body],
        ['/', { 'x-forwarded-for': '127.0.0.1', host: 'localhost' }, body],
        ['/healthz', {}, body],
        ['/metrics', {}, body],
        ['/__proto__', {}, '{"__proto__":{"status":"paid"}}'],
      ];
      copyFileSync(path, join(inbox, 'n.csv'));
      const answered: number[] = [];
      for (const [at, headers, content] of forged) answered.push(await callback(at, content, headers));
      must(
        !answered.some((status) => status >= 200 && status < 300),
        `A forged notification was taken: ${answered.join(', ')}.`,
      );
      must(
        !answered.some((status) => status >= 500 && status !== 501),
        `A forged one was answered with ${answered.join(', ')}.`,
      );
      // Connections that say nothing more, and a flood, while the file is paid.
      const slow = range(700).map(() => slowConnection());
      let replays = 0;
      const began = systemClock.monotonic();
      await Promise.all(
        range(20).map(async () => {
          while (systemClock.monotonic() - began < 5_000) {
            await callback('/', body, { [SIGNATURE_HEADER]: '1'.repeat(64) });
            replays += 1;
          }
        }),
      );
      const ms = await until('Payment of the file', async () => (await transfers()).size >= amounts.length);
      await until('The end of slow connections', () => slow.every((socket) => socket.destroyed));
      const { code } = await daemon.stop();
      // It is asked to stop when the service has paid, which it may not have heard yet.
      must(code === 0 || code === 5, `watch ended with ${String(code)}.`);
      const rest = await pd('resume', '--wait', '60s');
      must(rest.code === 0, `resume ended with ${String(rest.code)}.`);
      mustBeOnce(await transfers(), amounts);
      return `${String(forged.length)} forged, ${String(slow.length)} slow connections, ${String(replays)} replays of a lie in 5 s: none taken, ${String(amounts.length)} rows paid once (${String(ms)} ms after the flood), the slow ones closed`;
    },
    {
      allowHttpCallbacks: true,
      config: `service: { callbackUrl: "http://127.0.0.1:${String(PORT)}/hook" }\nwebhooks: { listen: "127.0.0.1:${String(PORT)}" }`,
    },
  );
}

function slowConnection(): Socket {
  const socket = createConnection(PORT, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  socket.on('end', () => socket.destroy());
  socket.write('POST /hook HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n');
  socket.resume();
  return socket;
}
