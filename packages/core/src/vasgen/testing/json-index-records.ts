import { err, ok } from 'neverthrow';
import type { Codec } from '../../kernel/index.ts';
import type { IndexRecord } from '../engine/index-record.ts';

/** Index records as JSON, for tests of what reads and writes the index topic. */
export const jsonIndexRecords: Codec<IndexRecord> = {
  encode: (record) => new TextEncoder().encode(JSON.stringify(record)),
  decode: (bytes) => {
    try {
      return ok(JSON.parse(new TextDecoder().decode(bytes)) as IndexRecord);
    } catch {
      return err({ kind: 'Malformed', what: 'index record' });
    }
  },
};
