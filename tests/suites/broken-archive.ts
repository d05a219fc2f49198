import { okAsync, ResultAsync } from 'neverthrow';
import type { GostStores } from '@doska/core/gost';
import type { OfferArchive } from '@doska/core/gost/storage';
import type { Breakage } from './breakage.ts';

/** Looks up the versions that are there now and takes the offers out, whatever was archived of them. */
const careless = ({ archive, offers }: GostStores): OfferArchive => ({
  ...archive,
  move: (moves) =>
    offers.load(moves.map(({ pointer }) => pointer.offerId)).andThen((found) => {
      const versions = new Map(found.map(({ id, version }) => [id, version]));
      return archive.move(
        moves.map((move) => ({
          ...move,
          pointer: { ...move.pointer, version: versions.get(move.pointer.offerId) ?? move.pointer.version },
        })),
      );
    }),
});

/** For the suite `OfferArchive`. */
export const brokenArchives: readonly Breakage<GostStores>[] = [
  {
    name: 'a move that does not look at the versions',
    noticedBy: ['if one offer has changed, nothing moves and that offer is named'],
    broken: (right) => ({ ...right, archive: careless(right) }),
  },
  {
    name: 'a segment that some move into and some do not',
    noticedBy: ['if one offer has changed, nothing moves and that offer is named'],
    broken: (right) => ({
      ...right,
      archive: {
        ...right.archive,
        move: (moves) =>
          ResultAsync.combine(moves.map((move) => right.archive.move([move]))).map((refused) =>
            refused.flat(),
          ),
      },
    }),
  },
  {
    name: 'lines that stay when their offers go',
    noticedBy: ['a moved offer leaves the store with its history, lists, totals and timer'],
    broken: (right) => ({
      ...right,
      archive: {
        ...right.archive,
        move: (moves) => right.archive.move(moves.map((move) => ({ ...move, presets: [] }))),
      },
    }),
  },
  {
    name: 'timers that stay when their offers go',
    noticedBy: ['a moved offer leaves the store with its history, lists, totals and timer'],
    broken: (right) => ({
      ...right,
      archive: {
        ...right.archive,
        move: (moves) => right.archive.move(moves.map((move) => ({ ...move, timer: undefined }))),
      },
    }),
  },
  {
    name: 'a condemnation that has no effect',
    noticedBy: ['nothing moves into a condemned segment; a used segment is not condemned'],
    broken: (right) => ({
      ...right,
      archive: {
        ...right.archive,
        condemn: (segment) => right.archive.named([segment]).map((named) => named.length === 0),
      },
    }),
  },
  {
    name: 'a segment that is written anew for some of its offers',
    noticedBy: ['a rewrite moves all pointers of a segment'],
    broken: (right) => ({
      ...right,
      archive: {
        ...right.archive,
        rewrite: (asked) =>
          right.archive.ofSegment(asked.segment).andThen((now) =>
            right.archive.rewrite({
              ...asked,
              pointers: now.map(
                (one) => asked.pointers.find(({ offerId }) => offerId === one.offerId) ?? one,
              ),
            }),
          ),
      },
    }),
  },
  {
    name: 'a segment that is written anew without a word',
    noticedBy: ['a rewrite moves all pointers of a segment'],
    broken: (right) => ({
      ...right,
      archive: {
        ...right.archive,
        rewrite: (asked) => right.archive.rewrite({ ...asked, outbox: [] }),
      },
    }),
  },
  {
    name: 'condemned segments that are forgotten to delete',
    noticedBy: ['condemned segments are listed until they are reported deleted; they stay condemned'],
    broken: (right) => ({ ...right, archive: { ...right.archive, condemned: () => okAsync([]) } }),
  },
  {
    name: 'timers that know one kind only',
    noticedBy: ['due offers are listed by shard and kind, longest retired first'],
    broken: (right) => ({
      ...right,
      timers: {
        due: (_what, shard, untilUs, limit) => right.timers.due('archive', shard, untilUs, limit),
      },
    }),
  },
];
