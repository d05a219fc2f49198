import {
  aborted,
  delayMs,
  sleep,
  type SubscribeOptions,
  type Subscription,
  type SubscriptionFailure,
  type TopicInfo,
} from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import { Membership, type MemberNeeds } from './membership.ts';

/** A member of a group for as long as it is wanted: a crashed consumer is replaced, a stuck one ends it. */
export const subscribeToKafka = (needs: MemberNeeds, options: SubscribeOptions): Subscription => {
  const { clock, random, settings, topics } = needs;
  const { group, topic: topicName } = options;
  const logger = needs.logger.child({ group, topic: topicName });
  const over = new AbortController();
  let failure: SubscriptionFailure | undefined;
  let drainMs = settings.drainMs;
  let livedAtMs = clock.nowMs();

  const fail = (why: SubscriptionFailure): void => {
    if (over.signal.aborted) return;
    failure = why;
    logger.error('subscription can not go on', { failure: why });
    over.abort();
  };
  const signOfLife = (): void => {
    livedAtMs = clock.nowMs();
  };
  const retryLater = (attempt: number): Promise<void> =>
    sleep(clock, delayMs(settings.retry, attempt, random), over.signal);

  const findTopic = async (): Promise<TopicInfo | undefined> => {
    for (let attempt = 1; !over.signal.aborted; attempt++) {
      const found = await topics.fresh(topicName);
      signOfLife();
      if (found.isOk()) return found.value;
      if (found.error.kind === 'UnknownTopic') fail(found.error);
      else await retryLater(attempt);
    }
    return undefined;
  };
  /** Looks a few times in the allowed silence. */
  const watch = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await sleep(clock, settings.stallMs / 4, over.signal);
      const silentMs = clock.nowMs() - livedAtMs;
      if (silentMs > settings.stallMs) fail({ kind: 'Stalled', topic: topicName, silentMs });
    }
  };
  const live = async (topic: TopicInfo): Promise<boolean> => {
    const membership = new Membership({ ...needs, logger }, options, topic, { fail, signOfLife });
    membership.session.start();
    const crash = await Promise.race([
      membership.session.crashed.then((cause) => ({ cause })),
      aborted(over.signal).then(() => undefined),
    ]);
    if (crash) {
      logger.warn('the consumer crashed; it is started anew', crash);
      membership.abandon();
      await membership.session.stop();
      return false;
    }
    await membership.stop(failure ? 0 : drainMs);
    return true;
  };

  const run = async (): Promise<Result<void, SubscriptionFailure>> => {
    const watching = watch();
    for (let attempt = 1; !over.signal.aborted; attempt++) {
      const topic = await findTopic();
      if (!topic || (await live(topic))) break;
      await retryLater(Math.min(attempt, 5));
    }
    await watching;
    return failure ? err(failure) : ok(undefined);
  };
  const ended = run();
  ended.catch(() => {}); // told through `ended`; when nobody looks it must not end the process by itself
  return {
    ended,
    stop: async (stopOptions) => {
      drainMs = stopOptions?.drainMs ?? drainMs;
      over.abort();
      await ended.catch(() => {});
    },
  };
};
