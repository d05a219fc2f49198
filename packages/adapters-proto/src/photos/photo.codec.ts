import type { Codec, Malformed } from '@doska/core/kernel';
import type { PhotoCodecs } from '@doska/core/photos';
import { err, type Result } from 'neverthrow';
import { PhotoRequest, PhotoResult } from '../generated/doska/photos/v1/photos.ts';
import {
  ImageManifest,
  KeptThing,
  OfferUses,
  RememberedPhoto,
} from '../generated/doska/photos/stored/v1/stored.ts';
import { versioned, withoutVersion } from '../version-byte.ts';
import {
  keptFromPb,
  keptToPb,
  manifestFromPb,
  manifestToPb,
  rememberedFromPb,
  rememberedToPb,
  requestFromPb,
  requestToPb,
  resultFromPb,
  resultToPb,
  usesFromPb,
  usesToPb,
} from './photo.mapper.ts';

const VERSION = 1;

type Message<Pb> = {
  encode(message: Pb): { finish(): Uint8Array };
  decode(bytes: Uint8Array): Pb;
};
const codec = <T, Pb>(
  what: string,
  message: Message<Pb>,
  toPb: (value: T) => Pb,
  fromPb: (pb: Pb) => Result<T, string>,
): Codec<T> => {
  const malformed = (field: string): Malformed => ({ kind: 'Malformed', what, field });
  return {
    encode: (value) => versioned(VERSION, message.encode(toPb(value)).finish()),
    decode: (bytes) => {
      const body = withoutVersion(VERSION, bytes);
      if (!body) return err(malformed('version'));
      try {
        return fromPb(message.decode(body)).mapErr(malformed);
      } catch {
        return err(malformed('message'));
      }
    },
  };
};

/** The values of `photo-requests` and `photo-results`, and what the photo service stores. */
export const photoCodecs: PhotoCodecs = {
  request: codec('PhotoRequest', PhotoRequest, requestToPb, requestFromPb),
  result: codec('PhotoResult', PhotoResult, resultToPb, resultFromPb),
  manifest: codec('ImageManifest', ImageManifest, manifestToPb, manifestFromPb),
  remembered: codec('RememberedPhoto', RememberedPhoto, rememberedToPb, rememberedFromPb),
  kept: codec('KeptThing', KeptThing, keptToPb, keptFromPb),
  uses: codec('OfferUses', OfferUses, usesToPb, usesFromPb),
};
