import type { BatchHandler, LogRecord, MessageLog } from '../ports/message-log.port.ts';
import type { Telemetry } from '../ports/telemetry.port.ts';

/**
 * Adds traces and metrics to a log. Records carry the publisher's trace in their headers, a handler continues the trace of
 * its first record, and both sides are counted.
 */
export const tracedLog = (log: MessageLog, { tracer, metrics }: Telemetry): MessageLog => {
  const published = metrics.counter({
    name: 'doska_log_published_total',
    help: 'Records handed to the log, by outcome.',
    labels: ['topic', 'outcome'],
  });
  const handled = metrics.counter({
    name: 'doska_log_batches_total',
    help: 'Batches handled, by what became of them.',
    labels: ['group', 'topic', 'outcome'],
  });
  const delivered = metrics.counter({
    name: 'doska_log_delivered_total',
    help: 'Records given to handlers.',
    labels: ['group', 'topic'],
  });

  const withTrace = (records: readonly LogRecord[]): readonly LogRecord[] => {
    const trace = tracer.context();
    if (Object.keys(trace).length === 0) return records;
    return records.map((record) => ({ ...record, headers: { ...trace, ...record.headers } }));
  };
  const count = (records: readonly LogRecord[], outcome: string): void => {
    const byTopic = new Map<string, number>();
    for (const { topic } of records) byTopic.set(topic, (byTopic.get(topic) ?? 0) + 1);
    for (const [topic, n] of byTopic) published.add(n, { topic, outcome });
  };
  const watched =
    (group: string, handler: BatchHandler): BatchHandler =>
    (batch, signal) => {
      const { topic, partition, records } = batch;
      const attributes = { group, topic, partition, records: records.length };
      delivered.add(records.length, { group, topic });
      return tracer.span(`handle ${topic}`, { parent: records[0]?.headers ?? {}, attributes }, async () => {
        try {
          const outcome = await handler(batch, signal);
          handled.add(1, { group, topic, outcome: outcome.kind });
          return outcome;
        } catch (bug) {
          handled.add(1, { group, topic, outcome: 'threw' });
          throw bug;
        }
      });
    };
  return {
    ...log,
    publish: (records, options) =>
      log
        .publish(withTrace(records), options)
        .andTee(() => count(records, 'stored'))
        .orTee(({ kind }) => count(records, kind)),
    subscribe: (options) => log.subscribe({ ...options, handler: watched(options.group, options.handler) }),
  };
};
