import { jsonCodec as json } from '../../kernel/testing.ts';
import type { PhotoCodecs } from '../ports/photo-codecs.port.ts';

/** Readable bytes for tests. */
export const jsonPhotoCodecs: PhotoCodecs = {
  request: json('PhotoRequest'),
  result: json('PhotoResult'),
  manifest: json('ImageManifest'),
  remembered: json('RememberedPhoto'),
  kept: json('KeptThing'),
  uses: json('OfferUses'),
};
