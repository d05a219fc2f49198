import { publicOfferToPb } from '@doska/adapters-proto';
import { PublicOfferServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/public_offer_service';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import { publicContactsOf, publicOfferOf, type GostUseCases, type Offer } from '@doska/core/gost';
import { err, ok } from 'neverthrow';
import { gostErrors, inWords } from './gost-errors.ts';
import { offerIdFromPb } from './gost.mapper.ts';

export type PublicOfferServiceNeeds = Pick<GostUseCases, 'findOffers'> & {
  /** Calls per minute and address without a token. */
  readonly offersPerMinute: number;
  readonly contactsPerMinute: number;
};

/** What buyers read of active offers. Every other offer is not found, whatever its status is. */
export const publicOfferService = ({
  findOffers,
  offersPerMinute,
  contactsPerMinute,
}: PublicOfferServiceNeeds): RpcService => {
  const find = <T>(offerIdText: string, read: (offer: Offer) => T | undefined) =>
    offerIdFromPb(offerIdText).asyncAndThen((offerId) =>
      findOffers([offerId]).andThen(([found]) => {
        const seen = found && found.archivedAtUs === undefined ? read(found.offer) : undefined;
        return seen === undefined ? err(inWords({ kind: 'NotFound' as const, offerId })) : ok(seen);
      }),
    );
  return rpcService({
    definition: PublicOfferServiceDefinition,
    access: {
      getPublicOffer: { public: { ratePerMinute: offersPerMinute } },
      getContacts: { public: { ratePerMinute: contactsPerMinute } },
    },
    errors: gostErrors,
    http: { getPublicOffer: { version: ({ offer }) => offer?.version } },
    handlers: {
      getPublicOffer: ({ offerId }) =>
        find(offerId, publicOfferOf).map((offer) => ({ offer: publicOfferToPb(offer) })),
      getContacts: ({ offerId }) =>
        find(offerId, publicContactsOf).map((contacts) => ({ contacts: { ...contacts } })),
    },
  });
};
