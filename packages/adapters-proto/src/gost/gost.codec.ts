import type { GostCodecs } from '@doska/core/gost';
import type { Codec, Malformed } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import { OfferView } from '../generated/doska/gost/v1/offer.ts';
import {
  Draft,
  FeedProgress,
  FeedRow,
  HistoryEntry,
  Images,
  Moderation,
  OfferContent,
  OfferHead,
} from '../generated/doska/gost/stored/v1/stored.ts';
import { compressed, uncompressed } from '../compressed.ts';
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

type Message<Pb> = {
  encode(message: Pb): { finish(): Uint8Array };
  decode(bytes: Uint8Array): Pb;
};
const codec = <T, Pb>(
  what: string,
  message: Message<Pb>,
  toPb: (value: T) => Pb,
  fromPb: (pb: Pb) => Result<T, Malformed>,
): Codec<T> => ({
  encode: (value) => compressed(message.encode(toPb(value)).finish()),
  decode: (bytes) =>
    uncompressed(bytes, what).andThen((body) => {
      try {
        return fromPb(message.decode(body));
      } catch {
        return err({ kind: 'Malformed' as const, what, field: 'message' });
      }
    }),
});

/** The records of the offer store, and the values of `gost-offer-updates`. */
export const gostCodecs: GostCodecs = {
  head: codec('offer head', OfferHead, headToPb, headFromPb),
  bodies: {
    content: codec('offer content', OfferContent, contentToPb, contentFromPb),
    moderation: codec('moderation', Moderation, moderationToPb, (pb) => ok(moderationFromPb(pb))),
    images: codec('images', Images, imagesToPb, imagesFromPb),
  },
  view: codec('offer view', OfferView, viewToPb, viewFromPb),
  draft: codec('draft', Draft, draftToPb, draftFromPb),
  history: codec('history entry', HistoryEntry, historyToPb, historyFromPb),
  feedProgress: codec('feed progress', FeedProgress, feedProgressToPb, (pb) => ok(feedProgressFromPb(pb))),
  feedRow: codec('feed row', FeedRow, feedRowToPb, feedRowFromPb),
};
