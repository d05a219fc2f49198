import { describe, expect, test } from 'vitest';
import { alteration, publication } from '../testing/gost-stores.ts';
import { DAY_US, sampleContent } from '../testing/samples.ts';
import type { ChangeCommand } from '../offer/command.ts';
import type { HistoryEntry } from './history.ts';
import type { OfferChange } from '../offer/offer-change.ts';
import { sentenceOf, whyOf } from './why.ts';

const START_US = Date.UTC(2026, 0, 1, 12) * 1_000;
type Given = { readonly kind: ChangeCommand['kind'] } & Record<string, unknown>;
type Step = readonly [command: Given, days: number];
type Case = { readonly name: string; readonly steps: readonly Step[]; readonly says: readonly string[] };
/** A life: published on the first of January at noon, then each command so many days later. */
const live = (steps: readonly Step[], made = publication(1, { nowUs: START_US })): OfferChange[] =>
  steps.reduce<OfferChange[]>(
    ([last, ...rest], [command, days]) => [
      alteration(last!.offer, command, { nowUs: START_US + days * DAY_US }),
      last!,
      ...rest,
    ],
    [made],
  );
const why = (changes: readonly OfferChange[], shown = changes.length) =>
  whyOf(
    changes[0]!.offer,
    changes.slice(0, shown).map(({ history }) => history),
  );
const ban: Given = {
  kind: 'ban',
  by: 'moderation',
  editable: true,
  reasons: ['spam', 'fraud'],
  opinionVersion: 5,
};
const url = (n: number) => `https://photos.test/${n}.jpg`;
const ready = (n: number) => ({
  url: url(n),
  outcome: { kind: 'ready', imageId: `i${n}`, width: 1, height: 1 },
});

describe('why', () => {
  test.each<Case>([
    {
      name: 'published',
      steps: [],
      says: [
        'It is active: the seller published it on 2026-01-01 12:00:00 UTC.',
        'It runs out on 2026-01-31 12:00:00 UTC.',
      ],
    },
    {
      name: 'edited',
      steps: [[{ kind: 'edit', content: sampleContent({ title: 'Lada, red', price: undefined }) }, 1]],
      says: [
        'It is active: the seller published it on 2026-01-01 12:00:00 UTC.',
        'It runs out on 2026-01-31 12:00:00 UTC.',
        'The last word on what it says: The seller edited it (title, price) on 2026-01-02 12:00:00 UTC.',
      ],
    },
    {
      name: 'hidden',
      steps: [[{ kind: 'hide' }, 2]],
      says: ['It is hidden: the seller hid it on 2026-01-03 12:00:00 UTC.'],
    },
    {
      name: 'put up again by an operator',
      steps: [
        [{ kind: 'hide' }, 2],
        [{ kind: 'activate', by: 'operator' }, 3],
      ],
      says: [
        'It is active: an operator put it up again on 2026-01-04 12:00:00 UTC.',
        'It runs out on 2026-02-03 12:00:00 UTC.',
      ],
    },
    {
      name: 'expired',
      steps: [[{ kind: 'expire', by: 'time' }, 31]],
      says: ['It is expired: its term ended on 2026-02-01 12:00:00 UTC.'],
    },
    {
      name: 'sold on the platform',
      steps: [[{ kind: 'sell', onPlatform: true }, 1]],
      says: [
        'It is sold: the seller marked it as sold on the platform for 1000.00 RUB on 2026-01-02 12:00:00 UTC.',
      ],
    },
    {
      name: 'sold elsewhere',
      steps: [[{ kind: 'sell', onPlatform: false }, 1]],
      says: ['It is sold: the seller marked it as sold on 2026-01-02 12:00:00 UTC.'],
    },
    {
      name: 'banned, and hidden under the ban',
      steps: [
        [ban, 1],
        [{ kind: 'hide' }, 2],
      ],
      says: [
        'It is banned: moderation banned it (opinion 5: spam, fraud) on 2026-01-02 12:00:00 UTC.',
        'An edit may help.',
        'Without the ban it would be hidden.',
      ],
    },
    {
      name: 'banned for another reason since',
      steps: [
        [ban, 1],
        [{ ...ban, editable: false, reasons: ['weapons'], opinionVersion: 6 }, 2],
      ],
      says: [
        'It is banned: moderation banned it (opinion 6: weapons) on 2026-01-03 12:00:00 UTC.',
        'No edit can help; only moderation lifts the ban.',
        'Without the ban it would be active.',
        'It runs out on 2026-01-31 12:00:00 UTC.',
      ],
    },
    {
      name: 'unbanned too late',
      steps: [
        [ban, 1],
        [{ kind: 'unban', by: 'moderation', opinionVersion: 6 }, 31],
      ],
      says: ['It is expired: moderation lifted the ban (opinion 6) on 2026-02-01 12:00:00 UTC.'],
    },
    {
      name: 'removed, and erased later',
      steps: [
        [{ kind: 'remove' }, 1],
        [{ kind: 'erase', by: 'operator' }, 2],
      ],
      says: [
        'It is removed: the seller removed it on 2026-01-02 12:00:00 UTC.',
        expect.stringMatching(/^An operator erased what it said on 2026-01-03/) as string,
      ],
    },
    {
      name: 'erased while it was active',
      steps: [[{ kind: 'erase', by: 'operator' }, 1]],
      says: ['It is removed: an operator erased what it said on 2026-01-02 12:00:00 UTC.'],
    },
    {
      name: 'dropped by its feed, then talked about by moderation',
      steps: [
        [{ kind: 'remove', by: 'feed', feed: { namespace: 'shop', task: 8 } }, 1],
        [ban, 2],
      ],
      says: ['It is removed: feed “shop” (load 8) did not have it any more on 2026-01-02 12:00:00 UTC.'],
    },
  ])('[G14] $name', ({ steps, says }) => {
    expect(why(live(steps))).toEqual(says);
  });

  test('[G14] an offer of a feed, its loads and its pictures', () => {
    const source = { namespace: 'shop', externalId: 'x' };
    const feed = { namespace: 'shop', task: 7 };
    const photos = [1, 2, 3].map(url);
    const made = publication(1, { nowUs: START_US, content: { photos } });
    const offer = { ...made.offer, source, expiresAtUs: undefined };
    const changes = live(
      [
        [
          {
            kind: 'feedUpdate',
            by: 'feed',
            feed,
            source,
            content: sampleContent({ photos, description: 'Runs well.' }),
          },
          1,
        ],
        [
          {
            kind: 'photos',
            by: 'photos',
            photos: [ready(1), { url: url(2), outcome: { kind: 'failed', reason: 'TooLarge' } }],
          },
          2,
        ],
      ],
      { ...made, offer },
    );
    expect(why(changes)).toEqual([
      'It is active: the seller published it on 2026-01-01 12:00:00 UTC.',
      'It does not run out while feed “shop” has it.',
      'Pictures: 3 named, 1 ready, 1 failed (TooLarge).',
      'The last word on what it says: Feed “shop” (load 7) loaded it again (description) on 2026-01-02 12:00:00 UTC.',
    ]);
    expect(changes.map(({ history }) => sentenceOf(history))).toEqual([
      'The photo service answered about its pictures (1 of 3 ready, 1 failed) on 2026-01-03 12:00:00 UTC.',
      'Feed “shop” (load 7) loaded it again (description) on 2026-01-02 12:00:00 UTC.',
      'The seller published it on 2026-01-01 12:00:00 UTC; it became active; it runs out on 2026-01-31 12:00:00 UTC.',
    ]);
  });
  test('[G14] a cause that lies behind what was read is not made up', () => {
    const changes = live(
      ['one', 'two', 'three'].map(
        (title, n) => [{ kind: 'edit', content: sampleContent({ title }) }, n + 1] as const,
      ),
    );
    expect(why(changes, 2)[0]).toBe(
      'It is active: since before 2026-01-03 12:00:00 UTC, by a change that is not shown.',
    );
    expect(why(changes, 0)[0]).toContain('since before 2026-01-04');
  });
  test('[G14] an entry that is older than the details is told with what it has', () => {
    const [change] = live([[ban, 1]]);
    const old: HistoryEntry = { ...change!.history, details: undefined };
    expect(whyOf(change!.offer, [old])[0]).toBe(
      'It is banned: moderation banned it on 2026-01-02 12:00:00 UTC.',
    );
  });
});

describe('details', () => {
  test('[G14] name what changed, never what it says', () => {
    const content = sampleContent({ contacts: { name: 'Eve', phone: '+7 911 111-11-11', email: undefined } });
    const [change] = live([[{ kind: 'edit', content }, 1]]);
    expect(change!.history.details).toEqual({
      fields: ['contacts'],
      opinion: undefined,
      feed: undefined,
      expiresAtUs: undefined,
      photos: undefined,
    });
    expect(JSON.stringify(change!.history)).not.toMatch(/Eve|911/);
  });
  test('[G14] a new term is told, an old one is not repeated, and nothing to say is nothing', () => {
    const [again, hidden, made] = live([
      [{ kind: 'hide' }, 1],
      [{ kind: 'activate' }, 2],
    ]);
    expect([made, hidden, again].map((one) => one!.history.details?.expiresAtUs)).toEqual([
      START_US + 30 * DAY_US,
      undefined,
      START_US + 32 * DAY_US,
    ]);
    expect(hidden!.history.details).toBeUndefined();
  });
});
