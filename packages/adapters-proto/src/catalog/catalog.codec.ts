import type { CatalogContent } from '@doska/core/catalog';
import type { Codec } from '@doska/core/kernel';
import { err } from 'neverthrow';
import { CatalogContent as Pb } from '../generated/doska/catalog/v1/catalog.ts';
import { versioned, withoutVersion } from '../version-byte.ts';
import { contentFromPb, contentToPb } from './catalog.mapper.ts';

const VERSION = 1;

/** A version of the catalogue as it is stored. */
export const catalogCodec: Codec<CatalogContent> = {
  encode: (content) => versioned(VERSION, Pb.encode(contentToPb(content)).finish()),
  decode: (bytes) => {
    const body = withoutVersion(VERSION, bytes);
    if (!body) return err({ kind: 'Malformed', what: 'catalogue', field: 'version' });
    try {
      return contentFromPb(Pb.decode(body));
    } catch {
      return err({ kind: 'Malformed', what: 'catalogue', field: 'message' });
    }
  },
};
