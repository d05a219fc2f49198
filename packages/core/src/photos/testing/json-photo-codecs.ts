import { err, ok } from 'neverthrow';
import type { Codec } from '../../kernel/index.ts';
import type { PhotoCodecs } from '../ports/photo-codecs.port.ts';

const json = <T>(what: string): Codec<T> => ({
  encode: (value) => new TextEncoder().encode(JSON.stringify(value)),
  decode: (bytes) => {
    try {
      return ok(JSON.parse(new TextDecoder().decode(bytes)) as T);
    } catch {
      return err({ kind: 'Malformed', what });
    }
  },
});

/** Readable bytes for tests. */
export const jsonPhotoCodecs: PhotoCodecs = {
  request: json('PhotoRequest'),
  result: json('PhotoResult'),
  manifest: json('ImageManifest'),
  remembered: json('RememberedPhoto'),
  kept: json('KeptThing'),
  uses: json('OfferUses'),
};
