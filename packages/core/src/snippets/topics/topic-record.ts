import { err, ok, type Result } from 'neverthrow';
import type { DeadLetter, Delivered, Position, RecordHeaders } from '../../kernel/index.ts';
import type { RecordVersion } from '../store/stored-row.ts';

/** A record of an input topic, wherever it is now: in its topic, in the retry flow, or among the dead letters. */
export type TopicRecord = {
  /** The section that reads it. */
  readonly section: string;
  /** Where it was read first. Its version comes from here, also after many retries. */
  readonly position: Position;
  readonly appendedMs: number;
  readonly key: string;
  readonly value: Uint8Array;
  readonly headers: RecordHeaders;
};
/** A record of the topic `snippets-retries`. */
export type SnippetRetry = TopicRecord & {
  /** How many attempts have failed. */
  readonly attempt: number;
  readonly notBeforeMs: number;
  /** Why the last attempt failed. */
  readonly reason: string;
};

/** With the value `delete` the record deletes its snippet. */
export const OPERATION_HEADER = 'snippet-operation';
const SECTION_HEADER = 'snippet-section';
const APPENDED_HEADER = 'snippet-appended-ms';

/** The consumer group of a section. */
export const groupOfSection = (section: string): string => `snippets/${section}`;
export const RETRY_GROUP = 'snippets-retries';

export const recordOf = (section: string, delivered: Delivered): TopicRecord => ({
  section,
  position: delivered.position,
  appendedMs: delivered.timestampMs,
  key: delivered.key,
  value: delivered.value,
  headers: delivered.headers,
});

/** Records of one partition of one incarnation of a topic compare by their offset. */
export const versionOfRecord = ({
  position: { log, topic, partition, offset },
  appendedMs,
}: Pick<TopicRecord, 'position' | 'appendedMs'>): RecordVersion => ({
  ms: appendedMs,
  sequence: offset,
  source: `${log}/${topic}/${partition}`,
});

/** The letter keeps the section and the append time, so that the record can be sent again with its old version. */
export const letterOf = (
  { section, position, appendedMs, key, value, headers }: TopicRecord,
  reason: string,
  attempts: number,
  failedAtMs: number,
): DeadLetter => ({
  position,
  key,
  value,
  headers: { ...headers, [SECTION_HEADER]: section, [APPENDED_HEADER]: String(appendedMs) },
  reason,
  attempts,
  failedAtMs,
});

export type ForeignLetter = { readonly kind: 'ForeignLetter'; readonly position: Position };
/** The record of a letter. A letter that this service did not write has no section and no append time. */
export const recordOfLetter = ({
  position,
  key,
  value,
  headers: { [SECTION_HEADER]: section, [APPENDED_HEADER]: appended, ...headers },
}: DeadLetter): Result<TopicRecord, ForeignLetter> => {
  const appendedMs = Number(appended);
  return section === undefined || appended === undefined || !Number.isSafeInteger(appendedMs)
    ? err({ kind: 'ForeignLetter', position })
    : ok({ section, position, appendedMs, key, value, headers });
};
