import type { DataFormat } from '../address/data-format.ts';
import type { Version } from '../version/version.ts';

/** The address of a row. `language` is empty for a row without one. */
export type RowKey = {
  readonly service: string;
  readonly kps: number;
  readonly key: string;
  readonly language: string;
};
export type Content = { readonly format: DataFormat; readonly bytes: Uint8Array };
/** A row as a read finds it. Without content it is a tombstone: deleted or expired. */
export type StoredRow = { readonly version: Version; readonly content: Content | undefined };

/** One row of a write. Without content it is deleted. */
export type RowWrite = {
  readonly at: RowKey;
  readonly content: Content | undefined;
  /** Undefined: the row does not expire. */
  readonly ttlMs: number | undefined;
};
/** What must hold for the row of a write. `version`: it is live with this version. */
export type Condition =
  | { readonly kind: 'exists' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'version'; readonly version: Version };

/** The version of a topic's record. `source` is its partition, with the log and the incarnation of the topic. */
export type RecordVersion = Version & { readonly source: string };
export type SnippetWrite = {
  /** Each row once. */
  readonly rows: readonly RowWrite[];
  /** Keys whose other stored languages are deleted too. Rows of this write stay as they are. */
  readonly allLanguagesOf?: readonly Omit<RowKey, 'language'>[];
  /** Undefined for HTTP and gRPC: the store gives the version. */
  readonly record?: RecordVersion;
  /** Of the only row. */
  readonly condition?: Condition;
};

/** `kept`: what is stored is newer than the record. `wasLive` tells whether there was a snippet before. */
export type RowOutcome = { readonly kind: 'written' | 'kept'; readonly wasLive: boolean };
export type WriteOutcome =
  | {
      readonly kind: 'written';
      readonly version: Version;
      /** The database's clock in the commit. */
      readonly atMs: number;
      readonly rows: readonly RowOutcome[];
    }
  /** All rows are newer than the record. */
  | { readonly kind: 'superseded' }
  /** `version` is that of the live row, if there is one. */
  | { readonly kind: 'conditionFailed'; readonly version: Version | undefined }
  /** A row is absent, and a tombstone that is newer than the record may already be purged. */
  | { readonly kind: 'tooOld' };

/** Rows of one read, and rows of one write. */
export const ROWS_MAX = 1_000;
/** The parts of the table of due rows. It is part of the stored data. */
export const DUE_SHARDS = 16;
/** Counted for a row of a write besides its content: its key stands in two tables. So a commit of 1 MB has less than a thousand rows. */
export const ROW_BYTES = 1_200;
