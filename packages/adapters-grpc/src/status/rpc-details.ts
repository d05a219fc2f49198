import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { utf8Bytes, type Violation } from '@doska/core/kernel';

/** What of `google.rpc` travels in `grpc-status-details-bin`. Numbers are those of google/rpc/{status,error_details}.proto. */
export type RpcDetails = {
  readonly code: number;
  readonly message: string;
  /** `ErrorInfo.reason`: the kind of the error. */
  readonly reason?: string;
  /** `BadRequest.field_violations`. */
  readonly violations?: readonly Violation[];
  /** `RetryInfo.retry_delay`. */
  readonly retryAfterMs?: number;
};

const TYPE = 'type.googleapis.com/google.rpc.';
const DOMAIN = 'doska';
/** Clients take 8 KB of trailers. The details are there in base64, and the message once more, percent-encoded. */
const VIOLATION_BYTES_MAX = 3_500;
const MESSAGE_BYTES_MAX = 500;

/**
 * The beginning of a text, of at most so many UTF-8 bytes; a symbol is never cut in two. Half of a surrogate pair is replaced:
 * a status with one would end the process, because gRPC can't write it.
 */
export const clipped = (given: string, bytesMax: number): string => {
  const text = given.toWellFormed();
  if (utf8Bytes(text) <= bytesMax) return text;
  let bytes = 3;
  let end = 0;
  for (const symbol of text.slice(0, bytesMax)) {
    bytes += utf8Bytes(symbol);
    if (bytes > bytesMax) break;
    end += symbol.length;
  }
  return `${text.slice(0, end)}…`;
};
export const clippedMessage = (message: string): string => clipped(message, MESSAGE_BYTES_MAX);

const violationBytes = ({ path, code, message }: Violation): Uint8Array =>
  new BinaryWriter()
    .uint32(10)
    .string(clipped(path, 200))
    .uint32(18)
    .string(clipped(message, 500))
    .uint32(26)
    .string(clipped(code, 100))
    .finish();

/** Stands last where not all violations are told. */
const more = (count: number): Violation => ({ path: '', code: 'More', message: `${count} more violations` });
const badRequest = (violations: readonly Violation[]): Uint8Array => {
  const writer = new BinaryWriter();
  let bytes = 0;
  for (const [told, violation] of violations.entries()) {
    const encoded = violationBytes(violation);
    bytes += encoded.length + 3;
    if (bytes > VIOLATION_BYTES_MAX) {
      writer.uint32(10).bytes(violationBytes(more(violations.length - told)));
      break;
    }
    writer.uint32(10).bytes(encoded);
  }
  return writer.finish();
};
const errorInfo = (reason: string): Uint8Array =>
  new BinaryWriter().uint32(10).string(reason).uint32(18).string(DOMAIN).finish();
const retryInfo = (ms: number): Uint8Array => {
  const duration = new BinaryWriter()
    .uint32(8)
    .int64(Math.floor(ms / 1000))
    .uint32(16)
    .int32((ms % 1000) * 1_000_000)
    .finish();
  return new BinaryWriter().uint32(10).bytes(duration).finish();
};

export const encodeDetails = ({
  code,
  message,
  reason,
  violations,
  retryAfterMs,
}: RpcDetails): Uint8Array => {
  const writer = new BinaryWriter().uint32(8).int32(code).uint32(18).string(clippedMessage(message));
  const add = (name: string, value: Uint8Array): void => {
    writer.uint32(26).bytes(
      new BinaryWriter()
        .uint32(10)
        .string(TYPE + name)
        .uint32(18)
        .bytes(value)
        .finish(),
    );
  };
  if (reason !== undefined) add('ErrorInfo', errorInfo(reason));
  if (violations !== undefined) add('BadRequest', badRequest(violations));
  if (retryAfterMs !== undefined) add('RetryInfo', retryInfo(Math.ceil(retryAfterMs)));
  return writer.finish();
};

type Fields = ReadonlyMap<number, readonly (Uint8Array | number)[]>;

/** The fields of a message without its schema: bytes, or numbers where the wire has a varint. */
const fieldsOf = (bytes: Uint8Array): Fields => {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, (Uint8Array | number)[]>();
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    const values = fields.get(field) ?? [];
    fields.set(field, values);
    if (type === WireType.LengthDelimited) values.push(reader.bytes());
    else if (type === WireType.Varint) values.push(Number(reader.int64()));
    else reader.skip(type, field);
  }
  return fields;
};
const numberAt = (fields: Fields, field: number): number => Number(fields.get(field)?.at(-1) ?? 0);
const bytesAt = (fields: Fields, field: number): readonly Uint8Array[] =>
  (fields.get(field) ?? []).filter((value) => typeof value !== 'number');
const textAt = (fields: Fields, field: number): string =>
  new TextDecoder().decode(bytesAt(fields, field).at(-1));

const decodeDetail = (type: string, value: Uint8Array): Partial<RpcDetails> => {
  const fields = fieldsOf(value);
  if (type === `${TYPE}ErrorInfo`) return { reason: textAt(fields, 1) };
  if (type === `${TYPE}BadRequest`) {
    const violations = bytesAt(fields, 1).map(fieldsOf);
    return {
      violations: violations.map((one) => ({
        path: textAt(one, 1),
        code: textAt(one, 3),
        message: textAt(one, 2),
      })),
    };
  }
  if (type === `${TYPE}RetryInfo`) {
    const delay = bytesAt(fields, 1).map(fieldsOf).at(0) ?? new Map();
    return { retryAfterMs: numberAt(delay, 1) * 1000 + Math.floor(numberAt(delay, 2) / 1_000_000) };
  }
  return {};
};

/** Details we don't know are passed over; bytes that are no message at all are no details. */
export const decodeDetails = (bytes: Uint8Array): RpcDetails | undefined => {
  try {
    const status = fieldsOf(bytes);
    const details = bytesAt(status, 3).map(fieldsOf);
    const known = details.map((any) =>
      decodeDetail(textAt(any, 1), bytesAt(any, 2).at(-1) ?? new Uint8Array()),
    );
    return Object.assign({ code: numberAt(status, 1), message: textAt(status, 2) }, ...known) as RpcDetails;
  } catch {
    return undefined;
  }
};
