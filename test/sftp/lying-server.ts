// An SFTP server that does not keep to what it says: names that lead elsewhere, sizes and kinds that are not so, bytes that are others each time,
// renames that were never made, listings without an end. What lies in its folder `/out` is told and given as it is.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { posix } from 'node:path';

import ssh2, { type Attributes, type Connection, type SFTPWrapper } from 'ssh2';

const { Server, utils } = ssh2;
const { STATUS_CODE, OPEN_MODE } = utils.sftp;

export const LIES_OF = {
  listed: ['file', 'file', 'file', 'file', 'link', 'folder', 'device', 'nothing'],
  size: ['true', 'true', 'true', 'less', 'more', 'huge', 'none'],
  time: ['true', 'true', 'moving', 'none'],
  reading: ['whole', 'whole', 'whole', 'other', 'short', 'long', 'drip', 'refused'],
  standing: ['same', 'same', 'same', 'gone', 'link', 'folder', 'larger', 'refused'],
  renaming: ['done', 'refused', 'claimed', 'undone'],
} as const;

/** A file of the folder `/lies`, and what the server says and does about it. */
export type Lie = {
  readonly name: string;
  readonly content: Buffer;
} & { readonly [Key in keyof typeof LIES_OF]: (typeof LIES_OF)[Key][number] };

export const LISTINGS = ['plain', 'plain', 'plain', 'twice', 'empty', 'endless', 'refused', 'loop'] as const;

export type LyingServerOptions = {
  readonly lies: readonly Lie[];
  readonly listing: (typeof LISTINGS)[number];
  /** The first connections end after so many requests each. */
  readonly breaks: readonly number[];
};

export type LyingServer = {
  readonly port: number;
  /** Fingerprint of its key. */
  readonly hostKey: string;
  /** What lies in the folders that it tells the truth about, by path. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** Lays a file down; `path` is absolute. */
  readonly lay: (path: string, content: Buffer) => void;
  readonly requests: () => number;
  readonly close: () => Promise<void>;
};

const FILE = 0o100600;
const KINDS = { file: FILE, link: 0o120777, folder: 0o040700, device: 0o020600 } as const;
const TIME_S = 1_780_000_000;
const LIES = '/lies';
/** A listing without an end comes in pieces of a usual size, so that it is soon too long. */
const ENDLESS_AT_ONCE = 100;

export async function startLyingServer(options: LyingServerOptions): Promise<LyingServer> {
  const { private: privateKey, public: publicKey } = utils.generateKeyPairSync('ed25519');
  const world = new World(options);
  const open = new Set<Connection>();
  const server = new Server({ hostKeys: [privateKey] }, (client) => {
    open.add(client);
    const breakAfter = options.breaks[world.connections] ?? Infinity;
    world.connections += 1;
    client.on('authentication', (context) => context.accept());
    client.on('close', () => open.delete(client));
    client.on('error', () => undefined);
    client.on('session', (accept) =>
      accept().on('sftp', (acceptSftp) => new Session(world, acceptSftp(), () => client.end(), breakAfter)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const blob = Buffer.from(publicKey.split(' ')[1] ?? '', 'base64');
  return {
    port: (server.address() as AddressInfo).port,
    hostKey: `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`,
    files: world.files,
    lay: (path, content) => void world.files.set(path, content),
    requests: () => world.requests,
    close: async () => {
      for (const client of open) client.end();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/** What all connections see. */
class World {
  readonly files = new Map<string, Buffer>();
  readonly folders = new Set(['/', '/out', '/in', LIES]);
  readonly options: LyingServerOptions;
  readonly moved = new Set<string>();
  connections = 0;
  requests = 0;

  constructor(options: LyingServerOptions) {
    this.options = options;
  }

  /** Also below a folder that leads back to itself. */
  lie(path: string): Lie | undefined {
    if (!path.startsWith(`${LIES}/`) || this.moved.has(path)) return undefined;
    return this.options.lies.find(({ name }) => path === `${LIES}/${name}` || path.endsWith(`/loop/${name}`));
  }
}

type Open =
  | { readonly kind: 'folder'; readonly path: string; pieces: number }
  | { readonly kind: 'reading'; readonly path: string }
  | { readonly kind: 'writing'; readonly path: string; readonly chunks: Buffer[] };

/** Each request is answered, once. */
const SAID = Symbol('said');
type Said = typeof SAID;

class Session {
  readonly #world: World;
  readonly #sftp: SFTPWrapper;
  readonly #handles = new Map<number, Open>();
  #next = 1;

  constructor(world: World, sftp: SFTPWrapper, end: () => void, breakAfter: number) {
    this.#world = world;
    this.#sftp = sftp;
    let requests = 0;
    const on = (event: string, answer: (id: number, ...rest: never[]) => Said): void => {
      sftp.on(event as 'OPEN', (id: number, ...rest: unknown[]) => {
        requests += 1;
        world.requests += 1;
        if (requests > breakAfter) end();
        else answer(id, ...(rest as never[]));
      });
    };
    on('OPENDIR', this.#openFolder);
    on('READDIR', this.#list);
    on('LSTAT', this.#stat);
    on('STAT', this.#stat);
    on('OPEN', this.#open);
    on('READ', this.#read);
    on('WRITE', this.#write);
    on('CLOSE', this.#close);
    on('REMOVE', this.#remove);
    on('RENAME', this.#rename);
    on('MKDIR', (id, path: string) => {
      world.folders.add(path);
      return this.#say(id, 'OK');
    });
  }

  #say(id: number, status: keyof typeof STATUS_CODE): Said {
    this.#sftp.status(id, STATUS_CODE[status]);
    return SAID;
  }

  #tell(id: number, told: Attributes): Said {
    this.#sftp.attrs(id, told);
    return SAID;
  }

  #give(id: number, bytes: Buffer): Said {
    this.#sftp.data(id, bytes);
    return SAID;
  }

  #name(id: number, names: readonly ReturnType<typeof entry>[]): Said {
    this.#sftp.name(id, [...names]);
    return SAID;
  }

  #keep(id: number, open: Open): Said {
    const handle = Buffer.alloc(4);
    handle.writeUInt32BE(this.#next);
    this.#handles.set(this.#next, open);
    this.#next += 1;
    this.#sftp.handle(id, handle);
    return SAID;
  }

  readonly #openFolder = (id: number, path: string): Said => {
    const isLoop = this.#world.options.listing === 'loop' && path.startsWith(LIES);
    if (path === LIES && this.#world.options.listing === 'refused') return this.#say(id, 'PERMISSION_DENIED');
    return isLoop || this.#world.folders.has(path) || this.#world.lie(path)?.listed === 'folder'
      ? this.#keep(id, { kind: 'folder', path, pieces: 0 })
      : this.#say(id, 'NO_SUCH_FILE');
  };

  readonly #list = (id: number, handle: Buffer): Said => {
    const open = this.#handles.get(handle.readUInt32BE());
    if (open?.kind !== 'folder') return this.#say(id, 'FAILURE');
    open.pieces += 1;
    const { listing } = this.#world.options;
    const isLying = open.path.startsWith(LIES);
    const pieces = isLying && listing === 'endless' ? Infinity : isLying && listing === 'twice' ? 2 : 1;
    if (open.pieces > pieces) return this.#say(id, 'EOF');
    const names = isLying ? this.#lies(open) : this.#truths(open.path);
    if (names.length === 0) return this.#say(id, 'EOF');
    if (!isLying) return this.#name(id, names);
    const times = listing === 'empty' ? 0 : listing === 'endless' ? ENDLESS_AT_ONCE : 1;
    return this.#name(id, Array.from({ length: times }, () => names).flat());
  };

  #truths(folder: string) {
    return [...this.#world.files]
      .filter(([path]) => posix.dirname(path) === folder)
      .map(([path, content]) => entry(posix.basename(path), attrs(FILE, content.length, TIME_S)));
  }

  #lies({ path, pieces }: { readonly path: string; readonly pieces: number }) {
    const { lies, listing } = this.#world.options;
    const all = lies
      .filter(({ name }) => !this.#world.moved.has(`${path}/${name}`))
      .map((lie) => entry(lie.name, said(lie, pieces)));
    return listing === 'loop' ? [...all, entry('loop', attrs(KINDS.folder, 0, TIME_S))] : all;
  }

  readonly #stat = (id: number, path: string): Said => {
    const lie = this.#world.lie(path);
    if (lie !== undefined) return this.#statOf(id, lie);
    const content = this.#world.files.get(path);
    if (content !== undefined) return this.#tell(id, attrs(FILE, content.length, TIME_S));
    return this.#world.folders.has(path)
      ? this.#tell(id, attrs(KINDS.folder, 0, TIME_S))
      : this.#say(id, 'NO_SUCH_FILE');
  };

  #statOf(id: number, lie: Lie): Said {
    const told = said(lie, 1);
    switch (lie.standing) {
      case 'same':
        return this.#tell(id, told);
      case 'gone':
        return this.#say(id, 'NO_SUCH_FILE');
      case 'refused':
        return this.#say(id, 'PERMISSION_DENIED');
      case 'larger':
        return this.#tell(id, { ...told, size: lie.content.length + this.#world.requests });
      case 'link':
      case 'folder':
        return this.#tell(id, { ...told, mode: KINDS[lie.standing] });
    }
  }

  readonly #open = (id: number, path: string, flags: number): Said => {
    if ((flags & OPEN_MODE.WRITE) !== 0) return this.#keep(id, { kind: 'writing', path, chunks: [] });
    if (this.#world.lie(path)?.reading === 'refused') return this.#say(id, 'PERMISSION_DENIED');
    if (this.#world.lie(path) === undefined && !this.#world.files.has(path))
      return this.#say(id, 'NO_SUCH_FILE');
    return this.#keep(id, { kind: 'reading', path });
  };

  readonly #read = (id: number, handle: Buffer, offset: number, length: number): Said => {
    const open = this.#handles.get(handle.readUInt32BE());
    if (open?.kind !== 'reading') return this.#say(id, 'FAILURE');
    const lie = this.#world.lie(open.path);
    const piece =
      lie === undefined
        ? (this.#world.files.get(open.path) ?? Buffer.alloc(0)).subarray(offset, offset + length)
        : pieceOf(lie, offset, length, this.#world.requests);
    return piece.length === 0 ? this.#say(id, 'EOF') : this.#give(id, piece);
  };

  readonly #write = (id: number, handle: Buffer, _offset: number, data: Buffer): Said => {
    const open = this.#handles.get(handle.readUInt32BE());
    if (open?.kind === 'writing') open.chunks.push(Buffer.from(data));
    return this.#say(id, 'OK');
  };

  readonly #close = (id: number, handle: Buffer): Said => {
    const open = this.#handles.get(handle.readUInt32BE());
    if (open?.kind === 'writing') this.#world.files.set(open.path, Buffer.concat(open.chunks));
    this.#handles.delete(handle.readUInt32BE());
    return this.#say(id, 'OK');
  };

  readonly #remove = (id: number, path: string): Said => {
    const { renaming } = this.#world.lie(path) ?? {};
    if (renaming === 'refused') return this.#say(id, 'PERMISSION_DENIED');
    if (renaming === 'done') this.#world.moved.add(path);
    this.#world.files.delete(path);
    return this.#say(id, 'OK');
  };

  readonly #rename = (id: number, from: string, to: string): Said => {
    const lie = this.#world.lie(from);
    const content = this.#world.files.get(from);
    if (content !== undefined) {
      this.#world.files.delete(from);
      this.#world.files.set(to, content);
    }
    if (lie?.renaming === 'refused') return this.#say(id, 'FAILURE');
    if (lie?.renaming === 'done' || lie?.renaming === 'undone') this.#world.moved.add(from);
    return this.#say(id, lie?.renaming === 'undone' ? 'FAILURE' : 'OK');
  };
}

function entry(filename: string, told: Attributes) {
  return { filename, longname: filename, attrs: told };
}

/** The protocol lets a server leave any of them out. */
function attrs(mode: number | null, size: number | null, mtime: number | null): Attributes {
  return {
    ...(mode === null ? {} : { mode }),
    ...(size === null ? {} : { size }),
    ...(mtime === null ? {} : { atime: mtime, mtime }),
  } as Attributes;
}

function said({ listed, size, time, content }: Lie, look: number): Attributes {
  const bytes = {
    true: content.length,
    less: Math.floor(content.length / 2),
    more: content.length + 100_000,
    huge: 2 ** 52,
    none: null,
  }[size];
  const at = { true: TIME_S, moving: TIME_S + look, none: null }[time];
  return attrs(listed === 'nothing' ? null : KINDS[listed], bytes, at);
}

/** So slow, and still at its end soon on a busy machine: it is asked for several times. */
const PIECES = 200;

function pieceOf({ reading, content }: Lie, offset: number, length: number, salt: number): Buffer {
  switch (reading) {
    case 'other':
      return Buffer.alloc(length, String(salt));
    case 'short':
      return content.subarray(0, content.length - 1).subarray(offset, offset + length);
    case 'long':
      return Buffer.concat([content.subarray(offset), Buffer.alloc(length, 'x')]);
    case 'drip':
      return content.subarray(offset, offset + Math.ceil(content.length / PIECES));
    case 'whole':
    case 'refused':
      return content.subarray(offset, offset + length);
  }
}
