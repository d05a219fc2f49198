import type { Delivered, ReadError } from '@doska/core/kernel';
import type { Result } from 'neverthrow';

/** A record as an operator sees it; `json` where its topic's values are known. */
export type TopicRecord = { readonly record: Delivered; readonly json: string | undefined };
export type ReadTopic = (
  query: { readonly topic: string; readonly key?: string; readonly limit: number },
  signal: AbortSignal,
) => AsyncGenerator<Result<TopicRecord, ReadError>>;
