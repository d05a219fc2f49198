import type { Result, ResultAsync } from 'neverthrow';
import type { RequestReader } from './request-reader.ts';

/** A generated message: bytes and back. */
export interface MessageType<T> {
  encode(message: T): { finish(): Uint8Array };
  decode(input: RequestReader | Uint8Array): T;
}
export type MethodDefinition = {
  readonly name: string;
  readonly requestType: MessageType<unknown>;
  readonly requestStream: boolean;
  readonly responseType: MessageType<unknown>;
  readonly responseStream: boolean;
};
/** A generated service as plain data; nothing of it knows gRPC. */
export type ServiceDefinition = {
  readonly fullName: string;
  readonly methods: Readonly<Record<string, MethodDefinition>>;
};
/** An expected failure: a value tagged by its kind. */
export type DomainError = { readonly kind: string };

/** What chains and async functions alike return. */
export type Eventually<T, E> = ResultAsync<T, E> | Promise<Result<T, E>>;

type Message<T> = T extends MessageType<infer M> ? M : never;
export type RequestOf<M extends MethodDefinition> = M['requestStream'] extends true
  ? AsyncIterable<Message<M['requestType']>>
  : Message<M['requestType']>;

/** One answer, or a stream of them in which an error is the last. */
export type ResponseOf<M extends MethodDefinition, One, E> = M['responseStream'] extends true
  ? AsyncIterable<Result<Message<M['responseType']>, E>>
  : One;
export type MessageOf<M extends MethodDefinition> = Message<M['responseType']>;

export const pathOf = (definition: ServiceDefinition, method: MethodDefinition): string =>
  `/${definition.fullName}/${method.name}`;
