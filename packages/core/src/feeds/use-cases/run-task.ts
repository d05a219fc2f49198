import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { Catalog, CatalogNotLoaded } from '../../catalog/index.ts';
import {
  FEED_OFFERS,
  locatedGeo,
  type FeedEntry,
  type FeedError,
  type FeedKey,
  type FeedMessage,
  type Geocoder,
} from '../../gost/index.ts';
import {
  sleep,
  unavailable,
  type BlobStore,
  type Clock,
  type Codec,
  type LogPublisher,
  type Unavailable,
} from '../../kernel/index.ts';
import { withErrors } from '../domain/decide-answers.ts';
import { decideRenewal, decideRunEnd, type LockLost, type RunEnd } from '../domain/decide-run.ts';
import {
  noLoadProgress,
  noStatistics,
  type Load,
  type LoadProgress,
  type OfferError,
  type SavedResults,
} from '../domain/load.ts';
import type { RawOffer } from '../domain/raw-offer.ts';
import type { FeedsSettings } from '../domain/settings.ts';
import { unify, unifyContext, type UnifyContext } from '../domain/unify.ts';
import type { FeedReader, FeedSource, ReadLimits } from '../ports/feed-reader.port.ts';
import type { FeedStore } from '../ports/feed-store.port.ts';
import { changeFeed } from './change-feed.ts';
import { FEED_FILES } from './keep-file.ts';
import { withoutOwner } from './manage-feeds.ts';
import { makePacker } from './pack-batches.ts';

export type RunTaskNeeds = {
  readonly feeds: FeedStore;
  readonly blobs: BlobStore;
  readonly reader: FeedReader;
  readonly readLimits: ReadLimits;
  readonly log: LogPublisher;
  readonly codec: Codec<FeedMessage>;
  readonly catalog: () => Result<Catalog, CatalogNotLoaded>;
  readonly geocoder: Geocoder;
  readonly clock: Clock;
  readonly settings: FeedsSettings;
};
export type Run = { readonly key: FeedKey; readonly load: Load; readonly token: number };
/** Runs a claimed load to its end and frees its lock. Answers how it ended. */
export type RunTask = (run: Run, signal: AbortSignal) => ResultAsync<RunEnd['kind'], LockLost | Unavailable>;

const transient = (message: string): RunEnd => ({ kind: 'transient error', message });
/** The pause before a batch whose outcome is unknown is sent again. */
const RESEND_MS = 1_000;

export const makeRunTask = (needs: RunTaskNeeds): RunTask => {
  const { feeds, blobs, reader, readLimits, log, codec, catalog, geocoder, clock, settings } = needs;

  return ({ key, load, token }, signal) => {
    const task = load.task.id;
    const mine = { task, token };
    let progress: LoadProgress = noLoadProgress;
    let catalogVersion: number | undefined;
    let unsaved: OfferError[] = [];
    let renewedAtMs = clock.nowMs();

    /** Errors of offers that are not sent, counted with what is saved by now. */
    const results = async (): Promise<Result<readonly SavedResults[], Unavailable>> => {
      if (unsaved.length === 0) return ok([]);
      return feeds.statistics(key, [task]).map((known) => {
        const kept = known.get(task);
        const before = kept?.generation === token ? kept : { ...noStatistics, generation: token };
        const { statistics, stored } = withErrors(before, unsaved, settings.errorsStoredMax);
        return [{ task, generation: token, batches: [], statistics, errors: stored }];
      });
    };
    const renew = (): ResultAsync<void, LockLost | Unavailable> =>
      changeFeed<void, LockLost | Unavailable>(feeds, key, async (stored) => {
        if (!stored) return err({ kind: 'LockLost' });
        const saved = await results();
        if (saved.isErr()) return err(saved.error);
        return decideRenewal(
          stored,
          mine,
          { progress, catalogVersion, results: saved.value },
          clock.nowMs(),
        ).map((change) => ({ value: undefined, change }));
      })
        .mapErr(withoutOwner)
        .andTee(() => {
          unsaved = [];
          renewedAtMs = clock.nowMs();
        });
    const finish = (end: RunEnd): ResultAsync<RunEnd['kind'], LockLost | Unavailable> =>
      changeFeed<RunEnd['kind'], LockLost | Unavailable>(feeds, key, async (stored) => {
        if (!stored) return err({ kind: 'LockLost' });
        const saved = await results();
        if (saved.isErr()) return err(saved.error);
        const news = { progress, catalogVersion, results: saved.value };
        return decideRunEnd(stored, mine, news, end, { nowMs: clock.nowMs(), settings }).map((change) => ({
          value: end.kind,
          change,
        }));
      }).mapErr(withoutOwner);

    /** Sends a message until its outcome is known. Nothing behind it is sent before. */
    const publish = async (message: FeedMessage): Promise<RunEnd | LockLost | undefined> => {
      const value = codec.encode(message);
      for (;;) {
        if (signal.aborted) return { kind: 'stopped' };
        const sent = await log.publish([{ topic: FEED_OFFERS, key: key.seller, value }]);
        if (sent.isOk()) return undefined;
        if (sent.error.kind !== 'Unavailable' || !sent.error.retryable)
          return transient(`the batch could not be published: ${sent.error.kind}`);
        if (clock.nowMs() - renewedAtMs >= settings.lockMs / 2)
          return transient('the topic is not available');
        await sleep(clock, RESEND_MS, signal);
      }
    };
    const sent = { seller: key.seller, namespace: key.namespace, task: task as number, generation: token };
    const publishBatch = async (entries: readonly FeedEntry[]): Promise<RunEnd | LockLost | undefined> => {
      const stop = await publish({ ...sent, kind: 'batch', batch: progress.batchesSent, entries });
      if (stop) return stop;
      progress = {
        ...progress,
        batchesSent: progress.batchesSent + 1,
        offersSent: progress.offersSent + entries.length,
      };
      if (clock.nowMs() - renewedAtMs < settings.renewMs) return undefined;
      const renewed = await renew();
      if (renewed.isOk()) return undefined;
      return renewed.error.kind === 'LockLost' ? renewed.error : transient(renewed.error.what);
    };
    const terminal = (offers: number, batches: number): FeedMessage => ({
      ...sent,
      kind: 'terminal',
      batches,
      offers,
      reason: load.origin === 'removal' ? 'feed_removed' : 'loaded',
      absent: load.absent,
      force: load.task.approved,
    });

    const entryOf = async (raw: RawOffer, id: string, context: UnifyContext): Promise<FeedEntry> => {
      const { content, errors } = unify(raw, context);
      const geo = await locatedGeo(geocoder, content.place);
      const found: FeedError[] = [...errors];
      if (geo.isErr()) {
        progress = { ...progress, transientErrors: progress.transientErrors + 1 };
        const message = 'the place could not be looked up now; the load is processed again later';
        found.push({
          level: 'error',
          code: 'transient',
          path: 'offer/place',
          message,
          value: undefined,
          line: raw.line,
        });
      }
      return {
        ordinal: raw.ordinal,
        externalId: id,
        line: raw.line,
        content,
        geo: geo.unwrapOr(undefined),
        errors: found.slice(0, settings.errorsPerEntryMax),
      };
    };
    const unreadable = ({ ordinal, line, title, problems }: RawOffer): void => {
      progress = { ...progress, unreadable: progress.unreadable + 1 };
      const message = problems[0]?.message ?? 'the offer has no id';
      unsaved.push({
        level: 'error',
        code: 'validation',
        path: 'offer/@id',
        message,
        value: undefined,
        line,
        ordinal,
        externalId: '',
        title,
      });
    };

    const readFile = async (source: FeedSource): Promise<RunEnd | LockLost> => {
      const version = catalog();
      if (version.isErr()) return transient('the catalogue is not loaded');
      catalogVersion = version.value.version;
      const context = unifyContext(version.value, load.defaults, settings.errorsPerEntryMax);
      const packer = makePacker(settings.batch);
      for await (const step of reader.read(source, { format: load.format, limits: readLimits })) {
        if (step.isErr())
          return step.error.kind === 'BrokenFile'
            ? { kind: 'permanent error', fatal: step.error.fatal }
            : transient(step.error.what);
        const { offers, bytesRead, warnings } = step.value;
        for (const { level = 'warning', value, ...warning } of warnings)
          unsaved.push({ ...warning, level, value, ordinal: 0, externalId: '', title: undefined });
        for (const raw of offers) {
          progress = { ...progress, offersRead: progress.offersRead + 1 };
          if (raw.id === undefined) {
            unreadable(raw);
            continue;
          }
          for (const batch of packer.add(await entryOf(raw, raw.id, context))) {
            const stop = await publishBatch(batch);
            if (stop) return stop;
          }
        }
        progress = { ...progress, bytesRead };
        if (signal.aborted) return { kind: 'stopped' };
      }
      const rest = packer.rest();
      const stop = rest.length > 0 ? await publishBatch(rest) : undefined;
      if (stop) return stop;
      if (progress.unreadable > 0 && !load.task.approved) return { kind: 'held' };
      return (
        (await publish(terminal(progress.offersSent, progress.batchesSent))) ?? { kind: 'terminal written' }
      );
    };
    const work = async (): Promise<RunEnd | LockLost> => {
      const { file } = load;
      if (!file) return (await publish(terminal(0, 0))) ?? { kind: 'terminal written' };
      const read: FeedSource['read'] = (range) =>
        blobs
          .read({ area: FEED_FILES, hash: file.hash }, range ? { range } : {})
          .mapErr((error) => (error.kind === 'Unavailable' ? error : unavailable('feed file', error)));
      return readFile({ bytes: file.bytes, read });
    };
    const attempt = ResultAsync.fromPromise(work(), (cause): Unavailable =>
      unavailable('feed run', cause, false),
    );
    return attempt
      .orElse((error) => ok(transient(error.cause instanceof Error ? error.cause.message : error.what)))
      .andThen((end) => (end.kind === 'LockLost' ? err(end) : finish(end)));
  };
};
