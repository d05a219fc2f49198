import { jsonCodec } from '../../kernel/testing.ts';
import type { FlowCodecs } from '../flow-codecs.port.ts';
import type { GostCodecs } from '../gost-codecs.port.ts';

export const jsonFlowCodecs: FlowCodecs = {
  feedOffers: jsonCodec('feed offers'),
  feedResults: jsonCodec('feed results'),
  opinions: jsonCodec('opinion'),
  photoResults: jsonCodec('photo results'),
};
export const jsonGostCodecs: GostCodecs = {
  head: jsonCodec('offer head'),
  bodies: {
    content: jsonCodec('offer content'),
    moderation: jsonCodec('moderation'),
    images: jsonCodec('images'),
  },
  view: jsonCodec('offer view'),
  draft: jsonCodec('draft'),
  history: jsonCodec('history entry'),
  archived: jsonCodec('archived offer'),
  feedProgress: jsonCodec('feed progress'),
  feedRow: jsonCodec('feed row'),
  photoRequest: jsonCodec('photo request'),
  photoErrors: jsonCodec('photo errors'),
};
