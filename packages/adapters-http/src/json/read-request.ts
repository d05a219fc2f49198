import { fromJson, toBinary, type DescMessage, type JsonObject } from '@bufbuild/protobuf';
import { decodeRequest, type MessageType } from '@doska/adapters-rpc';
import { invalidInputOf, type InvalidInput } from '@doska/core/kernel';
import { err, type Result } from 'neverthrow';
import { jsonViolations } from './violations.ts';

/** The message that a handler of gRPC would get for the same request. */
export const readRequest = <T>(
  input: DescMessage,
  type: MessageType<T>,
  json: JsonObject,
): Result<T, InvalidInput> => {
  let bytes: Uint8Array;
  try {
    bytes = toBinary(input, fromJson(input, json));
  } catch {
    return err(invalidInputOf(jsonViolations(input, json)));
  }
  return decodeRequest(type, bytes);
};
