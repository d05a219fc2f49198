import { err, ok, Result } from 'neverthrow';
import type { Malformed } from '../../kernel/index.ts';
import type { Offer } from '../offer/offer.ts';
import type { OfferChange, OutboxRecord } from '../offer/offer-change.ts';
import {
  HEAD_KIND,
  joinParts,
  KINDS,
  noImages,
  noModeration,
  partsOf,
  type OfferBodies,
  type OfferKind,
} from '../offer/offer-parts.ts';
import { FEED_PHOTO_ERRORS, OFFER_UPDATES } from '../export/export-queue.port.ts';
import type { GostCodecs } from '../gost-codecs.port.ts';
import { PHOTO_REQUESTS } from '../../photos/index.ts';

/** A row of the table `offer`: the head, or a body of one kind. */
export type StoredPart = { readonly kind: number; readonly body: Uint8Array };

/** The rows that a change writes: its head, which is the first, and the bodies it touches. */
export const writtenParts = (
  { offer, kinds }: Pick<OfferChange, 'offer' | 'kinds'>,
  { head, bodies }: Pick<GostCodecs, 'head' | 'bodies'>,
): readonly [StoredPart, ...StoredPart[]] => {
  const parts = partsOf(offer);
  const bodyOf = <Kind extends OfferKind>(kind: Kind): StoredPart => ({
    kind: KINDS[kind],
    body: (bodies[kind] as { encode(value: OfferBodies[Kind]): Uint8Array }).encode(parts[kind]),
  });
  return [{ kind: HEAD_KIND, body: head.encode(parts.head) }, ...kinds.map((kind) => bodyOf(kind))];
};

/** The offer that its rows hold, in any order. Rows of kinds that a newer version wrote are passed over. */
export const offerOfParts = (
  rows: readonly StoredPart[],
  { head, bodies }: Pick<GostCodecs, 'head' | 'bodies'>,
): Result<Offer, Malformed> => {
  const bytes = (kind: number): Uint8Array | undefined => rows.find((row) => row.kind === kind)?.body;
  const top = bytes(HEAD_KIND);
  const content = bytes(KINDS.content);
  const moderation = bytes(KINDS.moderation);
  const images = bytes(KINDS.images);
  if (!top || !content) return err({ kind: 'Malformed', what: 'offer', field: top ? 'content' : 'head' });
  return Result.combine([
    head.decode(top),
    bodies.content.decode(content),
    moderation ? bodies.moderation.decode(moderation) : ok(noModeration),
    images ? bodies.images.decode(images) : ok(noImages),
  ]).map(([found, said, opinion, pictures]) =>
    joinParts({ head: found, content: said, moderation: opinion, images: pictures }),
  );
};

/** All that a change leaves to be told: the offer's view, and what its messages say. */
export const queuedRecords = (
  { offer, shard, exported, messages }: Pick<OfferChange, 'offer' | 'shard' | 'exported' | 'messages'>,
  codecs: Pick<GostCodecs, 'view' | 'photoRequest' | 'photoErrors'>,
): readonly OutboxRecord[] => {
  const atUs = offer.updatedAtUs;
  const told = messages.map((message): OutboxRecord => {
    switch (message.kind) {
      case 'photo-request': {
        const { urls, released } = message;
        const value = codecs.photoRequest.encode({ offerId: offer.id, urls, released, atUs });
        return { shard, atUs, topic: PHOTO_REQUESTS, key: offer.id, id: '', value };
      }
      case 'photo-errors': {
        const { source, errors } = message;
        const value = codecs.photoErrors.encode({ seller: offer.seller, source, offerId: offer.id, errors });
        return { shard, atUs, topic: FEED_PHOTO_ERRORS, key: offer.seller, id: offer.id, value };
      }
    }
  });
  const view = codecs.view.encode(exported);
  const update: OutboxRecord = { shard, atUs, topic: OFFER_UPDATES, key: offer.id, id: '', value: view };
  return told.length === 0 ? [update] : [update, ...told];
};
