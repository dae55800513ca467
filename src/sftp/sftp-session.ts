// What can be done with a remote file or folder, each with its bounds: the other side is not ours, and may answer anything.
import { readFile } from './read-remote.ts';
import { listFolder, statPath, type RemoteEntry, type RemoteFile } from './list-remote.ts';
import type { RemoteRequests } from './remote-requests.ts';
import { createFolders, removeFile, renameFile, replaceFile } from './move-remote.ts';
import { freeBytes, writeFile } from './write-remote.ts';

export type SftpSession = ReturnType<typeof sftpSession>;

/** @param hostKey the fingerprint that the server has shown. */
export function sftpSession(requests: RemoteRequests, hostKey: string) {
  return {
    hostKey,
    /** The entries of one folder. Throws `SftpFault` when there are more than `most`. */
    list: (folder: string, most: number): Promise<readonly RemoteEntry[]> =>
      listFolder(requests, folder, most),
    /** Null when nothing is there; links are not followed. */
    stat: (path: string): Promise<RemoteFile | null> => statPath(requests, path),
    /** Exactly the first `bytes` of a file. Throws `file_changed` when there are fewer. */
    read: (path: string, bytes: number): AsyncIterable<Uint8Array> => readFile(requests, path, bytes),
    /** Writes a file anew, whole, and has the server put it on its disk where it can. Gives its bytes. */
    write: (path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> =>
      writeFile(requests, path, chunks),
    /** Fails where something has the new name. */
    rename: (from: string, to: string): Promise<void> => renameFile(requests, from, to),
    /** Takes the place of what has the new name. */
    replace: (from: string, to: string): Promise<void> => replaceFile(requests, from, to),
    /** What has gone is removed already. */
    remove: (path: string): Promise<void> => removeFile(requests, path),
    /** Creates a folder and those above it. */
    createFolders: (path: string): Promise<void> => createFolders(requests, path),
    /** What is left on the server's disk; null where it does not tell. */
    freeBytes: (path: string): Promise<number | null> => freeBytes(requests, path),
    close: requests.close,
  };
}
