// A zip written byte for byte, so that a test can have each kind of broken and hostile one as well as a sound one.
import { crc32, deflateRawSync } from 'node:zlib';

export type ZipPart = {
  readonly name: string;
  readonly data: string | Uint8Array;
  /** Deflated unless said otherwise. */
  readonly isStored?: boolean;
  /** Content that was compressed by the test. */
  readonly compressed?: Buffer;
  /** What the directory says instead of the truth. */
  readonly lies?: {
    readonly inflatedBytes?: number;
    readonly compressedBytes?: number;
    readonly crc32?: number;
    readonly flags?: number;
    readonly method?: number;
    readonly name?: string;
    /** The entry lies where this one does. */
    readonly start?: number;
  };
};

export function makeZip(parts: readonly ZipPart[], comment = ''): Buffer {
  const body: Buffer[] = [];
  const listed: Buffer[] = [];
  let at = 0;
  for (const part of parts) {
    const { local, central } = entryOf(part, at);
    body.push(local);
    listed.push(central);
    at += local.length;
  }
  const directory = Buffer.concat(listed);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...body, directory, end, Buffer.from(comment)]);
}

function entryOf(part: ZipPart, at: number): { readonly local: Buffer; readonly central: Buffer } {
  const data = Buffer.from(part.data);
  const packed = part.compressed ?? (part.isStored === true ? data : deflateRawSync(data));
  const { lies = {} } = part;
  const fields = {
    flags: lies.flags ?? 0,
    method: lies.method ?? (part.isStored === true ? 0 : 8),
    crc: lies.crc32 ?? crc32(data),
    packedBytes: lies.compressedBytes ?? packed.length,
    bytes: lies.inflatedBytes ?? data.length,
  };
  const local = Buffer.concat([headerOf(0x04034b50, 30, 6, fields, part.name), packed]);
  const central = headerOf(0x02014b50, 46, 8, fields, lies.name ?? part.name);
  central.writeUInt32LE(lies.start ?? at, 42);
  return { local, central };
}

type Fields = {
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
};

/** Both headers have the same fields in the same order, from `from` on. */
function headerOf(signature: number, length: number, from: number, fields: Fields, name: string): Buffer {
  const header = Buffer.alloc(length);
  header.writeUInt32LE(signature, 0);
  header.writeUInt16LE(fields.flags, from);
  header.writeUInt16LE(fields.method, from + 2);
  header.writeUInt32LE(fields.crc, from + 8);
  header.writeUInt32LE(fields.packedBytes, from + 12);
  header.writeUInt32LE(fields.bytes, from + 16);
  header.writeUInt16LE(Buffer.byteLength(name), from + 20);
  return Buffer.concat([header, Buffer.from(name)]);
}

/** The same zip as programs write it that expect more than four gigabytes: every size and place stands in the long fields. */
export function asZip64(zip: Buffer): Buffer {
  const end = zip.length - 22;
  const start = zip.readUInt32LE(end + 16);
  const count = zip.readUInt16LE(end + 10);
  const listed: Buffer[] = [];
  for (let at = start; at < end;) {
    const next = at + 46 + zip.readUInt16LE(at + 28);
    const entry = Buffer.from(zip.subarray(at, next));
    const extra = Buffer.alloc(28);
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(24, 2);
    [24, 20, 42].forEach((field, index) => {
      extra.writeBigUInt64LE(BigInt(entry.readUInt32LE(field)), 4 + index * 8);
      entry.writeUInt32LE(0xffffffff, field);
    });
    entry.writeUInt16LE(extra.length, 30);
    listed.push(entry, extra);
    at = next;
  }
  const directory = Buffer.concat(listed);
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(0x06064b50, 0);
  end64.writeBigUInt64LE(44n, 4);
  end64.writeBigUInt64LE(BigInt(count), 24);
  end64.writeBigUInt64LE(BigInt(count), 32);
  end64.writeBigUInt64LE(BigInt(directory.length), 40);
  end64.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(start + directory.length), 8);
  const full = Buffer.alloc(22, 0xff);
  full.writeUInt32LE(0x06054b50, 0);
  full.writeUInt16LE(0, 20);
  return Buffer.concat([zip.subarray(0, start), directory, end64, locator, full]);
}
