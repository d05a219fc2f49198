import { shardOf } from '../../kernel/index.ts';
import type { FeedProgress } from './feed.ts';
import type { FeedAnswer } from './feed-message.ts';
import { fittingAnswer } from './fitting-answer.ts';
import type { OutboxRecord } from '../offer/offer-change.ts';
import { FEED_RESULTS } from '../export/export-queue.port.ts';
import type { FlowCodecs } from '../flow-codecs.port.ts';

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
        shard: shardOf(seller, shards),
        atUs: answeredAtUs,
        topic: FEED_RESULTS,
        key: seller,
        id: namespace,
        value: codecs.feedResults.encode(fittingAnswer(answer)),
      },
    ],
  };
};
