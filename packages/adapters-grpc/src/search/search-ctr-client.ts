import {
  SearchCtrServiceDefinition,
  type CtrLoad,
} from '@doska/adapters-proto/generated/doska/search/v1/search_ctr_service';
import type { ResultAsync } from 'neverthrow';
import type { GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';

export type SentSlice = {
  readonly table: string;
  readonly rowsBefore: number;
  readonly isLast: boolean;
};
export type SentRate = { readonly offerId: string; readonly ctr: number; readonly line: number };
export type ToldCtrLoad = {
  readonly table: string;
  readonly epochMs: number;
  readonly rows: number;
  readonly atMs: number;
};
export type ToldCtr = {
  readonly current: ToldCtrLoad | undefined;
  readonly loading: ToldCtrLoad | undefined;
  readonly refused:
    | { readonly table: string; readonly line: number; readonly message: string; readonly atMs: number }
    | undefined;
  readonly queued: number;
  readonly hourly: readonly {
    readonly table: string;
    readonly offers: number;
    readonly loadedAtMs: number;
  }[];
  readonly retiredEpochsMs: readonly number[];
};
/** What the command line asks about click rates. */
export interface SearchCtrClient {
  appendRates(slice: SentSlice, rows: readonly SentRate[]): ResultAsync<number, RpcError>;
  appendHourly(slice: SentSlice, offerIds: readonly string[]): ResultAsync<number, RpcError>;
  status(): ResultAsync<ToldCtr, RpcError>;
}

const DEADLINE_MS = 60_000;
const loadOf = (load: CtrLoad | undefined): ToldCtrLoad | undefined =>
  load && {
    table: load.table,
    epochMs: Number(load.epochMs),
    rows: Number(load.rows),
    atMs: Number(load.atMs),
  };

export const searchCtrClient = (channel: GrpcChannel): SearchCtrClient => {
  const ctr = channel.client(SearchCtrServiceDefinition);
  const options = { deadlineMs: DEADLINE_MS };
  return {
    appendRates: ({ rowsBefore, ...slice }, rows) =>
      ctr
        .appendRates(
          {
            ...slice,
            rowsBefore: BigInt(rowsBefore),
            rows: rows.map(({ line, ...rate }) => ({ ...rate, line: BigInt(line) })),
          },
          options,
        )
        .map((done) => Number(done.rows)),
    appendHourly: ({ rowsBefore, ...slice }, offerIds) =>
      ctr
        .appendHourly({ ...slice, rowsBefore: BigInt(rowsBefore), offerIds: [...offerIds] }, options)
        .map((done) => Number(done.rows)),
    status: () =>
      ctr.getCtrStatus({}, options).map(({ current, loading, refused, queued, hourly, retiredEpochsMs }) => ({
        current: loadOf(current),
        loading: loadOf(loading),
        refused: refused && {
          table: refused.table,
          line: Number(refused.line),
          message: refused.message,
          atMs: Number(refused.atMs),
        },
        queued: Number(queued),
        hourly: hourly.map(({ table, offers, loadedAtMs }) => ({
          table,
          offers: Number(offers),
          loadedAtMs: Number(loadedAtMs),
        })),
        retiredEpochsMs: retiredEpochsMs.map(Number),
      })),
  };
};
