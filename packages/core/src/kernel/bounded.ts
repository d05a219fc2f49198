import { err, ok, ResultAsync, type Result } from 'neverthrow';

/**
 * Runs `work` over `items`, at most `limit` at a time. Results keep the order of the items.
 * After the first failure it starts no more items and returns the failure when the running ones have ended, so no work
 * continues after the call.
 */
export const mapBounded = <T, R, E>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => ResultAsync<R, E>,
): ResultAsync<R[], E> => {
  if (!(limit >= 1)) throw new RangeError(`limit must be at least 1, not ${limit}`);
  const done = new Array<R>(items.length);
  let failure: Result<never, E> | undefined;
  let bug: { readonly thrown: unknown } | undefined;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length && !failure && !bug) {
      const index = next++;
      try {
        const outcome = await work(items[index]!, index);
        if (outcome.isOk()) done[index] = outcome.value;
        else failure ??= err(outcome.error);
      } catch (thrown) {
        bug ??= { thrown };
      }
    }
  };
  const run = async (): Promise<Result<R[], E>> => {
    await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
    if (bug) throw bug.thrown;
    return failure ?? ok(done);
  };
  return new ResultAsync(run());
};
