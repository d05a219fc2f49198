import type {
  Client,
  ClientDuplexStream,
  ClientReadableStream,
  ClientWritableStream,
  Metadata,
  ServiceError,
} from '@grpc/grpc-js';
import { unavailable } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import { drained, type MethodDefinition } from '@doska/adapters-rpc';
import { errorOf, type RpcError } from '../status/error-of.ts';

export type Wire = {
  readonly client: Client;
  readonly metadata: Metadata;
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
};
type Cancellable = { cancel(): void };
type Outgoing = ClientWritableStream<unknown> | ClientDuplexStream<unknown, unknown>;

const serializer =
  (method: MethodDefinition) =>
  (message: unknown): Buffer => {
    const bytes = method.requestType.encode(message).finish();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
const deserializer =
  (method: MethodDefinition) =>
  (bytes: Buffer): unknown =>
    method.responseType.decode(bytes);

/** Cancels the call with the signal; the returned function forgets about it. */
const linked = (call: Cancellable, signal: AbortSignal | undefined): (() => void) => {
  const abort = (): void => call.cancel();
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  return () => signal?.removeEventListener('abort', abort);
};

/** Sends as fast as the server takes. A source that fails cancels the call: half a stream must not look like a whole one. */
const pump = async (requests: AsyncIterable<unknown>, call: Outgoing): Promise<void> => {
  try {
    for await (const request of requests) {
      if (call.destroyed || call.writableEnded) return;
      if (!call.write(request)) await drained(call);
    }
    call.end();
  } catch {
    call.cancel();
  }
};

/** A request, or a stream of them, for one answer. */
export const callOnce = async (
  path: string,
  method: MethodDefinition,
  request: unknown,
  prepare: () => Promise<Wire>,
): Promise<Result<unknown, RpcError>> => {
  const { client, metadata, deadline, signal } = await prepare();
  return new Promise((resolve) => {
    const done = (error: ServiceError | null, message?: unknown): void => {
      unlink();
      resolve(error ? err(errorOf(path, error)) : ok(message));
    };
    const serialize = serializer(method);
    const deserialize = deserializer(method);
    let unlink = (): void => undefined;
    if (method.requestStream) {
      const call = client.makeClientStreamRequest(path, serialize, deserialize, metadata, { deadline }, done);
      unlink = linked(call, signal);
      void pump(request as AsyncIterable<unknown>, call);
    } else {
      unlink = linked(
        client.makeUnaryRequest(path, serialize, deserialize, request, metadata, { deadline }, done),
        signal,
      );
    }
  });
};

const isServiceError = (cause: unknown): cause is ServiceError =>
  cause instanceof Error && 'code' in cause && 'metadata' in cause;

/** A request, or a stream of them, for a stream of answers; leaving the loop cancels the call. */
export async function* callMany(
  path: string,
  method: MethodDefinition,
  request: unknown,
  prepare: () => Promise<Wire>,
): AsyncIterable<Result<unknown, RpcError>> {
  const { client, metadata, deadline, signal } = await prepare();
  const serialize = serializer(method);
  const deserialize = deserializer(method);
  let call: ClientReadableStream<unknown> | ClientDuplexStream<unknown, unknown>;
  if (method.requestStream) {
    const duplex = client.makeBidiStreamRequest(path, serialize, deserialize, metadata, { deadline });
    void pump(request as AsyncIterable<unknown>, duplex);
    call = duplex;
  } else {
    call = client.makeServerStreamRequest(path, serialize, deserialize, request, metadata, { deadline });
  }
  const unlink = linked(call, signal);
  let finished = false;
  try {
    for await (const message of call) yield ok(message as unknown);
    finished = true;
  } catch (cause) {
    finished = true;
    yield err(isServiceError(cause) ? errorOf(path, cause) : unavailable(path, cause));
  } finally {
    unlink();
    // After a cancel the stream still emits an error: it is ignored.
    if (!finished) call.on('error', () => undefined).cancel();
  }
}
