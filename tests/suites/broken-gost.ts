import { ok, okAsync, ResultAsync } from 'neverthrow';
import type { GostStores } from '@doska/core/gost';
import type { CommitUnit, OfferStore, QueueKey } from '@doska/core/gost/storage';
import type { Breakage } from './breakage.ts';
import { brokenArchives } from './broken-archive.ts';

export const GOST_SUITES = [
  ...(['OfferStore', 'DraftStore', 'Cabinet', 'ExportQueue', 'OfferScan', 'FeedStore'] as const),
  'OfferArchive' as const,
];
type GostSuite = (typeof GOST_SUITES)[number];
type GostBreakage = Breakage<GostStores> & {
  readonly suite: GostSuite;
};
/** The right store, given other units. */
const committing = (right: OfferStore, change: (unit: CommitUnit) => CommitUnit): OfferStore => ({
  ...right,
  commit: (units) => right.commit(units.map(change)),
});
/** Looks up what is there now and writes over it, whatever the unit was decided on. */
const overwriting = (right: OfferStore): OfferStore => ({
  ...right,
  commit: (units) =>
    right.load(units.flatMap(({ changes }) => changes.map(({ offer }) => offer.id))).andThen((found) => {
      const versions = new Map(found.map(({ id, version }) => [id, version]));
      return right.commit(
        units.map((unit) => ({
          ...unit,
          changes: unit.changes.map((change) => ({
            ...change,
            expectedVersion: versions.get(change.offer.id) ?? 0,
          })),
        })),
      );
    }),
});
/** A unit for every change: what should be all or none is not. */
const torn = (right: OfferStore): OfferStore => ({
  ...right,
  commit: (units) =>
    ResultAsync.combine(
      units.map(({ changes, ...rest }) =>
        changes.length < 2
          ? right.commit([{ changes, ...rest }])
          : right.commit(changes.map((change) => ({ changes: [change] }))),
      ),
    ).map((outcomes) => outcomes.map((each) => each.find((one) => one.isErr()) ?? ok(undefined))),
});

export const brokenGost: readonly GostBreakage[] = [
  ...brokenArchives.map((one) => ({ ...one, suite: 'OfferArchive' as const })),
  {
    suite: 'OfferStore',
    name: 'what is known is believed',
    noticedBy: ['the cached offer of the caller is returned if its version is current'],
    broken: (right) => ({
      ...right,
      offers: {
        ...right.offers,
        load: (ids, known) =>
          right.offers.load(ids).map((found) => found.map((offer) => known?.(offer.id) ?? offer)),
      },
    }),
  },
  {
    suite: 'OfferStore',
    name: 'words that stay in the history',
    noticedBy: ['history entries are overwritten'],
    broken: (right) => ({
      ...right,
      offers: { ...right.offers, rewriteHistory: () => okAsync(undefined) },
    }),
  },
  {
    suite: 'OfferStore',
    name: 'a commit without a version check',
    noticedBy: ['a unit decided on an old version is refused whole'],
    broken: (right) => ({ ...right, offers: overwriting(right.offers) }),
  },
  {
    suite: 'OfferStore',
    name: 'units that are torn apart',
    noticedBy: ['a unit decided on an old version is refused whole'],
    broken: (right) => ({ ...right, offers: torn(right.offers) }),
  },
  {
    suite: 'OfferStore',
    name: 'a change of one kind that forgets the others',
    noticedBy: ['a body that a change does not touch stays unchanged'],
    broken: (right) => ({
      ...right,
      offers: {
        ...right.offers,
        load: (ids) =>
          right.offers
            .load(ids)
            .map((found) =>
              found.map((offer) => (offer.images.length > 0 ? { ...offer, ban: undefined } : offer)),
            ),
      },
    }),
  },
  {
    suite: 'OfferStore',
    name: 'a history without its newest entry',
    noticedBy: ['the history lists every change, newest first, in pages'],
    broken: (right) => ({
      ...right,
      offers: {
        ...right.offers,
        history: (id, page) => right.offers.history(id, page).map((all) => all.slice(1)),
      },
    }),
  },
  {
    suite: 'OfferStore',
    name: 'an expiry that is never taken back',
    noticedBy: ['due offers are listed by shard, longest overdue first, without hidden ones'],
    broken: (right) => ({
      ...right,
      offers: committing(right.offers, (unit) => ({
        ...unit,
        changes: unit.changes.map((change) => ({ ...change, timerRemoved: undefined })),
      })),
    }),
  },
  {
    suite: 'DraftStore',
    name: 'slots whose versions are not looked at',
    noticedBy: ['a commit on an old version of a slot is refused'],
    broken: (right) => ({
      ...right,
      offers: {
        ...right.offers,
        commit: (units) =>
          right.drafts
            .slots(units.flatMap(({ drafts }) => drafts?.slots.map(({ owner }) => owner) ?? []))
            .andThen((now) =>
              right.offers.commit(
                units.map((unit) =>
                  unit.drafts
                    ? {
                        ...unit,
                        drafts: {
                          ...unit.drafts,
                          slots: unit.drafts.slots.map((slot) => ({
                            ...slot,
                            expectedVersion:
                              now.find(
                                ({ owner }) => owner.id === slot.owner.id && owner.kind === slot.owner.kind,
                              )?.version ?? 0,
                          })),
                        },
                      }
                    : unit,
                ),
              ),
            ),
      },
    }),
  },
  {
    suite: 'DraftStore',
    name: 'users whose drafts are called abandoned',
    noticedBy: ['abandoned drafts are the anonymous ones last saved before a moment'],
    broken: (right) => ({
      ...right,
      drafts: {
        ...right.drafts,
        abandoned: (beforeUs, limit) =>
          right.drafts
            .abandoned(beforeUs, limit)
            .andThen((found) =>
              right.drafts
                .slots([{ kind: 'user', id: 'ann' }])
                .map((own) => [...own, ...found].slice(0, limit)),
            ),
      },
    }),
  },
  {
    suite: 'Cabinet',
    name: 'counts that nothing moves',
    noticedBy: ['a commit moves the lists and counts of its offers'],
    broken: (right) => ({
      ...right,
      cabinet: {
        ...right.cabinet,
        counts: () => okAsync({ all: 3, active: 3, inactive: 0, banned: 0, sold: 0 }),
      },
    }),
  },
  {
    suite: 'Cabinet',
    name: 'pages from the oldest on',
    noticedBy: ['pages go newest first, each after the last line of the one before'],
    broken: (right) => ({
      ...right,
      cabinet: {
        ...right.cabinet,
        page: (list) => right.cabinet.page(list).map((lines) => [...lines].reverse()),
      },
    }),
  },
  {
    suite: 'Cabinet',
    name: 'a repair that forgets between its steps',
    noticedBy: ['a repair in steps reports the drift and removes it'],
    broken: (right) => ({
      ...right,
      cabinet: { ...right.cabinet, repairStep: (list) => right.cabinet.repairStep(list, 1_000) },
    }),
  },
  {
    suite: 'Cabinet',
    name: 'totals that are never set right',
    noticedBy: ['a repair sets totals to their sources and reports which were wrong'],
    broken: (right) => ({ ...right, cabinet: { ...right.cabinet, repairTotals: () => okAsync([]) } }),
  },
  {
    suite: 'ExportQueue',
    name: 'a delete of everything up to the last key',
    noticedBy: ['only the named keys are deleted: an older record that was committed later survives'],
    broken: (right) => ({
      ...right,
      queue: {
        ...right.queue,
        delete: (keys: readonly QueueKey[]) =>
          right.queue
            .read(0, 1_000)
            .andThen((rows) =>
              right.queue.delete(rows.filter(({ atUs }) => atUs <= (keys.at(-1)?.atUs ?? 0))),
            ),
      },
    }),
  },
  {
    suite: 'ExportQueue',
    name: 'any number of shards',
    noticedBy: ['the number of shards is settled by the first start; another one is refused'],
    broken: (right) => ({ ...right, queue: { ...right.queue, settleShards: () => okAsync(undefined) } }),
  },
  {
    suite: 'OfferScan',
    name: 'a scan that loses the last offer of a page',
    noticedBy: ['a scan returns every offer that is not removed once'],
    broken: (right) => ({
      ...right,
      scan: {
        ...right.scan,
        scan: (range, limit) =>
          right.scan.scan(range, limit).map(({ offers, last }) => ({ offers: offers.slice(0, -1), last })),
      },
    }),
  },
  {
    suite: 'OfferScan',
    name: 'a scan that stops at a page of removed offers',
    noticedBy: ['a page of only removed offers still says where the next page begins'],
    broken: (right) => ({
      ...right,
      scan: {
        ...right.scan,
        scan: (range, limit) =>
          right.scan
            .scan(range, limit)
            .map(({ offers, last }) => ({ offers, last: offers.length > 0 ? last : undefined })),
      },
    }),
  },
  {
    suite: 'FeedStore',
    name: 'a feed whose progress is not looked at',
    noticedBy: ['a unit decided on another progress is refused whole'],
    broken: (right) => ({
      ...right,
      offers: committing(right.offers, ({ feed: _feed, ...unit }) => unit),
    }),
  },
  {
    suite: 'FeedStore',
    name: 'removed rows that are told again',
    noticedBy: [
      'rows last seen by an older load are listed, a bounded number at a time, without removed ones',
    ],
    broken: (right) => ({
      ...right,
      feeds: {
        ...right.feeds,
        unseenSince: (feed, task, limit) =>
          right.feeds
            .unseenSince(feed, task, limit)
            .andThen((rows) => right.feeds.rows(feed, ['ext-4']).map((gone) => [...rows, ...gone])),
      },
    }),
  },
];
