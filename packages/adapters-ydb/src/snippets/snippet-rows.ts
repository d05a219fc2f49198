import { shardOf } from '@doska/core/kernel';
import {
  dueAtMs,
  DATA_FORMATS,
  DUE_SHARDS,
  isLive,
  type DataFormat,
  type KeptRow,
  type RowKey,
  type StoredRow,
} from '@doska/core/snippets';
import type { RowOf } from '../driver/column-type.ts';
import type { snippets, snippetsDue } from '../schema/snippet-tables.ts';

type Columns = RowOf<typeof snippets.columns>;
/** A row as it is read first: without its content. */
export type SnippetHead = Omit<Columns, 'content'>;
type DueRow = RowOf<typeof snippetsDue.columns>;
/** What is stored. Of a row that was read without its content, `bytes` is empty. */
export type YdbRow = KeptRow & { readonly dueAtMs: number | undefined };

/** Codes are part of the stored data: formats keep their places in the list. */
const formatCode = (format: DataFormat): number => DATA_FORMATS.indexOf(format) + 1;
const formatOf = (code: number): DataFormat => DATA_FORMATS[code - 1]!;
const NO_BYTES = new Uint8Array();

/** A row's address as one text. No part has U+0000. */
export const textOf = ({ service, kps, key, language }: RowKey): string =>
  `${service}\0${kps}\0${key}\0${language}`;
export const keyOf = ({ service, kps, key, language }: RowKey): RowKey => ({ service, kps, key, language });

export const rowOf = (head: SnippetHead, content: Uint8Array | undefined): YdbRow => ({
  version: { ms: head.version_ms, sequence: head.version_sequence, source: head.source },
  content:
    head.format === undefined ? undefined : { format: formatOf(head.format), bytes: content ?? NO_BYTES },
  expiresAtMs: head.expires_at_ms,
  dueAtMs: head.due_at_ms,
});
export const columnsOf = (at: RowKey, { version, content, expiresAtMs, dueAtMs: due }: YdbRow): Columns => ({
  ...keyOf(at),
  version_ms: version.ms,
  version_sequence: version.sequence,
  source: version.source,
  format: content && formatCode(content.format),
  content: content?.bytes,
  content_bytes: content?.bytes.byteLength ?? 0,
  expires_at_ms: expiresAtMs,
  due_at_ms: due,
});
export const withDue = (row: KeptRow, tombstoneMs: number): YdbRow => ({
  version: row.version,
  content: row.content,
  expiresAtMs: row.expiresAtMs,
  dueAtMs: dueAtMs(row, tombstoneMs),
});
export const dueRows = (at: RowKey, row: YdbRow | undefined): readonly DueRow[] =>
  row?.dueAtMs === undefined
    ? []
    : [{ shard: shardOf(at.key, DUE_SHARDS), at_ms: row.dueAtMs, ...keyOf(at) }];
/** What a reader sees of a row at `nowMs`. */
export const seenOf = (row: YdbRow, nowMs: number): StoredRow => ({
  version: { ms: row.version.ms, sequence: row.version.sequence },
  content: isLive(row, nowMs) ? row.content : undefined,
});
