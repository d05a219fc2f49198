import {
  ParkCause as PbCause,
  SearchParkingServiceDefinition,
  type ParkedOffer,
} from '@doska/adapters-proto/generated/doska/search/v1/search_parking_service';
import type { ResultAsync } from 'neverthrow';
import type { GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';

export type ToldParkedOffer = {
  readonly offerId: string;
  readonly cause: string;
  readonly reason: string;
  readonly sinceMs: number;
  readonly retryAtMs: number;
  readonly attempts: number;
  readonly sent: boolean;
};
/** What the command line asks about parked offers. */
export interface SearchParkingClient {
  list(after: string, pageSize: number): ResultAsync<readonly ToldParkedOffer[], RpcError>;
  park(offerId: string, reason: string): ResultAsync<void, RpcError>;
  /** Undefined: it has left the lot. */
  unpark(offerId: string): ResultAsync<ToldParkedOffer | undefined, RpcError>;
}

const options = { deadlineMs: 30_000 };
const CAUSES: Readonly<Record<number, string>> = {
  [PbCause.PARK_CAUSE_CONVERSION]: 'conversion',
  [PbCause.PARK_CAUSE_TOO_LARGE]: 'too large',
  [PbCause.PARK_CAUSE_REJECTED]: 'rejected',
  [PbCause.PARK_CAUSE_OPERATOR]: 'operator',
};
const parkedOf = ({ cause, sinceMs, retryAtMs, ...parked }: ParkedOffer): ToldParkedOffer => ({
  ...parked,
  cause: CAUSES[cause] ?? 'unknown',
  sinceMs: Number(sinceMs),
  retryAtMs: Number(retryAtMs),
});

export const searchParkingClient = (channel: GrpcChannel): SearchParkingClient => {
  const parking = channel.client(SearchParkingServiceDefinition);
  return {
    list: (after, pageSize) =>
      parking.listParkedOffers({ after, pageSize }, options).map(({ offers }) => offers.map(parkedOf)),
    park: (offerId, reason) => parking.parkOffer({ offerId, reason }, options).map(() => undefined),
    unpark: (offerId) =>
      parking.unparkOffer({ offerId }, options).map(({ parked }) => parked && parkedOf(parked)),
  };
};
