import {
  deadTopicOf,
  limitRepeats,
  type Clock,
  type Codec,
  type DeadLetter,
  type LogPublisher,
  type LogRecord,
  type Telemetry,
} from '../../kernel/index.ts';
import { RETRY_TOPIC } from '../config/check-names.ts';
import type { LoadedConfig } from '../config/loaded-config.ts';
import { inputOf, type RecordOutcome } from './apply-records.use-case.ts';
import { letterOf, type SnippetRetry, type TopicRecord } from './topic-record.ts';

export type TopicCodecs = { readonly retries: Codec<SnippetRetry>; readonly letters: Codec<DeadLetter> };
export type Settled = {
  readonly record: TopicRecord;
  readonly attempt: number;
  readonly outcome: RecordOutcome;
};
/**
 * Makes durable what becomes of records that were not applied: a retry, or a dead letter with its reason. Returns false if
 * the log did not take them; then no position may move past them.
 */
export type SettleRecords = (loaded: LoadedConfig, all: readonly Settled[]) => Promise<boolean>;

/** Attempts of a record whose section is not in the configuration: another process may have loaded a newer one. */
const UNKNOWN_SECTION_RETRIES = 10;

type Needs = {
  readonly log: LogPublisher;
  readonly codecs: TopicCodecs;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
  readonly retryMs: number;
  /** Told how many records went to the retry flow. */
  readonly onRetries: (count: number) => void;
};

export const makeSettleRecords = (needs: Needs): SettleRecords => {
  const { log, codecs, clock, retryMs, onRetries } = needs;
  const logger = limitRepeats(needs.telemetry.logger, clock);
  const total = needs.telemetry.metrics.counter({
    name: 'doska_snippets_topic_records_total',
    help: 'Records of input topics, by what became of them: applied, superseded, retry or dead.',
    labels: ['section', 'outcome'],
  });
  const age = needs.telemetry.metrics.gauge({
    name: 'doska_snippets_topic_record_age_ms',
    help: "The store's clock at the commit minus the log's clock, for the newest record of the last batch. Below 0 the log's clock is ahead.",
    labels: ['section'],
  });
  const retry = (record: TopicRecord, attempt: number, reason: string): LogRecord => ({
    topic: RETRY_TOPIC,
    key: `${record.section}/${record.key}`,
    value: codecs.retries.encode({ ...record, attempt, reason, notBeforeMs: clock.nowMs() + retryMs }),
  });
  const dead = (record: TopicRecord, reason: string, attempts: number): LogRecord => ({
    topic: deadTopicOf(record.position.topic),
    key: record.key,
    value: codecs.letters.encode(letterOf(record, reason, attempts, clock.nowMs())),
  });
  return async (loaded, all) => {
    const records: LogRecord[] = [];
    const counts = new Map<string, number>();
    const count = (section: string, outcome: string): void => {
      const name = `${section}\0${outcome}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    };
    const ages = new Map<string, number>();
    let retries = 0;
    for (const { record, attempt, outcome } of all) {
      const { section, position } = record;
      if (outcome.kind === 'applied' || outcome.kind === 'superseded') {
        count(section, outcome.kind);
        // A record of the retry flow is old because it waited.
        if (outcome.kind === 'applied' && attempt === 0)
          ages.set(section, Math.min(outcome.atMs - record.appendedMs, ages.get(section) ?? Infinity));
        continue;
      }
      const failed = attempt + 1;
      const retriesMax = inputOf(loaded, record)?.retries ?? UNKNOWN_SECTION_RETRIES;
      const isRetried = outcome.kind === 'failed' && (outcome.isAway || failed <= retriesMax);
      if (isRetried) {
        retries++;
        count(section, 'retry');
        records.push(retry(record, outcome.isAway ? attempt : failed, outcome.reason));
        logger.warn(`a record for the section ${section} will be tried again`, {
          ...position,
          reason: outcome.reason,
        });
        continue;
      }
      const reason = outcome.kind === 'failed' ? `gave up: ${outcome.reason}` : outcome.reason;
      count(section, 'dead');
      records.push(dead(record, reason, failed));
      logger.error(`a record for the section ${section} became a dead letter`, { ...position, reason });
    }
    if (records.length > 0) {
      const sent = await log.publish(records);
      if (sent.isErr()) {
        logger.error('retries and dead letters could not be stored; the partition waits', {
          error: sent.error,
        });
        return false;
      }
    }
    if (retries > 0) onRetries(retries);
    for (const [section, ms] of ages) age.set(ms, { section });
    for (const [name, n] of counts) {
      const [section = '', outcome = ''] = name.split('\0');
      total.add(n, { section, outcome });
    }
    return true;
  };
};
