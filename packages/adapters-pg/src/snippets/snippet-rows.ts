import { shardOf } from '@doska/core/kernel';
import {
  DATA_FORMATS,
  DUE_SHARDS,
  type DataFormat,
  type KeptRow,
  type KnownRow,
  type RowKey,
} from '@doska/core/snippets';

/** Codes are part of the stored data: formats keep their places in the list. */
export const formatCode = (format: DataFormat): number => DATA_FORMATS.indexOf(format) + 1;
export const formatOf = (code: number): DataFormat => DATA_FORMATS[code - 1]!;

/** A row without its content: decisions only ask whether there is one, and a tombstone has no format. */
export type SnippetColumns = {
  readonly service: string;
  readonly kps: number;
  readonly key: string;
  readonly language: string;
  readonly version_ms: string;
  readonly version_sequence: string;
  readonly source: string;
  readonly format: number | null;
  readonly expires_at_ms: string | null;
  readonly due_at_ms: string | null;
};
type Due = { readonly dueAtMs: number | undefined };
export type PgRow = KeptRow & Due;
export type KnownPgRow = KnownRow & Due;

const optional = (text: string | null): number | undefined => (text === null ? undefined : Number(text));
export const rowOf = (columns: SnippetColumns): KnownPgRow => ({
  version: {
    ms: Number(columns.version_ms),
    sequence: Number(columns.version_sequence),
    source: columns.source,
  },
  content: columns.format ?? undefined,
  expiresAtMs: optional(columns.expires_at_ms),
  dueAtMs: optional(columns.due_at_ms),
});

/** A row's address as one text. No part has U+0000. */
export const textOf = ({ service, kps, key, language }: RowKey): string =>
  `${service}\0${kps}\0${key}\0${language}`;
export const dueShard = ({ key }: Pick<RowKey, 'key'>): number => shardOf(key, DUE_SHARDS);

/** The four columns of addresses as array parameters. */
export const addressArrays = (
  keys: readonly RowKey[],
): readonly [readonly string[], readonly number[], readonly string[], readonly string[]] => [
  keys.map(({ service }) => service),
  keys.map(({ kps }) => kps),
  keys.map(({ key }) => key),
  keys.map(({ language }) => language),
];
