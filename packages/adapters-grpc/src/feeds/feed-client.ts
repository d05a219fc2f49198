import {
  AbsentOffers,
  ErrorLevel,
  FeedFormat,
  FeedServiceDefinition,
  LoadPlace,
  type Load,
  type OfferError,
  type UploadFeedRequest,
} from '@doska/adapters-proto/generated/doska/feeds/v1/feed_service';
import type { ExportFormat } from '@doska/core/feeds';
import type { Result, ResultAsync } from 'neverthrow';
import type { GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';
import { EXPORTS } from './feeds.mapper.ts';

export type FeedName = { readonly sellerId: string; readonly namespace: string };
export type ToldLoad = {
  readonly task: number;
  readonly place: string;
  readonly origin: string;
  readonly createdAtMs: number;
  readonly fileBytes: number;
  readonly error: string;
  readonly removal: string;
  readonly progress: Readonly<Record<string, number>>;
  readonly statistics: Readonly<Record<string, number>>;
  readonly codes: Readonly<Record<string, number>>;
};
export type ToldError = {
  readonly externalId: string;
  readonly title: string;
  readonly level: string;
  readonly code: string;
  readonly path: string;
  readonly message: string;
  readonly value: string | undefined;
  readonly line: number | undefined;
  readonly number: number;
};
export type ToldDiagnosis = {
  readonly code: string;
  readonly path: string;
  readonly count: number;
  readonly fix: string;
  readonly examples: readonly ToldError[];
};
export type WantedFeed = {
  readonly url: string;
  readonly intervalSeconds: number;
  readonly manual: boolean;
  readonly phone: string;
  readonly email: string;
  readonly contactName: string;
  readonly address: string;
  readonly currency: string;
};
export type WantedUpload = FeedName & { readonly replace: boolean; readonly requestId: string };

export type ErrorPage = {
  readonly level?: 'error' | 'warning' | undefined;
  readonly code?: string | undefined;
  readonly after?: { readonly externalId: string; readonly number: number } | undefined;
  readonly limit: number;
};

/** What the command line asks of the feeds. */
export interface FeedClient {
  set(name: FeedName, wanted: WantedFeed): ResultAsync<{ readonly version: number }, RpcError>;
  remove(name: FeedName, manual: boolean): ResultAsync<void, RpcError>;
  fetchNow(name: FeedName): ResultAsync<void, RpcError>;
  upload(wanted: WantedUpload, content: AsyncIterable<Uint8Array>): ResultAsync<ToldLoad, RpcError>;
  loads(name: FeedName, limit: number): ResultAsync<readonly ToldLoad[], RpcError>;
  load(name: FeedName, task: number): ResultAsync<ToldLoad, RpcError>;
  /** The load whenever it changes, until it ends or is held. */
  watch(name: FeedName, task: number): AsyncIterable<Result<ToldLoad, RpcError>>;
  errors(name: FeedName, task: number, page: ErrorPage): ResultAsync<readonly ToldError[], RpcError>;
  /** A file in pieces. It is whole if no piece is an error. */
  exportErrors(
    name: FeedName,
    task: number,
    format: ExportFormat,
  ): AsyncIterable<Result<Uint8Array, RpcError>>;
  diagnose(name: FeedName, task: number): ResultAsync<readonly ToldDiagnosis[], RpcError>;
  settle(name: FeedName, task: number, verdict: 'approve' | 'reject'): ResultAsync<void, RpcError>;
  erase(sellerId: string): ResultAsync<number, RpcError>;
}

const DEADLINE_MS = 30_000;
const UPLOAD_MS = 3_600_000;
const PIECE_BYTES = 64 * 1024;
const PLACES: Readonly<Record<number, string>> = {
  [LoadPlace.LOAD_PLACE_QUEUED]: 'queued',
  [LoadPlace.LOAD_PLACE_SENT]: 'sent',
  [LoadPlace.LOAD_PLACE_HELD]: 'held',
  [LoadPlace.LOAD_PLACE_FAILED]: 'failed',
  [LoadPlace.LOAD_PLACE_SUCCEED]: 'succeed',
};
const LEVELS = {
  both: ErrorLevel.ERROR_LEVEL_UNSPECIFIED,
  error: ErrorLevel.ERROR_LEVEL_ERROR,
  warning: ErrorLevel.ERROR_LEVEL_WARNING,
} as const;
const numbersIn = (record: object | undefined): Record<string, number> =>
  Object.fromEntries(
    Object.entries(record ?? {}).flatMap(([name, value]) =>
      typeof value === 'bigint' ? [[name, Number(value)]] : [],
    ),
  );
const toldLoad = (load: Load | undefined): ToldLoad => ({
  task: Number(load?.task ?? 0),
  place: PLACES[load?.place ?? 0] ?? 'unknown',
  origin: load?.origin ?? '',
  createdAtMs: Number(load?.createdAtMs ?? 0),
  fileBytes: Number(load?.fileBytes ?? 0),
  error: load?.error ?? '',
  removal: load?.removal ?? '',
  progress: numbersIn(load?.progress),
  statistics: numbersIn(load?.statistics),
  codes: numbersIn(load?.statistics?.codes),
});
const toldError = (error: OfferError): ToldError => ({
  externalId: error.externalId,
  title: error.title,
  level: error.level === ErrorLevel.ERROR_LEVEL_WARNING ? 'warning' : 'error',
  code: error.code,
  path: error.path,
  message: error.message,
  value: error.value,
  line: error.line,
  number: Number(error.number),
});
async function* pieces(
  { sellerId, namespace, replace, requestId }: WantedUpload,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<UploadFeedRequest> {
  yield { piece: { $case: 'header', value: { sellerId, namespace, replace, requestId, parsed: false } } };
  for await (const chunk of content)
    for (let at = 0; at < chunk.length; at += PIECE_BYTES)
      yield { piece: { $case: 'content', value: chunk.subarray(at, at + PIECE_BYTES) } };
  yield { piece: { $case: 'end', value: {} } };
}

export const feedClient = (channel: GrpcChannel): FeedClient => {
  const client = channel.client(FeedServiceDefinition);
  const soon = { deadlineMs: DEADLINE_MS };
  return {
    set: (name, { url, intervalSeconds, manual, ...defaults }) =>
      client
        .setFeed(
          {
            ...name,
            expectedVersion: undefined,
            settings: {
              url,
              intervalSeconds,
              format: FeedFormat.FEED_FORMAT_UNSPECIFIED,
              absent: manual ? AbsentOffers.ABSENT_OFFERS_MANUAL : AbsentOffers.ABSENT_OFFERS_REMOVE,
              defaults,
            },
          },
          soon,
        )
        .map(({ feed }) => ({ version: Number(feed?.version ?? 0) })),
    remove: (name, manual) =>
      client
        .removeFeed(
          { ...name, offers: manual ? AbsentOffers.ABSENT_OFFERS_MANUAL : AbsentOffers.ABSENT_OFFERS_REMOVE },
          soon,
        )
        .map(() => undefined),
    fetchNow: (name) => client.fetchNow(name, soon).map(() => undefined),
    upload: (wanted, content) =>
      client.uploadFeed(pieces(wanted, content), { deadlineMs: UPLOAD_MS }).map(({ load }) => toldLoad(load)),
    loads: (name, limit) =>
      client.listLoads({ ...name, beforeTask: 0n, limit }, soon).map(({ loads }) => loads.map(toldLoad)),
    load: (name, task) =>
      client.getLoad({ ...name, task: BigInt(task) }, soon).map(({ load }) => toldLoad(load)),
    watch: async function* (name, task) {
      const asked = { ...name, task: BigInt(task) };
      for await (const seen of client.watchLoad(asked, { deadlineMs: UPLOAD_MS }))
        yield seen.map(({ load }) => toldLoad(load));
    },
    errors: (name, task, { level, code = '', after, limit }) =>
      client
        .listErrors(
          {
            ...name,
            task: BigInt(task),
            level: LEVELS[level ?? 'both'],
            code,
            afterExternalId: after?.externalId,
            afterNumber: BigInt(after?.number ?? 0),
            limit,
          },
          soon,
        )
        .map(({ errors }) => errors.map(toldError)),
    exportErrors: async function* (name, task, format) {
      const asked = { ...name, task: BigInt(task), format: EXPORTS[format] };
      for await (const piece of client.exportErrors(asked, { deadlineMs: UPLOAD_MS }))
        yield piece.map(({ content }) => content);
    },
    diagnose: (name, task) =>
      client.diagnose({ ...name, task: BigInt(task) }, soon).map(({ diagnoses }) =>
        diagnoses.map(({ code, path, count, fix, examples }) => ({
          code,
          path,
          count: Number(count),
          fix,
          examples: examples.map(toldError),
        })),
      ),
    settle: (name, task, verdict) => {
      const asked = { ...name, task: BigInt(task) };
      return (
        verdict === 'approve' ? client.approveRemoval(asked, soon) : client.rejectRemoval(asked, soon)
      ).map(() => undefined);
    },
    erase: (sellerId) => client.eraseFeeds({ sellerId }, soon).map(({ feeds }) => feeds),
  };
};
