import type { Holding, Subscription } from '@doska/core/kernel';

/**
 * Something that runs for as long as its process: a consumer, a worker, a job. `run` calls `ready` when it does its
 * work, and settles when `signal` aborts and it has finished. If it settles earlier, the supervisor restarts it.
 */
export type Part = {
  readonly name: string;
  readonly app: string;
  readonly run: (signal: AbortSignal, ready: () => void) => Promise<void>;
};

const stopOn = (signal: AbortSignal, stop: () => Promise<void>): void => {
  if (signal.aborted) void stop();
  else signal.addEventListener('abort', () => void stop(), { once: true });
};

/** A subscription as a part. If the subscription ends with an error, `run` throws it and the supervisor restarts the part. */
export const subscriptionPart = (app: string, name: string, subscribe: () => Subscription): Part => ({
  app,
  name,
  run: async (signal, ready) => {
    const subscription = subscribe();
    stopOn(signal, () => subscription.stop());
    ready();
    const ended = await subscription.ended;
    if (ended.isErr()) throw new Error(`${name}: ${JSON.stringify(ended.error)}`);
  },
});
/** Work on leased shards as a part. */
export const holdingPart = (app: string, name: string, hold: () => Holding): Part => ({
  app,
  name,
  run: async (signal, ready) => {
    const holding = hold();
    stopOn(signal, () => holding.stop());
    ready();
    const ended = await holding.ended;
    if (ended.isErr()) throw new Error(`${name}: ${JSON.stringify(ended.error)}`);
  },
});
