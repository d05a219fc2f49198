import type {
  UploadFeedRequest,
  UploadHeader,
} from '@doska/adapters-proto/generated/doska/feeds/v1/feed_service';
import {
  feedNamespaceViolations,
  isParsedNamespace,
  MAIN_NAMESPACE,
  type FeedsUseCases,
  type FeedTaskId,
  type Load,
  type LoadKey,
  type UploadError,
} from '@doska/core/feeds';
import type { FeedKey } from '@doska/core/gost';
import {
  invalidInput,
  invalidInputOf,
  textViolations,
  wholeNumber,
  type Caller,
  type InvalidInput,
} from '@doska/core/kernel';
import { err, errAsync, ok, Result, type ResultAsync } from 'neverthrow';
import { isService, isTrusted, notYours, sellerAsked, type NotYours } from '../gost/acting.ts';

/** Texts that a request compares with stored ones: bounded, and storable. */
const ASKED_CHARS_MAX = 3_000;
export const textsAsked = (texts: Readonly<Record<string, string>>): Result<void, InvalidInput> => {
  const violations = Object.entries(texts).flatMap(([path, text]) =>
    textViolations(path, text, { charsMax: ASKED_CHARS_MAX }),
  );
  return violations.length > 0 ? err(invalidInputOf(violations)) : ok(undefined);
};
const REQUEST_ID_CHARS_MAX = 200;

export type Named = { readonly sellerId: string; readonly namespace: string };
/** The feed that a call is about. Parsed feeds are hidden from sellers. */
export const feedAsked = (
  caller: Caller,
  { sellerId, namespace }: Named,
): Result<FeedKey, NotYours | InvalidInput> =>
  sellerAsked(caller, sellerId).andThen((seller): Result<FeedKey, NotYours | InvalidInput> => {
    const name = namespace === '' ? MAIN_NAMESPACE : namespace;
    const violations = feedNamespaceViolations(name);
    if (violations.length > 0) return err(invalidInputOf(violations));
    return isParsedNamespace(name) && !isTrusted(caller)
      ? err(notYours('namespace', 'feeds of crawlers are not shown to sellers'))
      : ok({ seller, namespace: name });
  });
export const loadAsked = (
  caller: Caller,
  request: Named & { readonly task: bigint },
): Result<LoadKey, NotYours | InvalidInput> =>
  Result.combine([feedAsked(caller, request), wholeNumber('task', request.task)]).map(([key, task]) => ({
    ...key,
    task: task as FeedTaskId,
  }));
class StreamCut extends Error {}

/** Reads the header, then gives the bytes. A stream without its end throws, so that half a file is never loaded. */
export const readUpload = async (
  stream: AsyncIterable<UploadFeedRequest>,
): Promise<Result<{ header: UploadHeader; content: AsyncIterable<Uint8Array> }, InvalidInput>> => {
  const pieces = stream[Symbol.asyncIterator]();
  const first = await pieces.next();
  const piece = first.done ? undefined : first.value.piece;
  if (piece?.$case !== 'header')
    return err(invalidInput({ path: 'header', code: 'Missing', message: 'the first message is the header' }));
  const content = async function* () {
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      const { piece: one } = next.value;
      if (one?.$case === 'content') yield one.value;
      if (one?.$case === 'end') return;
    }
    throw new StreamCut('the stream was cut off');
  };
  return ok({ header: piece.value, content: content() });
};

/** Takes a file for a seller, or for a service that names a crawler's source. */
export const takeFile = (
  useCases: Pick<FeedsUseCases, 'upload' | 'loadParsed'>,
  caller: Caller,
  header: Omit<UploadHeader, '$type'>,
  content: AsyncIterable<Uint8Array>,
): ResultAsync<Load, UploadError | NotYours> => {
  const requestId = header.requestId === '' ? undefined : header.requestId;
  const violations = textViolations('request_id', header.requestId, { charsMax: REQUEST_ID_CHARS_MAX });
  if (violations.length > 0) return errAsync(invalidInputOf(violations));
  if (header.parsed) {
    if (!isService(caller)) return errAsync(notYours('parsed', 'only services bring files of crawlers'));
    return sellerAsked(caller, header.sellerId).asyncAndThen((seller) =>
      useCases.loadParsed(seller, header.namespace, content, requestId),
    );
  }
  return feedAsked(caller, header).asyncAndThen((key) =>
    isParsedNamespace(key.namespace)
      ? errAsync(invalidInput({ path: 'namespace', code: 'Reserved', message: 'reserved for parsed feeds' }))
      : useCases.upload(key, content, { replace: header.replace, requestId }),
  );
};
