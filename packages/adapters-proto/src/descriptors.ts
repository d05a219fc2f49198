import { descriptorSetBase64 } from './generated/descriptors.ts';

/** All contracts with their imports as an encoded `google.protobuf.FileDescriptorSet`: what reflection serves. */
export const descriptorSet: Uint8Array = Buffer.from(descriptorSetBase64, 'base64');
