import type { Codec, Malformed } from '@doska/core/kernel';
import type { SnippetRetry } from '@doska/core/snippets';
import { err, ok, type Result } from 'neverthrow';
import { SnippetRetry as Pb } from '../generated/doska/snippets/v1/retry.ts';
import { timestampFromMs, timestampToMs } from '../timestamps.mapper.ts';
import { versioned, withoutVersion } from '../version-byte.ts';

const VERSION = 1;

const malformed = (field: string): Result<never, Malformed> =>
  err({ kind: 'Malformed', what: 'SnippetRetry', field });

const toDomain = (pb: Pb): Result<SnippetRetry, Malformed> => {
  if (pb.section === '') return malformed('section');
  if (pb.position === undefined || pb.position.topic === '') return malformed('position');
  const offset = Number(pb.position.offset);
  if (!Number.isSafeInteger(offset)) return malformed('position.offset');
  const appendedMs = pb.appendedAt && timestampToMs(pb.appendedAt);
  if (appendedMs === undefined || !Number.isSafeInteger(appendedMs)) return malformed('appended_at');
  const notBeforeMs = pb.notBefore && timestampToMs(pb.notBefore);
  if (notBeforeMs === undefined || !Number.isSafeInteger(notBeforeMs)) return malformed('not_before');
  const { log, topic, partition } = pb.position;
  return ok({
    section: pb.section,
    position: { log, topic, partition, offset },
    appendedMs,
    key: pb.key,
    // A copy: the decoded bytes are a view into the whole record.
    value: Uint8Array.from(pb.value),
    headers: Object.fromEntries(pb.headers.map(({ name, value }) => [name, value])),
    attempt: pb.attempt,
    notBeforeMs,
    reason: pb.reason,
  });
};

const fromDomain = (retry: SnippetRetry): Pb => ({
  section: retry.section,
  position: { ...retry.position, offset: BigInt(retry.position.offset) },
  appendedAt: timestampFromMs(retry.appendedMs),
  key: retry.key,
  value: retry.value,
  headers: Object.entries(retry.headers).map(([name, value]) => ({ name, value })),
  attempt: retry.attempt,
  notBefore: timestampFromMs(retry.notBeforeMs),
  reason: retry.reason,
});

/** The values of `snippets-retries`. */
export const snippetRetryCodec: Codec<SnippetRetry> = {
  encode: (retry) => versioned(VERSION, Pb.encode(fromDomain(retry)).finish()),
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
