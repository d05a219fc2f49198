import type {
  ServerDuplexStream,
  ServerReadableStream,
  ServerUnaryCall,
  ServerWritableStream,
  UntypedServiceImplementation,
  sendUnaryData,
  ServiceDefinition as WireService,
} from '@grpc/grpc-js';
import { err, ok, type Result } from 'neverthrow';
import {
  type CallContext,
  type CallKit,
  decodeRequest,
  type DomainError,
  type MethodDefinition,
  pathOf,
  PreparedMessage,
  type RpcService,
  send,
  type ServedMethod,
  type StatusName,
  streamErrors,
  streamIdle,
  type Work,
} from '@doska/adapters-rpc';
import { incoming } from './call-streams.ts';
import { serveGrpcCall } from './serve-grpc-call.ts';

type Handle = (request: unknown, call: CallContext) => unknown;
type Bytes = Uint8Array;

/** Thrown inside of a request stream, where a handler can't be given a value. */
class BadRequest extends Error {
  readonly error: DomainError;
  constructor(error: DomainError) {
    super('a request of the stream can not be read');
    this.error = error;
  }
}

const decoderOf =
  (method: MethodDefinition) =>
  (bytes: Bytes): Result<unknown, DomainError> =>
    decodeRequest(method.requestType, bytes);

/** The request is decoded after the caller was let in: strangers' bytes cost nothing. */
const answerOnce =
  (
    method: MethodDefinition,
    produce: (context: CallContext) => Result<unknown, DomainError>,
    respond: (bytes: Bytes) => void,
  ): Work =>
  (context) => {
    const output = produce(context);
    if (output.isErr()) return Promise.resolve(err(output.error));
    return (output.value as PromiseLike<Result<unknown, DomainError>>).then((result) =>
      result.map((message) =>
        respond(
          message instanceof PreparedMessage ? message.bytes : method.responseType.encode(message).finish(),
        ),
      ),
    );
  };

const answerMany =
  (
    { clock, streamIdleMs: idleMs }: CallKit,
    method: MethodDefinition,
    produce: (context: CallContext) => Result<unknown, DomainError>,
    call: Parameters<typeof send<Bytes>>[0],
  ): Work =>
  async (context) => {
    const output = produce(context);
    if (output.isErr()) return err(output.error);
    for await (const result of output.value as AsyncIterable<Result<unknown, DomainError>>) {
      if (result.isErr()) return err(result.error);
      if (context.signal.aborted) break;
      const { signal } = context;
      const outcome = await send(call, method.responseType.encode(result.value).finish(), {
        signal,
        clock,
        idleMs,
      });
      if (outcome === 'idle') return err(streamIdle(idleMs));
    }
    return ok();
  };

const requestsOf = (
  method: MethodDefinition,
  call: Parameters<typeof incoming>[0],
  context: CallContext,
): AsyncIterable<unknown> =>
  incoming(
    call,
    (bytes) =>
      decoderOf(method)(bytes).match(
        (message) => message,
        (error) => {
          throw new BadRequest(error);
        },
      ),
    context.signal,
  );

/** A closed request stream with a bad message in it is the client's fault, not a bug of the handler that met it. */
const blamingTheClient =
  (work: Work): Work =>
  async (context) => {
    try {
      return await work(context);
    } catch (cause) {
      if (cause instanceof BadRequest) return err(cause.error);
      throw cause;
    }
  };

const implement = (
  kit: CallKit,
  served: ServedMethod,
  method: MethodDefinition,
  handle: Handle,
): UntypedServiceImplementation[string] => {
  const decode = decoderOf(method);
  const many = (
    call: ServerWritableStream<Bytes, Bytes> | ServerDuplexStream<Bytes, Bytes>,
    work: Work,
  ): void =>
    void serveGrpcCall(kit, served, call, work, (status) =>
      status ? call.emit('error', status) : call.end(),
    );
  const once = (
    call: ServerUnaryCall<Bytes, Bytes> | ServerReadableStream<Bytes, Bytes>,
    done: sendUnaryData<Bytes>,
    make: (respond: (bytes: Bytes) => void) => Work,
  ): void => {
    let answer: Bytes | undefined;
    void serveGrpcCall(
      kit,
      served,
      call,
      make((bytes) => (answer = bytes)),
      (status) => (status ? done(status) : done(null, answer)),
    );
  };
  if (method.requestStream && method.responseStream) {
    return (call: ServerDuplexStream<Bytes, Bytes>) =>
      many(
        call,
        blamingTheClient(
          answerMany(kit, method, (context) => ok(handle(requestsOf(method, call, context), context)), call),
        ),
      );
  }
  if (method.requestStream) {
    return (call: ServerReadableStream<Bytes, Bytes>, done: sendUnaryData<Bytes>) =>
      once(call, done, (respond) =>
        blamingTheClient(
          answerOnce(method, (context) => ok(handle(requestsOf(method, call, context), context)), respond),
        ),
      );
  }
  if (method.responseStream) {
    return (call: ServerWritableStream<Bytes, Bytes>) =>
      many(
        call,
        answerMany(
          kit,
          method,
          (context) => decode(call.request).map((request) => handle(request, context)),
          call,
        ),
      );
  }
  return (call: ServerUnaryCall<Bytes, Bytes>, done: sendUnaryData<Bytes>) =>
    once(call, done, (respond) =>
      answerOnce(
        method,
        (context) => decode(call.request).map((request) => handle(request, context)),
        respond,
      ),
    );
};

const asIs = (bytes: Bytes): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** A service as grpc-js wants it. Bytes pass as they are: we decode ourselves, after admission. */
export const implementation = (
  kit: CallKit,
  service: RpcService,
  observe: (path: string, status: StatusName, ms: number) => void,
): { readonly wire: WireService; readonly handlers: UntypedServiceImplementation } => {
  const methods = Object.entries(service.definition.methods);
  const wire = Object.fromEntries(
    methods.map(([key, method]) => [
      key,
      {
        path: pathOf(service.definition, method),
        requestStream: method.requestStream,
        responseStream: method.responseStream,
        requestSerialize: asIs,
        requestDeserialize: asIs,
        responseSerialize: asIs,
        responseDeserialize: asIs,
      },
    ]),
  );
  const handlers = Object.fromEntries(
    methods.flatMap(([key, method]) => {
      const access = service.access[key];
      const handle = service.handlers[key];
      if (!access || !handle) return [];
      const path = pathOf(service.definition, method);
      const served: ServedMethod = {
        path,
        access,
        errors: { ...streamErrors, ...service.errors },
        isStream: method.responseStream,
        transport: 'grpc',
        msMax: service.msMax[key],
        observe: (status, ms) => observe(path, status, ms),
      };
      return [[key, implement(kit, served, method, handle)]];
    }),
  );
  return { wire, handlers };
};
