import type {
  Batch,
  BatchHandler,
  BatchOutcome,
  BlobStore,
  Clock,
  Codec,
  Ids,
  Telemetry,
} from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import { segmentRow, type ArchiveSegment } from './archive-segment.ts';
import type { ArchiveManifest } from './archive-manifest.port.ts';
import { putSegment } from './segments.store.ts';

export type ArchiveSettings = {
  /** A segment is written when it has so many records or bytes, or when its first record is so old. */
  readonly segmentRecords: number;
  readonly segmentBytes: number;
  readonly lingerMs: number;
  readonly retryMs: number;
  /** How long erasures are remembered: longer than the index topic keeps records. */
  readonly erasuresKeptMs: number;
  readonly scrubEveryMs: number;
  readonly sweepEveryMs: number;
  /** How long a segment must be unused before it is deleted. */
  readonly graceMs: number;
};
export type ArchiveTopicNeeds = {
  readonly manifest: Pick<ArchiveManifest, 'end' | 'add'>;
  readonly blobs: Pick<BlobStore, 'put'>;
  readonly segments: Codec<ArchiveSegment>;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'metrics'>;
  readonly settings: Pick<ArchiveSettings, 'segmentRecords' | 'segmentBytes' | 'lingerMs' | 'retryMs'>;
};

/**
 * Handles batches of a client's index topic: writes a segment, then its row, and only then lets the position move. Records
 * that an earlier attempt has archived are passed over, so the same offsets twice are one segment.
 */
export const makeArchiveTopic = (needs: ArchiveTopicNeeds, client: ClientName): BatchHandler => {
  const { manifest, blobs, segments, ids, clock, telemetry, settings } = needs;
  const archived = telemetry.metrics.counter({
    name: 'doska_vasgen_archived_total',
    help: 'Records of the index topic that are in the archive.',
    labels: ['client'],
  });
  const blocked = (reason: string): BatchOutcome => ({
    kind: 'blocked',
    retryAtMs: clock.nowMs() + settings.retryMs,
    reason,
  });
  const isFull = (records: Batch['records']): boolean =>
    records.length >= settings.segmentRecords ||
    records.reduce((sum, { value }) => sum + value.byteLength, 0) >= settings.segmentBytes;

  return async ({ partition, records: delivered }) => {
    const { log } = delivered[0]!.position;
    const end = await manifest.end(client, log, partition);
    if (end.isErr()) return blocked(end.error.what);
    const records = delivered.filter(({ position }) => position.offset >= (end.value ?? 0));
    const first = records[0];
    if (!first) return { kind: 'done' };
    const handled = delivered.length - records.length;
    const dueMs = first.timestampMs + settings.lingerMs;
    if (!isFull(records) && clock.nowMs() < dueMs) return { kind: 'later', retryAtMs: dueMs, handled };
    const content = await putSegment(blobs, segments, {
      name: ids.next(),
      client,
      log,
      partition,
      records: records.map(({ position, timestampMs, key, value }) => ({
        offset: position.offset,
        timestampMs,
        key,
        value,
      })),
    });
    if (content.isErr()) return blocked(content.error.what);
    const added = await manifest.add(segmentRow(client, records, content.value, clock.nowMs()));
    if (added.isErr())
      // Refused: another process has archived some of them meanwhile. The sweep deletes the segment that no row names.
      return added.error.kind === 'Unavailable'
        ? blocked(added.error.what)
        : { kind: 'later', retryAtMs: clock.nowMs() };
    archived.add(records.length, { client });
    return { kind: 'done' };
  };
};
