import { err, ok, type Result } from 'neverthrow';
import type { Malformed } from '@doska/core/kernel';
import {
  freshnessFault,
  type ArchiveSegment,
  type IndexedDocument,
  type QualifiedBatch,
  type RejectedDocument,
  type VasgenCodecs,
} from '@doska/core/vasgen';
import { ArchiveSegment as PbSegment } from '../generated/doska/vasgen/v1/archive.ts';
import {
  IndexedDocument as PbIndexed,
  QualifiedBatch as PbBatch,
  RawDocument as PbDocument,
  RejectedDocument as PbRejected,
} from '../generated/doska/vasgen/v1/document.ts';
import { messageCodec } from '../message.codec.ts';
import { documentFromPb, documentToPb, placeFromPb, placeToPb } from './document.mapper.ts';
import { verdictFromPb, verdictToPb } from './verdict.mapper.ts';

const malformed = (what: string, field: string): Result<never, Malformed> =>
  err({ kind: 'Malformed', what, field });

export const indexedFromPb = ({
  pk,
  place,
  schema,
  document,
}: PbIndexed): Result<IndexedDocument, Malformed> => {
  if (!place) return malformed('indexed document', 'place');
  const read = placeFromPb(place);
  const fault = freshnessFault(read);
  if (fault) return malformed('indexed document', `place.${fault}`);
  return ok({
    pk,
    place: read,
    schema: Number(schema),
    document: document && documentFromPb(document),
  });
};
export const indexedToPb = ({ pk, place, schema, document }: IndexedDocument): PbIndexed => ({
  pk,
  place: placeToPb(place),
  schema: BigInt(schema),
  document: document && documentToPb(document),
});

const rejectedFromPb = (pb: PbRejected): Result<RejectedDocument, Malformed> => {
  const { client, document, verdict, log, topic, partition, offset, index } = pb;
  if (!document) return malformed('rejected document', 'document');
  if (!verdict) return malformed('rejected document', 'verdict');
  const read = verdictFromPb(verdict);
  if (read.isErr()) return malformed('rejected document', read.error);
  return ok({
    client,
    document: documentFromPb(document),
    verdict: read.value,
    position: { log, topic, partition, offset: Number(offset) },
    index,
  });
};
const rejectedToPb = ({ client, document, verdict, position, index }: RejectedDocument): PbRejected => ({
  client,
  document: documentToPb(document),
  verdict: verdictToPb(verdict),
  log: position.log,
  topic: position.topic,
  partition: position.partition,
  offset: BigInt(position.offset),
  index,
});

const batchFromPb = ({ client, documents }: PbBatch): QualifiedBatch => ({
  client,
  documents: documents.map(documentFromPb),
});
const batchToPb = ({ client, documents }: QualifiedBatch): PbBatch => ({
  client,
  documents: documents.map(documentToPb),
});

const segmentFromPb = ({ records, ...segment }: PbSegment): ArchiveSegment => ({
  ...segment,
  records: records.map(({ offset, timestampMs, key, value }) => ({
    offset: Number(offset),
    timestampMs: Number(timestampMs),
    key,
    value,
  })),
});
const segmentToPb = ({ records, ...segment }: ArchiveSegment): PbSegment => ({
  ...segment,
  records: records.map(({ offset, timestampMs, key, value }) => ({
    offset: BigInt(offset),
    timestampMs: BigInt(timestampMs),
    key,
    value: Buffer.from(value.buffer, value.byteOffset, value.byteLength),
  })),
});

/** What indexing stores, and the values of its topics. */
export const vasgenCodecs: VasgenCodecs = {
  document: messageCodec('document', PbDocument, documentToPb, (pb) => ok(documentFromPb(pb))),
  indexed: messageCodec('indexed document', PbIndexed, indexedToPb, indexedFromPb),
  batch: messageCodec('document batch', PbBatch, batchToPb, (pb) => ok(batchFromPb(pb))),
  rejected: messageCodec('rejected document', PbRejected, rejectedToPb, rejectedFromPb),
  segment: messageCodec('archive segment', PbSegment, segmentToPb, (pb) => ok(segmentFromPb(pb))),
};
