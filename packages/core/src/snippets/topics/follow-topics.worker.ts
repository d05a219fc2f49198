import {
  aborted,
  sleep,
  type BatchHandler,
  type Clock,
  type LogConsumer,
  type Logger,
  type Subscription,
} from '../../kernel/index.ts';
import { RETRY_TOPIC } from '../config/check-names.ts';
import type { LoadedConfig } from '../config/loaded-config.ts';
import { groupOfSection, RETRY_GROUP } from './topic-record.ts';

export type FollowNeeds = {
  readonly log: Pick<LogConsumer, 'subscribe'>;
  readonly current: () => LoadedConfig;
  /** Aborts when the next config is taken over. */
  readonly changed: () => AbortSignal;
  readonly consumeTopic: (section: string) => BatchHandler;
  readonly consumeRetries: BatchHandler;
  readonly clock: Clock;
  readonly logger: Logger;
};
/** Reads the topics of the sections until the signal aborts. Topics come and go with the config. */
export type FollowTopics = (signal: AbortSignal, ready: () => void) => Promise<void>;
/** The pause before a topic that ended with a failure is read again. */
const AGAIN_MS = 5_000;

export const makeFollowTopics = (needs: FollowNeeds): FollowTopics => {
  const { log, current, changed, consumeTopic, consumeRetries, clock, logger } = needs;
  return async (signal, ready) => {
    const followed = new Map<string, { readonly stop: () => Promise<void> }>();
    const follow = (topic: string, subscribe: () => Subscription): { readonly stop: () => Promise<void> } => {
      const over = new AbortController();
      let subscription: Subscription | undefined;
      const run = async (): Promise<void> => {
        while (!over.signal.aborted) {
          subscription = subscribe();
          const ended = await subscription.ended;
          if (over.signal.aborted) return;
          logger.error(`the topic ${topic} is not read any more; trying again`, {
            failure: ended.isErr() ? ended.error : 'ended',
          });
          await sleep(clock, AGAIN_MS, over.signal);
        }
      };
      const ended = run();
      return {
        stop: async () => {
          over.abort();
          await subscription?.stop();
          await ended;
        },
      };
    };
    const sync = async (): Promise<void> => {
      const { topics } = current().config;
      const wanted = new Map(topics.map((one) => [`${one.section}\0${one.topic}`, one]));
      const gone = [...followed].filter(([name]) => name !== '' && !wanted.has(name));
      for (const [name] of gone) followed.delete(name);
      await Promise.all(gone.map(([, one]) => one.stop()));
      for (const [name, { section, topic }] of wanted) {
        if (followed.has(name)) continue;
        const options = { group: groupOfSection(section), topic, handler: consumeTopic(section) };
        followed.set(
          name,
          follow(topic, () => log.subscribe(options)),
        );
      }
      // The retry flow outlives the topics: its records may belong to sections that are gone.
      if (wanted.size > 0 && !followed.has('')) {
        const options = { group: RETRY_GROUP, topic: RETRY_TOPIC, handler: consumeRetries };
        followed.set(
          '',
          follow(RETRY_TOPIC, () => log.subscribe(options)),
        );
      }
    };
    while (!signal.aborted) {
      const next = changed();
      await sync();
      ready();
      await aborted(AbortSignal.any([signal, next]));
    }
    await Promise.all([...followed.values()].map((one) => one.stop()));
  };
};
