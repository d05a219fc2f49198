import { err, ok } from 'neverthrow';
import type { Codec } from '../../kernel/index.ts';
import type { ArchiveSegment } from '../archive/archive-segment.ts';
import type { VasgenCodecs } from '../vasgen-codecs.port.ts';

const jsonCodec = <T>(what: string): Codec<T> => ({
  encode: (value) => new TextEncoder().encode(JSON.stringify(value)),
  decode: (bytes) => {
    try {
      return ok(JSON.parse(new TextDecoder().decode(bytes)) as T);
    } catch {
      return err({ kind: 'Malformed', what });
    }
  },
});

/** Codecs for tests: JSON, so values that are undefined come back as absent. Documents have no payload. */
/** Values are bytes, which JSON does not know. */
const segmentCodec: Codec<ArchiveSegment> = {
  encode: (segment) =>
    jsonCodec('segment').encode({
      ...segment,
      records: segment.records.map((record) => ({ ...record, value: [...record.value] })),
    }),
  decode: (bytes) =>
    jsonCodec<ArchiveSegment>('segment')
      .decode(bytes)
      .map((segment) => ({
        ...segment,
        records: segment.records.map((record) => ({ ...record, value: Uint8Array.from(record.value) })),
      })),
};

export const jsonVasgenCodecs: VasgenCodecs = {
  document: jsonCodec('document'),
  indexed: jsonCodec('indexed document'),
  batch: jsonCodec('document batch'),
  rejected: jsonCodec('rejected document'),
  segment: segmentCodec,
};
