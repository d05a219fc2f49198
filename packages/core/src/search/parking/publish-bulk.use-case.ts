import { err, ok, type Result } from 'neverthrow';
import {
  unavailable,
  type Codec,
  type LogPublisher,
  type LogRecord,
  type Unavailable,
} from '../../kernel/index.ts';
import { BULK_TOPIC, documentBytes, type QualifiedBatch, type RawDocument } from '../../vasgen/index.ts';
import type { BatchLimits } from '../scheduler/partition-machine.ts';
import { OFFERS_CLIENT } from '../scheduler/offers-client.ts';

/** Writes documents apart from live ones. Returns those that alone are larger than a record may be; all others are written. */
export type PublishBulk = (
  documents: readonly RawDocument[],
) => Promise<Result<readonly RawDocument[], Unavailable>>;
export type PublishBulkNeeds = {
  readonly log: LogPublisher;
  readonly batches: Codec<QualifiedBatch>;
  readonly limits: BatchLimits;
};

type Group = readonly RawDocument[];
const halves = (group: Group): readonly Group[] => {
  const middle = Math.ceil(group.length / 2);
  return [group.slice(0, middle), group.slice(middle)];
};

export const makePublishBulk = ({ log, batches, limits }: PublishBulkNeeds): PublishBulk => {
  const grouped = (documents: readonly RawDocument[]): readonly Group[] => {
    const groups: Group[] = [];
    for (let from = 0, to = 0; from < documents.length; from = to) {
      for (let bytes = 0; to < documents.length && to - from < limits.documentsMax; to++) {
        bytes += documentBytes(documents[to]!);
        if (to > from && bytes > limits.bytesMax) break;
      }
      groups.push(documents.slice(from, to));
    }
    return groups;
  };
  const recordOf = (documents: Group): LogRecord => ({
    topic: BULK_TOPIC,
    key: documents[0]!.pk,
    value: batches.encode({ client: OFFERS_CLIENT, documents }),
  });
  return async (documents) => {
    const tooLarge: RawDocument[] = [];
    for (let groups = grouped(documents); groups.length > 0;) {
      const written = await log.publish(groups.map(recordOf));
      if (written.isOk()) break;
      const { error } = written;
      if (error.kind === 'Unavailable') return err(error);
      if (error.kind !== 'RecordsTooLarge') return err(unavailable('bulk topic', error));
      const refused = new Set(error.records.map(({ index }) => index));
      // All are sent again, also those that may be stored already: a document twice does no harm.
      groups = groups.flatMap((group, at): readonly Group[] => {
        if (!refused.has(at)) return [group];
        if (group.length > 1) return halves(group);
        tooLarge.push(group[0]!);
        return [];
      });
    }
    return ok(tooLarge);
  };
};
