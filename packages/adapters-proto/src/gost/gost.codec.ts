import type { FlowCodecs, GostCodecs } from '@doska/core/gost';
import { ok } from 'neverthrow';
import { OfferView } from '../generated/doska/gost/v1/offer.ts';
import {
  ArchivedOffer,
  Draft,
  FeedProgress,
  FeedRow,
  HistoryEntry,
  Images,
  Moderation,
  OfferContent,
  OfferHead,
} from '../generated/doska/gost/stored/v1/stored.ts';
import { messageCodec } from '../message.codec.ts';
import { photoCodecs } from '../photos/photo.codec.ts';
import { FeedOffers, FeedPhotoErrors, FeedResults } from '../generated/doska/gost/v1/feed.ts';
import { ModerationOpinion } from '../generated/doska/gost/v1/moderation.ts';
import {
  feedAnswerFromPb,
  feedAnswerToPb,
  feedMessageFromPb,
  feedMessageToPb,
  photoErrorsFromPb,
  photoErrorsToPb,
} from './feed.mapper.ts';
import { archivedFromPb, archivedToPb } from './archived-offer.mapper.ts';
import { opinionFromPb, opinionToPb } from './moderation.mapper.ts';
import { viewFromPb, viewToPb } from './offer.mapper.ts';
import { feedProgressFromPb, feedProgressToPb, feedRowFromPb, feedRowToPb } from './stored-feed.mapper.ts';
import {
  contentFromPb,
  contentToPb,
  headFromPb,
  headToPb,
  imagesFromPb,
  imagesToPb,
  moderationFromPb,
  moderationToPb,
} from './stored-offer.mapper.ts';
import { draftFromPb, draftToPb, historyFromPb, historyToPb } from './stored-record.mapper.ts';

/** The records of the offer store, and the values of `gost-offer-updates`. */
export const gostCodecs: GostCodecs = {
  head: messageCodec('offer head', OfferHead, headToPb, headFromPb),
  bodies: {
    content: messageCodec('offer content', OfferContent, contentToPb, contentFromPb),
    moderation: messageCodec('moderation', Moderation, moderationToPb, (pb) => ok(moderationFromPb(pb))),
    images: messageCodec('images', Images, imagesToPb, imagesFromPb),
  },
  view: messageCodec('offer view', OfferView, viewToPb, viewFromPb),
  draft: messageCodec('draft', Draft, draftToPb, draftFromPb),
  history: messageCodec('history entry', HistoryEntry, historyToPb, historyFromPb),
  archived: messageCodec('archived offer', ArchivedOffer, archivedToPb, archivedFromPb),
  feedProgress: messageCodec('feed progress', FeedProgress, feedProgressToPb, feedProgressFromPb),
  feedRow: messageCodec('feed row', FeedRow, feedRowToPb, feedRowFromPb),
  photoRequest: photoCodecs.request,
  photoErrors: messageCodec('feed photo errors', FeedPhotoErrors, photoErrorsToPb, photoErrorsFromPb),
};

/** What flows into the offer store, and its answers to feeds. */
export const flowCodecs: FlowCodecs = {
  feedOffers: messageCodec('feed offers', FeedOffers, feedMessageToPb, feedMessageFromPb),
  feedResults: messageCodec('feed results', FeedResults, feedAnswerToPb, feedAnswerFromPb),
  opinions: messageCodec('moderation opinion', ModerationOpinion, opinionToPb, opinionFromPb),
  photoResults: photoCodecs.result,
};
