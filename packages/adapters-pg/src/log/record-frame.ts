import { err, ok, type Result } from 'neverthrow';
import type { LogRecord, RecordHeaders } from '@doska/core/kernel';

/*
 * A batch as bytes, its records one after another, big-endian:
 *   u32 size of the rest | u32 key length | key | u16 headers | (u32 length | name | u32 length | text)* | value
 */
export type FramedRecord = {
  readonly key: string;
  readonly headers: RecordHeaders;
  readonly value: Uint8Array;
};
const NO_HEADERS: RecordHeaders = Object.freeze({});

const headerEntries = (headers: RecordHeaders | undefined): readonly (readonly [string, string])[] =>
  headers ? Object.entries(headers) : [];

const sizeOf = ({ key, value, headers }: LogRecord): number => {
  let size = 10 + Buffer.byteLength(key) + value.byteLength;
  for (const [name, text] of headerEntries(headers))
    size += 8 + Buffer.byteLength(name) + Buffer.byteLength(text);
  return size;
};

/** The records of one partition, packed. */
export const packRecords = (records: readonly LogRecord[]): Buffer => {
  const sizes = records.map(sizeOf);
  const frame = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  records.forEach((record, i) => {
    const { key, value, headers } = record;
    const end = at + (sizes[i] ?? 0);
    frame.writeUInt32BE(end - at - 4, at);
    const keyBytes = frame.write(key, at + 8);
    frame.writeUInt32BE(keyBytes, at + 4);
    at += 8 + keyBytes;
    const entries = headerEntries(headers);
    frame.writeUInt16BE(entries.length, at);
    at += 2;
    for (const [name, text] of entries) {
      const nameBytes = frame.write(name, at + 4);
      frame.writeUInt32BE(nameBytes, at);
      const textBytes = frame.write(text, at + 8 + nameBytes);
      frame.writeUInt32BE(textBytes, at + 4 + nameBytes);
      at += 8 + nameBytes + textBytes;
    }
    frame.set(value, at);
    at = end;
  });
  return frame;
};

/** Leaves out the first `skip` records without looking into them. */
export const unpackRecords = (frame: Buffer, skip = 0): Result<FramedRecord[], 'damaged'> => {
  const records: FramedRecord[] = [];
  try {
    for (let at = 0, index = 0; at < frame.length; index++) {
      const end = at + 4 + frame.readUInt32BE(at);
      if (end > frame.length) return err('damaged');
      if (index >= skip) records.push(unpackOne(frame, at + 4, end));
      at = end;
    }
  } catch {
    return err('damaged'); // a length that points outside of the frame
  }
  return ok(records);
};
const unpackOne = (frame: Buffer, start: number, end: number): FramedRecord => {
  const keyEnd = start + 4 + frame.readUInt32BE(start);
  const key = frame.toString('utf8', start + 4, keyEnd);
  const count = frame.readUInt16BE(keyEnd);
  let at = keyEnd + 2;
  if (count === 0) return { key, headers: NO_HEADERS, value: frame.subarray(at, end) };
  const headers: Record<string, string> = {};
  for (let i = 0; i < count; i++) {
    const nameEnd = at + 4 + frame.readUInt32BE(at);
    const textEnd = nameEnd + 4 + frame.readUInt32BE(nameEnd);
    headers[frame.toString('utf8', at + 4, nameEnd)] = frame.toString('utf8', nameEnd + 4, textEnd);
    at = textEnd;
  }
  return { key, headers, value: frame.subarray(at, end) };
};
