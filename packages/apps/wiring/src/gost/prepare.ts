import { fileGeocoder } from '@doska/adapters-files';
import { startProblem, type StartProblem } from '@doska/app-composition';
import type { Geocoder, GostStores } from '@doska/core/gost';
import { err, ok, type Result } from 'neverthrow';

export const loadGeocoder = async (file: string | undefined): Promise<Result<Geocoder, StartProblem>> =>
  (await fileGeocoder(file)).mapErr((error) =>
    startProblem(`DOSKA_GOST_PLACES_FILE: ${error.file}: ${error.message}`),
  );

/** The order of exported changes depends on the number of shards: the first start stores it, another number is refused. */
export const settleExportShards = async (
  { queue }: Pick<GostStores, 'queue'>,
  shards: number,
): Promise<Result<void, StartProblem>> => {
  const settled = await queue.settleShards(shards);
  if (settled.isOk()) return ok(undefined);
  return err(
    settled.error.kind === 'ShardsMismatch'
      ? startProblem(
          `DOSKA_GOST_EXPORT_SHARDS: the offer store has ${settled.error.shards} shards, and ${shards} are configured. The number can't change: set DOSKA_GOST_EXPORT_SHARDS=${settled.error.shards}.`,
        )
      : startProblem(`the offer store can't be reached: ${settled.error.what}`),
  );
};
