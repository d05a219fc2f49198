import type { Codec, RecordHandler } from '../../kernel/index.ts';
import {
  malformedRecord,
  outOfBounds,
  retryLater,
  retryUnavailable,
  type ConsumerNeeds,
} from '../consumed-record.use-case.ts';
import { feedMessageViolations } from './feed-message-rules.ts';
import type { ApplyFeedMessage } from './apply-feed-message.use-case.ts';
import type { FeedMessage } from './feed-message.ts';

export type ConsumeFeedMessagesNeeds = ConsumerNeeds & {
  readonly applyFeedMessage: ApplyFeedMessage;
  readonly codec: Codec<FeedMessage>;
};

/** Handles `feed-offers`. */
export const makeConsumeFeedMessages =
  (needs: ConsumeFeedMessagesNeeds): RecordHandler =>
  async ({ value }) => {
    const message = needs.codec.decode(value);
    if (message.isErr()) return malformedRecord(message.error);
    const broken = feedMessageViolations(message.value);
    if (broken.length > 0) return outOfBounds(broken);
    const step = await needs.applyFeedMessage(message.value);
    if (step.isErr())
      return step.error.kind === 'Unavailable'
        ? retryUnavailable(needs, step.error)
        : retryLater(needs, step.error.kind);
    if (step.value === 'again') return { kind: 'again' };
    needs.onOutcome?.('answered');
    return { kind: 'done' };
  };
