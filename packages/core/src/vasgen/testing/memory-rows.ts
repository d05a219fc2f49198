import { pkHashOf } from '../queues/shard-of-document.ts';
import type { QueueElement, QueueName } from '../queues/queue-element.ts';
import type { EpochState } from '../epochs/epoch.ts';
import type { EpochSchema } from '../schema/epoch-schema.ts';

/** Rows of the in-memory tables: what another store would have as columns. */
export type ClientRow = { readonly shards: number; readonly version: number };
export type EpochRow = { readonly epoch: number; readonly state: EpochState; readonly schema: EpochSchema };
export type DueRow = { readonly pk: string; readonly epoch: number };
export type ElementRow = QueueElement & { readonly writtenAtMs: number };
export type IdxRow = { readonly idx: number };

const number = (n: number): string => String(n).padStart(16, '0');
/** All keys that begin so. */
export const below = (prefix: string): { readonly from: string; readonly to: string } => ({
  from: `${prefix}/`,
  to: `${prefix}0`, // the symbol behind the slash
});

/** A pk may hold any symbol, so it stands last; client names and groups hold no slash. */
export const keyOf = {
  epochs: (client: string): string => client,
  epoch: (client: string, epoch: number): string => `${client}/${number(epoch)}`,
  rows: (client: string, epoch: number): string => `${client}/${number(epoch)}`,
  row: (client: string, epoch: number, pk: string, hash = pkHashOf(pk)): string =>
    `${client}/${number(epoch)}/${number(hash)}/${pk}`,
  dues: (client: string, shard: number, what: 'expiry' | 'tombstone'): string =>
    `${client}/${number(shard)}/${what}`,
  due: (
    client: string,
    shard: number,
    what: 'expiry' | 'tombstone',
    atMs: number,
    { epoch, pk }: DueRow,
  ): string => `${client}/${number(shard)}/${what}/${number(atMs)}/${number(epoch)}/${pk}`,
  queue: (client: string, queue: QueueName): string => `${client}/${queue}`,
  shard: (client: string, queue: QueueName, shard: number): string => `${client}/${queue}/${number(shard)}`,
  element: (client: string, queue: QueueName, shard: number, idx: number): string =>
    `${client}/${queue}/${number(shard)}/${number(idx)}`,
  offset: (client: string, queue: QueueName, shard: number, group: string): string =>
    `${client}/${queue}/${number(shard)}/${group}`,
  parked: (client: string, epoch: number, pk: string): string => `${client}/${number(epoch)}/${pk}`,
  refusals: (client: string, pk: string): string => `${client}/${number(pkHashOf(pk))}/${pk}`,
  refusal: (client: string, pk: string, epoch: number): string =>
    `${client}/${number(pkHashOf(pk))}/${pk}/${number(epoch)}`,
};

export const upTo = (prefix: string, atMs: number): { readonly from: string; readonly to: string } => ({
  from: `${prefix}/`,
  to: `${prefix}/${number(atMs)}`,
});
