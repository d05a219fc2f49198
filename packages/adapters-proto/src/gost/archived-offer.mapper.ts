import { joinParts, noImages, noModeration, partsOf, type ArchivedOffer } from '@doska/core/gost/storage';
import type { Malformed } from '@doska/core/kernel';
import { err, ok, Result } from 'neverthrow';
import type { ArchivedOffer as PbArchived } from '../generated/doska/gost/stored/v1/stored.ts';
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
import { historyFromPb, historyToPb } from './stored-record.mapper.ts';

export const archivedToPb = ({ offer, history }: ArchivedOffer): PbArchived => {
  const { head, content, moderation, images } = partsOf(offer);
  return {
    head: headToPb(head),
    content: contentToPb(content),
    moderation: moderationToPb(moderation),
    images: imagesToPb(images),
    history: history.map(historyToPb),
  };
};
export const archivedFromPb = (archived: PbArchived): Result<ArchivedOffer, Malformed> => {
  const { head, content, moderation, images, history } = archived;
  if (!head || !content)
    return err({ kind: 'Malformed', what: 'archived offer', field: head ? 'content' : 'head' });
  return Result.combine([
    headFromPb(head),
    contentFromPb(content),
    ok(moderation ? moderationFromPb(moderation) : noModeration),
    images ? imagesFromPb(images) : ok(noImages),
    Result.combine(history.map(historyFromPb)),
  ]).map(([found, said, opinion, pictures, entries]) => ({
    offer: joinParts({ head: found, content: said, moderation: opinion, images: pictures }),
    history: entries,
  }));
};
