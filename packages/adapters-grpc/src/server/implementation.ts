import type {
  ServerDuplexStream,
  ServerReadableStream,
  ServerUnaryCall,
  ServerWritableStream,
  UntypedServiceImplementation,
  sendUnaryData,
  ServiceDefinition as WireService,
} from '@grpc/grpc-js';
import { invalidInput } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import { pathOf, type DomainError, type MethodDefinition } from '../service-definition.ts';
import { incoming, send } from './call-streams.ts';
import { PreparedMessage } from './prepared-message.ts';
import { serveCall, type CallKit, type ServedMethod, type Work } from './serve-call.ts';
import type { CallContext, GrpcService } from './service.ts';

type Handle = (request: unknown, call: CallContext) => unknown;
type Bytes = Uint8Array;
const notAMessage = invalidInput({
  path: '',
  code: 'NotAMessage',
  message: 'the bytes are not a message of this type',
});

/** Thrown inside of a request stream, where a handler can't be given a value. */
class NotAMessage extends Error {}

const decoderOf =
  (method: MethodDefinition) =>
  (bytes: Bytes): Result<unknown, DomainError> => {
    try {
      return ok(method.requestType.decode(bytes));
    } catch {
      return err(notAMessage);
    }
  };

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
    method: MethodDefinition,
    produce: (context: CallContext) => Result<unknown, DomainError>,
    call: Parameters<typeof send>[0],
  ): Work =>
  async (context) => {
    const output = produce(context);
    if (output.isErr()) return err(output.error);
    for await (const result of output.value as AsyncIterable<Result<unknown, DomainError>>) {
      if (result.isErr()) return err(result.error);
      if (context.signal.aborted) break;
      await send(call, method.responseType.encode(result.value).finish(), context.signal);
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
        () => {
          throw new NotAMessage('not a message');
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
      if (cause instanceof NotAMessage) return err(notAMessage);
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
    void serveCall(kit, served, call, work, (status) => (status ? call.emit('error', status) : call.end()));
  const once = (
    call: ServerUnaryCall<Bytes, Bytes> | ServerReadableStream<Bytes, Bytes>,
    done: sendUnaryData<Bytes>,
    make: (respond: (bytes: Bytes) => void) => Work,
  ): void => {
    let answer: Bytes | undefined;
    void serveCall(
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
          answerMany(method, (context) => ok(handle(requestsOf(method, call, context), context)), call),
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
  service: GrpcService,
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
      const [access, handle] = [service.access[key], service.handlers[key]];
      if (!access || !handle) return [];
      const path = pathOf(service.definition, method);
      const served = { path, access, errors: service.errors, isStream: method.responseStream };
      return [[key, implement(kit, served, method, handle)]];
    }),
  );
  return { wire, handlers };
};
