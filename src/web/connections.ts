// Connection limits per client, against floods and slow senders (slowloris). Whoever holds many places loses the oldest of its own to its next one, and
// strangers never take all: places are kept for sessions and keys that are known.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { callAfter } from '../base/clock.ts';

/** All that are open at once. */
const CONNECTIONS_MAX = 512;

/** Of those, the ones that have not shown a session or a key. */
const STRANGERS_MAX = 384;

/** Of one address, one person, or one program: many tabs of an office behind one address. */
const OF_ONE_MAX = 64;

/** What is still read of a request that is answered already, so that its sender hears the answer; behind that it is cut off. */
const RUN_OUT_BYTES = 64 * 1024;
const RUN_OUT_MS = 2_000;

/** Nobody waits so long for the other half of a handshake. */
export const HANDSHAKE_WITHIN_MS = 10_000;

type Guest = { readonly socket: Socket; group: string; isKnown: boolean };

/** Behind a proxy a connection is everybody's; only a request on it belongs to somebody. */
const OF_PROXY = 'proxy';

export class Connections {
  readonly #isBehindProxy: boolean;
  /** By the far end, since of a connection with TLS the server shows the plain half, and the request the other. Oldest first. */
  readonly #guests = new Map<string, Guest>();
  /** How many each has. */
  readonly #groups = new Map<string, number>();

  constructor(server: Server, isBehindProxy: boolean) {
    this.#isBehindProxy = isBehindProxy;
    server.maxConnections = CONNECTIONS_MAX;
    server.on('connection', (socket) => this.#open(socket));
    server.prependListener('request', (incoming, outgoing) => {
      // Before the server lets the rest of the request run in, however long that takes.
      outgoing.prependOnceListener('finish', () => runOut(incoming));
      if (isBehindProxy) this.#letGo(incoming, outgoing);
    });
  }

  /** @param group who asks: an address, a person or a program. */
  admit(socket: Socket, group: string, isKnown: boolean): void {
    const guest = this.#guests.get(endOf(socket));
    if (guest === undefined) return;
    this.#move(guest, group);
    guest.isKnown = isKnown;
    this.#makeRoom(guest);
  }

  #open(socket: Socket): void {
    const end = endOf(socket);
    const group = this.#isBehindProxy ? OF_PROXY : `address ${socket.remoteAddress ?? ''}`;
    const guest: Guest = { socket, group, isKnown: false };
    this.#guests.set(end, guest);
    this.#count(group, 1);
    socket.once('close', () => {
      if (this.#guests.get(end) !== guest) return;
      this.#guests.delete(end);
      this.#count(guest.group, -1);
    });
    this.#makeRoom(guest);
  }

  #letGo(incoming: IncomingMessage, outgoing: ServerResponse): void {
    outgoing.once('close', () => {
      const guest = this.#guests.get(endOf(incoming.socket));
      if (guest === undefined) return;
      this.#move(guest, OF_PROXY);
      guest.isKnown = false;
    });
  }

  #makeRoom(latest: Guest): void {
    const isTooMany = latest.group !== OF_PROXY && (this.#groups.get(latest.group) ?? 0) > OF_ONE_MAX;
    if (isTooMany) this.#endOldest((guest) => guest.group === latest.group && guest !== latest);
    if (latest.isKnown) return;
    const strangers = [...this.#guests.values()].filter(({ isKnown }) => !isKnown);
    if (strangers.length <= STRANGERS_MAX) return;
    const most = Math.max(...strangers.map(({ group }) => this.#groups.get(group) ?? 0));
    this.#endOldest((guest) => !guest.isKnown && guest !== latest && this.#groups.get(guest.group) === most);
  }

  #endOldest(isMeant: (guest: Guest) => boolean): void {
    for (const [end, guest] of this.#guests)
      if (isMeant(guest)) {
        // Its place is free from now on, not from when the system has closed it.
        this.#guests.delete(end);
        this.#count(guest.group, -1);
        guest.socket.destroy();
        return;
      }
  }

  #move(guest: Guest, group: string): void {
    this.#count(guest.group, -1);
    guest.group = group;
    this.#count(group, 1);
  }

  #count(group: string, by: 1 | -1): void {
    const now = (this.#groups.get(group) ?? 0) + by;
    if (now > 0) this.#groups.set(group, now);
    else this.#groups.delete(group);
  }
}

function endOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ''} ${String(remotePort)}`;
}

/** Lingering close: a sender that is cut off at once never hears why, and one that goes on sending keeps its place. */
function runOut(incoming: IncomingMessage): void {
  if (incoming.complete || incoming.destroyed) return;
  const { socket } = incoming;
  const isOver = callAfter(RUN_OUT_MS, () => socket.destroy());
  incoming.once('end', isOver).once('close', isOver);
  let bytes = 0;
  // What is read here, Node does not read to its end by itself.
  incoming.read(0);
  incoming.on('data', (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
    if (bytes > RUN_OUT_BYTES) incoming.pause();
  });
}
