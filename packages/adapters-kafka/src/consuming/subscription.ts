import {
  aborted,
  delayMs,
  limitRepeats,
  retryUntilAborted,
  sleep,
  type SubscribeOptions,
  type Subscription,
  type SubscriptionFailure,
  type TopicInfo,
} from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import { Membership, type MemberNeeds } from './membership.ts';

/** A member of a group until it is stopped. It replaces a crashed consumer and ends when a consumer is stuck. */
export const subscribeToKafka = (needs: MemberNeeds, options: SubscribeOptions): Subscription => {
  const { clock, random, settings, topics } = needs;
  const { group, topic: topicName } = options;
  const logger = needs.logger.child({ group, topic: topicName });
  const failures = limitRepeats(logger, clock);
  const over = new AbortController();
  let failure: SubscriptionFailure | undefined;
  let drainMs = settings.drainMs;
  let livedAtMs = clock.nowMs();

  const fail = (why: SubscriptionFailure): void => {
    if (over.signal.aborted) return;
    failure = why;
    logger.error('subscription ended by a failure', { failure: why });
    over.abort();
  };
  const signOfLife = (): void => {
    livedAtMs = clock.nowMs();
  };
  const retryLater = (attempt: number): Promise<void> =>
    sleep(clock, delayMs(settings.retry, attempt, random), over.signal);

  const findTopic = async (): Promise<TopicInfo | undefined> => {
    const ask = async () => {
      const found = await topics.fresh(topicName);
      signOfLife();
      return found;
    };
    const found = await retryUntilAborted(ask, {
      clock,
      random,
      policy: settings.retry,
      signal: over.signal,
      onFailure: (error) => {
        if (error.kind === 'UnknownTopic') fail(error);
        else failures.warn('the topic could not be read; trying again', { error });
      },
    });
    return found.unwrapOr(undefined);
  };
  /** Checks several times within the allowed silence. */
  const watch = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await sleep(clock, settings.stallMs / 4, over.signal);
      const silentMs = clock.nowMs() - livedAtMs;
      if (silentMs > settings.stallMs) fail({ kind: 'Stalled', topic: topicName, silentMs });
    }
  };
  const live = async (topic: TopicInfo): Promise<boolean> => {
    const membership = new Membership({ ...needs, logger: failures }, options, topic, { fail, signOfLife });
    membership.session.start();
    const crash = await Promise.race([
      membership.session.crashed.then((cause) => ({ cause })),
      aborted(over.signal).then(() => undefined),
    ]);
    if (crash) {
      failures.warn('the consumer crashed; starting a new one', crash);
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
  ended.catch(() => {}); // callers see the error through `ended`; unhandled, it must not end the process
  return {
    ended,
    stop: async (stopOptions) => {
      drainMs = stopOptions?.drainMs ?? drainMs;
      over.abort();
      await ended.catch(() => {});
    },
  };
};
