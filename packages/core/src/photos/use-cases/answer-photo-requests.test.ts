import { err, errAsync, ok, okAsync, ResultAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import {
  silentTelemetry,
  unavailable,
  type Batch,
  type Codec,
  type DeadLetter,
  type LogPublisher,
  type LogRecord,
  type PublishError,
} from '../../kernel/index.ts';
import { manualClock } from '../../kernel/testing.ts';
import { PHOTO_REQUESTS, PHOTO_RESULTS, type Photo, type PhotoRequest } from '../domain/photo.ts';
import { jsonPhotoCodecs as codecs } from '../testing/json-photo-codecs.ts';
import { answerPhotoRequests } from './answer-photo-requests.ts';
import type { HandlePhotoRequest } from './handle-photo-request.ts';

const text = new TextEncoder();
const deadLetters: Codec<DeadLetter> = {
  encode: ({ reason }) => text.encode(reason),
  decode: () => err({ kind: 'Malformed', what: 'a test never reads it' }),
};
const batchOf = (...values: readonly (string | PhotoRequest)[]): Batch => ({
  topic: PHOTO_REQUESTS,
  partition: 0,
  records: values.map((value, offset) => ({
    key: typeof value === 'string' ? value : value.offerId,
    headers: {},
    timestampMs: 0,
    value: typeof value === 'string' ? text.encode(value) : codecs.request.encode(value),
    position: { log: 'memory:1', topic: PHOTO_REQUESTS, partition: 0, offset },
  })),
});
const request = (offerId: string): PhotoRequest => ({ offerId, urls: [], released: [], atUs: 1 });
const signal = new AbortController().signal;

const bench = (handle: HandlePhotoRequest, refusal?: PublishError) => {
  const published: LogRecord[] = [];
  const log: LogPublisher = {
    promises: { fences: false, joinsTransactions: false },
    publish: (records) => {
      if (refusal && records[0]?.topic === PHOTO_RESULTS) return errAsync(refusal);
      published.push(...records);
      return okAsync(undefined);
    },
  };
  const { clock } = manualClock(1_000);
  const { logger } = silentTelemetry;
  const handler = answerPhotoRequests({ handle, codecs, deadLetters, log, clock, logger, retryMs: 7 });
  return { handler, told: () => published.map(({ topic, key }) => `${topic} ${key}`) };
};
const photos: readonly Photo[] = [
  { url: 'u', outcome: { kind: 'failed', code: 'refused', message: '', permanent: false } },
];
const answering: HandlePhotoRequest = ({ offerId }) => okAsync({ offerId, photos });

test('[G9] requests of a batch are worked on together and answered in their order', async () => {
  const waiting = new Map<string, () => void>();
  const { handler, told } = bench(
    ({ offerId }) =>
      new ResultAsync(new Promise((resolve) => waiting.set(offerId, () => resolve(ok({ offerId, photos }))))),
  );
  const handled = handler(batchOf(request('a'), request('b'), request('c')), signal);
  await Promise.resolve();
  expect([...waiting.keys()]).toEqual(['a', 'b', 'c']);
  for (const offer of ['c', 'b', 'a']) waiting.get(offer)!();
  expect(await handled).toEqual({ kind: 'done' });
  expect(told()).toEqual(['a', 'b', 'c'].map((offer) => `${PHOTO_RESULTS} ${offer}`));
});
test('[X3] requests of one offer wait for each other, whatever the keys of their records are', async () => {
  let running = 0;
  let most = 0;
  const { handler, told } = bench(({ offerId }) => {
    most = Math.max(most, ++running);
    return new ResultAsync(Promise.resolve().then(() => ok({ offerId, photos }))).andTee(() => running--);
  });
  const batch = batchOf(request('a'), request('a'), request('a'));
  const records = batch.records.map((record, n) => ({ ...record, key: `other-${n}` }));
  expect(await handler({ ...batch, records }, signal)).toEqual({ kind: 'done' });
  expect([most, told()]).toEqual([1, Array(3).fill(`${PHOTO_RESULTS} a`)]);
});
test('[G9] a malformed request is put aside, the others are answered', async () => {
  const { handler, told } = bench(answering);
  expect(await handler(batchOf(request('a'), 'garbage', request('b')), signal)).toEqual({ kind: 'done' });
  expect(told()).toEqual([`${PHOTO_RESULTS} a`, `${PHOTO_REQUESTS}.dead garbage`, `${PHOTO_RESULTS} b`]);
});
test('[G9] storage of our own that fails holds the partition, after what was answered', async () => {
  const { handler, told } = bench((asked) =>
    asked.offerId === 'b' ? errAsync(unavailable('disk')) : answering(asked),
  );
  expect(await handler(batchOf(request('a'), request('b'), request('c')), signal)).toEqual({
    kind: 'blocked',
    handled: 1,
    retryAtMs: 1_007,
    reason: 'disk',
  });
  expect(told()).toEqual([`${PHOTO_RESULTS} a`]);
});
test('[G9] an answer that could not be published is published later', async () => {
  const { handler, told } = bench(answering, unavailable('log'));
  expect(await handler(batchOf(request('a')), signal)).toMatchObject({ kind: 'blocked', handled: 0 });
  expect(told()).toEqual([]);
});
test('[G9] an answer that no record can hold is put aside', async () => {
  const { handler, told } = bench(answering, { kind: 'RecordsTooLarge', records: [] });
  expect(await handler(batchOf(request('a')), signal)).toEqual({ kind: 'done' });
  expect(told()).toEqual([`${PHOTO_REQUESTS}.dead a`]);
});
test('[G9] a partition that was lost publishes nothing more, and nothing runs on', async () => {
  const lost = new AbortController();
  const stopped: string[] = [];
  const { handler, told } = bench(
    ({ offerId }, given) =>
      new ResultAsync(
        new Promise((resolve) =>
          given!.addEventListener('abort', () => {
            stopped.push(offerId);
            resolve(err(unavailable('aborted')));
          }),
        ),
      ),
  );
  const handled = handler(batchOf(request('a'), request('b')), lost.signal);
  await Promise.resolve();
  lost.abort();
  expect(await handled).toEqual({ kind: 'again', handled: 0 });
  expect(stopped).toEqual(['a', 'b']);
  expect(told()).toEqual([]);
});
test('[G9] a request that leaves nothing to say is not answered', async () => {
  const { handler, told } = bench(({ offerId }) => okAsync({ offerId, photos: [] }));
  expect(await handler(batchOf(request('a')), signal)).toEqual({ kind: 'done' });
  expect(told()).toEqual([]);
});
test('[G9] requests of one offer wait for each other, and fall with each other', async () => {
  const begun: number[] = [];
  const refused = new Set<number>();
  const { handler, told } = bench((asked) => {
    begun.push(asked.atUs);
    return refused.has(asked.atUs) ? errAsync(unavailable('disk')) : answering(asked);
  });
  const two = batchOf({ ...request('a'), atUs: 1 }, { ...request('a'), atUs: 2 });
  refused.add(1);
  expect(await handler(two, signal)).toMatchObject({ kind: 'blocked', handled: 0 });
  expect(begun).toEqual([1]);
  refused.clear();
  expect(await handler(two, signal)).toEqual({ kind: 'done' });
  expect(begun).toEqual([1, 1, 2]);
  expect(told()).toHaveLength(2);
});
