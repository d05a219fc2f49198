import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { comments, examples } from './generated/contract-texts.ts';
import { descriptorSetBase64 } from './generated/descriptors.ts';

/** All contracts with their imports as an encoded `google.protobuf.FileDescriptorSet`: what reflection serves. */
export const descriptorSet: Uint8Array = Buffer.from(descriptorSetBase64, 'base64');

/** A call of a method as JSON, and what is answered. */
export type ContractExample = {
  /** The role of the caller. Absent: none is needed. */
  readonly as?: string;
  readonly request: JsonObject;
  /** Of a stream: one line of it. */
  readonly answer: JsonValue;
};
/** The comments of the contracts, by the full name of the thing: `doska.gost.v1.Offer.view`. */
export const contractComments: Readonly<Record<string, string>> = comments;
/** Examples by method, as `package.Service/Method`. In this order they work on a platform that was just started. */
export const contractExamples = examples as Readonly<Record<string, ContractExample>>;
