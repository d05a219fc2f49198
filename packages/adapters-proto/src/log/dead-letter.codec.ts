import type { Codec, DeadLetter, Malformed } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import { DeadLetter as Pb } from '../generated/doska/log/v1/dead_letter.ts';
import { timestampFromMs, timestampToMs } from '../timestamps.mapper.ts';

/**
 * One version byte, then the message. 1 can't start a protobuf message (it would be field number 0), so bytes
 * that lack the version byte are never mistaken for ours.
 */
const VERSION = 1;

const malformed = (field: string): Result<never, Malformed> =>
  err({ kind: 'Malformed', what: 'DeadLetter', field });

const toDomain = (pb: Pb): Result<DeadLetter, Malformed> => {
  if (pb.position === undefined || pb.position.topic === '') return malformed('position');
  const offset = Number(pb.position.offset);
  if (!Number.isSafeInteger(offset)) return malformed('position.offset');
  const failedAtMs = pb.failedAt && timestampToMs(pb.failedAt);
  if (failedAtMs === undefined || !Number.isSafeInteger(failedAtMs)) return malformed('failed_at');
  return ok({
    position: { log: pb.position.log, topic: pb.position.topic, partition: pb.position.partition, offset },
    key: pb.key,
    // A copy: the decoded bytes are a view into the whole record.
    value: Uint8Array.from(pb.value),
    headers: Object.fromEntries(pb.headers.map(({ name, value }) => [name, value])),
    reason: pb.reason,
    attempts: pb.attempts,
    failedAtMs,
  });
};

const fromDomain = ({ position, headers, failedAtMs, ...same }: DeadLetter): Pb => ({
  ...same,
  position: { ...position, offset: BigInt(position.offset) },
  headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
  failedAt: timestampFromMs(failedAtMs),
});

export const deadLetterCodec: Codec<DeadLetter> = {
  encode: (letter) => {
    const body = Pb.encode(fromDomain(letter)).finish();
    const bytes = new Uint8Array(body.length + 1);
    bytes[0] = VERSION;
    bytes.set(body, 1);
    return bytes;
  },
  decode: (bytes) => {
    if (bytes[0] !== VERSION) return malformed('version');
    try {
      return toDomain(Pb.decode(bytes.subarray(1)));
    } catch {
      return malformed('message');
    }
  },
};
