// The library's requests as promises, each of which ends: with the answer, with what the server says against it, or with the time.
import type { Client, SFTPWrapper } from 'ssh2';

import { startDeadline } from '../base/clock.ts';
import { connectionLost, noAnswer, refusedByServer, SftpFault } from './sftp-fault.ts';

export type Done<T> = (error: Error | null | undefined, value: T) => void;

export type RemoteRequests = {
  readonly sftp: SFTPWrapper;
  /** One request about `place`. Throws `SftpFault`. */
  readonly ask: <T>(place: string, start: (done: Done<T>) => void) => Promise<T>;
  readonly close: () => Promise<void>;
};

/** Status codes of the protocol (draft-ietf-secsh-filexfer-02, section 7). */
const NO_SUCH_FILE = 2;
const PERMISSION_DENIED = 3;

/** Each request under way listens for the end of the connection; far more than are ever under way would be a leak. */
const LISTENERS_MOST = 64;

/** Of a client that is logged in. Throws what the server says against it. */
export async function remoteRequests(client: Client, timeoutMs: number): Promise<RemoteRequests> {
  client.setMaxListeners(LISTENERS_MOST);
  // Questions are small and wait for their answers: gathering them costs 40 ms each.
  client.setNoDelay(true);
  let isOpen = true;
  const closed = new Promise<void>((resolve) =>
    client.once('close', () => {
      isOpen = false;
      resolve();
    }),
  );
  const sftp = await within<SFTPWrapper>(client, timeoutMs, (done) => client.sftp(done));
  // What breaks the channel ends its requests, and those tell it.
  sftp.on('error', () => client.destroy());
  return {
    sftp,
    ask: async (place, start) => {
      // The library keeps what is asked of a closed connection for ever.
      if (!isOpen) throw connectionLost();
      try {
        return await within(client, timeoutMs, start);
      } catch (error) {
        throw faultOf(error, place);
      }
    },
    close: async () => {
      client.end();
      const deadline = startDeadline(timeoutMs);
      // A server that does not say goodbye is left all the same.
      deadline.signal.addEventListener('abort', () => client.destroy());
      await closed;
      deadline.clear();
    },
  };
}

/** An end of the connection that the library does not pass on to its callback ends the request too. */
function within<T>(client: Client, timeoutMs: number, start: (done: Done<T>) => void): Promise<T> {
  const deadline = startDeadline(timeoutMs);
  return new Promise<T>((resolve, reject) => {
    const onClose = (): void => reject(connectionLost());
    const finish = (): void => {
      deadline.clear();
      client.off('close', onClose);
    };
    client.once('close', onClose);
    deadline.signal.addEventListener('abort', () => {
      finish();
      reject(noAnswer(timeoutMs / 1_000));
      client.destroy();
    });
    try {
      start((error, value) => {
        finish();
        if (error === null || error === undefined) resolve(value);
        else reject(error);
      });
    } catch (error) {
      finish();
      // A client that is closed already throws.
      reject(connectionLost(error));
    }
  });
}

function faultOf(error: unknown, place: string): SftpFault {
  if (!(error instanceof Error)) return connectionLost(error);
  if (error instanceof SftpFault) return error;
  const code = 'code' in error ? error.code : null;
  // Whatever is no answer of the server means that none will come.
  if (typeof code !== 'number') return connectionLost(error);
  if (code === NO_SUCH_FILE) return refusedByServer('not_found', place);
  return refusedByServer(code === PERMISSION_DENIED ? 'forbidden' : 'server_refused', place);
}
