import type { BatchHandler, Clock, MessageLog, Telemetry } from '../kernel/index.ts';
import type { LoadedConfig } from './config/loaded-config.ts';
import type { SnippetStore } from './store/snippet-store.port.ts';
import { makeApplyRecords } from './topics/apply-records.use-case.ts';
import { makeConsumeRetries } from './topics/consume-retries.worker.ts';
import { makeConsumeTopic } from './topics/consume-topic.worker.ts';
import { makeFollowTopics, type FollowTopics } from './topics/follow-topics.worker.ts';
import type { RecordLimits } from './topics/prepare-record.use-case.ts';
import { makeRedrive, type Redrive } from './topics/redrive.use-case.ts';
import { makeSettleRecords, type TopicCodecs } from './topics/settle-records.use-case.ts';
import { makeWaitingRetries } from './topics/waiting-retries.ts';

export type TopicPorts = {
  readonly store: Pick<SnippetStore, 'commit'>;
  readonly log: Pick<MessageLog, 'publish' | 'subscribe' | 'lag' | 'read' | 'promises'>;
  readonly codecs: TopicCodecs;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
  readonly current: () => LoadedConfig;
  /** Aborts when the next config is taken over. */
  readonly changed: () => AbortSignal;
};
export type TopicSettings = RecordLimits & {
  readonly tombstoneMs: number;
  /** The least time between two attempts of a record. */
  readonly retryMs: number;
  /** The main flow pauses while more records wait in the retry flow. */
  readonly retriesWaitingMax: number;
};
/** The upload of snippets by topics, of one process. */
export type SnippetTopics = {
  readonly useCases: { readonly redrive: Redrive };
  readonly workers: {
    readonly follow: FollowTopics;
    /** The main flow of a section. */
    readonly consumeTopic: (section: string) => BatchHandler;
    readonly consumeRetries: BatchHandler;
  };
};

export const openSnippetTopics = (ports: TopicPorts, settings: TopicSettings): SnippetTopics => {
  const { store, log, codecs, clock, telemetry, current, changed } = ports;
  const { retryMs, retriesWaitingMax } = settings;
  const waiting = makeWaitingRetries(log, clock, telemetry.metrics);
  const apply = makeApplyRecords(store, settings);
  const settle = makeSettleRecords({ log, codecs, clock, telemetry, retryMs, onRetries: waiting.add });
  const needs = { current, apply, settle, clock, retryMs };
  const consumeTopic = makeConsumeTopic({ ...needs, waiting, retriesWaitingMax });
  const consumeRetries = makeConsumeRetries({ ...needs, log, codecs });
  const { logger } = telemetry;
  return {
    useCases: { redrive: makeRedrive({ log, codecs, clock }) },
    workers: {
      follow: makeFollowTopics({ log, current, changed, consumeTopic, consumeRetries, clock, logger }),
      consumeTopic,
      consumeRetries,
    },
  };
};
