import type { MethodDefinition } from '@grpc/grpc-js';
import { type Ydb } from 'ydb-sdk-proto';
import type { Refusal } from './data-query.ts';

/** The part of a generated message class that a service needs. */
type Message<T> = { encode(value: never): { finish(): Uint8Array }; decode(bytes: Uint8Array): T };
export type Operation = (
  request: object,
  refuse: Refusal,
) => Uint8Array | undefined | Promise<Uint8Array | undefined>;
export type Method = {
  readonly name: string;
  readonly definition: MethodDefinition<object, Ydb.Operations.IOperation>;
  readonly operation: Operation;
};

/** A unary method whose answer wraps an operation; `work` gives the result's bytes, if it has any. */
export const method = <Request extends object>(
  path: string,
  request: Message<Request>,
  response: Message<object>,
  work: (request: Request, refuse: Refusal) => ReturnType<Operation>,
): Method => ({
  name: path.slice(path.lastIndexOf('/') + 1),
  operation: (given, refuse) => work(given as Request, refuse),
  definition: {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: (value) => Buffer.from(request.encode(value as never).finish()),
    requestDeserialize: (bytes) => request.decode(bytes),
    responseSerialize: (operation) => Buffer.from(response.encode({ operation } as never).finish()),
    responseDeserialize: (bytes) => response.decode(bytes),
  },
});
