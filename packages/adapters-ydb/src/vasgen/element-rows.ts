import {
  pkHashOf,
  type ClientName,
  type ElementPlace,
  type Failure,
  type QueueName,
} from '@doska/core/vasgen';
import type { RowOf } from '../driver/column-type.ts';
import { elements, type heads } from '../schema/vasgen-tables.ts';
import { QUEUE } from './codes.ts';

const { written_at: _, ...given } = elements.columns;
/** An element as it is sent; the database adds when it was written. */
export const ELEMENT = given;
export const ADD_ELEMENTS = `UPSERT INTO vasgen_element SELECT ${Object.keys(ELEMENT).join(', ')},
  CurrentUtcTimestamp() AS written_at FROM AS_TABLE($elements);`;

export type HeadIdx = RowOf<typeof heads.columns>;
export type ElementRow = RowOf<typeof ELEMENT>;
/** One that gets its idx in the commit. */
export type NewElement = ElementPlace & {
  readonly queue: QueueName;
  readonly shard: number;
  readonly failure?: Failure;
};
type Numbered = { readonly heads: readonly HeadIdx[]; readonly elements: readonly ElementRow[] };

export const shardKey = (queue: number, shard: number): string => `${queue}/${shard}`;
/** The head rows that these elements change, each once and sorted. */
export const headKeys = (
  client: ClientName,
  added: readonly Pick<NewElement, 'queue' | 'shard'>[],
): readonly Omit<HeadIdx, 'idx'>[] =>
  [...new Map(added.map((one) => [shardKey(QUEUE.code[one.queue], one.shard), one])).values()]
    .map(({ queue, shard }) => ({ client, queue: QUEUE.code[queue], shard }))
    .sort((a, b) => a.queue - b.queue || a.shard - b.shard);
/** The names under which work on these elements takes turns. */
export const turnsOf = (
  client: ClientName,
  added: readonly Pick<NewElement, 'queue' | 'shard'>[],
): readonly string[] =>
  headKeys(client, added).map(({ queue, shard }) => `${client}/${shardKey(queue, shard)}`);

/** Counts on from the stored heads, in the order of the elements. */
export const numberElements = (
  client: ClientName,
  stored: readonly HeadIdx[],
  added: readonly NewElement[],
): Numbered => {
  const idx = new Map(stored.map((head) => [shardKey(head.queue, head.shard), head.idx]));
  const numbered = added.map(({ queue, shard, pk, epoch, version, timestampMs, failure }): ElementRow => {
    const key = shardKey(QUEUE.code[queue], shard);
    const next = (idx.get(key) ?? 0) + 1;
    idx.set(key, next);
    return {
      client,
      queue: QUEUE.code[queue],
      shard,
      idx: next,
      pk,
      hash: pkHashOf(pk),
      epoch,
      version,
      timestamp_ms: timestampMs,
      failed_in: failure && QUEUE.code[failure.queue],
      reason: failure?.reason,
      attempts: failure?.attempts,
      retry_at_ms: failure?.retryAtMs,
    };
  });
  const heads = headKeys(client, added).map((key) => ({
    ...key,
    idx: idx.get(shardKey(key.queue, key.shard))!,
  }));
  return { heads, elements: numbered };
};
