import { utf8Bytes } from '../../kernel/index.ts';
import { contentBytes, type Offer } from './offer.ts';

/** What one answer holds: the default client of gRPC takes four megabytes. A part of the contract. */
export const ANSWER_BYTES_MAX = 3 << 20;

/** Of ids, times and names of fields. */
const OVERHEAD_BYTES = 1_000;
const textsBytes = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + utf8Bytes(text) + 8, 0);
/** About what an offer takes in an answer, rather more than less. */
export const offerBytes = ({ content, ban, images, geo }: Offer): number =>
  OVERHEAD_BYTES +
  contentBytes(content) +
  textsBytes(ban?.reasons ?? []) +
  textsBytes(images.map(({ outcome }) => (outcome.kind === 'ready' ? outcome.imageId : outcome.reason))) +
  images.length * 16 +
  textsBytes(geo?.metro ?? []);

/** How many of the first items fit into one answer: at least one, if there is any. */
export const countFitting = <T>(
  items: readonly T[],
  bytesOf: (item: T) => number,
  bytesMax: number = ANSWER_BYTES_MAX,
): number => {
  let bytes = 0;
  const over = items.findIndex((item) => (bytes += bytesOf(item)) > bytesMax);
  return over < 0 ? items.length : Math.max(1, over);
};
