import type { ResultAsync } from 'neverthrow';
import type { PageTokens, Unavailable } from '../kernel/index.ts';
import { makeFindOffers, type FindOffers, type ReadArchive } from './archive/read-archive.use-case.ts';
import { repairSeller, type SellerDrift } from './cabinet/audit-counts.use-case.ts';
import type { Cabinet } from './cabinet/cabinet.port.ts';
import { makeListCabinet, type ListCabinet } from './cabinet/list-cabinet.use-case.ts';
import { makeGetCurrentDraft, type GetCurrentDraft } from './drafts/current-draft.use-case.ts';
import type { DraftId } from './drafts/draft.ts';
import { makePublishDraft, type PublishDraft } from './drafts/publish-draft.use-case.ts';
import { makeSaveDraft, type SaveDraft } from './drafts/save-draft.use-case.ts';
import { makeEraseArchived } from './erasure/erase-archived.use-case.ts';
import { makeEraseSeller, type EraseSeller } from './erasure/erase-seller.use-case.ts';
import { makeEraseTraces } from './erasure/erase-traces.use-case.ts';
import { makeParkedRecords, type ParkedRecords } from './export/parked-records.use-case.ts';
import { makeGetOfferHistory, type GetOfferHistory } from './history/get-offer-history.use-case.ts';
import { makeBulkChange, type BulkChange } from './offer/bulk-change.use-case.ts';
import {
  makeChangeOffer,
  makeChangeOffers,
  type ChangeOffer,
  type ChangeOffers,
} from './offer/change-offers.use-case.ts';
import { makeEditOffer, type EditOfferUseCase } from './offer/edit-offer.use-case.ts';
import type { CommandId, SellerId } from './offer/offer.ts';
import type { GostNeeds } from './gost-needs.ts';
import { makeScanOffers, type ScanOffers } from './scan/scan-offers.use-case.ts';
import { makeStages, type Stages } from './stages/stages.use-case.ts';

export type GostUseCases = {
  readonly currentDraft: GetCurrentDraft;
  readonly saveDraft: SaveDraft;
  readonly publishDraft: PublishDraft;
  readonly findOffers: FindOffers;
  readonly changeOffer: ChangeOffer;
  readonly changeOffers: ChangeOffers;
  readonly editOffer: EditOfferUseCase;
  readonly bulkChange: BulkChange;
  readonly scanOffers: ScanOffers;
  readonly listCabinet: ListCabinet;
  readonly cabinetCounts: Cabinet['counts'];
  readonly sellerTotals: Cabinet['totals'];
  readonly repairSeller: (seller: SellerId) => ResultAsync<SellerDrift, Unavailable>;
  readonly offerHistory: GetOfferHistory;
  readonly stages: Stages;
  readonly eraseSeller: EraseSeller;
  readonly parkedRecords: ParkedRecords;
  /** An id for a command whose caller gives none. */
  readonly newCommandId: () => CommandId;
};

export const makeGostUseCases = (
  base: GostNeeds,
  readArchive: ReadArchive,
  tokens: PageTokens,
): GostUseCases => {
  const { offers, archive, cabinet, scan, queue, clock, ids, geocoder, storage, settings } = base;
  const findOffers = makeFindOffers((offerIds) => offers.load(offerIds), readArchive);
  const needs = { ...base, findOffers, newDraftId: () => ids.next() as DraftId };
  const changeOffer = makeChangeOffer(needs);
  const changeOffers = makeChangeOffers(needs);
  const traces = makeEraseTraces(needs);
  const eraseArchived = makeEraseArchived({ ...needs, traces });
  return {
    currentDraft: makeGetCurrentDraft(needs),
    saveDraft: makeSaveDraft(needs),
    publishDraft: makePublishDraft(needs),
    findOffers,
    changeOffer,
    changeOffers,
    editOffer: makeEditOffer(changeOffer, geocoder),
    bulkChange: makeBulkChange(changeOffers),
    scanOffers: makeScanOffers({
      scan,
      tokens,
      clock,
      ratePerSecond: settings.scanRatePerSecond,
      reads: settings.scanReads,
    }),
    listCabinet: makeListCabinet({ cabinet, offers, tokens }),
    cabinetCounts: (seller) => cabinet.counts(seller),
    sellerTotals: (seller) => cabinet.totals(seller),
    repairSeller: (seller) => repairSeller(cabinet, seller),
    offerHistory: makeGetOfferHistory({ offers, readArchive, tokens }),
    stages: makeStages({
      load: (offerIds) => offers.load(offerIds),
      archive,
      storage,
      bytesMax: settings.stageBytesMax,
    }),
    eraseSeller: makeEraseSeller({ scan, changeOffers, tokens, traces, eraseArchived }),
    parkedRecords: makeParkedRecords({ queue, shards: settings.shards }),
    newCommandId: () => ids.next() as CommandId,
  };
};
