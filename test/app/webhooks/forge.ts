// A stranger in a process of its own, who posts forged notifications as fast as they are refused: `node forge.ts`, the order as JSON on stdin, the
// tally of the answers as JSON on stdout.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

export type ForgeOrder = {
  readonly count: number;
  readonly atOnce: number;
  /** Where the listener is, and each kind of request in turn. */
  readonly host: string;
  readonly port: number;
  readonly kinds: readonly {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }[];
};

/** HTTP status, or the code of a fault → how often. */
export type ForgeTally = Readonly<Record<string, number>>;

/** Every refusal costs a connection; several addresses of the loopback have ports for all of them. */
const SOURCES = 16;

function send(order: ForgeOrder, index: number): Promise<string> {
  const { host, port, kinds } = order;
  const kind = kinds[index % kinds.length];
  if (kind === undefined) throw new Error('There is a kind to send.');
  return new Promise((resolve) => {
    const { method, path, headers, body } = kind;
    const localAddress = `127.0.0.${String(2 + (index % SOURCES))}`;
    const outgoing = request(
      { host, port, method, path, headers, localAddress, agent: false },
      (incoming) => {
        incoming.resume();
        incoming.on('close', () => resolve(String(incoming.statusCode)));
      },
    );
    outgoing.on('error', (error) => resolve('code' in error ? String(error.code) : 'error'));
    outgoing.end(body);
  });
}

async function forge(order: ForgeOrder): Promise<ForgeTally> {
  const tally: Record<string, number> = {};
  let sent = 0;
  const lane = async (): Promise<void> => {
    while (sent < order.count) {
      const index = sent;
      sent += 1;
      const answer = await send(order, index);
      tally[answer] = (tally[answer] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: order.atOnce }, lane));
  return tally;
}

if (import.meta.main)
  process.stdout.write(JSON.stringify(await forge(JSON.parse(await text(process.stdin)) as ForgeOrder)));
