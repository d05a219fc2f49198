import type { Codec } from '../kernel/index.ts';
import type { PhotoResult } from '../photos/index.ts';
import type { FeedAnswer, FeedMessage } from './autoload/feed-message.ts';
import type { ModerationOpinion } from './moderation/opinion.ts';

/** How the messages that flow into the offer store, and its answers, become bytes. */
export type FlowCodecs = {
  readonly feedOffers: Codec<FeedMessage>;
  readonly feedResults: Codec<FeedAnswer>;
  readonly opinions: Codec<ModerationOpinion>;
  readonly photoResults: Codec<PhotoResult>;
};
