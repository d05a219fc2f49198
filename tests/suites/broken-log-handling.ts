import type { BatchHandler, MessageLog } from '@doska/core/kernel';
import type { Breakage } from './breakage.ts';

const consuming = (right: MessageLog, wrap: (handler: BatchHandler) => BatchHandler): MessageLog => ({
  ...right,
  subscribe: (options) => right.subscribe({ ...options, handler: wrap(options.handler) }),
});

/** Logs that go wrong around the handler. */
export const handling: readonly Breakage<MessageLog>[] = [
  {
    name: 'a record that is skipped',
    noticedBy: ['a new group gets every record from the earliest on'],
    broken: (right) => {
      let skipped = false;
      return consuming(right, (handler) => (batch, signal) => {
        const records = skipped ? batch.records : batch.records.slice(0, -1);
        skipped = true;
        return records.length === 0
          ? Promise.resolve({ kind: 'done' })
          : handler({ ...batch, records }, signal);
      });
    },
  },
  {
    name: 'a position that moves before the handler',
    noticedBy: ['a batch that was not finished at a stop is delivered again'],
    broken: (right) =>
      consuming(right, (handler) => (batch, signal) => {
        void handler(batch, signal);
        return Promise.resolve({ kind: 'done' });
      }),
  },
  {
    name: 'one partition at a time',
    noticedBy: ['a slow partition does not delay other partitions'],
    broken: (right) =>
      consuming(right, (handler) => {
        let last: Promise<unknown> = Promise.resolve();
        return (batch, signal) => {
          const mine = last.then(() => handler(batch, signal));
          last = mine.catch(() => {});
          return mine;
        };
      }),
  },
  {
    name: 'a blocked partition that blocks them all',
    noticedBy: [
      'a handler that throws is called again and delays no other partition',
      'a slow partition does not delay',
    ],
    broken: (right) =>
      consuming(right, (handler) => {
        let blocked = false;
        return async (batch, signal) => {
          if (blocked) return { kind: 'blocked', retryAtMs: Date.now() + 60_000, reason: 'another one is' };
          blocked = true;
          const outcome = await handler(batch, signal);
          blocked = false;
          return outcome;
        };
      }),
  },
  {
    name: 'what was handled comes again',
    noticedBy: ['records handled before a block are not delivered again'],
    broken: (right) =>
      consuming(right, (handler) => async (batch, signal) => {
        const outcome = await handler(batch, signal);
        return outcome.kind === 'done' ? outcome : { ...outcome, handled: 0 };
      }),
  },
  {
    name: 'a handler that throws is done',
    noticedBy: ['a handler that throws is called again and delays no other partition'],
    broken: (right) =>
      consuming(right, (handler) => async (batch, signal) => {
        try {
          return await handler(batch, signal);
        } catch {
          return { kind: 'done' };
        }
      }),
  },
];
