import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { bytesOf, type MessageType, RequestReader } from '@doska/adapters-rpc';

/** grpc/reflection/v1/reflection.proto; v1alpha has the same numbers under another package. */
export type Question =
  | { readonly ask: 'file'; readonly name: string }
  | { readonly ask: 'symbol'; readonly name: string }
  | { readonly ask: 'extension'; readonly type: string; readonly number: number }
  | { readonly ask: 'extensions'; readonly type: string }
  | { readonly ask: 'services' }
  | { readonly ask: 'nothing' };
export type ReflectionRequest = {
  readonly host: string;
  readonly question: Question;
  readonly bytes: Uint8Array;
};
export type Answer =
  | { readonly say: 'files'; readonly files: readonly Uint8Array[] }
  | { readonly say: 'extensions'; readonly type: string; readonly numbers: readonly number[] }
  | { readonly say: 'services'; readonly names: readonly string[] }
  | { readonly say: 'error'; readonly code: number; readonly message: string };
export type ReflectionResponse = { readonly request: ReflectionRequest; readonly answer: Answer };

const extensionIn = (bytes: Uint8Array): Question => {
  const reader = new BinaryReader(bytes);
  let type = '';
  let number = 0;
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    if (field === 1) type = reader.string();
    else if (field === 2) number = reader.int32();
    else reader.skip(wire, field);
  }
  return { ask: 'extension', type, number };
};

const decode = (input: RequestReader | Uint8Array): ReflectionRequest => {
  const reader = input instanceof RequestReader ? input : new BinaryReader(input);
  const bytes = bytesOf(input);
  let host = '';
  let question: Question = { ask: 'nothing' };
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    if (field === 1) host = reader.string();
    else if (field === 3) question = { ask: 'file', name: reader.string() };
    else if (field === 4) question = { ask: 'symbol', name: reader.string() };
    else if (field === 5) question = extensionIn(reader.bytes());
    else if (field === 6) question = { ask: 'extensions', type: reader.string() };
    else if (field === 7) question = (reader.string(), { ask: 'services' });
    else reader.skip(wire, field);
  }
  return { host, question, bytes };
};

const answerBytes = (answer: Answer): readonly [field: number, Uint8Array] => {
  const writer = new BinaryWriter();
  switch (answer.say) {
    case 'files':
      for (const file of answer.files) writer.uint32(10).bytes(file);
      return [4, writer.finish()];
    case 'extensions':
      writer.uint32(10).string(answer.type);
      for (const number of answer.numbers) writer.uint32(16).int32(number);
      return [5, writer.finish()];
    case 'services':
      for (const name of answer.names)
        writer.uint32(10).bytes(new BinaryWriter().uint32(10).string(name).finish());
      return [6, writer.finish()];
    case 'error':
      return [7, writer.uint32(8).int32(answer.code).uint32(18).string(answer.message).finish()];
  }
};

const encode = ({ request, answer }: ReflectionResponse): BinaryWriter => {
  const [field, bytes] = answerBytes(answer);
  const writer = new BinaryWriter().uint32(10).string(request.host).uint32(18).bytes(request.bytes);
  return writer.uint32((field << 3) | 2).bytes(bytes);
};

const never = (): never => {
  throw new Error('reflection is only served');
};
export const reflectionRequest: MessageType<ReflectionRequest> = { decode, encode: never };
export const reflectionResponse: MessageType<ReflectionResponse> = { encode, decode: never };
