import type { Clock, Metrics } from '../../kernel/index.ts';
import type { RawDocument } from '../../vasgen/index.ts';

const BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600];

/** Observes documents that were written now. An offer has one in each living epoch, and is observed once. */
export const makeWrittenDelay = ({
  metrics,
  clock,
}: {
  readonly metrics: Metrics;
  readonly clock: Clock;
}) => {
  const delay = metrics.histogram({
    name: 'doska_search_written_seconds',
    help: 'From the save of an offer to its document in the topic of indexing.',
    labels: [],
    buckets: BUCKETS,
  });
  return (documents: readonly RawDocument[]): void => {
    const versions = new Map(documents.map(({ pk, version }) => [`${pk}/${version}`, version]));
    for (const versionUs of versions.values())
      delay.observe(Math.max(0, clock.nowMs() - versionUs / 1_000) / 1_000, {});
  };
};
