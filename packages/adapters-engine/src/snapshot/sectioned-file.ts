import { open, rename, rm } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/** Number arrays by their names in a file. All machines we run on are little-endian. */
const ARRAYS = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
};
export type NumberArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;
export type ArrayKind = keyof typeof ARRAYS;

export const kindOf = (array: NumberArray): ArrayKind =>
  (Object.keys(ARRAYS) as ArrayKind[]).find((kind) => array instanceof ARRAYS[kind])!;

/** A named array; `chunks` are its bytes in order, made when they are asked for. */
export type Section = {
  readonly name: string;
  readonly kind: ArrayKind;
  readonly chunks: Iterable<Uint8Array>;
};
/** What a file must be: its size and the CRC-32 in its trailer. */
export type FileNote = { readonly file: string; readonly bytes: number; readonly crc: number };

const MAGIC = 0x4b534f44;
const TRAILER_BYTES = 16;
const CHUNK_BYTES = 1 << 20;
const ALIGNED = 8;

const bytesOf = (array: NumberArray): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
export function* inChunks(array: NumberArray): Iterable<Uint8Array> {
  const bytes = bytesOf(array);
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}
export const section = (name: string, array: NumberArray): Section => ({
  name,
  kind: kindOf(array),
  chunks: inChunks(array),
});

export class DamagedFile extends Error {}

/**
 * Sections, then a table of them with `meta`, then a trailer with the table's length and the checksum of all before.
 * Written beside, synced and renamed: under its name there is a whole file or none. Waits after every chunk, so
 * other work of the thread continues.
 */
export const writeSections = async (
  folder: string,
  file: string,
  meta: unknown,
  sections: Iterable<Section>,
): Promise<FileNote> => {
  const beside = `${folder}/${file}.part`;
  const out = await open(beside, 'w', 0o600);
  let at = 0;
  let crc = 0;
  const put = async (bytes: Uint8Array): Promise<void> => {
    crc = crc32(bytes, crc);
    for (let from = 0; from < bytes.length;) from += (await out.write(bytes, from)).bytesWritten;
    at += bytes.length;
  };
  try {
    const table: { name: string; kind: ArrayKind; at: number; bytes: number }[] = [];
    for (const { name, kind, chunks } of sections) {
      const start = at;
      for (const chunk of chunks) await put(chunk);
      table.push({ name, kind, at: start, bytes: at - start });
      if (at % ALIGNED > 0) await put(new Uint8Array(ALIGNED - (at % ALIGNED)));
    }
    const end = Buffer.from(JSON.stringify({ meta, table }));
    await put(end);
    const trailer = Buffer.alloc(TRAILER_BYTES);
    trailer.writeUInt32LE(MAGIC, 0);
    trailer.writeUInt32LE(end.length, 4);
    trailer.writeUInt32LE(at, 8);
    await put(trailer.subarray(0, TRAILER_BYTES - 4));
    trailer.writeUInt32LE(crc, TRAILER_BYTES - 4);
    const note = { file, bytes: at + 4, crc };
    await out.write(trailer, TRAILER_BYTES - 4, 4);
    await out.sync();
    await out.close();
    await rename(beside, `${folder}/${file}`);
    return note;
  } catch (cause) {
    await out.close().catch(() => undefined);
    await rm(beside, { force: true }).catch(() => undefined);
    throw cause;
  }
};

export type SectionedFile = {
  readonly meta: unknown;
  readonly note: FileNote;
  /** A view on the file's bytes: nothing is copied. */
  readonly array: {
    (name: string): NumberArray;
    readonly has: (name: string) => boolean;
  };
};

/** Reads a file into memory and believes nothing of it before its checksum. Throws `DamagedFile` for what is not whole. */
export const readSections = async (
  folder: string,
  file: string,
  expected?: FileNote,
): Promise<SectionedFile> => {
  const input = await open(`${folder}/${file}`, 'r');
  try {
    const { size } = await input.stat();
    if (size < TRAILER_BYTES || (expected && expected.bytes !== size))
      throw new DamagedFile(`${file}: ${size} bytes`);
    const bytes = Buffer.from(new ArrayBuffer(size));
    let crc = 0;
    for (let at = 0; at < size;) {
      const { bytesRead } = await input.read(bytes, at, Math.min(8 * CHUNK_BYTES, size - at), at);
      if (bytesRead === 0) throw new DamagedFile(`${file} ends at ${at}`);
      const last = Math.min(at + bytesRead, size - 4);
      if (last > at) crc = crc32(bytes.subarray(at, last), crc);
      at += bytesRead;
    }
    const trailer = bytes.subarray(size - TRAILER_BYTES);
    if (
      trailer.readUInt32LE(0) !== MAGIC ||
      trailer.readUInt32LE(12) !== crc ||
      (expected && expected.crc !== crc)
    )
      throw new DamagedFile(`${file}: checksum`);
    const end = size - TRAILER_BYTES;
    const { meta, table } = JSON.parse(bytes.toString('utf8', end - trailer.readUInt32LE(4), end)) as {
      meta: unknown;
      table: { name: string; kind: ArrayKind; at: number; bytes: number }[];
    };
    const places = new Map(table.map((one) => [one.name, one]));
    const array = (name: string): NumberArray => {
      const found = places.get(name);
      if (!found) throw new DamagedFile(`${file} lacks ${name}`);
      const Kind = ARRAYS[found.kind];
      return new Kind(bytes.buffer, found.at, found.bytes / Kind.BYTES_PER_ELEMENT);
    };
    return {
      meta,
      note: { file, bytes: size, crc },
      array: Object.assign(array, { has: (name: string) => places.has(name) }),
    };
  } finally {
    await input.close();
  }
};

/** A name is durable when its folder is. */
export const syncFolder = async (folder: string): Promise<void> => {
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
};
