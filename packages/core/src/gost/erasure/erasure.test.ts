import { describe, expect, test } from 'vitest';
import { alteration, publication } from '../testing/gost-stores.ts';
import { DAY_US, commandId, sampleContent, sampleContext } from '../testing/samples.ts';
import { decide } from '../offer/decide.ts';
import { ERASE_COMMAND, isErased, scrubbed } from './erasure.ts';
import { offerStatus, type Offer } from '../offer/offer.ts';
import { LIFECYCLES, type Lifecycle } from '../offer/status.ts';

const photos = ['https://photos.test/1.jpg'];
const place = { address: 'Казань', point: undefined };
const published = (): Offer => publication(1, { content: { photos, place } }).offer;
const late = { nowUs: 1_000_000_000 + 31 * DAY_US };
const after = (offer: Offer, command: Parameters<typeof alteration>[1], context = {}): Offer =>
  alteration(offer, command, context).offer;
const reach: Record<Lifecycle, (offer: Offer) => Offer> = {
  active: (offer) => offer,
  hidden: (offer) => after(offer, { kind: 'hide' }),
  expired: (offer) => after(offer, { kind: 'expire' }, late),
  sold: (offer) => after(offer, { kind: 'sell', onPlatform: true }),
  removed: (offer) => after(offer, { kind: 'remove' }),
};
const ban = { kind: 'ban', editable: false, reasons: ['r'], opinionVersion: 4 } as const;
const erase = { kind: 'erase', id: ERASE_COMMAND, by: 'operator' } as const;
const states = LIFECYCLES.flatMap((lifecycle) =>
  [false, true].map((banned) => ({ lifecycle, banned, name: `${lifecycle}${banned ? ', banned' : ''}` })),
);

describe('erase', () => {
  test.each(states)(
    '[G16] $name: removed and empty; id, times and the sale stay',
    ({ lifecycle, banned }) => {
      const image = { url: photos[0]!, outcome: { kind: 'failed', reason: 'x' } };
      const pictured = after(published(), { kind: 'photos', photos: [image] });
      const standing = reach[lifecycle](pictured);
      const offer = banned
        ? { ...standing, ban: { editable: false, reasons: ['r'] }, opinionVersion: 4 }
        : standing;
      expect(isErased(offer)).toBe(false);
      const { offer: erased, ...change } = alteration(offer, erase);
      expect(isErased(erased)).toBe(true);
      expect(offerStatus(erased)).toBe('removed');
      expect(erased).toMatchObject({
        id: offer.id,
        seller: offer.seller,
        createdAtUs: offer.createdAtUs,
        version: offer.version + 1,
        soldOnPlatform: offer.soldOnPlatform,
        opinionVersion: offer.opinionVersion,
        commands: [{ id: ERASE_COMMAND }],
        content: { category: 'cars', title: '', photos: [] },
      });
      expect(change.exported).toMatchObject({
        status: 'removed',
        title: '',
        photos: [],
        reasons: [],
        place: {},
      });
      expect(change.timerAdded?.what ?? 'archive').toBe('archive');
      // The pictures are let go without a word of which they were.
      expect(change.messages).toEqual([{ kind: 'photo-request', urls: [], released: 'all' }]);
      expect(change.presets.every(({ by }) => by < 0)).toBe(true);
      expect(decide(erased, { ...erase, id: commandId('other') }, sampleContext())._unsafeUnwrap().kind).toBe(
        'none',
      );
      expect(decide(erased, erase, sampleContext())._unsafeUnwrap()).toMatchObject({
        kind: 'none',
        repeated: true,
      });
    },
  );
  test('[G16] an opinion that is heard afterwards leaves nothing to erase', () => {
    const heard = after(after(published(), erase), ban);
    expect(isErased(heard)).toBe(true);
  });
});

describe('scrubbed', () => {
  const [hidden, banned, edited] = [
    alteration(published(), { kind: 'hide' }),
    alteration(published(), ban),
    alteration(published(), { kind: 'edit', content: sampleContent({ title: 'Lada, red' }) }),
  ].map(({ history }) => history);
  test('[G16] names and words go, deeds stay', () => {
    expect(scrubbed(banned!)).toEqual({
      ...banned,
      commandId: 'erased',
      details: { ...banned!.details, opinion: { version: 4, reasons: [], editable: false } },
    });
    expect(
      scrubbed({ ...edited!, details: { ...edited!.details!, feed: { namespace: 'shop', task: 1 } } }),
    ).toEqual({
      ...edited,
      commandId: 'erased',
    });
    expect(scrubbed(hidden!)).toEqual({ ...hidden, commandId: 'erased' });
  });
  test('[G16] what holds nothing any more is the same entry', () => {
    for (const entry of [hidden!, banned!, edited!]) {
      const once = scrubbed(entry);
      expect(scrubbed(once)).toBe(once);
    }
  });
});
