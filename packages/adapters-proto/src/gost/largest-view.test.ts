import { expect, test } from 'vitest';
import {
  decide,
  decidePublish,
  defaultOfferLimits,
  FIELD_BOUNDS,
  largestViewBytes,
  viewOf,
  violationsOf,
  type CommandId,
  type Offer,
  type OfferContent,
} from '@doska/core/gost';
import {
  largestContent,
  noise,
  sampleCatalog,
  sampleContext,
  sampleOfferId,
  sampleSeller,
} from '@doska/core/gost/testing';
import { gostCodecs } from './gost.codec.ts';

const { text } = noise();
const outcomeOf = (content: OfferContent): Offer => {
  const context = sampleContext();
  const command = { id: 'c1' as CommandId, by: 'seller' as const };
  const made = decidePublish(
    undefined,
    { ...command, kind: 'publish', offerId: sampleOfferId(1), seller: sampleSeller(), content },
    context,
  )._unsafeUnwrap();
  if (made.kind === 'none') throw new Error('a new offer changes something');
  const { reasons, reasonChars } = FIELD_BOUNDS;
  const ban = decide(
    made.change.offer,
    {
      id: 'c2' as CommandId,
      by: 'moderation',
      kind: 'ban',
      opinionVersion: 1,
      editable: true,
      reasons: Array.from({ length: reasons }, () => text(reasonChars)),
    },
    context,
  )._unsafeUnwrap();
  if (ban.kind === 'none') throw new Error('a ban changes something');
  const failed = content.photos.map((photo) => ({
    url: photo,
    outcome: { kind: 'failed' as const, reason: 'not-found' },
  }));
  return { ...ban.change.offer, images: failed };
};

test('[X2] the largest legal offer, banned with the longest reasons, fits a record of its topic', () => {
  const content = largestContent();
  expect(violationsOf(content, sampleCatalog, defaultOfferLimits)).toEqual([]);
  // Ten percent more is refused: the content is really at its limit.
  const more = { ...content, description: content.description + text(2_600) };
  expect(violationsOf(more, sampleCatalog, defaultOfferLimits)).toMatchObject([{ code: 'TooLarge' }]);
  const offer = outcomeOf(content);
  const bytes = gostCodecs.view.encode(viewOf(offer));
  expect(bytes.length).toBeGreaterThan(100_000);
  expect(bytes.length).toBeLessThanOrEqual(largestViewBytes(defaultOfferLimits));
  expect(gostCodecs.view.decode(bytes)._unsafeUnwrap()).toEqual(viewOf(offer));
});
