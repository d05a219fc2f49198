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

/** An upper bound of the size: a UTF-16 unit takes at most 3 bytes of UTF-8. */
const roomFor = (records: readonly LogRecord[]): number => {
  let room = 0;
  for (const { key, value, headers } of records) {
    room += 10 + 3 * key.length + value.byteLength;
    for (const name in headers) room += 8 + 3 * (name.length + (headers[name]?.length ?? 0));
  }
  return room;
};
/** Keys are short and mostly ASCII: writing them here is cheaper than a call into the runtime. */
const SHORT = 64;
const writeText = (frame: Buffer, text: string, at: number): number => {
  const { length } = text;
  if (length > SHORT) return frame.write(text, at);
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) return frame.write(text, at);
    frame[at + i] = unit;
  }
  return length;
};
/** Writes u32 length | text; returns where it ends. */
const writeSized = (frame: Buffer, text: string, at: number): number => {
  const bytes = writeText(frame, text, at + 4);
  frame.writeUInt32BE(bytes, at);
  return at + 4 + bytes;
};
const writeHeaders = (frame: Buffer, headers: RecordHeaders | undefined, start: number): number => {
  let count = 0;
  let at = start + 2;
  for (const name in headers) {
    at = writeSized(frame, headers[name] ?? '', writeSized(frame, name, at));
    count++;
  }
  frame.writeUInt16BE(count, start);
  return at;
};

/** The records of one partition, packed. */
export const packRecords = (records: readonly LogRecord[]): Buffer => {
  const frame = Buffer.allocUnsafe(roomFor(records));
  let at = 0;
  for (const { key, value, headers } of records) {
    const start = at;
    at = writeHeaders(frame, headers, writeSized(frame, key, start + 4));
    frame.set(value, at);
    at += value.byteLength;
    frame.writeUInt32BE(at - start - 4, start);
  }
  return frame.subarray(0, at);
};

/** Skips the first `skip` records without decoding them. */
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
  if (count === 0) return { key, headers: NO_HEADERS, value: valueOf(frame, at, end) };
  const headers: [string, string][] = [];
  for (let i = 0; i < count; i++) {
    const nameEnd = at + 4 + frame.readUInt32BE(at);
    const textEnd = nameEnd + 4 + frame.readUInt32BE(nameEnd);
    headers.push([frame.toString('utf8', at + 4, nameEnd), frame.toString('utf8', nameEnd + 4, textEnd)]);
    at = textEnd;
  }
  // Assigned one by one, a header named `__proto__` would be lost.
  return { key, headers: Object.fromEntries(headers), value: valueOf(frame, at, end) };
};
/** The key and the headers must not reach into the next record. */
const valueOf = (frame: Buffer, at: number, end: number): Uint8Array => {
  if (at > end) throw new RangeError('a length that points outside of the record');
  return frame.subarray(at, end);
};
