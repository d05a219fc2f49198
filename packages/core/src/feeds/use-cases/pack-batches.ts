import { offerTextBytes, type FeedEntry } from '../../gost/index.ts';

export type BatchLimits = { readonly entriesMax: number; readonly bytesMax: number };
/** What an entry takes beside its content. */
const ENTRY_BYTES = 64;

const bytesOf = ({ externalId, content, errors }: FeedEntry): number =>
  ENTRY_BYTES +
  externalId.length * 2 +
  (content ? offerTextBytes(content) : 0) +
  errors.reduce(
    (sum, { code, path, message, value = '' }) =>
      sum + (code.length + path.length + message.length + value.length) * 2,
    0,
  );

/** Collects entries into batches within the limits. A larger entry makes a batch of its own. */
export const makePacker = ({ entriesMax, bytesMax }: BatchLimits) => {
  let waiting: FeedEntry[] = [];
  let bytes = 0;
  const take = (): readonly FeedEntry[] => {
    const batch = waiting;
    waiting = [];
    bytes = 0;
    return batch;
  };
  return {
    /** Full batches, in order. */
    add: (entry: FeedEntry): readonly (readonly FeedEntry[])[] => {
      const more = bytesOf(entry);
      const full = waiting.length > 0 && bytes + more > bytesMax ? [take()] : [];
      waiting.push(entry);
      bytes += more;
      return waiting.length >= entriesMax || bytes >= bytesMax ? [...full, take()] : full;
    },
    /** What is left; empty if there is nothing. */
    rest: (): readonly FeedEntry[] => take(),
  };
};
