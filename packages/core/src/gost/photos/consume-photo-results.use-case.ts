import type { Codec, RecordHandler } from '../../kernel/index.ts';
import { PHOTO_URLS_MAX, type Photo, type PhotoResult } from '../../photos/index.ts';
import {
  applyRecordCommand,
  malformedRecord,
  outOfBounds,
  type ConsumerNeeds,
} from '../consumed-record.use-case.ts';
import type { ChangeOffer } from '../offer/change-offers.use-case.ts';
import type { CommandId, OfferImage } from '../offer/offer.ts';
import { parseOfferId } from '../offer/offer-id.ts';

export type ConsumePhotoResultsNeeds = ConsumerNeeds & {
  readonly changeOffer: ChangeOffer;
  readonly codec: Codec<PhotoResult>;
};

const imageOf = ({ url, outcome }: Photo): OfferImage =>
  outcome.kind === 'ready'
    ? {
        url,
        outcome: {
          kind: 'ready',
          imageId: outcome.imageId,
          width: outcome.width,
          height: outcome.height,
        },
      }
    : { url, outcome: { kind: 'failed', reason: outcome.code } };

/** Handles `photo-results`. Results for photos that the offer no longer names are dropped. */
export const makeConsumePhotoResults =
  (needs: ConsumePhotoResultsNeeds): RecordHandler =>
  async ({ value, position }) => {
    const result = needs.codec.decode(value);
    if (result.isErr()) return malformedRecord(result.error);
    const offerId = parseOfferId(result.value.offerId);
    if (offerId.isErr())
      return malformedRecord({ kind: 'Malformed', what: 'PhotoResult', field: 'offer_id' });
    if (result.value.photos.length > PHOTO_URLS_MAX)
      return outOfBounds([{ path: 'photos', code: 'TooMany', message: `at most ${PHOTO_URLS_MAX}` }]);
    // The position names the command: a redelivered record is the same command, an equal later one is another.
    const id = `photos/${position.log}/${position.partition}/${position.offset}` as CommandId;
    const photos = result.value.photos.map(imageOf);
    return applyRecordCommand(
      needs.changeOffer,
      offerId.value,
      { kind: 'photos', id, by: 'photos', photos },
      needs,
    );
  };
