import { err, ok, type Result } from 'neverthrow';
import { parseOfferId, type OfferId, type OfferView } from '../../gost/index.ts';
import {
  delayMs,
  limitRepeats,
  sleep,
  type Backoff,
  type BatchHandler,
  type BatchOutcome,
  type Clock,
  type Codec,
  type DeadLetter,
  type Delivered,
  type LogPublisher,
  type LogRecord,
  type Random,
  type Telemetry,
  type Unavailable,
} from '../../kernel/index.ts';
import { documentBytes, LIVE_TOPIC, type QualifiedBatch, type RawDocument } from '../../vasgen/index.ts';
import type { OfferSource } from '../document/offer-source.port.ts';
import type { ComposeBatch, ComposeDocuments, CompositionFailed } from './compose-documents.use-case.ts';
import { converted, failed, newPartition, nextAction, wrote, type BatchLimits } from './partition-machine.ts';

export const OFFERS_CLIENT = 'offers';

export type ScheduleSettings = {
  readonly batch: BatchLimits;
  readonly retry: Backoff;
};
export type ScheduleNeeds = {
  readonly compose: ComposeDocuments;
  readonly offers: OfferSource;
  readonly views: Codec<OfferView>;
  readonly batches: Codec<QualifiedBatch>;
  readonly log: LogPublisher;
  /** Partitions of the topic of live documents. */
  readonly partitions: number;
  /** Records whose key is no offer. */
  readonly deadLetter: (record: Delivered, reason: string) => Promise<Result<void, Unavailable>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
  readonly settings: ScheduleSettings;
};
export type { DeadLetter };

type Composed = Result<readonly RawDocument[], CompositionFailed | Unavailable>;
const reasonOf = (error: CompositionFailed | Unavailable): string =>
  error.kind === 'CompositionFailed' ? error.reason : error.what;

/**
 * Turns offer updates into documents, in the order of each partition. The position moves only behind documents that are
 * written. An offer that can't be converted stops its partition; what was converted before it goes out.
 */
export const makeScheduleOffers = (needs: ScheduleNeeds): BatchHandler => {
  const { compose, offers, views, batches, log, partitions, clock, random, settings } = needs;
  const logger = limitRepeats(needs.telemetry.logger, clock);
  const failures = needs.telemetry.metrics.counter({
    name: 'doska_search_conversions_failed_total',
    help: 'Offers that could not be converted, by what was tried.',
    labels: ['step'],
  });
  const lastWriteMs = new Map<number, number>();
  const attempts = new Map<number, number>();

  /** The present offer instead of the update: the update can't be read or can't be converted. */
  const composeCurrent = async (batch: ComposeBatch, id: OfferId, atLeastUs: number): Promise<Composed> => {
    const found = await offers.find([id]);
    if (found.isErr()) return err(found.error);
    const view = found.value.get(id);
    if (!view) return batch.ofMissing(id, atLeastUs);
    // An answer that is older than the update would bring back an old state.
    if (view.updatedAtUs < atLeastUs)
      return err({ kind: 'CompositionFailed', reason: 'the offer store answers with an older version' });
    return batch.ofView(view);
  };
  const composeRecord = async (
    batch: ComposeBatch,
    { value, timestampMs }: Delivered,
    id: OfferId,
  ): Promise<Composed> => {
    const view = views.decode(value);
    if (view.isErr()) {
      failures.add(1, { step: 'decode' });
      // The offer may be older than its record in the log, so any version of it will do.
      const current = await composeCurrent(batch, id, 0);
      if (current.isErr() || current.value.some(({ version }) => version > 0)) return current;
      return batch.ofMissing(id, timestampMs * 1_000);
    }
    const composed = await batch.ofView(view.value);
    if (composed.isOk()) return composed;
    failures.add(1, { step: 'update' });
    const again = await composeCurrent(batch, id, view.value.updatedAtUs);
    if (again.isErr()) failures.add(1, { step: 'offer store' });
    return again;
  };

  const publish = (documents: readonly RawDocument[], source: number) => {
    const record: LogRecord = {
      topic: LIVE_TOPIC,
      key: String(source),
      partition: source % partitions,
      value: batches.encode({ client: OFFERS_CLIENT, documents }),
    };
    return log.publish([record]);
  };
  const block = (partition: number, handled: number, reason: string): BatchOutcome => {
    const attempt = (attempts.get(partition) ?? 0) + 1;
    attempts.set(partition, attempt);
    return {
      kind: 'blocked',
      handled,
      reason,
      retryAtMs: clock.nowMs() + delayMs(settings.retry, attempt, random),
    };
  };

  return async ({ partition, records }, signal) => {
    const ids = records.flatMap(({ key }) =>
      parseOfferId(key).match(
        (id) => [id],
        () => [],
      ),
    );
    const batch = compose.batch([...new Set(ids)]);
    let state = newPartition(records.length, lastWriteMs.get(partition) ?? 0);
    while (!signal.aborted) {
      const action = nextAction(state, clock.nowMs(), settings.batch);
      switch (action.kind) {
        case 'convert': {
          const record = records[action.at]!;
          const id = parseOfferId(record.key);
          if (id.isErr()) {
            const dead = await needs.deadLetter(record, 'the key is no offer id');
            state = dead.isOk()
              ? converted(state, action.at, { documents: [], bytes: 0 })
              : failed(state, action.at, dead.error.what);
            break;
          }
          const composed = await composeRecord(batch, record, id.value);
          if (composed.isErr()) {
            const reason = `offer ${id.value}: ${reasonOf(composed.error)}`;
            logger.warn('an offer can not be converted', { partition, offer: id.value, reason });
            state = failed(state, action.at, reason);
          } else {
            const bytes = composed.value.reduce((sum, one) => sum + documentBytes(one), 0);
            state = converted(state, action.at, { documents: composed.value, bytes });
          }
          break;
        }
        case 'write': {
          const written =
            action.documents.length === 0 ? ok(undefined) : await publish(action.documents, partition);
          if (written.isErr()) {
            const { error } = written;
            const what = 'what' in error ? error.what : error.kind;
            return block(partition, state.written, `documents can not be published: ${what}`);
          }
          attempts.delete(partition);
          state = wrote(state, action.upTo, clock.nowMs());
          lastWriteMs.set(partition, state.lastWriteMs);
          break;
        }
        case 'wait':
          await sleep(clock, action.untilMs - clock.nowMs(), signal);
          break;
        case 'block':
          return block(partition, action.handled, action.reason);
        case 'done':
          attempts.delete(partition);
          return { kind: 'done' };
      }
    }
    return { kind: 'again', handled: state.written };
  };
};
