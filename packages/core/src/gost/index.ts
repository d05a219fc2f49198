// Bounds of what is sent to topics.
export { largestViewBytes } from './offer/largest-view.ts';
export { FEED_ANSWER_BYTES_MAX } from './autoload/fitting-answer.ts';

// The door.
export { openGost, type Gost } from './open-gost.ts';
export type { GostPorts } from './gost-needs.ts';
export type { GostUseCases } from './gost-use-cases.ts';
export type { GostWorkers } from './gost-workers.ts';
export { defaultGostSettings, type GostSettings } from './settings.ts';

// What use cases take and return, and their errors.
export type {
  Archived,
  ChangeCommand,
  CommandIdReused,
  GostError,
  OfferCommand,
  Refused,
  StaleVersion,
} from './offer/command.ts';
export type { ChangeOfferError, OfferChanged, OfferOrder, Verdict } from './offer/change-offers.use-case.ts';
export { BULK_OFFERS_MAX, type BulkAction, type BulkVerdict } from './offer/bulk-change.use-case.ts';
export type { FoundOffer } from './archive/read-archive.use-case.ts';
export type { DraftNotFound } from './drafts/current-draft.use-case.ts';
export type { SellerDrift } from './cabinet/audit-counts.use-case.ts';
export type { ParkedRecord } from './export/export-queue.port.ts';
export type { OfferHistory } from './history/get-offer-history.use-case.ts';

// The domain.
export {
  contentBytes as offerTextBytes,
  emptyText,
  NAMED_COMMANDS_KEPT,
  offerStatus,
  type AttributeValue,
  type CommandId,
  type CommandResult,
  type Contacts,
  type Geo,
  type Money,
  type Offer,
  type OfferAttribute,
  type OfferContent,
  type OfferImage,
  type OfferSource,
  type OfferText,
  type Place,
  type SellerId,
} from './offer/offer.ts';
export { formatOfferId, offerIdFrom, parseOfferId, type OfferId } from './offer/offer-id.ts';
export { publicContactsOf, publicOfferOf, type PublicOffer } from './offer/public-offer.ts';
export { sellerTypeOf, type SellerType } from './offer/seller-type.ts';
export { viewOf, type OfferView, type PhotoView } from './offer/offer-view.ts';
export { LIFECYCLES, STATUSES, type Lifecycle, type Status } from './offer/status.ts';
export type { Draft, DraftId, DraftOwner } from './drafts/draft.ts';
export type { OfferDraft } from './commit/commit-unit.ts';
export type { HistoryEntry, OfferField } from './history/history.ts';
export { parseStageName, type StageName } from './stages/stage.ts';

// Messages of topics.
export {
  FEED_OFFERS,
  FEED_PHOTO_ERRORS,
  FEED_RESULTS,
  MODERATION_OPINIONS,
  OFFER_UPDATES,
} from './export/export-queue.port.ts';
export type {
  BatchAnswer,
  EntryAnswer,
  FeedAnswer,
  FeedBatch,
  FeedEntry,
  FeedMessage,
  FeedPhotoErrors,
  FeedTerminal,
  TerminalAnswer,
} from './autoload/feed-message.ts';
export { FEED_VERDICTS, type FeedError, type FeedKey, type FeedVerdict } from './autoload/feed.ts';
export type { ModerationOpinion } from './moderation/opinion.ts';

// The ports that a process brings. What an adapter of a store needs besides is in `@doska/core/gost/storage`.
export type { GostStores } from './gost-stores.port.ts';
export type { GostCodecs } from './gost-codecs.port.ts';
export type { FlowCodecs } from './flow-codecs.port.ts';
export type { Geocoder } from './offer/geocoder.port.ts';
export { locatedGeo } from './offer/locate-place.use-case.ts';

// Pure decisions.
export { ANSWER_BYTES_MAX, countFitting, offerBytes } from './offer/answer-size.ts';
export { decideCurrentDraft, type CurrentDraft, type CurrentDraftQuestion } from './drafts/draft.ts';
export { decide, decidePublish, type Decision } from './offer/decide.ts';
export type { DecisionContext } from './offer/step.ts';
export type { OfferChange } from './offer/offer-change.ts';
export { lifecycleTable, moveLifecycle, type LifecycleCommand } from './offer/lifecycle.ts';
export {
  attributeIdViolations,
  categoryIdViolations,
  commandIdViolations,
  draftIdViolations,
  expectedVersionViolations,
  externalIdViolations,
  feedNumberViolations,
  FIELD_BOUNDS,
  geoIdViolations,
  imageIdViolations,
  namespaceViolations,
  offerIdViolations,
  opinionVersionViolations,
  ownerIdViolations,
  photoUrlViolations,
  priceViolations,
  reasonsViolations,
  sellerIdViolations,
  stageNameViolations,
} from './offer/field-rules.ts';
export { defaultOfferLimits, violationsOf, type OfferLimits } from './offer/validation.ts';
export { cabinet, moveBetween, type CabinetMove, type Preset, type Total } from './cabinet/presets.ts';
export type { SellerTotals } from './cabinet/cabinet.port.ts';
export { isMassDeletion, type FeedGuard } from './autoload/message-order.ts';
export { sentenceOf, whyOf } from './history/why.ts';
