import { err, ok } from 'neverthrow';
import type { Codec } from '../../kernel/index.ts';
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
export const jsonVasgenCodecs: VasgenCodecs = {
  document: jsonCodec('document'),
  indexed: jsonCodec('indexed document'),
  batch: jsonCodec('document batch'),
  rejected: jsonCodec('rejected document'),
};
