import { describe, expect, test } from 'vitest';
import type { BlobHash } from '../../kernel/index.ts';
import { alteration, publication } from '../testing/gost-stores.ts';
import { DAY_US } from '../testing/samples.ts';
import { archivedOf, archiveMoveOf } from './archiving.ts';
import { segmentOf } from './segment.ts';

const place = { segment: 'a'.repeat(64) as BlobHash, offset: 7, length: 9, archivedAtUs: 5 };
const routing = { shards: 4, stripe: 3 };
const made = publication(1);
const sold = alteration(made.offer, { kind: 'sell', onPlatform: true });
const banned = alteration(sold.offer, { kind: 'ban', editable: true, reasons: ['r'], opinionVersion: 1 });
const expired = alteration(made.offer, { kind: 'expire' }, { nowUs: 1_000_000_000 + 31 * DAY_US });
const removed = alteration(made.offer, { kind: 'remove' });

describe('leaving for the archive', () => {
  test.each([
    { name: 'sold', offer: sold.offer, lists: ['all', 'sold'], totals: [] },
    { name: 'expired', offer: expired.offer, lists: ['all', 'inactive'], totals: [['Expired', -1]] },
    { name: 'banned', offer: banned.offer, lists: ['all', 'banned'], totals: [['Banned', -1]] },
    { name: 'removed', offer: removed.offer, lists: [], totals: [] },
  ])(
    '[G17] an offer that is $name leaves its lists and totals as T3 has them',
    ({ offer, lists, totals }) => {
      const move = archiveMoveOf(offer, place, routing);
      expect(move.presets.map(({ preset, by }) => [preset, by])).toEqual(lists.map((list) => [list, -1]));
      expect(move.totals.map(({ total, by }) => [total, by])).toEqual(totals);
      expect(move.pointer).toEqual({
        ...place,
        offerId: offer.id,
        seller: offer.seller,
        version: offer.version,
      });
      expect(move.timer).toMatchObject({ what: 'archive', atUs: offer.retiredAtUs });
    },
  );
  test('[G16] [G17] of an erased offer no words are archived, whenever its history was read', () => {
    const history = [removed.history, { ...made.history, commandId: 'my own words' as never }];
    expect(archivedOf(removed.offer, history).history).toBe(history);
    const erased = alteration(removed.offer, { kind: 'erase', by: 'operator' }).offer;
    expect(JSON.stringify(archivedOf(erased, history))).not.toContain('my own words');
  });
});

test('[G17] all of an offer is archived, but for its contacts', () => {
  const { offer, history } = archivedOf(sold.offer, [sold.history, made.history]);
  const { contacts, ...said } = offer.content;
  expect(Object.values(contacts).every((one) => one === undefined)).toBe(true);
  expect({ ...offer, content: { ...said, contacts: sold.offer.content.contacts } }).toEqual(sold.offer);
  expect(history).toEqual([sold.history, made.history]);
});

describe('a segment', () => {
  const bytes = (...list: number[]) => Uint8Array.from(list);
  test('[G17] its bytes stay those of the first version', () => {
    const { bytes: found, slices } = segmentOf('id', [bytes(1, 2, 3), bytes(), bytes(9)]);
    expect(Buffer.from(found).toString('hex')).toBe('64736b6101026964030000000102030000000001000000' + '09');
    expect(slices).toEqual([
      { offset: 12, length: 3 },
      { offset: 19, length: 0 },
      { offset: 23, length: 1 },
    ]);
  });
  test('[G17] every record is what its slice says; another name makes another content', () => {
    const records = Array.from({ length: 20 }, (_, n) => bytes(...Array.from({ length: n }, () => n)));
    const { bytes: whole, slices } = segmentOf('one', records);
    slices.forEach(({ offset, length }, n) =>
      expect(whole.subarray(offset, offset + length)).toEqual(records[n]),
    );
    expect(Buffer.from(segmentOf('two', records).bytes).equals(Buffer.from(whole))).toBe(false);
  });
});
