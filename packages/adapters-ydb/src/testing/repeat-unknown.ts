import { ok, ResultAsync, type Result } from 'neverthrow';
import type { Unavailable } from '@doska/core/kernel';
import type { DocumentQueues, EpochStore, VasgenStores } from '@doska/core/vasgen';

type Failure = { readonly kind: string };
const isUnknown = (error: Failure): boolean =>
  error.kind === 'Unavailable' && (error as Unavailable).retryable;
const repeat = async <T, E extends Failure>(work: () => ResultAsync<T, E>): Promise<Result<T, E>> => {
  for (;;) {
    const outcome = await work();
    if (outcome.isOk() || !isUnknown(outcome.error)) return outcome;
  }
};

/** The stores as their callers use them: clients send again, an indexer looks where its offset is, an operator which epochs there are. */
export const repeatUnknown = ({ registry, queues, epochs, ...stores }: VasgenStores): VasgenStores => {
  const advance = async (...[reader, step]: Parameters<DocumentQueues['advance']>) => {
    for (;;) {
      const outcome = await queues.advance(reader, step);
      if (outcome.isOk() || !isUnknown(outcome.error)) return outcome;
      if ((await repeat(() => queues.offset(reader)))._unsafeUnwrap() === step.to) return ok(undefined);
    }
  };
  const change = async (...[of, from, to]: Parameters<EpochStore['change']>) => {
    for (;;) {
      const outcome = await epochs.change(of, from, to);
      if (outcome.isOk() || !isUnknown(outcome.error)) return outcome;
      if ((await repeat(() => epochs.load(of)))._unsafeUnwrap().version > from) return ok(undefined);
    }
  };
  return {
    ...stores,
    epochs: { ...epochs, change: (of, from, to) => new ResultAsync(change(of, from, to)) },
    registry: {
      ...registry,
      accept: (of, writes, growth) => new ResultAsync(repeat(() => registry.accept(of, writes, growth))),
    },
    queues: { ...queues, advance: (reader, step) => new ResultAsync(advance(reader, step)) },
  };
};
