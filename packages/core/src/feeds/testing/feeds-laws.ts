import type { FeedAnswer, FeedKey, FeedMessage } from '../../gost/index.ts';
import { FEED_VERDICTS } from '../../gost/index.ts';
import type { BlobServer, MemoryDatabase } from '../../kernel/testing.ts';
import { hasEnded, type LoadStatistics } from '../domain/load.ts';
import { FEED_FILES } from '../use-cases/keep-file.ts';
import {
  BATCHES,
  FEED,
  feedKey,
  loadKey,
  OLD,
  OWNERS,
  padded,
  SEP,
  STATISTICS,
  TASKS,
  type FeedRow,
  type LoadRow,
} from './memory-feed-rows.ts';

const rowsOf = <Row>(db: MemoryDatabase, table: string): readonly (readonly [string, Row])[] =>
  [...(db.tables.get(table)?.rows ?? [])] as unknown as readonly (readonly [string, Row])[];
export const loadsIn = (db: MemoryDatabase): readonly LoadRow[] =>
  rowsOf<LoadRow>(db, TASKS).map(([, row]) => row);
const runOf = ({ seller, namespace, task, generation }: FeedMessage): string =>
  `${seller}/${namespace}/${task}/${generation}`;

/** [P6] Batches of a run come without gaps; behind its terminal message there are only repetitions. */
export const makeTopicLaw = (topic: readonly FeedMessage[]): (() => string | undefined) => {
  const next = new Map<string, number>();
  const ended = new Map<string, number>();
  let at = 0;
  return () => {
    for (; at < topic.length; at++) {
      const message = topic[at]!;
      const run = runOf(message);
      const expected = next.get(run) ?? 0;
      if (message.kind === 'terminal') {
        if (message.batches !== expected) return `order: terminal of ${run} after ${expected} batches`;
        ended.set(run, message.batches);
      } else if (message.batch > expected) return `order: gap before batch ${message.batch} of ${run}`;
      else if (message.batch === expected) {
        if (ended.has(run)) return `order: batch ${message.batch} of ${run} behind its terminal message`;
        next.set(run, expected + 1);
      }
    }
    return undefined;
  };
};

/** [P2] [P3] Tokens, generations, numbers of loads and versions only grow. A load that has not ended does not vanish. */
export const makeGrowthLaw = (db: MemoryDatabase): (() => string | undefined) => {
  const seen = new Map<string, number>();
  const grows = (name: string, value: number): string | undefined => {
    const before = seen.get(name) ?? 0;
    seen.set(name, value);
    return value < before ? `growth: ${name} fell from ${before} to ${value}` : undefined;
  };
  let open = new Set<string>();
  return () => {
    for (const [name, { feed, locks }] of rowsOf<FeedRow>(db, FEED)) {
      const broken =
        grows(`loader token of ${name}`, locks.feedloader.token) ??
        grows(`processor token of ${name}`, locks.feedprocessor.token) ??
        grows(`last load of ${name}`, feed.lastTask) ??
        grows(`version of ${name}`, feed.version);
      if (broken !== undefined) return broken;
    }
    const loads = rowsOf<LoadRow>(db, TASKS);
    const names = new Set(loads.map(([name]) => name));
    const gone = [...open].find((name) => !names.has(name));
    if (gone !== undefined) return `vanished: load ${gone} had not ended`;
    open = new Set(loads.flatMap(([name, { load }]) => (hasEnded(load) ? [] : [name])));
    for (const [name, { load }] of loads) {
      const broken = grows(`generation of ${name}`, load.task.generation);
      if (broken !== undefined) return broken;
    }
    return undefined;
  };
};

/** [P7] The file of a load can be read until the cleanup takes the load. */
export const filesLaw = (db: MemoryDatabase, { areas }: BlobServer): string | undefined => {
  const old = new Set(rowsOf(db, OLD).map(([name]) => name));
  const lost = loadsIn(db).find(
    ({ load: { file, task }, ...key }) =>
      file && !old.has(loadKey(key, task.id)) && !areas.get(FEED_FILES)?.has(file.hash),
  );
  return lost && `files: load ${lost.load.task.id} of ${lost.seller}/${lost.namespace} has no file`;
};

/** [P6] Statistics are a recount of the answers that are saved. */
export const statisticsLaw = (db: MemoryDatabase, answers: readonly FeedAnswer[]): string | undefined => {
  const batches = rowsOf(db, BATCHES).map(([name]) => name);
  for (const { load, ...key } of loadsIn(db)) {
    const name = loadKey(key, load.task.id);
    const kept = db.tables.get(STATISTICS)?.rows.get(name) as LoadStatistics | undefined;
    if (!kept) continue;
    const prefix = `${name}${SEP}${padded(kept.generation)}${SEP}`;
    const saved = batches.flatMap((row) =>
      row.startsWith(prefix) ? [Number(row.slice(prefix.length))] : [],
    );
    const told = saved.flatMap((batch) => {
      const answer = answers.find(
        (one) =>
          one.kind === 'batch' &&
          one.outcome === 'applied' &&
          one.batch === batch &&
          one.task === load.task.id &&
          one.generation === kept.generation &&
          feedKey(one) === feedKey(key),
      );
      return answer?.kind === 'batch' ? answer.entries : [];
    });
    for (const verdict of FEED_VERDICTS) {
      const count = told.filter((entry) => entry.verdict === verdict).length;
      if (kept.verdicts[verdict] !== count)
        return `statistics: load ${load.task.id} says ${kept.verdicts[verdict]} ${verdict}, saved are ${count}`;
    }
  }
  return undefined;
};

/** In the end every load has ended, every lock is free, and no file is left without a load. */
export const isQuiet = (db: MemoryDatabase, { areas }: BlobServer): boolean => {
  const loads = loadsIn(db);
  const locksAreFree = rowsOf<FeedRow>(db, FEED).every(
    ([, { locks }]) => locks.feedloader.holder === undefined && locks.feedprocessor.holder === undefined,
  );
  const named = new Set(loads.flatMap(({ load }) => load.file?.hash ?? []));
  const stored = [...(areas.get(FEED_FILES)?.keys() ?? [])];
  return (
    loads.every(({ load }) => hasEnded(load)) &&
    locksAreFree &&
    rowsOf(db, OWNERS).length === 0 &&
    rowsOf(db, OLD).length === 0 &&
    stored.every((hash) => named.has(hash))
  );
};
export const sameFeed = (a: FeedKey, b: FeedKey): boolean =>
  a.seller === b.seller && a.namespace === b.namespace;
