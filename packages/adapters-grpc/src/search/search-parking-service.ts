import {
  ParkCause as PbCause,
  SearchParkingServiceDefinition,
  type ParkedOffer as PbParked,
} from '@doska/adapters-proto/generated/doska/search/v1/search_parking_service';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import { parseOfferId, type OfferId } from '@doska/core/gost';
import { invalidInput, type Access, type InvalidInput } from '@doska/core/kernel';
import { PARKED_ROWS_MAX, type ParkCause, type ParkedOffer, type SearchScheduler } from '@doska/core/search';
import { err, ok, ResultAsync, type Result } from 'neverthrow';

export type SearchParkingServiceNeeds = Pick<SearchScheduler, 'parking'>;

const ACCESS: Access = { roles: ['operator'] };
const PAGE_SIZE = 100;
const REASON_CHARS_MAX = 1_000;

const CAUSES: Record<ParkCause, PbCause> = {
  conversion: PbCause.PARK_CAUSE_CONVERSION,
  tooLarge: PbCause.PARK_CAUSE_TOO_LARGE,
  rejected: PbCause.PARK_CAUSE_REJECTED,
  operator: PbCause.PARK_CAUSE_OPERATOR,
};
const parkedToPb = ({
  offerId,
  cause,
  reason,
  sinceMs,
  retryAtMs,
  attempts,
  sent,
}: ParkedOffer): PbParked => ({
  offerId,
  cause: CAUSES[cause],
  reason,
  sinceMs: BigInt(sinceMs),
  retryAtMs: BigInt(retryAtMs),
  attempts,
  sent,
});
const idFromPb = (text: string): Result<OfferId, InvalidInput> =>
  parseOfferId(text).mapErr(() =>
    invalidInput({ path: 'offerId', code: 'Malformed', message: 'it is no id of an offer' }),
  );

export const searchParkingService = ({ parking }: SearchParkingServiceNeeds): RpcService =>
  rpcService({
    definition: SearchParkingServiceDefinition,
    access: { listParkedOffers: ACCESS, parkOffer: ACCESS, unparkOffer: ACCESS },
    errors: { NotParked: 'NOT_FOUND' },
    handlers: {
      listParkedOffers: ({ after, pageSize }) => {
        const id = after === '' ? ok('') : idFromPb(after);
        const checked: Result<string, InvalidInput> =
          pageSize <= PARKED_ROWS_MAX
            ? id.mapErr(() =>
                invalidInput({ path: 'after', code: 'Malformed', message: 'it is no id of an offer' }),
              )
            : err(
                invalidInput({
                  path: 'pageSize',
                  code: 'OutOfRange',
                  message: `at most ${PARKED_ROWS_MAX}`,
                }),
              );
        return checked
          .asyncAndThen((from) => parking.list(from, pageSize === 0 ? PAGE_SIZE : pageSize))
          .map((offers) => ({ offers: offers.map(parkedToPb) }));
      },
      parkOffer: ({ offerId: text, reason }) =>
        idFromPb(text)
          .andThen((offerId) =>
            reason.length <= REASON_CHARS_MAX
              ? ok(offerId)
              : err(
                  invalidInput({
                    path: 'reason',
                    code: 'TooLong',
                    message: `at most ${REASON_CHARS_MAX} characters`,
                  }),
                ),
          )
          .asyncAndThen((offerId) => {
            const words = reason === '' ? 'parked by an operator' : reason;
            const one = { offerId, cause: 'operator' as const, reason: words, versionUs: 0 };
            return new ResultAsync(parking.park([one], 'later'));
          })
          .map(() => ({})),
      unparkOffer: ({ offerId: text }) =>
        idFromPb(text)
          .asyncAndThen((offerId) => new ResultAsync(parking.unpark(offerId)))
          .map((parked) => ({ parked: parked && parkedToPb(parked) }))
          .mapErr((error) =>
            error.kind === 'NotParked'
              ? { ...error, message: `offer ${error.offerId} is not parked` }
              : error,
          ),
    },
  });
