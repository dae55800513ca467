// A line to a server that dies under it: once so many bytes have passed, the server is killed with all it carries, and started again.
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

import type { SshServer } from './openssh-server.ts';

export type Direction = 'fetching' | 'bringing';

export type CuttingProxy = {
  readonly port: number;
  /** The next death: after so many bytes more in this direction. */
  readonly cutAfter: (bytes: number, direction: Direction) => void;
  /** How often the server was killed. */
  readonly cuts: () => number;
  readonly close: () => Promise<void>;
};

export async function startCuttingProxy(server: SshServer): Promise<CuttingProxy> {
  let left: { bytes: number; readonly direction: Direction } | null = null;
  let cuts = 0;
  let restarted = Promise.resolve();
  const sockets = new Set<Socket>();
  const count = (bytes: number, direction: Direction): void => {
    if (left?.direction !== direction) return;
    left.bytes -= bytes;
    if (left.bytes > 0) return;
    left = null;
    cuts += 1;
    for (const socket of sockets) socket.destroy();
    restarted = server.kill().then(server.start);
  };
  const proxy = createServer((near) => {
    const far = connect(server.port, '127.0.0.1');
    for (const [from, to, direction] of [
      [near, far, 'bringing'],
      [far, near, 'fetching'],
    ] as const) {
      sockets.add(from);
      from.on('data', (data) => {
        count(data.length, direction);
        to.write(data);
      });
      // However one side ends, the other ends too.
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as AddressInfo).port,
    cutAfter: (bytes, direction) => {
      left = { bytes, direction };
    },
    cuts: () => cuts,
    close: async () => {
      await restarted;
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
