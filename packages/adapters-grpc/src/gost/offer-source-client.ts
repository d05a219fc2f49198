import { viewFromPb } from '@doska/adapters-proto';
import { OfferServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import type { OfferId, OfferView } from '@doska/core/gost';
import { unavailable } from '@doska/core/kernel';
import type { OfferPage, OfferSource } from '@doska/core/search';
import { ResultAsync } from 'neverthrow';
import type { GrpcChannel } from '../client/grpc-channel.ts';

const DEADLINE_MS = 10_000;
const PAGE_OFFERS = 500;

/** The offer store over the network. Contacts that it sends are dropped here. */
export const offerSourceClient = (channel: GrpcChannel): OfferSource => {
  const offers = channel.client(OfferServiceDefinition);
  return {
    page: (cursor) => {
      const readPage = async (): Promise<OfferPage> => {
        const views: OfferView[] = [];
        let next = cursor;
        for await (const piece of offers.scanOffers({ parts: 1, part: 0, cursor })) {
          if (piece.isErr()) throw new Error(piece.error.kind, { cause: piece.error });
          for (const view of piece.value.offers) {
            const read = viewFromPb(view);
            if (read.isErr()) throw new Error(`the offer can not be read: ${read.error.field}`);
            views.push(read.value);
          }
          next = piece.value.cursor;
          if (views.length >= PAGE_OFFERS) return { views, next };
        }
        return { views, next: undefined };
      };
      return ResultAsync.fromPromise(readPage(), (cause) => unavailable('offer store', cause));
    },
    find: (ids) => {
      const findAll = async (): Promise<ReadonlyMap<OfferId, OfferView>> => {
        const views = new Map<OfferId, OfferView>();
        // An answer is bounded by bytes: what was left out is asked for again.
        for (let asked: readonly string[] = ids; asked.length > 0;) {
          const answer = await offers.batchGetOffers({ offerIds: [...asked] }, { deadlineMs: DEADLINE_MS });
          if (answer.isErr()) throw new Error(answer.error.kind, { cause: answer.error });
          for (const { view } of answer.value.offers) {
            if (!view) continue;
            const read = viewFromPb(view);
            if (read.isErr()) throw new Error(`the offer can not be read: ${read.error.field}`);
            views.set(read.value.id, read.value);
          }
          asked = answer.value.leftOutIds;
        }
        return views;
      };
      return ResultAsync.fromPromise(findAll(), (cause) => unavailable('offer store', cause));
    },
  };
};
