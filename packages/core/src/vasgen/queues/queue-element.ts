import type { RegistryRow } from '../registry/registry-row.ts';

/**
 * - `main`: what comes live. `bulk`: re-indexing and other mass re-sends. `emergency`: what an operator sends again.
 * - `failed`: elements of the others that could not be converted.
 */
export const QUEUES = ['main', 'bulk', 'emergency', 'failed'] as const;
export type QueueName = (typeof QUEUES)[number];

/** Names one state of a document. */
export type ElementPlace = {
  readonly pk: string;
  readonly epoch: number;
  readonly version: number;
  readonly timestampMs: number;
};
export type Failure = {
  /** The queue where the conversion failed first. */
  readonly queue: QueueName;
  readonly reason: string;
  readonly attempts: number;
  readonly retryAtMs: number;
};
export type FailedElement = ElementPlace & { readonly failure: Failure };

/** `idx` counts in a shard of a queue, from 1. `failure` is there in the queue `failed`, and only there. */
export type QueueElement = ElementPlace & { readonly idx: number; readonly failure: Failure | undefined };

/** An element with the row of its pk and epoch as it is now; the row may be fresher than the element. */
export type QueuedDocument = { readonly element: QueueElement; readonly row: RegistryRow | undefined };
