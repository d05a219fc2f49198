import type { FeedKey } from '../autoload/feed.ts';
import type { FeedBatch, FeedEntry, FeedTerminal } from '../autoload/feed-message.ts';
import type { OfferContent } from '../offer/offer.ts';
import { sampleContent, sampleSeller } from './samples.ts';

export const sampleFeed = (namespace = 'main', seller = sampleSeller()): FeedKey => ({ seller, namespace });
/** The n-th offer of a feed; it stands at the n-th place. */
export const feedEntry = (
  n: number,
  content: Partial<OfferContent> | undefined = {},
  change: Partial<FeedEntry> = {},
): FeedEntry => ({
  ordinal: n,
  externalId: `ext-${n}`,
  line: n + 1,
  geo: undefined,
  errors: [],
  content: sampleContent({ title: `Feed ${n}`, ...content }),
  ...change,
});
export const feedBatch = (
  task: number,
  batch: number,
  entries: readonly FeedEntry[],
  change: Partial<FeedBatch> = {},
): FeedBatch => ({ ...sampleFeed(), kind: 'batch', task, generation: task, batch, entries, ...change });
export const feedTerminal = (
  task: number,
  batches: number,
  offers: number,
  change: Partial<FeedTerminal> = {},
): FeedTerminal => ({
  ...sampleFeed(),
  kind: 'terminal',
  task,
  generation: task,
  batches,
  offers,
  reason: 'loaded',
  absent: 'remove',
  force: false,
  ...change,
});
