import type { Access, Caller, Logger } from '@doska/core/kernel';
import type {
  DomainError,
  Eventually,
  MessageOf,
  MethodDefinition,
  RequestOf,
  ResponseOf,
  ServiceDefinition,
} from './service-definition.ts';
import type { ErrorTable } from '../failure/status.ts';
import type { PreparedMessage } from './prepared-message.ts';

/** What a handler knows of its call besides the request. */
export type CallContext = {
  readonly caller: Caller;
  /** Aborts when the client has gone or the deadline has passed. */
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  readonly requestId: string;
  /** Carries the request's id and method. */
  readonly logger: Logger;
  readonly address: string;
};

export type Handler<M extends MethodDefinition> = (
  request: RequestOf<M>,
  call: CallContext,
) => ResponseOf<M, Eventually<MessageOf<M> | PreparedMessage<MessageOf<M>>, DomainError>, DomainError>;

/** What only HTTP makes use of. */
export type HttpHints<Answer> = {
  /** The version of what is answered: its `ETag`. Undefined: it has none. */
  readonly version?: (answer: Answer) => bigint | number | undefined;
  /** How long caches may keep the answer of a public `GET`, in seconds. */
  readonly maxAgeSec?: number;
};

/** Everything a server must know to serve a service, by gRPC or as JSON; `access` says for each method who may call it. */
export type ServiceRegistration<S extends ServiceDefinition> = {
  readonly definition: S;
  readonly handlers: { readonly [M in keyof S['methods']]: Handler<S['methods'][M]> };
  readonly access: { readonly [M in keyof S['methods']]: Access };
  /** The status of each kind of error of its own that a handler may return. */
  readonly errors?: ErrorTable;
  readonly http?: { readonly [M in keyof S['methods']]?: HttpHints<MessageOf<S['methods'][M]>> };
  /** Of methods that may take longer than other calls: files, and streams that follow something. */
  readonly msMax?: { readonly [M in keyof S['methods']]?: number };
};

/** A registration whose message types were checked and are now forgotten. */
export type RpcService = {
  readonly definition: ServiceDefinition;
  readonly handlers: Readonly<Record<string, (request: unknown, call: CallContext) => unknown>>;
  readonly access: Readonly<Record<string, Access | undefined>>;
  readonly errors: ErrorTable;
  readonly http: Readonly<Record<string, HttpHints<unknown> | undefined>>;
  readonly msMax: Readonly<Record<string, number | undefined>>;
};

export const rpcService = <S extends ServiceDefinition>(
  registration: ServiceRegistration<S>,
): RpcService => ({
  errors: {},
  http: {},
  msMax: {},
  ...(registration as unknown as Omit<RpcService, 'errors' | 'http' | 'msMax'> & Partial<RpcService>),
});

/** Methods without a declared access. The server refuses to start with one of them. */
export const undeclaredMethods = (services: readonly RpcService[]): readonly string[] =>
  services.flatMap(({ definition, access }) =>
    Object.entries(definition.methods)
      .filter(([key]) => !Object.hasOwn(access, key) || access[key] === undefined)
      .map(([, method]) => `${definition.fullName}/${method.name}`),
  );
