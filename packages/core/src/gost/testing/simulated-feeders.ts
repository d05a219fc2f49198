import { sleep } from '../../kernel/index.ts';
import type { Env } from '../../kernel/testing.ts';
import type { SellerId } from '../offer/offer.ts';
import type { FeedKey } from '../autoload/feed.ts';
import type { FeedEntry, FeedMessage } from '../autoload/feed-message.ts';
import { feedEntry, feedTerminal } from './feed-samples.ts';
import type { TestGost } from './open-test-gost.ts';

/** A feed's processor: loads in batches and a terminal, each message until it is done, some of them again and late. */
export type Feeder = {
  readonly feed: FeedKey;
  readonly messages: readonly FeedMessage[];
  /** After how many messages an earlier one is delivered again. */
  readonly repeats: readonly (readonly [after: number, which: number])[];
  done: number;
};
export const feederOf = (namespace: string, below: (n: number) => number): Feeder => {
  const feed: FeedKey = { seller: 'f' as SellerId, namespace };
  const loadOf = (task: number, generation: number): FeedMessage[] => {
    const at = { ...feed, task, generation };
    const entries = (from: number): FeedEntry[] =>
      [from, from + 1]
        .filter(() => below(4) > 0)
        .map((n) => feedEntry(n, { title: `Title ${below(2)}` }, { externalId: `e${below(3)}` }));
    const batches = [entries(0), entries(2)];
    return [
      ...batches.map((some, batch) => ({ ...at, kind: 'batch' as const, batch, entries: some })),
      feedTerminal(task, batches.length, batches.flat().length, at),
    ];
  };
  const messages = [...loadOf(1, 1), ...loadOf(2, 2)];
  return {
    feed,
    messages,
    done: 0,
    repeats: [0, 1].map(() => [below(messages.length), below(messages.length)] as const),
  };
};
export const feedOn = async (feeder: Feeder, gost: TestGost, env: Env): Promise<void> => {
  const deliver = async (message: FeedMessage): Promise<void> => {
    for (;;) {
      const step = await gost.applyFeedMessage(message);
      if (step.isOk() && step.value === 'done') return;
      if (step.isErr()) await sleep(env.clock, 100);
    }
  };
  while (feeder.done < feeder.messages.length) {
    await deliver(feeder.messages[feeder.done]!);
    feeder.done++;
    for (const [after, which] of feeder.repeats)
      if (after === feeder.done && which < feeder.done) await deliver(feeder.messages[which]!);
  }
};
