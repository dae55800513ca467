// The seam between the client and the network: bytes out, bytes in. The real client always runs above it.
import type { Operation } from './errors.ts';
import type { NetworkCause } from './network-cause.ts';

export type TransportRequest = {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path and query, relative to the service's base address, with a leading slash. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  /** The whole call, connecting and reading included, must end within this. */
  readonly timeoutMs: number;
};

export type TransportResponse = {
  readonly status: number;
  /** Names in lower case; of a repeated header, the first. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
};

/** A request with the call of the interface that it is. */
export type ServiceRequest = TransportRequest & { readonly operation: Operation };

/** Makes exactly one try. Throws `NotSent` when no byte can have reached the service, `Cut` when it may have. */
export type Transport = (request: ServiceRequest) => Promise<TransportResponse>;

/** The request provably never left: refused connection, unknown host, failed TLS handshake. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  readonly networkCause: NetworkCause;

  constructor(message: string, networkCause: NetworkCause = 'broken') {
    super(message);
    this.networkCause = networkCause;
  }
}

/** The request may have arrived and been executed; only its answer is missing or unusable. */
export class Cut extends Error {
  override readonly name = 'Cut';
  readonly reason: 'timeout' | 'connection' | 'too-large';

  constructor(reason: 'timeout' | 'connection' | 'too-large') {
    super(`no whole answer (${reason})`);
    this.reason = reason;
  }
}
