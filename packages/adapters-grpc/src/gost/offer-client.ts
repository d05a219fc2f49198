import { statuses } from '@doska/adapters-proto';
import {
  OfferServiceDefinition,
  type OfferEvent,
} from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import type { Status } from '@doska/core/gost';
import type { ResultAsync } from 'neverthrow';
import type { GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';

/** A change of an offer, as people and scripts read it. */
export type ToldEvent = {
  readonly version: number;
  readonly atUs: number;
  readonly command: string;
  readonly by: string;
  readonly from: Status | undefined;
  readonly to: Status | undefined;
  readonly sentence: string;
  readonly changedFields: readonly string[];
};
export type ToldHistory = {
  readonly status: Status | undefined;
  readonly version: number;
  readonly why: readonly string[];
  readonly events: readonly ToldEvent[];
};
export type ErasedSlice = {
  readonly offers: number;
  readonly erased: number;
  readonly historyEntries: number;
  readonly cursor: string;
};
/** What the command line asks of the offer store. */
export interface OfferClient {
  /** The present state in words, and the newest changes, at most `limit`. */
  why(offerId: string, limit: number): ResultAsync<ToldHistory, RpcError>;
  /** One slice; `cursor` is empty at the beginning and when nothing is left. */
  eraseSeller(sellerId: string, cursor: string): ResultAsync<ErasedSlice, RpcError>;
}

const DEADLINE_MS = 30_000;
const eventFromPb = ({
  version,
  atUs,
  command,
  by,
  from,
  to,
  sentence,
  changedFields,
}: OfferEvent): ToldEvent => ({
  version: Number(version),
  atUs: Number(atUs),
  command,
  by,
  sentence,
  changedFields,
  from: statuses.fromPb(from),
  to: statuses.fromPb(to),
});

export const offerClient = (channel: GrpcChannel): OfferClient => {
  const client = channel.client(OfferServiceDefinition);
  return {
    why: (offerId, limit) =>
      client
        .getOfferHistory({ offerId, pageSize: limit, pageToken: '' }, { deadlineMs: DEADLINE_MS })
        .map(({ why, events, status, version }) => ({
          status: statuses.fromPb(status),
          version: Number(version),
          why,
          events: events.map(eventFromPb),
        })),
    eraseSeller: (sellerId, cursor) =>
      client
        .eraseSeller({ sellerId, cursor }, { deadlineMs: DEADLINE_MS })
        .map(({ offers, erased, historyEntries, cursor: next }) => ({
          offers: Number(offers),
          erased: Number(erased),
          historyEntries: Number(historyEntries),
          cursor: next,
        })),
  };
};
