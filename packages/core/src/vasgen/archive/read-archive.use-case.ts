import { err, ok, Result, type ResultAsync } from 'neverthrow';
import {
  invalidInput,
  type BlobStore,
  type Clock,
  type Codec,
  type InvalidInput,
  type LogPublisher,
  type LogRecord,
  type PublishError,
  type SegmentLost,
  unavailable,
  type Unavailable,
} from '../../kernel/index.ts';
import type { IndexedDocument } from '../document/indexed-document.ts';
import type { ClientName, RawDocument } from '../document/raw-document.ts';
import { epochOf, livingEpochs } from '../epochs/epoch.ts';
import type { UnknownClient } from '../epochs/epoch-store.port.ts';
import type { KnownEpochs } from '../epochs/known-epochs.use-case.ts';
import type { UnknownEpoch } from '../epochs/manage-epochs.use-case.ts';
import { BULK_TOPIC, type QualifiedBatch } from '../receiver/qualified-batch.ts';
import type { ArchivedRecord, ArchiveSegment, SegmentKey, SegmentRow } from './archive-segment.ts';
import type { ArchiveManifest, SegmentWindow } from './archive-manifest.port.ts';
import { readSegment, type SegmentDamaged } from './segments.store.ts';

export type ReadArchiveNeeds = {
  readonly manifest: Pick<ArchiveManifest, 'list' | 'find'>;
  readonly blobs: Pick<BlobStore, 'read'>;
  readonly segments: Codec<ArchiveSegment>;
  readonly records: Codec<IndexedDocument>;
  readonly batches: Codec<QualifiedBatch>;
  readonly epochs: Pick<KnownEpochs, 'get'>;
  readonly log: LogPublisher;
  readonly clock: Clock;
  readonly horizonMs: number;
};
export type ArchiveError =
  InvalidInput | UnknownClient | UnknownEpoch | UnknownSegment | SegmentLost | SegmentDamaged | Unavailable;
export type ReplayWindow = Pick<SegmentWindow, 'fromMs' | 'toMs'> & {
  /** Documents go into this epoch; undefined: into the one they were made for. */
  readonly epoch: number | undefined;
};
export type UnknownSegment = { readonly kind: 'UnknownSegment'; readonly message: string };
export type ReadRecord = {
  readonly offset: number;
  readonly timestampMs: number;
  readonly record: IndexedDocument;
};
export type ReadArchive = {
  list(client: ClientName, window: SegmentWindow): ResultAsync<readonly SegmentRow[], Unavailable>;
  /** The records of one segment. */
  read(key: SegmentKey): ResultAsync<readonly ReadRecord[], ArchiveError>;
  /** Sends the documents of one segment that lie in the window to `vasgen-indexer-bulk`. Returns how many. */
  replay(client: ClientName, row: SegmentRow, window: ReplayWindow): ResultAsync<number, ArchiveError>;
};

/** The document that a record stands for: a record without a body is a delete at its place. */
export const documentOfRecord = ({ pk, place, document }: IndexedDocument, epoch: number): RawDocument =>
  document
    ? { ...document, epoch }
    : {
        pk,
        event: 'delete',
        epoch,
        version: place.version,
        composedAtMs: place.timestampMs,
        fields: [],
        embeddings: [],
        expiresAtMs: undefined,
        payload: undefined,
      };

type Sized = { readonly document: RawDocument; readonly bytes: number };
const BATCH_DOCUMENTS = 100;
const BATCH_BYTES = 256 * 1024;

const tooEarly = invalidInput({
  path: 'from',
  code: 'BeforeHorizon',
  message:
    'documents from before the horizon may go into a building epoch only, because deletions before it are forgotten: create an epoch and name it',
});

export const makeReadArchive = (needs: ReadArchiveNeeds): ReadArchive => {
  const { manifest, blobs, segments, records, batches, epochs, log, clock, horizonMs } = needs;
  const mayReplay = (
    client: ClientName,
    { fromMs, epoch }: ReplayWindow,
  ): ResultAsync<void, UnknownClient | UnknownEpoch | InvalidInput | Unavailable> =>
    epochs.get(client).andThen((known): Result<void, UnknownEpoch | InvalidInput> => {
      const found = epoch === undefined ? undefined : epochOf(known, epoch);
      if (epoch !== undefined && !found)
        return err({ kind: 'UnknownEpoch', epoch, living: livingEpochs(known) });
      const isOld = fromMs < clock.nowMs() - horizonMs;
      return isOld && found?.state !== 'building' ? err(tooEarly) : ok(undefined);
    });
  const decoded = ({ key, offset, value }: ArchivedRecord): Result<IndexedDocument, SegmentDamaged> =>
    records.decode(value).mapErr(({ what }) => ({
      kind: 'SegmentDamaged',
      message: `the record of ${key} at offset ${offset} can't be read: ${what}`,
    }));
  /** The documents of a segment that lie in the window, each with the size of its record. */
  const documentsIn = (
    archived: readonly ArchivedRecord[],
    { fromMs, toMs, epoch }: ReplayWindow,
  ): Result<readonly Sized[], SegmentDamaged> => {
    const documents: Sized[] = [];
    for (const record of archived) {
      if (record.timestampMs < fromMs || record.timestampMs > toMs) continue;
      const read = decoded(record);
      if (read.isErr()) return err(read.error);
      const document = documentOfRecord(read.value, epoch ?? read.value.place.epoch);
      documents.push({ document, bytes: record.value.length });
    }
    return ok(documents);
  };
  /** Batches of documents, in order; each fits a record of the input topic. */
  const batchesOf = (client: ClientName, key: string, sized: readonly Sized[]): readonly LogRecord[] => {
    const published: LogRecord[] = [];
    let batch: RawDocument[] = [];
    let size = 0;
    const flush = (): void => {
      if (batch.length === 0) return;
      published.push({ topic: BULK_TOPIC, key, value: batches.encode({ client, documents: batch }) });
      batch = [];
      size = 0;
    };
    for (const { document, bytes } of sized) {
      if (batch.length >= BATCH_DOCUMENTS || size + bytes > BATCH_BYTES) flush();
      batch.push(document);
      size += bytes;
    }
    flush();
    return published;
  };
  const asArchiveError = (error: PublishError): Unavailable =>
    error.kind === 'Unavailable' ? error : unavailable('replay', error, false);

  return {
    list: (client, window) => manifest.list(client, window),
    read: (key) =>
      manifest
        .find(key)
        .andThen((row): Result<SegmentRow, UnknownSegment> =>
          row
            ? ok(row)
            : err({ kind: 'UnknownSegment', message: `id: ${key.client} has no such segment; list them` }),
        )
        .andThen((row) => readSegment(blobs, segments, row))
        .andThen(({ records: archived }) =>
          Result.combine(
            archived.map((one) =>
              decoded(one).map((record) => ({ offset: one.offset, timestampMs: one.timestampMs, record })),
            ),
          ),
        ),
    replay: (client, row, window) =>
      mayReplay(client, window)
        .andThen(() => readSegment(blobs, segments, row))
        .andThen(({ partition, records: archived }) =>
          documentsIn(archived, window).map((documents) => ({ partition, documents })),
        )
        .andThen(({ partition, documents }) =>
          log
            .publish(batchesOf(client, `archive-${partition}`, documents))
            .map(() => documents.length)
            .mapErr(asArchiveError),
        ),
  };
};
