import { ok } from 'neverthrow';
import type { Clock, Random } from '../../kernel/index.ts';
import type { DraftId } from '../domain/draft.ts';
import { offerIdFrom, type OfferId } from '../domain/offer-id.ts';
import { makeChangeOffer, makeChangeOffers } from '../use-cases/change-offers.ts';
import { makeGetCurrentDraft, makeSaveDraft } from '../use-cases/current-draft.ts';
import { makeEditOffer } from '../use-cases/edit-offer.ts';
import { makeExpireDueOffers } from '../use-cases/expire-due-offers.ts';
import { rememberingOffers } from '../use-cases/offer-memory.ts';
import { makePublishDraft } from '../use-cases/publish-draft.ts';
import { makeLoadFeed } from '../use-cases/load-feed.ts';
import { makePurgeDrafts } from '../use-cases/purge-drafts.ts';
import { defaultGostSettings, type GostSettings } from '../use-cases/settings.ts';
import type { GostStores } from '../ports/gost-stores.port.ts';
import { jsonFlowCodecs } from './json-codecs.ts';
import type { FlowCodecs } from '../ports/flow-codecs.port.ts';
import { sampleCatalog, sampleGeocoder } from './samples.ts';

export type DeskNeeds = {
  readonly stores: GostStores;
  readonly clock: Clock;
  readonly random: Random;
  readonly newName: () => string;
  readonly settings?: Partial<GostSettings>;
  readonly codecs?: FlowCodecs;
};

/** Every use case of a process over these stores, with the sample catalogue. */
export const gostDesk = ({ stores, clock, random, newName, settings, codecs }: DeskNeeds) => {
  const newOfferId = (): OfferId => offerIdFrom(Array.from({ length: 12 }, () => random.below(32)));
  const needs = {
    ...{ ...stores, clock, random, newOfferId },
    // Small, so that offers are forgotten too.
    offers: rememberingOffers(stores.offers, { bytesMax: 10_000 }),
    catalog: () => ok(sampleCatalog),
    settings: { ...defaultGostSettings, ...settings },
    newDraftId: () => newName() as DraftId,
    geocoder: sampleGeocoder,
    codecs: jsonFlowCodecs,
    ...(codecs ? { codecs } : {}),
  };
  const changeOffers = makeChangeOffers(needs);
  const changeOffer = makeChangeOffer(needs);
  return {
    currentDraft: makeGetCurrentDraft(needs),
    saveDraft: makeSaveDraft(needs),
    publishDraft: makePublishDraft(needs),
    changeOffer,
    editOffer: makeEditOffer(changeOffer, sampleGeocoder),
    purgeDrafts: makePurgeDrafts(needs),
    loadFeed: makeLoadFeed(needs),
    changeOffers,
    expireDue: makeExpireDueOffers({ expiry: stores.expiry, changeOffers, clock }),
  };
};
export type GostDesk = ReturnType<typeof gostDesk>;
