import {
  ReindexMode as PbMode,
  SearchUpkeepServiceDefinition,
} from '@doska/adapters-proto/generated/doska/search/v1/search_upkeep_service';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import { invalidInput, type InvalidInput } from '@doska/core/kernel';
import type { ReindexMode, SearchScheduler } from '@doska/core/search';
import { err, ok, ResultAsync, type Result } from 'neverthrow';
import { epochFromPb } from '../vasgen/vasgen-errors.ts';

export type SearchUpkeepServiceNeeds = Pick<SearchScheduler, 'reindexOffers'>;

const MODES: Partial<Record<PbMode, ReindexMode>> = {
  [PbMode.REINDEX_MODE_REINDEX]: 'reindex',
  [PbMode.REINDEX_MODE_AUDIT]: 'audit',
  [PbMode.REINDEX_MODE_REPAIR]: 'repair',
};
const modeFromPb = (pb: PbMode): Result<ReindexMode, InvalidInput> => {
  const mode = MODES[pb];
  return mode
    ? ok(mode)
    : err(invalidInput({ path: 'mode', code: 'Unknown', message: 'reindex, audit or repair' }));
};

export const searchUpkeepService = ({ reindexOffers }: SearchUpkeepServiceNeeds): RpcService =>
  rpcService({
    definition: SearchUpkeepServiceDefinition,
    access: { reindex: { roles: ['operator'] } },
    errors: {},
    handlers: {
      reindex: ({ mode: pbMode, epoch: pbEpoch, category, cursor }) =>
        modeFromPb(pbMode)
          .andThen((mode) => epochFromPb(pbEpoch).map((epoch) => ({ mode, epoch })))
          .asyncAndThen(
            ({ mode, epoch }) =>
              new ResultAsync(
                reindexOffers({ mode, epoch, category: category === '' ? undefined : category, cursor }),
              ),
          )
          .map(({ pass, seen, sent, findings, nextCursor, waitMs }) => ({
            pass,
            seen: BigInt(seen),
            sent: BigInt(sent),
            findings: findings.map(({ offerId, kind, epoch, reason }) => ({
              offerId,
              kind,
              epoch: BigInt(epoch ?? 0),
              reason,
            })),
            nextCursor,
            waitMs: BigInt(waitMs),
          })),
    },
  });
