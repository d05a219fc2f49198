import {
  ReindexMode as PbMode,
  SearchUpkeepServiceDefinition,
} from '@doska/adapters-proto/generated/doska/search/v1/search_upkeep_service';
import type { ReindexMode } from '@doska/core/search';
import type { ResultAsync } from 'neverthrow';
import type { GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';

export type ToldFinding = {
  readonly offerId: string;
  readonly kind: string;
  readonly epoch: number;
  readonly reason: string;
};
export type ToldSlice = {
  readonly pass: string;
  readonly seen: number;
  readonly sent: number;
  readonly findings: readonly ToldFinding[];
  readonly nextCursor: string;
  readonly waitMs: number;
};
/** What the command line asks of the search scheduler. */
export interface SearchUpkeepClient {
  reindex(asked: {
    readonly mode: ReindexMode;
    readonly epoch: number;
    readonly category: string;
    readonly cursor: string;
  }): ResultAsync<ToldSlice, RpcError>;
}

const DEADLINE_MS = 60_000;
const MODES: Record<ReindexMode, PbMode> = {
  reindex: PbMode.REINDEX_MODE_REINDEX,
  audit: PbMode.REINDEX_MODE_AUDIT,
  repair: PbMode.REINDEX_MODE_REPAIR,
};

export const searchUpkeepClient = (channel: GrpcChannel): SearchUpkeepClient => {
  const upkeep = channel.client(SearchUpkeepServiceDefinition);
  return {
    reindex: ({ mode, epoch, category, cursor }) =>
      upkeep
        .reindex({ mode: MODES[mode], epoch: BigInt(epoch), category, cursor }, { deadlineMs: DEADLINE_MS })
        .map(({ pass, seen, sent, findings, nextCursor, waitMs }) => ({
          pass,
          seen: Number(seen),
          sent: Number(sent),
          findings: findings.map((one) => ({ ...one, epoch: Number(one.epoch) })),
          nextCursor,
          waitMs: Number(waitMs),
        })),
  };
};
