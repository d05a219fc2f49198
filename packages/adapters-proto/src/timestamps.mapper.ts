import type { Timestamp } from './generated/google/protobuf/timestamp.ts';

/** Whole milliseconds since the epoch, also before it: `nanos` always counts forward. */
export const timestampFromMs = (ms: number): Timestamp => {
  const seconds = Math.floor(ms / 1000);
  return { seconds: BigInt(seconds), nanos: (ms - seconds * 1000) * 1_000_000 };
};

/** Finer parts than a millisecond are dropped. */
export const timestampToMs = ({ seconds, nanos }: Timestamp): number =>
  Number(seconds) * 1000 + Math.floor(nanos / 1_000_000);
