import { sameValue } from '../../kernel/index.ts';
import { emptyText, type CommandId, type Offer } from '../offer/offer.ts';
import type { HistoryEntry } from '../history/history.ts';
import { withContent, type DecisionContext, type Step } from '../offer/step.ts';

type Erasable = Pick<Offer, 'content' | 'geo' | 'images' | 'source' | 'ban' | 'lifecycle' | 'expiresAtUs'>;
/** Only the category of a content is left: it holds no personal data. */
export const isErased = ({ content, geo, images, source, ban, lifecycle }: Erasable): boolean =>
  lifecycle === 'removed' &&
  sameValue(content, { ...emptyText, category: content.category }) &&
  ![geo, source, ban].some((one) => one !== undefined) &&
  images.length === 0;

/**
 * The offer is removed, whatever it was, and nothing that its seller said or was told stays in it: id, seller, versions
 * and times do, and the sale that the totals count. It is published once more, so that a consumer that keeps the last view
 * keeps an empty one.
 */
export const erase = (offer: Offer, context: DecisionContext): Step | undefined => {
  if (isErased(offer)) return undefined;
  const content = { ...emptyText, category: offer.content.category };
  return {
    next: {
      ...offer,
      ...withContent(content, undefined, context),
      catalogVersion: offer.catalogVersion,
      lifecycle: 'removed',
      source: undefined,
      ban: undefined,
      expiresAtUs: undefined,
      images: offer.images.length > 0 ? [] : offer.images,
    },
  };
};

const ERASED = 'erased' as CommandId;
/** The name of every erasing command: a second one finds that it was done. */
export const ERASE_COMMAND = 'erase' as CommandId;
/** What callers, feeds and moderators wrote goes; what was done, when and by whom stays. The same entry when nothing goes. */
export const scrubbed = (entry: HistoryEntry): HistoryEntry => {
  const { commandId, details } = entry;
  const named = commandId !== ERASED && commandId !== ERASE_COMMAND;
  const worded = details?.feed !== undefined || (details?.opinion?.reasons ?? []).length > 0;
  if (!named && !worded) return entry;
  return {
    ...entry,
    commandId: named ? ERASED : commandId,
    details: details && {
      ...details,
      feed: undefined,
      opinion: details.opinion && { ...details.opinion, reasons: [] },
    },
  };
};
