import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { JsonValue } from '@bufbuild/protobuf';
import type { DomainError, ErrorTable } from '@doska/adapters-rpc';
import { invalidInput } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';

const unzip = promisify(gunzip);
type Refused = DomainError & { readonly message?: string };

/** What is wrong with a body before it is read as a message. Services may not use these kinds for errors of their own. */
export const bodyErrors: ErrorTable = {
  BodyTooLarge: 'OUT_OF_RANGE',
  UnsupportedMediaType: 'INVALID_ARGUMENT',
};
/** Their statuses, which only HTTP has. */
export const BODY_STATUS: Readonly<Record<string, number>> = { BodyTooLarge: 413, UnsupportedMediaType: 415 };

const tooLarge = (bytesMax: number): Refused => ({
  kind: 'BodyTooLarge',
  message: `the body has more than ${bytesMax} bytes`,
});
const unsupported = (message: string): Refused => ({ kind: 'UnsupportedMediaType', message });
const isJson = (type: string | undefined): boolean =>
  type !== undefined && /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type);
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

const collected = async (request: IncomingMessage, bytesMax: number): Promise<Buffer | undefined> => {
  const pieces: Buffer[] = [];
  let bytes = 0;
  // The way back must stay open: the client is told why.
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > bytesMax) return undefined;
    pieces.push(piece);
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
};
const unzipped = async (bytes: Buffer, bytesMax: number): Promise<Result<Buffer, Refused>> => {
  try {
    return ok(await unzip(bytes, { maxOutputLength: bytesMax }));
  } catch (cause) {
    const isLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return err(isLarge ? tooLarge(bytesMax) : unsupported('the body is not gzip'));
  }
};
const parsed = (bytes: Buffer): Result<JsonValue, DomainError> => {
  try {
    return ok(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as JsonValue);
  } catch {
    return err(invalidInput({ path: '', code: 'NotJson', message: 'the body is not JSON in UTF-8' }));
  }
};

/** A JSON body of limited size, plain or gzip; undefined where there is none. */
export const readBody = async (
  request: IncomingMessage,
  bytesMax: number,
): Promise<Result<JsonValue | undefined, DomainError>> => {
  if (!hasBody(request)) return ok(undefined);
  const { 'content-length': length, 'content-encoding': encoding = 'identity' } = request.headers;
  if (Number(length ?? 0) > bytesMax) return err(tooLarge(bytesMax));
  if (!isJson(request.headers['content-type'])) return err(unsupported('JSON is expected'));
  if (encoding !== 'identity' && encoding !== 'gzip') return err(unsupported('gzip or nothing is expected'));
  const bytes = await collected(request, bytesMax);
  if (!bytes) return err(tooLarge(bytesMax));
  const plain = encoding === 'gzip' ? await unzipped(bytes, bytesMax) : ok<Buffer, Refused>(bytes);
  return plain.isErr() ? err(plain.error) : parsed(plain.value);
};
