import { err, ok, type Result } from 'neverthrow';
import { compressSync, uncompressSync } from 'lz4-napi';
import type { Malformed } from '@doska/core/kernel';
import { versioned } from './version-byte.ts';

/** The byte before a message: it stands there as it is, or compressed with LZ4 behind its length. */
const FORMAT = { plain: 1, lz4: 2 } as const;
/** Smaller ones gain little (a head of names and numbers an eighth), and a call of LZ4 costs as much as for twice as many. */
const BYTES_MIN = 1024;
/** No honest message is larger; a forged length must not cost memory. */
const BYTES_MAX = 16 << 20;
/** The length, as LZ4's block has it in front. */
const PREFIX = 4;

/** Compressed when it pays: otherwise reading would cost more than it saves. A copy in any case. */
export const compressed = (message: Buffer): Uint8Array => {
  if (message.length < BYTES_MIN) return versioned(FORMAT.plain, message);
  const smaller = compressSync(message);
  return smaller.length < message.length * 0.9
    ? versioned(FORMAT.lz4, smaller)
    : versioned(FORMAT.plain, message);
};

/** What `compressed` was given. */
export const uncompressed = (bytes: Uint8Array, what: string): Result<Uint8Array, Malformed> => {
  const malformed = (field: string): Result<never, Malformed> => err({ kind: 'Malformed', what, field });
  const body = bytes.subarray(1);
  if (bytes[0] === FORMAT.plain) return ok(body);
  if (bytes[0] !== FORMAT.lz4) return malformed('format');
  const buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (buffer.length < PREFIX || buffer.readUInt32LE(0) > BYTES_MAX) return malformed('length');
  try {
    // A block that was cut is unpacked as far as it goes.
    const message = uncompressSync(buffer);
    return message.length === buffer.readUInt32LE(0) ? ok(message) : malformed('compression');
  } catch {
    return malformed('compression');
  }
};
