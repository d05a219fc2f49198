import type { Codec, DeadLetter, Malformed } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import { DeadLetter as Pb } from '../generated/doska/log/v1/dead_letter.ts';
import { versioned, withoutVersion } from '../version-byte.ts';
import { timestampFromMs, timestampToMs } from '../timestamps.mapper.ts';

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
  encode: (letter) => versioned(VERSION, Pb.encode(fromDomain(letter)).finish()),
  decode: (bytes) => {
    const body = withoutVersion(VERSION, bytes);
    if (!body) return malformed('version');
    try {
      return toDomain(Pb.decode(body));
    } catch {
      return malformed('message');
    }
  },
};
