import {
  isFresher,
  isRaised,
  type ClientName,
  type RegistryWrite,
  type SchemaGrowth,
  type WriteOutcome,
} from '@doska/core/vasgen';
import type { ParametersOf } from '../driver/query.ts';
import { bucketOf } from '../schema/buckets.ts';
import { LANE } from './codes.ts';
import { numberElements, type HeadIdx, type NewElement } from './element-rows.ts';
import type { ACCEPT_WRITE } from './registry-queries.ts';
import { dueRow, headOf, keyOf, storedRow, type DueRow, type HeadRow } from './registry-rows.ts';
import { schemaText } from './schema-text.ts';

type Stored = HeadRow & { readonly shard: number };
/** The stored rows that the writes of one call touch. */
export type AcceptState = {
  readonly living: ReadonlySet<number>;
  readonly rows: ReadonlyMap<string, Stored>;
  readonly heads: readonly HeadIdx[];
  /** When documents that are erased again were erased before. */
  readonly erased: ReadonlyMap<string, number>;
};
export type AcceptWrites = ParametersOf<(typeof ACCEPT_WRITE)['parameters']>;

const WRITTEN: WriteOutcome = { kind: 'written' };
const storedOf = ({ row }: RegistryWrite, { rows }: AcceptState): Stored | undefined =>
  rows.get(keyOf({ epoch: row.place.epoch, pk: row.pk }));

/** What becomes of one write, now that the stored rows are known. */
export const outcomeOf = (write: RegistryWrite, state: AcceptState): WriteOutcome => {
  const { row, mayBeFirst } = write;
  if (!state.living.has(row.place.epoch)) return { kind: 'unknownEpoch' };
  const found = storedOf(write, state);
  if (!found) return mayBeFirst ? WRITTEN : { kind: 'absent' };
  const stored = headOf(found);
  if (isFresher(row.place, stored.place)) return WRITTEN;
  return { kind: 'kept', stored, raised: isRaised(row.lane, row.place.version, stored) };
};

const dueKey = ({ shard, what, at_ms, epoch, pk }: DueRow): string =>
  JSON.stringify([shard, what, at_ms, epoch, pk]);
const elementOf = (write: RegistryWrite, outcome: WriteOutcome): readonly NewElement[] => {
  const { row, shard } = write;
  const added = ({ version, timestampMs }: { readonly version: number; readonly timestampMs: number }) => ({
    pk: row.pk,
    epoch: row.place.epoch,
    version,
    timestampMs,
    shard,
  });
  if (outcome.kind === 'written') return [{ ...added(row.place), queue: row.lane }];
  return outcome.kind === 'kept' && outcome.raised ? [{ ...added(outcome.stored.place), queue: 'main' }] : [];
};
const erasuresOf = (client: ClientName, written: readonly RegistryWrite[], { erased }: AcceptState) => {
  const latest = new Map<string, number>();
  for (const { row, erases } of written)
    if (erases)
      latest.set(row.pk, Math.max(row.writtenAtMs, erased.get(row.pk) ?? 0, latest.get(row.pk) ?? 0));
  const moved = [...latest].filter(([pk, at_ms]) => erased.get(pk) !== at_ms);
  const age = (pk: string, at_ms: number) => ({ client, bucket: bucketOf(pk), at_ms, pk });
  return {
    erasures: moved.map(([pk, at_ms]) => ({ client, pk, at_ms })),
    erasures_moved: moved.flatMap(([pk]) => (erased.has(pk) ? [age(pk, erased.get(pk)!)] : [])),
    erasures_due: moved.map(([pk, at_ms]) => age(pk, at_ms)),
  };
};

/** All that makes the outcomes true; undefined if nothing is to be written. */
export const acceptWrites = (
  client: ClientName,
  writes: readonly RegistryWrite[],
  outcomes: readonly WriteOutcome[],
  state: AcceptState,
  growth: SchemaGrowth | undefined,
): AcceptWrites | undefined => {
  const written = writes.filter((_, i) => outcomes[i]!.kind === 'written');
  const raised = writes.flatMap((write, i) => {
    const outcome = outcomes[i]!;
    const found = storedOf(write, state);
    if (outcome.kind !== 'kept' || !outcome.raised || !found) return [];
    const { epoch, hash, pk } = found;
    return [{ client, epoch, hash, pk, lane: LANE.code.main }];
  });
  if (written.length + raised.length === 0) return undefined;
  const rows = written.map((write) => storedRow(client, write));
  const due = rows.flatMap((row) => dueRow(client, row.shard, row) ?? []);
  const stays = new Set(due.map(dueKey));
  const gone = written.flatMap((write) => {
    const found = storedOf(write, state);
    return (found && dueRow(client, found.shard, found)) ?? [];
  });
  const grows = growth && outcomes[0]?.kind === 'written';
  return {
    raised,
    rows,
    due_gone: gone.filter((one) => !stays.has(dueKey(one))),
    due,
    ...numberElements(
      client,
      state.heads,
      writes.flatMap((write, i) => elementOf(write, outcomes[i]!)),
    ),
    schemas: grows
      ? [{ client, epoch: growth.epoch, number: growth.to.number, body: schemaText(growth.to) }]
      : [],
    ...erasuresOf(client, written, state),
  };
};
