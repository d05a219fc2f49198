import { headOf } from '../../kernel/testing/in-memory-log-storage.ts';
import type { MemoryDatabase, MemoryLogServer } from '../../kernel/testing.ts';
import type { SegmentRow } from '../archive/archive-segment.ts';
import { compareFreshness, type Freshness } from '../document/freshness.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { RegistryRow } from '../registry/registry-row.ts';
import { indexOf } from '../searcher/client-indexes.ts';
import type { InMemoryEngine } from './in-memory-engine.ts';
import { keyOf, type ElementRow, type EpochRow, type IdxRow } from './memory-rows.ts';
import { QUEUES, type QueueName } from '../queues/queue-element.ts';
import { triple, type Sender } from './simulated-senders.ts';

export type VasgenState = {
  readonly db: MemoryDatabase;
  readonly log: MemoryLogServer;
  readonly topic: string;
  readonly client: ClientName;
  readonly senders: readonly Sender[];
  /** The engine of each searcher in its present life; a searcher that is away has none. */
  readonly engines: ReadonlyMap<string, InMemoryEngine>;
  /** Deletions that were written before this may be forgotten. */
  readonly forgetBeforeMs: () => number;
};

const rowsIn = <Row>({ db }: VasgenState, table: string): readonly (readonly [string, Row])[] => [
  ...((db.tables.get(table)?.rows ?? new Map()) as Map<string, Row>),
];
const livingIn = (state: VasgenState): readonly number[] =>
  rowsIn<EpochRow>(state, 'vasgen_epoch').map(([, { epoch }]) => epoch);
const placeText = ({ epoch, version, timestampMs, kind }: Freshness): string =>
  `${epoch}/${version}/${timestampMs}/${kind}`;

/** What was acknowledged is in the registry, or something fresher is. `forgotten`: keys of deletions that may be gone. */
const acknowledgedLaw = (state: VasgenState, forgotten: ReadonlySet<string>): string | undefined => {
  const rows = state.db.tables.get('vasgen_registry')?.rows as Map<string, RegistryRow> | undefined;
  const living = livingIn(state);
  for (const { acknowledged } of state.senders)
    for (const { pk, place } of acknowledged) {
      if (!living.includes(place.epoch)) continue;
      const key = keyOf.row(state.client, place.epoch, pk);
      const row = rows?.get(key);
      if (!row && forgotten.has(key)) continue;
      if (!row || compareFreshness(row.place, place) < 0)
        return `acknowledged: ${pk} ${placeText(place)} is lost, there is ${row ? placeText(row.place) : 'nothing'}`;
    }
  return undefined;
};

/** An expiry carries the triple of its document, so it loses to anything newer. */
const expiryLaw = (state: VasgenState): string | undefined => {
  for (const [, { pk, place }] of rowsIn<RegistryRow>(state, 'vasgen_registry'))
    if (place.kind === 'expiry' && !state.senders.some(({ sent }) => sent.has(triple(pk, place))))
      return `expiry: nobody has sent ${pk} ${placeText(place)}`;
  return undefined;
};

/** The shard of a queue that an element or an offset belongs to: their keys begin with it. */
const shardOfKey = (key: string): string => key.slice(0, key.lastIndexOf('/'));

/** Laws that hold after every step. They remember what they saw. */
export const vasgenLaws = (state: VasgenState): (() => string | undefined) => {
  const offsets = new Map<string, number>();
  const newest = new Map<string, number>();
  /** Every element that was ever in a queue, and those that are in one now. */
  const seen = new Set<string>();
  let present = new Map<string, number>();
  /** Documents whose elements came with this step. */
  let queued = new Set<string>();
  const offsetLaw = (): string | undefined => {
    for (const [key, { idx }] of rowsIn<IdxRow>(state, 'vasgen_offset')) {
      const before = offsets.get(key) ?? 0;
      if (idx < before) return `offset: ${key} went back from ${before} to ${idx}`;
      offsets.set(key, idx);
    }
    return undefined;
  };
  const orderLaw = (): string | undefined => {
    queued = new Set();
    for (const [key, { idx, pk, epoch, version, timestampMs }] of rowsIn<ElementRow>(
      state,
      'vasgen_element',
    )) {
      if (seen.has(key)) continue;
      seen.add(key);
      present.set(key, idx);
      queued.add(triple(pk, { epoch, version, timestampMs }));
      const shard = shardOfKey(key);
      const before = newest.get(shard) ?? 0;
      if (idx <= before) return `order: ${key} appears after idx ${before}`;
      newest.set(shard, idx);
    }
    return undefined;
  };
  /** An element is deleted only when every group has done it. */
  const purgeLaw = (): string | undefined => {
    const elements = state.db.tables.get('vasgen_element')?.rows;
    if ((elements?.size ?? 0) === present.size) return undefined;
    const done = new Map<string, number>();
    for (const [key, idx] of offsets) {
      const shard = shardOfKey(key);
      done.set(shard, Math.min(done.get(shard) ?? Infinity, idx));
    }
    const kept = new Map<string, number>();
    for (const [key, idx] of present)
      if (elements?.has(key)) kept.set(key, idx);
      else if (idx > (done.get(shardOfKey(key)) ?? 0)) return `queue: ${key} is deleted and was not done`;
    present = kept;
    return undefined;
  };
  const rowsBefore = new Map<string, RegistryRow>();
  /** A row never goes back, and each change of its place or its queue brings an element. */
  const rowLaw = (): string | undefined => {
    for (const [key, row] of rowsIn<RegistryRow>(state, 'vasgen_registry')) {
      const before = rowsBefore.get(key);
      if (before === row) continue;
      rowsBefore.set(key, row);
      const order = before ? compareFreshness(row.place, before.place) : 1;
      if (before && order < 0)
        return `freshness: ${key} went back from ${placeText(before.place)} to ${placeText(row.place)}`;
      if (order === 0 && row.lane === before?.lane) continue;
      if (!queued.has(triple(row.pk, row.place)))
        return `queue: ${key} ${placeText(row.place)} came without an element`;
    }
    return undefined;
  };
  const forgotten = new Set<string>();
  /** A row of a living epoch leaves only as a deletion that is older than the horizon. */
  const forgetLaw = (): string | undefined => {
    const rows = state.db.tables.get('vasgen_registry')?.rows;
    if ((rows?.size ?? 0) === rowsBefore.size) return undefined;
    const living = livingIn(state);
    for (const [key, { status, place, writtenAtMs }] of rowsBefore) {
      if (rows?.has(key)) continue;
      rowsBefore.delete(key);
      forgotten.add(key);
      if (!living.includes(place.epoch)) continue;
      if (status === 'alive') return `forgotten: the row of ${key} is gone while its document lived`;
      if (writtenAtMs >= state.forgetBeforeMs())
        return `forgotten: the deletion of ${key}, written at ${writtenAtMs}, is gone`;
    }
    return undefined;
  };
  return () =>
    offsetLaw() ??
    orderLaw() ??
    purgeLaw() ??
    rowLaw() ??
    forgetLaw() ??
    acknowledgedLaw(state, forgotten) ??
    expiryLaw(state);
};

export type QuietWhen = {
  readonly shards: number;
  readonly group: string;
  /** How many searchers are there. */
  readonly searchers: number;
  readonly nowMs: number;
};
const queuesAreDone = (
  state: VasgenState,
  queues: readonly QueueName[],
  { shards, group }: QuietWhen,
): boolean => {
  const offsets = new Map(rowsIn<IdxRow>(state, 'vasgen_offset'));
  const heads = new Map(rowsIn<IdxRow>(state, 'vasgen_head'));
  for (const queue of queues)
    for (let shard = 0; shard < shards; shard++) {
      const head = heads.get(keyOf.shard(state.client, queue, shard))?.idx ?? 0;
      const done = offsets.get(keyOf.offset(state.client, queue, shard, group))?.idx ?? 0;
      if (done < head) return false;
    }
  return true;
};
/** The index of every searcher holds the living rows of each epoch at their places, and nothing else. */
const indexesAgree = (state: VasgenState, { searchers, nowMs }: QuietWhen): boolean => {
  const rows = rowsIn<RegistryRow>(state, 'vasgen_registry').map(([, row]) => row);
  if (rows.some(({ status, expiresAtMs }) => status === 'alive' && (expiresAtMs ?? Infinity) <= nowMs))
    return false;
  for (const engine of state.engines.values())
    for (const epoch of livingIn(state)) {
      const expected = rows
        .filter(({ status, place }) => status === 'alive' && place.epoch === epoch)
        .map(({ pk, place }) => `${pk} ${placeText(place)}`)
        .toSorted();
      const living = engine
        .living(indexOf(state.client, epoch))
        .map(({ pk, freshness }) => `${pk} ${placeText(freshness)}`)
        .toSorted();
      if (living.join() !== expected.join()) return false;
    }
  return state.engines.size === searchers;
};
/** Every record of the topic is in exactly one segment. */
const archiveIsWhole = (state: VasgenState): boolean => {
  const segments = rowsIn<SegmentRow>(state, 'vasgen_archive_segment').map(([, row]) => row);
  let next = 0;
  for (const { fromOffset, toOffset } of segments.toSorted((a, b) => a.fromOffset - b.fromOffset)) {
    if (fromOffset !== next) return false;
    next = toOffset + 1;
  }
  return next === headOf(state.log.topics.get(state.topic)!.partitions[0]!);
};

/**
 * A live document waits for no re-index: its version is in every index, even if a row of the same version came by the
 * bulk topic.
 */
export const liveIsVisible = (state: VasgenState, when: QuietWhen): boolean => {
  if (!queuesAreDone(state, ['main'], when) || state.engines.size !== when.searchers) return false;
  const rows = state.db.tables.get('vasgen_registry')?.rows as Map<string, RegistryRow> | undefined;
  const living = livingIn(state);
  const awaited = state.senders
    .flatMap(({ acknowledged }) => acknowledged)
    .filter(({ lane, place }) => lane === 'main' && living.includes(place.epoch))
    .filter(({ pk, place }) => {
      const row = rows?.get(keyOf.row(state.client, place.epoch, pk));
      return row?.place.version === place.version;
    });
  return [...state.engines.values()].every((engine) =>
    awaited.every(({ pk, place }) =>
      engine
        .known(indexOf(state.client, place.epoch))
        .some((one) => one.pk === pk && one.freshness.version >= place.version),
    ),
  );
};

/** Nothing is on its way any more, and index and archive agree with registry and topic. */
export const isQuiet = (state: VasgenState, when: QuietWhen): boolean =>
  queuesAreDone(state, QUEUES, when) &&
  rowsIn(state, 'vasgen_parked').length === 0 &&
  indexesAgree(state, when) &&
  archiveIsWhole(state);
