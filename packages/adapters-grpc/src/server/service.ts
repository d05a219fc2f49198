import type { Metadata } from '@grpc/grpc-js';
import type { Access, Caller, Logger } from '@doska/core/kernel';
import type {
  DomainError,
  Eventually,
  MessageOf,
  MethodDefinition,
  RequestOf,
  ResponseOf,
  ServiceDefinition,
} from '../service-definition.ts';
import type { ErrorTable } from '../status/status-of.ts';
import type { PreparedMessage } from './prepared-message.ts';

/** What a handler knows of its call besides the request. */
export type CallContext = {
  readonly caller: Caller;
  /** Aborts when the client has gone or the deadline has passed: nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  readonly requestId: string;
  /** Carries the request's id and method. */
  readonly logger: Logger;
  readonly metadata: Metadata;
  readonly address: string;
};

export type Handler<M extends MethodDefinition> = (
  request: RequestOf<M>,
  call: CallContext,
) => ResponseOf<M, Eventually<MessageOf<M> | PreparedMessage<MessageOf<M>>, DomainError>, DomainError>;

/** Everything the server must know to serve a service; `access` says for each method who may call it. */
export type ServiceRegistration<S extends ServiceDefinition> = {
  readonly definition: S;
  readonly handlers: { readonly [M in keyof S['methods']]: Handler<S['methods'][M]> };
  readonly access: { readonly [M in keyof S['methods']]: Access };
  /** The status of each kind of error of its own that a handler may return. */
  readonly errors?: ErrorTable;
};

/** A registration whose message types were checked and are now forgotten. */
export type GrpcService = {
  readonly definition: ServiceDefinition;
  readonly handlers: Readonly<Record<string, (request: unknown, call: CallContext) => unknown>>;
  readonly access: Readonly<Record<string, Access | undefined>>;
  readonly errors: ErrorTable;
};

export const grpcService = <S extends ServiceDefinition>(
  registration: ServiceRegistration<S>,
): GrpcService => ({
  errors: {},
  ...(registration as unknown as Omit<GrpcService, 'errors'> & { readonly errors?: ErrorTable }),
});

export type AccessUndeclared = { readonly kind: 'AccessUndeclared'; readonly methods: readonly string[] };

/** Methods that nobody said who may call. One of them and nothing is served. */
export const undeclared = (services: readonly GrpcService[]): readonly string[] =>
  services.flatMap(({ definition, access }) =>
    Object.entries(definition.methods)
      .filter(([key]) => !Object.hasOwn(access, key) || access[key] === undefined)
      .map(([, method]) => `${definition.fullName}/${method.name}`),
  );
