// One node's connection to the database. It can fall silent like a cut cable: nothing comes through, and nobody is told. After a fail-over it leads
// to the new database, like the one address of a cluster.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type Gate = {
  readonly port: number;
  /** Connections that somebody asked for. */
  readonly tries: () => number;
  /** What is sent from now on waits until it opens; connections stay as they are. */
  readonly silence: () => void;
  readonly open: () => void;
  /** From now on nobody hears what the database answers to writes and reads; the connection by which a run is known to live stays as it is. */
  readonly deafen: () => void;
  /** The same for each connection of writes and reads as soon as these words are sent through it: the answer to them is the first that is lost. */
  readonly deafenAt: (words: string) => void;
  /** Ends the deaf connections, and lets new ones through. */
  readonly hangUp: () => void;
  readonly close: () => Promise<void>;
};

/** `isShared`: for writes and reads; the others are called by the name of their run. */
type Way = { readonly near: Socket; readonly far: Socket; isShared: boolean };

const SHARED = /application_name\0paydrop( writes [\w-]+)?\0/;

/** @param port where the database is now, asked for each connection. */
export async function openGate(port: () => number): Promise<Gate> {
  const ways = new Set<Way>();
  /** Connections that came while it was silent. */
  let waiting: Socket[] = [];
  let isSilent = false;
  const deaf: Way[] = [];
  let deafAt: string | null = null;
  const deafenWay = (way: Way): void => {
    deaf.push(way);
    way.far.unpipe(way.near).resume();
  };
  let tries = 0;
  const pass = (near: Socket): void => {
    const way: Way = { near, far: connect(port(), '127.0.0.1'), isShared: false };
    near.on('data', (sent: Buffer) => {
      way.isShared ||= SHARED.test(sent.toString('latin1'));
      if (deafAt !== null && way.isShared && !deaf.includes(way) && sent.includes(deafAt)) deafenWay(way);
    });
    ways.add(way);
    for (const [socket, other] of [
      [way.near, way.far],
      [way.far, way.near],
    ] as const) {
      socket.setNoDelay(true);
      socket.pipe(other);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        // Behind a cut cable nobody hears of it.
        if (isSilent) return;
        other.destroy();
        ways.delete(way);
      });
    }
  };
  const server = createServer((near) => {
    near.on('error', () => undefined);
    tries += 1;
    if (isSilent) waiting.push(near);
    else pass(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    tries: () => tries,
    silence: () => {
      isSilent = true;
      for (const { near, far } of ways) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    open: () => {
      isSilent = false;
      for (const way of ways) resume(way, ways);
      for (const near of waiting.splice(0)) if (!near.destroyed) pass(near);
    },
    deafen: () => {
      for (const way of ways) if (way.isShared) deafenWay(way);
    },
    deafenAt: (words) => {
      deafAt = words;
    },
    hangUp: () => {
      deafAt = null;
      for (const { near, far } of deaf.splice(0)) for (const socket of [near, far]) socket.destroy();
    },
    close: async () => {
      for (const { near, far } of ways) for (const socket of [near, far]) socket.destroy();
      for (const near of waiting) near.destroy();
      waiting = [];
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function resume(way: Way, ways: Set<Way>): void {
  const { near, far } = way;
  if (near.destroyed || far.destroyed) {
    near.destroy();
    far.destroy();
    ways.delete(way);
    return;
  }
  near.pipe(far);
  far.pipe(near);
}
