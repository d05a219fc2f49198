import type { ChangeKind, EpochState, Lane, QueueName, RegistryRow, RowHead } from '@doska/core/vasgen';

const codes = <T extends string>(names: readonly T[]) => ({
  code: Object.fromEntries(names.map((name, i) => [name, i])) as Record<T, number>,
  name: (code: number): T => names[code]!,
});
/** The codes of the columns, as `migrations/0006_vasgen.sql` tells them. */
export const QUEUE = codes<QueueName>(['main', 'bulk', 'emergency', 'failed']);
export const LANE = codes<Lane>(['main', 'bulk']);
export const KIND = codes<ChangeKind>(['document', 'expiry']);
export const STATUS = codes<RegistryRow['status']>(['alive', 'tombstone']);
export const STATE = codes<EpochState>(['building', 'serving', 'retained']);

/** Rows whose bodies are at most this long together are returned in one answer; at least one is. */
export const PAGE_BYTES_MAX = 1 << 20;

export const HEAD_COLUMNS =
  'r.pk, r.epoch, r.version, r.timestamp_ms, r.kind, r.status, r.expires_at_ms, r.written_at_ms, r.schema, r.lane, r.content_hash';
export type HeadColumns = {
  readonly pk: string;
  readonly epoch: string;
  readonly version: string;
  readonly timestamp_ms: string;
  readonly kind: number;
  readonly status: number;
  readonly expires_at_ms: string | null;
  readonly written_at_ms: string;
  readonly schema: string;
  readonly lane: number;
  readonly content_hash: string;
};
export type RowColumns = HeadColumns & { readonly body: Buffer | null };

export const headOf = (row: HeadColumns): RowHead => ({
  pk: row.pk,
  place: {
    epoch: Number(row.epoch),
    version: Number(row.version),
    timestampMs: Number(row.timestamp_ms),
    kind: KIND.name(row.kind),
  },
  status: STATUS.name(row.status),
  expiresAtMs: row.expires_at_ms === null ? undefined : Number(row.expires_at_ms),
  writtenAtMs: Number(row.written_at_ms),
  schema: Number(row.schema),
  lane: LANE.name(row.lane),
  contentHash: row.content_hash,
});
/** A view: copying the bodies takes a noticeable part of an indexer's time. */
const bytesOf = ({ buffer, byteOffset, length }: Buffer): Uint8Array =>
  new Uint8Array(buffer, byteOffset, length);
export const rowOf = (row: RowColumns): RegistryRow => ({
  ...headOf(row),
  body: row.body === null ? undefined : bytesOf(row.body),
});
