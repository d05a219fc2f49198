import type { FeedPhotoErrors } from '../../gost/index.ts';
import type { Codec, RecordHandler } from '../../kernel/index.ts';
import type { PhotoErrors } from '../ports/feed-store.port.ts';

const RETRY_MS = 1_000;

/** Handles `feed-photo-errors`: each record is the whole list of one offer. */
export const makeConsumePhotoErrors =
  (photoErrors: PhotoErrors, codec: Codec<FeedPhotoErrors>): RecordHandler =>
  async ({ value }) => {
    const told = codec.decode(value);
    if (told.isErr()) return { kind: 'poison', reason: `Malformed: ${told.error.what}` };
    const { seller, source, offerId, errors } = told.value;
    const offer = { offerId, externalId: source.externalId };
    const done = await photoErrors.replace({ seller, namespace: source.namespace }, offer, errors);
    return done.match(
      () => ({ kind: 'done' as const }),
      ({ what, retryable }) => ({
        kind: 'retry' as const,
        afterMs: RETRY_MS,
        reason: what,
        lasting: !retryable,
      }),
    );
  };
