// One file inside the zip, as the zip's own directory describes it; nothing of this is believed until the bytes agree.

export type ZipEntry = {
  /** With `/` between folders and none in front. */
  readonly name: string;
  /** The name's bytes, which the entry's own header must repeat. */
  readonly nameBytes: Buffer;
  /** 0 for stored, 8 for deflated. */
  readonly method: 0 | 8;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly inflatedBytes: number;
  /** Where its own header starts, and where the next thing in the file does. */
  readonly start: number;
  readonly end: number;
};
