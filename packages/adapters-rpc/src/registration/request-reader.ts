import { BinaryReader } from '@bufbuild/protobuf/wire';

/** Reads a client's request. Messages that are not protobuf read its bytes. */
export class RequestReader extends BinaryReader {
  readonly bytesRead: Uint8Array;
  constructor(bytes: Uint8Array, textOf: (bytes: Uint8Array) => string) {
    super(bytes, textOf);
    this.bytesRead = bytes;
  }
}
export const bytesOf = (input: RequestReader | Uint8Array): Uint8Array =>
  input instanceof RequestReader ? input.bytesRead : input;
