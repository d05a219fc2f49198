import type {
  CabinetServiceNeeds,
  DraftServiceNeeds,
  OfferServiceNeeds,
  StageServiceNeeds,
} from '@doska/adapters-grpc';
import { Tokens } from '@doska/app-composition';
import {
  makeBulkChange,
  makeChangeOffer,
  makeChangeOffers,
  makeEditOffer,
  makeEraseArchived,
  makeEraseSeller,
  makeEraseTraces,
  makeFindOffers,
  makeGetCurrentDraft,
  makeGetOfferHistory,
  makeListCabinet,
  makePublishDraft,
  makeSaveDraft,
  makeScanOffers,
  makeStages,
  offerIdFrom,
  type DraftId,
} from '@doska/core/gost';
import { makePageTokens } from '@doska/core/kernel';
import type { Container } from 'inversify';

const ID_SYMBOLS = 12;
type Desk = Pick<DraftServiceNeeds, 'currentDraft' | 'saveDraft' | 'publishDraft'> &
  OfferServiceNeeds &
  CabinetServiceNeeds &
  StageServiceNeeds;

/** Every use case that the services offer, over the process's stores. */
export const gostDesk = (container: Container): Desk => {
  const stores = container.get(Tokens.gostStores);
  const [ids, random, geocoder, config] = [
    container.get(Tokens.ids),
    container.get(Tokens.random),
    container.get(Tokens.geocoder),
    container.get(Tokens.config),
  ];
  const readArchive = container.get(Tokens.readArchive);
  const findOffers = makeFindOffers((offerIds) => stores.offers.load(offerIds), readArchive);
  const needs = {
    ...{ ...container.get(Tokens.gostDeciding), ...stores, geocoder, findOffers },
    newDraftId: () => ids.next() as DraftId,
    newOfferId: () => offerIdFrom(Array.from({ length: ID_SYMBOLS }, () => random.below(32))),
  };
  const tokens = makePageTokens(container.get(Tokens.signer));
  const [changeOffer, changeOffers] = [makeChangeOffer(needs), makeChangeOffers(needs)];
  const storage = container.get(Tokens.storage);
  const traces = makeEraseTraces({ ...needs, storage });
  return {
    currentDraft: makeGetCurrentDraft(needs),
    saveDraft: makeSaveDraft(needs),
    publishDraft: makePublishDraft(needs),
    findOffers,
    changeOffer,
    editOffer: makeEditOffer(changeOffer, geocoder),
    changeMany: makeBulkChange(changeOffers),
    scanOffers: makeScanOffers({
      ...{ scan: stores.scan, tokens, clock: needs.clock, ratePerSecond: config.scanRate },
    }),
    listCabinet: makeListCabinet({ ...stores, tokens }),
    offerHistory: makeGetOfferHistory({ offers: stores.offers, readArchive, tokens }),
    stages: makeStages({
      load: (offerIds) => stores.offers.load(offerIds),
      archive: stores.archive,
      storage,
      bytesMax: config.stageBytesMax,
    }),
    eraseSeller: makeEraseSeller({
      ...{ scan: stores.scan, changeOffers, tokens, traces },
      eraseArchived: makeEraseArchived({
        ...{
          ...needs,
          ids,
          traces,
          codecs: container.get(Tokens.gostCodecs),
          blobs: container.get(Tokens.blobs),
        },
      }),
    }),
    cabinet: stores.cabinet,
    newCommandId: () => ids.next(),
  };
};
