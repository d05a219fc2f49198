import type { Container } from 'inversify';
import { err, ok, type Result } from 'neverthrow';
import { startProblem, type StartProblem } from './host/problem.ts';
import { Tokens } from './tokens.ts';

/** Order depends on the number of shards: the first start settles it, another number is refused. */
export const settleExportShards = async (container: Container): Promise<Result<void, StartProblem>> => {
  const { shards } = container.get(Tokens.gostSettings);
  const settled = await container.get(Tokens.gostStores).queue.settleShards(shards);
  if (settled.isOk()) return ok(undefined);
  return err(
    settled.error.kind === 'ShardsMismatch'
      ? startProblem(
          `DOSKA_EXPORT_SHARDS: the offer store has ${settled.error.shards} shards, ${shards} are configured`,
        )
      : startProblem(`the offer store can't be reached: ${settled.error.what}`),
  );
};
