import type { FeedSource } from '@doska/core/feeds';
import type { Unavailable } from '@doska/core/kernel';

/** Thrown when the store of files fails in between. */
export class SourceAway extends Error {
  readonly reason: Unavailable;
  constructor(reason: Unavailable) {
    super(reason.what);
    this.reason = reason;
  }
}
/** The bytes of a range. Throws `SourceAway`. */
export const openSource = async (
  source: FeedSource,
  range?: Parameters<FeedSource['read']>[0],
): Promise<AsyncIterable<Uint8Array>> => {
  const chunks = await source.read(range);
  if (chunks.isErr()) throw new SourceAway(chunks.error);
  return chunks.value;
};
