import {
  pkHashOf,
  type ClientName,
  type RegistryRow,
  type RegistryWrite,
  type RowHead,
} from '@doska/core/vasgen';
import type { RowOf } from '../driver/column-type.ts';
import type { due, registry } from '../schema/vasgen-tables.ts';
import { KIND, LANE, STATUS, WHAT } from './codes.ts';

/** A row of the registry without its body. */
export const HEAD = {
  epoch: 'Int64',
  hash: 'Uint64',
  pk: 'Utf8',
  version: 'Int64',
  timestamp_ms: 'Int64',
  kind: 'Uint32',
  status: 'Uint32',
  expires_at_ms: 'Int64?',
  written_at_ms: 'Int64',
  schema_number: 'Uint64',
  lane: 'Uint32',
  content_hash: 'Utf8',
  body_bytes: 'Uint64',
} as const;
export const HEAD_OF_R = Object.keys(HEAD)
  .map((name) => `r.${name} AS ${name}`)
  .join(', ');
export type HeadRow = RowOf<typeof HEAD>;
export type StoredRow = RowOf<typeof registry.columns>;
export type DueRow = RowOf<typeof due.columns>;

export const headOf = (row: HeadRow): RowHead => ({
  pk: row.pk,
  place: {
    epoch: row.epoch,
    version: row.version,
    timestampMs: row.timestamp_ms,
    kind: KIND.name(row.kind),
  },
  status: STATUS.name(row.status),
  expiresAtMs: row.expires_at_ms,
  writtenAtMs: row.written_at_ms,
  schema: row.schema_number,
  lane: LANE.name(row.lane),
  contentHash: row.content_hash,
});
export const storedRow = (client: ClientName, { row, shard }: RegistryWrite): StoredRow => ({
  client,
  epoch: row.place.epoch,
  hash: pkHashOf(row.pk),
  pk: row.pk,
  shard,
  version: row.place.version,
  timestamp_ms: row.place.timestampMs,
  kind: KIND.code[row.place.kind],
  status: STATUS.code[row.status],
  expires_at_ms: row.expiresAtMs,
  written_at_ms: row.writtenAtMs,
  schema_number: row.schema,
  lane: LANE.code[row.lane],
  content_hash: row.contentHash,
  body_bytes: row.body?.byteLength ?? 0,
  body: row.body,
});
/** When something happens to this row by itself; nothing does to a living row without a ttl. */
export const dueRow = (
  client: ClientName,
  shard: number,
  row: Pick<HeadRow, 'epoch' | 'hash' | 'pk' | 'status' | 'expires_at_ms' | 'written_at_ms'>,
): DueRow | undefined => {
  const { epoch, hash, pk, status, expires_at_ms, written_at_ms } = row;
  const common = { client, shard, epoch, hash, pk };
  if (status === STATUS.code.tombstone) return { ...common, what: WHAT.tombstone, at_ms: written_at_ms };
  return expires_at_ms === undefined ? undefined : { ...common, what: WHAT.expiry, at_ms: expires_at_ms };
};

type Key = { readonly epoch: number; readonly pk: string };
export const keyOf = ({ epoch, pk }: Key): string => `${epoch}/${pk}`;
export const withBody = (row: HeadRow, bodies: ReadonlyMap<string, Uint8Array | undefined>): RegistryRow => ({
  ...headOf(row),
  body: bodies.get(keyOf(row)),
});
