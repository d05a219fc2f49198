import {
  defaultReadLimits,
  type FatalError,
  type FeedFormat,
  type RawOffer,
  type RawProblem,
  type ReadLimits,
} from '@doska/core/feeds';
import { okAsync } from 'neverthrow';
import { formatReader } from '../format-reader.ts';

async function* inChunks(content: Uint8Array, size: number) {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}
export type Outcome = {
  offers: RawOffer[];
  warnings: RawProblem[];
  fatal: FatalError | undefined;
  steps: number;
};
/** Reads a whole file in chunks of a size. */
export const read = async (
  file: string | Uint8Array,
  {
    format = 'auto',
    size = 7,
    limits = {},
    parsedFrom,
  }: { format?: FeedFormat; size?: number; limits?: Partial<ReadLimits>; parsedFrom?: string } = {},
): Promise<Outcome> => {
  const content = typeof file === 'string' ? new TextEncoder().encode(file) : file;
  const source = {
    bytes: content.length,
    read: (range: { from: number; to?: number } = { from: 0 }) =>
      okAsync(inChunks(content.subarray(range.from, range.to), size)),
  };
  const found: Outcome = { offers: [], warnings: [], fatal: undefined, steps: 0 };
  for await (const step of formatReader().read(source, {
    format,
    limits: { ...defaultReadLimits, ...limits },
    parsedFrom,
  })) {
    found.steps += 1;
    if (step.isErr()) {
      if (step.error.kind !== 'BrokenFile') throw new Error(step.error.what);
      found.fatal = step.error.fatal;
      break;
    }
    found.offers.push(...step.value.offers);
    found.warnings.push(...step.value.warnings);
  }
  return found;
};

export const offer = '<offer id="1"><title>T</title><category>c</category></offer>';
export const feed = (inside: string): string => `<feed>\n${inside}\n</feed>`;
