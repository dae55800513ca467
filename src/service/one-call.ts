// One call on the pool, from its bytes to the bytes of its answer, by undici's own events: a stream and a signal for each call would cost more
// than the call.
import type { Dispatcher } from 'undici';

import { callAfter } from '../base/clock.ts';
import { Cut, type TransportResponse } from './transport.ts';

/** The largest answer that is read: a list page of 200 transfers is under 0.5 MB. */
const RESPONSE_BYTES_MAX = 4 * 1024 * 1024;

/** Resolves with the whole answer; rejects with undici's error, or a `Cut` of our own. Whatever comes after that is not heard any more. */
export function oneCall(
  pool: Dispatcher,
  options: Dispatcher.DispatchOptions,
  timeoutMs: number,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let fault: Error | null = null;
    let head: Pick<TransportResponse, 'status' | 'headers'> | null = null;
    let bytes = 0;
    const chunks: Uint8Array[] = [];
    const fail = (error: Error): void => {
      fault ??= error;
      clearDeadline();
      reject(fault);
      controller?.abort(fault);
    };
    const clearDeadline = callAfter(timeoutMs, () => fail(new Cut('timeout')));
    pool.dispatch(options, {
      onRequestStart: (started) => {
        controller = started;
        // Its time ran out while it waited for a connection: it is not sent.
        if (fault !== null) started.abort(fault);
      },
      onResponseStart: (_controller, status, headers) => {
        head = { status, headers: firstValues(headers) };
      },
      onResponseData: (_controller, chunk) => {
        bytes += chunk.byteLength;
        if (bytes > RESPONSE_BYTES_MAX) fail(new Cut('too-large'));
        else chunks.push(chunk);
      },
      onResponseEnd: () => {
        clearDeadline();
        if (head === null) reject(new Cut('connection'));
        else resolve({ ...head, body: joined(chunks) });
      },
      onResponseError: (_controller, error) => fail(error),
    });
  });
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

/** undici gives the names in lower case. */
function firstValues(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): TransportResponse['headers'] {
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) values.set(name, first);
  }
  return values;
}
