import { moneyToPb, statuses } from '@doska/adapters-proto';
import { OfferStatus } from '@doska/adapters-proto/generated/doska/gost/v1/offer';
import type {
  GetOfferHistoryResponse,
  OfferEvent,
} from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import { offerStatus, sentenceOf, type HistoryEntry, type OfferHistory } from '@doska/core/gost';

const maybe = (count: number | undefined): bigint | undefined =>
  count === undefined ? undefined : BigInt(count);

const eventToPb = (entry: HistoryEntry): OfferEvent => {
  const { fields = [], opinion, feed, expiresAtUs, photos } = entry.details ?? {};
  return {
    version: BigInt(entry.version),
    atUs: BigInt(entry.atUs),
    command: entry.command,
    by: entry.by,
    from: entry.from ? (statuses.toPb(entry.from) as OfferStatus) : OfferStatus.OFFER_STATUS_UNSPECIFIED,
    to: statuses.toPb(entry.to) as OfferStatus,
    sentence: sentenceOf(entry),
    changedFields: [...fields],
    opinionVersion: maybe(opinion?.version),
    banReasons: [...(opinion?.reasons ?? [])],
    feedNamespace: feed?.namespace,
    feedTask: maybe(feed?.task),
    expiresAtUs: maybe(expiresAtUs),
    photos,
    earned: entry.sale?.earned && moneyToPb(entry.sale.earned),
  };
};
export const historyToPb = ({
  offer,
  entries,
  why,
  nextPageToken = '',
  archivedAtUs,
}: OfferHistory): GetOfferHistoryResponse => ({
  why: [...why],
  events: entries.map(eventToPb),
  nextPageToken,
  status: statuses.toPb(offerStatus(offer)) as OfferStatus,
  version: BigInt(offer.version),
  archivedAtUs: maybe(archivedAtUs),
});
