import {
  ErrorLevel,
  type ExportFormat as PbExportFormat,
  FeedServiceDefinition,
} from '@doska/adapters-proto/generated/doska/feeds/v1/feed_service';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import { isParsedNamespace, noStatistics, type FeedsUseCases, type Load } from '@doska/core/feeds';
import type { FeedKey, SellerId } from '@doska/core/gost';
import { unavailable, wholeNumber, type Access, type Caller } from '@doska/core/kernel';
import { err, ok, Result, ResultAsync } from 'neverthrow';
import { isTrusted, sellerAsked } from '../gost/acting.ts';
import {
  feedAsked,
  loadAsked,
  readUpload,
  takeFile,
  textsAsked,
  type Named,
} from './feed-requests.mapper.ts';
import { feedErrors, feedInWords } from './feed-errors.ts';
import {
  absentFromPb,
  errorToPb,
  exportFormatFromPb,
  feedToPb,
  levelFromPb,
  linkToPb,
  loadToPb,
  settingsFromPb,
} from './feeds.mapper.ts';

const everyone: Access = { roles: ['seller', 'service', 'operator'] };
const trusted: Access = { roles: ['service', 'operator'] };
const services: Access = { roles: ['service'] };
const LOADS_DEFAULT = 50;
const LOADS_MAX = 200;
const ERRORS_DEFAULT = 100;
const ERRORS_MAX = 1_000;

const atMost = (limit: number, otherwise: number, max: number): number =>
  limit === 0 ? otherwise : Math.min(limit, max);

export type FeedServiceNeeds = FeedsUseCases;
/** `fileMsMax` bounds uploads, exports and the watching of a load. */
export const feedService = (useCases: FeedServiceNeeds, fileMsMax: number): RpcService => {
  const view = (key: FeedKey, { task }: Load) =>
    useCases.getLoad({ ...key, task: task.id }).map((found) => ({ load: loadToPb(found) }));
  async function* watchLoad(
    request: Named & { task: bigint },
    { caller, signal }: { caller: Caller; signal: AbortSignal },
  ) {
    const key = loadAsked(caller, request);
    if (key.isErr()) {
      yield err(key.error);
      return;
    }
    for await (const seen of useCases.watchLoad(key.value, signal))
      yield seen.map((load) => ({ load: loadToPb(load) })).mapErr(feedInWords);
  }
  async function* exportErrors(
    request: Named & { task: bigint; format: PbExportFormat },
    { caller }: { caller: Caller },
  ) {
    const asked = Result.combine([loadAsked(caller, request), exportFormatFromPb(request.format)]);
    if (asked.isErr()) {
      yield err(asked.error);
      return;
    }
    const file = await useCases.exportErrors(...asked.value).mapErr(feedInWords);
    if (file.isErr()) {
      yield err(file.error);
      return;
    }
    try {
      for await (const content of file.value) yield ok({ content });
    } catch (cause) {
      yield err(feedInWords(unavailable('feed errors', cause)));
    }
  }
  const settle = (caller: Caller, request: Named & { task: bigint }, verdict: 'approve' | 'reject') =>
    loadAsked(caller, request).asyncAndThen(({ task, ...key }) =>
      useCases
        .settleHeld(key, task, verdict)
        .map(() => ({}))
        .mapErr(feedInWords),
    );
  return rpcService({
    definition: FeedServiceDefinition,
    access: {
      setFeed: everyone,
      getFeed: everyone,
      listFeeds: everyone,
      removeFeed: everyone,
      fetchNow: everyone,
      uploadFeed: everyone,
      loadParsed: services,
      listLoads: everyone,
      getLoad: everyone,
      watchLoad: everyone,
      listErrors: everyone,
      exportErrors: everyone,
      diagnose: everyone,
      listPhotoErrors: everyone,
      approveRemoval: everyone,
      rejectRemoval: everyone,
      eraseFeeds: trusted,
    },
    errors: feedErrors,
    msMax: { uploadFeed: fileMsMax, exportErrors: fileMsMax, watchLoad: fileMsMax },
    http: {
      setFeed: { version: ({ feed }) => feed?.version },
      getFeed: { version: ({ feed }) => feed?.version },
    },
    handlers: {
      setFeed: (request, { caller }) =>
        Result.combine([
          feedAsked(caller, request),
          settingsFromPb(request.settings),
          request.expectedVersion === undefined
            ? ok(undefined)
            : wholeNumber('expected_version', request.expectedVersion),
        ]).asyncAndThen(([key, settings, expected]) =>
          useCases
            .setFeed(key, settings, expected)
            .map((feed) => ({ feed: feedToPb(feed) }))
            .mapErr(feedInWords),
        ),
      getFeed: (request, { caller }) =>
        feedAsked(caller, request).asyncAndThen((key) =>
          useCases
            .getFeed(key)
            .andThen(({ feed, link, newest }) =>
              (newest
                ? view(key, newest).map(({ load }) => load)
                : ResultAsync.fromSafePromise(Promise.resolve(undefined))
              ).map((newestLoad) => ({ feed: feedToPb(feed), link: link && linkToPb(link), newestLoad })),
            )
            .mapErr(feedInWords),
        ),
      listFeeds: ({ sellerId }, { caller }) =>
        sellerAsked(caller, sellerId).asyncAndThen((seller) =>
          useCases.listFeeds(seller).map((feeds) => ({
            feeds: feeds
              .filter(({ namespace }) => isTrusted(caller) || !isParsedNamespace(namespace))
              .map(feedToPb),
          })),
        ),
      removeFeed: (request, { caller }) =>
        Result.combine([feedAsked(caller, request), absentFromPb(request.offers, 'offers')]).asyncAndThen(
          ([key, absent]) =>
            useCases
              .removeFeed(key, absent)
              .map(() => ({}))
              .mapErr(feedInWords),
        ),
      fetchNow: (request, { caller }) =>
        feedAsked(caller, request).asyncAndThen((key) =>
          useCases
            .fetchNow(key)
            .map(() => ({}))
            .mapErr(feedInWords),
        ),
      uploadFeed: (stream, { caller }) =>
        new ResultAsync(readUpload(stream)).andThen(({ header, content }) =>
          takeFile(useCases, caller, header, content)
            .map((load) => ({
              load: loadToPb({ load, statistics: noStatistics }),
            }))
            .mapErr(feedInWords),
        ),
      loadParsed: ({ sellerId, source, url }, { caller }) =>
        sellerAsked(caller, sellerId).asyncAndThen((seller) =>
          useCases.loadParsedLink(seller, source, url).map((feed) => ({ feed: feedToPb(feed) })),
        ),
      listLoads: (request, { caller }) =>
        Result.combine([
          feedAsked(caller, request),
          wholeNumber('before_task', request.beforeTask),
        ]).asyncAndThen(([key, before]) =>
          useCases
            .listLoads(key, {
              limit: atMost(request.limit, LOADS_DEFAULT, LOADS_MAX),
              ...(before === 0 ? {} : { before }),
            })
            .map((loads) => ({ loads: loads.map(loadToPb) })),
        ),
      getLoad: (request, { caller }) =>
        loadAsked(caller, request).asyncAndThen((key) =>
          useCases
            .getLoad(key)
            .map((found) => ({ load: loadToPb(found) }))
            .mapErr(feedInWords),
        ),
      watchLoad,
      listErrors: (request, { caller }) =>
        Result.combine([
          loadAsked(caller, request),
          levelFromPb(request.level),
          wholeNumber('after_number', request.afterNumber),
          textsAsked({ code: request.code, after_external_id: request.afterExternalId ?? '' }),
        ]).asyncAndThen(([key, level, n]) =>
          useCases
            .listErrors(key, {
              limit: atMost(request.limit, ERRORS_DEFAULT, ERRORS_MAX),
              ...(level === undefined ? {} : { level }),
              ...(request.code === '' ? {} : { code: request.code }),
              ...(request.afterExternalId === undefined
                ? {}
                : { after: { externalId: request.afterExternalId, n } }),
            })
            .map((errors) => ({ errors: errors.map(errorToPb) }))
            .mapErr(feedInWords),
        ),
      exportErrors,
      diagnose: (request, { caller }) =>
        loadAsked(caller, request).asyncAndThen((key) =>
          useCases
            .diagnose(key)
            .map((found) => ({
              diagnoses: found.map(({ code, path, level, count, examples, fix }) => ({
                code,
                path,
                level: level === 'error' ? ErrorLevel.ERROR_LEVEL_ERROR : ErrorLevel.ERROR_LEVEL_WARNING,
                count: BigInt(count),
                examples: examples.map(errorToPb),
                fix,
              })),
            }))
            .mapErr(feedInWords),
        ),
      listPhotoErrors: (request, { caller }) =>
        Result.combine([
          feedAsked(caller, request),
          textsAsked({ after_offer_id: request.afterOfferId, after_url: request.afterUrl }),
        ]).asyncAndThen(([key]) =>
          useCases
            .listPhotoErrors(key, {
              limit: atMost(request.limit, ERRORS_DEFAULT, ERRORS_MAX),
              after: { offerId: request.afterOfferId, url: request.afterUrl },
            })
            .map((errors) => ({ errors: errors.map((error) => ({ ...error })) })),
        ),
      approveRemoval: (request, { caller }) => settle(caller, request, 'approve'),
      rejectRemoval: (request, { caller }) => settle(caller, request, 'reject'),
      eraseFeeds: ({ sellerId }, { caller }) =>
        sellerAsked(caller, sellerId).asyncAndThen((seller: SellerId) =>
          useCases.eraseFeeds(seller).map((feeds) => ({ feeds })),
        ),
    },
  });
};
