import { shardOf } from '../../kernel/index.ts';
import type { FeedProgress } from '../domain/feed.ts';
import type { FeedAnswer } from '../domain/feed-message.ts';
import type { OutboxRecord } from '../domain/offer-change.ts';
import { FEED_RESULTS } from '../ports/export-queue.port.ts';
import type { FlowCodecs } from '../ports/flow-codecs.port.ts';

/** The answer as a record of the commit, and the progress that remembers when: answers of a feed strictly follow each other. */
export const withAnswer = (
  progress: FeedProgress,
  answer: FeedAnswer,
  {
    nowUs,
    shards,
    codecs,
  }: { readonly nowUs: number; readonly shards: number; readonly codecs: Pick<FlowCodecs, 'feedResults'> },
): { readonly progress: FeedProgress; readonly outbox: readonly OutboxRecord[] } => {
  const answeredAtUs = Math.max(nowUs, progress.answeredAtUs + 1);
  const { seller, namespace } = answer;
  return {
    progress: { ...progress, answeredAtUs },
    outbox: [
      {
        ...{
          shard: shardOf(seller, shards),
          atUs: answeredAtUs,
          topic: FEED_RESULTS,
          key: seller,
          id: namespace,
        },
        value: codecs.feedResults.encode(answer),
      },
    ],
  };
};
