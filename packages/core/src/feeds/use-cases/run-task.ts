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
import type { Analyzer } from '../../vasgen/index.ts';
import { isHeldForUnreadable, type LockLost, type RunEnd } from '../domain/decide-run.ts';
import { parsedSource } from '../domain/feed.ts';
import type { Load } from '../domain/load.ts';
import type { RawOffer } from '../domain/raw-offer.ts';
import type { FeedsSettings } from '../domain/settings.ts';
import { unify } from '../domain/unify.ts';
import { unifyContext, type UnifyContext } from '../domain/unify-context.ts';
import type { ReadLimits } from '../domain/read-limits.ts';
import type { FeedReader, FeedSource, ReadStep } from '../ports/feed-reader.port.ts';
import { STORE_ROWS_MAX, type FeedStore } from '../ports/feed-store.port.ts';
import { FEED_FILES } from './keep-file.ts';
import { whileKeepingLock } from './keep-lock.ts';
import { makePacker } from './pack-batches.ts';
import { openRunLedger, type RunLedger } from './run-ledger.ts';

export type RunTaskNeeds = {
  readonly feeds: FeedStore;
  readonly blobs: BlobStore;
  readonly reader: FeedReader;
  readonly readLimits: ReadLimits;
  readonly log: LogPublisher;
  readonly codec: Codec<FeedMessage>;
  readonly catalog: () => Result<Catalog, CatalogNotLoaded>;
  readonly analyzer: Analyzer;
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

/** Breaks off a stream, also while a reader only looks for its end. */
async function* untilAborted(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  for await (const chunk of chunks) {
    if (signal.aborted) throw new Error('broken off');
    yield chunk;
  }
}

export const makeRunTask = (needs: RunTaskNeeds): RunTask => {
  const { feeds, blobs, reader, readLimits, log, codec, catalog, analyzer, geocoder } = needs;
  const { clock, settings } = needs;

  const work = async (
    { key, load, token }: Run,
    ledger: RunLedger,
    signal: AbortSignal,
  ): Promise<RunEnd | LockLost> => {
    /** Sends a message until its outcome is known. Nothing behind it is sent before. */
    const publish = async (message: FeedMessage): Promise<RunEnd | undefined> => {
      const value = codec.encode(message);
      const startedAtMs = clock.nowMs();
      for (;;) {
        if (signal.aborted) return { kind: 'stopped' };
        const sent = await log.publish([{ topic: FEED_OFFERS, key: key.seller, value }]);
        if (sent.isOk()) return undefined;
        if (sent.error.kind !== 'Unavailable' || !sent.error.retryable)
          return transient(`the batch could not be published: ${sent.error.kind}`);
        if (clock.nowMs() - startedAtMs >= settings.lockMs / 2)
          return transient('the topic is not available');
        await sleep(clock, RESEND_MS, signal);
      }
    };
    const renewed = async (): Promise<RunEnd | LockLost | undefined> => {
      const done = await ledger.renewIfDue();
      if (done.isOk()) return undefined;
      return done.error.kind === 'LockLost' ? done.error : transient(done.error.what);
    };
    const sent = {
      seller: key.seller,
      namespace: key.namespace,
      task: load.task.id as number,
      generation: token,
    };
    const publishBatch = async (entries: readonly FeedEntry[]): Promise<RunEnd | LockLost | undefined> => {
      const { batchesSent, offersSent } = ledger.progress();
      const stop = await publish({ ...sent, kind: 'batch', batch: batchesSent, entries });
      if (stop) return stop;
      ledger.note({ batchesSent: batchesSent + 1, offersSent: offersSent + entries.length });
      return renewed();
    };
    const publishTerminal = async (): Promise<RunEnd> => {
      const { batchesSent: batches, offersSent: offers } = ledger.progress();
      const reason = load.origin === 'removal' ? 'feed_removed' : 'loaded';
      const { absent } = load;
      const stop = await publish({
        ...sent,
        kind: 'terminal',
        batches,
        offers,
        reason,
        absent,
        force: load.task.approved,
      });
      return stop ?? { kind: 'terminal written' };
    };

    const entryOf = async (raw: RawOffer, id: string, context: UnifyContext): Promise<FeedEntry> => {
      const { content, errors } = unify(raw, context);
      const geo = await locatedGeo(geocoder, content.place);
      const found: FeedError[] = [...errors];
      if (geo.isErr()) {
        ledger.note({ transientErrors: ledger.progress().transientErrors + 1 });
        const message = 'the place could not be looked up now; the load is processed again later';
        const path = 'offer/place';
        found.push({ level: 'error', code: 'transient', path, message, value: undefined, line: raw.line });
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
      ledger.note({ unreadable: ledger.progress().unreadable + 1 });
      const message = problems[0]?.message ?? 'the offer has no id';
      const about = { path: 'offer/@id', message, value: undefined, line, ordinal, externalId: '', title };
      ledger.addError({ level: 'error', code: 'validation', ...about });
    };
    /** Takes the offers of one step of the reader. Undefined: go on. */
    const takeStep = async (
      { offers, bytesRead, warnings }: ReadStep,
      context: UnifyContext,
      packer: ReturnType<typeof makePacker>,
    ): Promise<RunEnd | LockLost | undefined> => {
      for (const { level = 'warning', value, ...warning } of warnings)
        ledger.addError({ ...warning, level, value, ordinal: 0, externalId: '', title: undefined });
      for (const raw of offers) {
        ledger.note({ offersRead: ledger.progress().offersRead + 1 });
        if (raw.id === undefined) {
          unreadable(raw);
          continue;
        }
        for (const batch of packer.add(await entryOf(raw, raw.id, context))) {
          const stop = await publishBatch(batch);
          if (stop) return stop;
        }
      }
      ledger.note({ bytesRead });
      return signal.aborted ? { kind: 'stopped' } : renewed();
    };
    const readFile = async (source: FeedSource): Promise<RunEnd | LockLost> => {
      const version = catalog();
      if (version.isErr()) return transient('the catalogue is not loaded');
      ledger.setCatalogVersion(version.value.version);
      const context = unifyContext(version.value, analyzer, {
        defaults: load.defaults,
        errorsMax: settings.errorsPerEntryMax,
        surenessMin: settings.surenessMin,
      });
      const packer = makePacker(settings.batch);
      const parsedFrom = parsedSource(key.namespace);
      const options = { format: load.format, limits: readLimits, parsedFrom };
      for await (const step of reader.read(source, options)) {
        if (step.isErr())
          return step.error.kind === 'BrokenFile'
            ? { kind: 'permanent error', fatal: step.error.fatal }
            : transient(step.error.what);
        const stop = await takeStep(step.value, context, packer);
        if (stop) return stop;
      }
      const rest = packer.rest();
      const stop = rest.length > 0 ? await publishBatch(rest) : undefined;
      if (stop) return stop;
      const history = await feeds.history(key, { before: load.task.id, limit: STORE_ROWS_MAX });
      if (history.isErr()) return transient(history.error.what);
      return isHeldForUnreadable(load, ledger.progress(), history.value)
        ? { kind: 'held' }
        : publishTerminal();
    };
    const { file } = load;
    if (!file) return publishTerminal();
    const read: FeedSource['read'] = (range) =>
      blobs
        .read({ area: FEED_FILES, hash: file.hash }, range ? { range } : {})
        .map((chunks) => untilAborted(chunks, signal))
        .mapErr((error) => (error.kind === 'Unavailable' ? error : unavailable('feed file', error)));
    return readFile({ bytes: file.bytes, read });
  };

  /** A run that takes too long fails in passing. One that is stopped counts no attempt. */
  const workInTime = async (run: Run, ledger: RunLedger, until: AbortSignal): Promise<RunEnd | LockLost> => {
    const late = new AbortController();
    const cancel = clock.after(settings.runMsMax, () => late.abort());
    try {
      const end = await work(run, ledger, AbortSignal.any([until, late.signal]));
      if (end.kind !== 'stopped' && end.kind !== 'transient error') return end;
      if (until.aborted) return { kind: 'stopped' };
      return late.signal.aborted ? transient(`the run took longer than ${settings.runMsMax / 1_000} s`) : end;
    } finally {
      cancel();
    }
  };

  return (run, signal) => {
    const { key, load, token } = run;
    const ledger = openRunLedger({ feeds, clock, settings }, key, { task: load.task.id, token });
    const keeping = { renew: ledger.renew, everyMs: settings.renewMs, clock, signal };
    const attempt = ResultAsync.fromPromise(
      whileKeepingLock(keeping, (until) => workInTime(run, ledger, until)),
      (cause): Unavailable => unavailable('feed run', cause, false),
    );
    return attempt
      .orElse((error) => ok(transient(error.cause instanceof Error ? error.cause.message : error.what)))
      .andThen((end) =>
        // The load may have ended while the lock is still ours: it is freed in any case.
        end.kind === 'LockLost'
          ? ledger.finish({ kind: 'stopped' }).andThen(() => err(end))
          : ledger.finish(end),
      );
  };
};
