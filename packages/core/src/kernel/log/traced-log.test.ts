import { expect, test } from 'vitest';
import { silentTelemetry, type Labels, type Telemetry, type TraceContext } from '../ports/telemetry.port.ts';
import { eventually } from '../testing/eventually.ts';
import { inMemoryMessageLog } from '../testing/in-memory-message-log.ts';
import { freshTopic, record } from '../testing/log-probe.ts';
import { realClock, realIds, realRandom } from '../testing/system.ts';
import { tracedLog } from './traced-log.ts';

const watching = (): {
  telemetry: Telemetry;
  counts: Map<string, number>;
  spans: { name: string; parent: TraceContext | undefined }[];
  current: { trace: TraceContext };
} => {
  const counts = new Map<string, number>();
  const spans: { name: string; parent: TraceContext | undefined }[] = [];
  const current = { trace: {} as TraceContext };
  const telemetry: Telemetry = {
    logger: silentTelemetry.logger,
    metrics: {
      ...silentTelemetry.metrics,
      counter: ({ name }) => ({
        add: (n = 1, labels: Labels = {}) => {
          const key = `${name} ${labels['outcome'] ?? ''}`.trim();
          counts.set(key, (counts.get(key) ?? 0) + n);
        },
      }),
    },
    tracer: {
      context: () => current.trace,
      span: (name, { parent }, work) => {
        spans.push({ name, parent });
        return work();
      },
    },
  };
  return { telemetry, counts, spans, current };
};
const opened = async () => {
  const watch = watching();
  const plain = inMemoryMessageLog({ clock: realClock, ids: realIds, random: realRandom });
  const topic = freshTopic(1);
  (await plain.ensureTopics([topic]))._unsafeUnwrap();
  return { ...watch, topic: topic.name, log: tracedLog(plain, watch.telemetry) };
};

test('[B18] record headers carry the trace, and the handler continues it', async () => {
  const { log, topic, spans, current } = await opened();
  current.trace = { traceparent: '00-aa-bb-01' };
  await log.publish([record(topic, 'k', 'v', { headers: { schema: '1' } })]);
  current.trace = {};
  const headers: unknown[] = [];
  const subscription = log.subscribe({
    group: 'g',
    topic,
    handler: async ({ records }) => {
      headers.push(...records.map((one) => one.headers));
      return { kind: 'done' };
    },
  });
  await eventually(() => expect(headers).toEqual([{ traceparent: '00-aa-bb-01', schema: '1' }]));
  await subscription.stop();
  expect(spans).toEqual([{ name: `handle ${topic}`, parent: { traceparent: '00-aa-bb-01', schema: '1' } }]);
});
test('[B18] without a trace the headers are unchanged', async () => {
  const { log, topic } = await opened();
  await log.publish([record(topic, 'k', 'v')]);
  const reader = (await log.read(topic, 0, 'earliest'))._unsafeUnwrap();
  expect((await reader.next())._unsafeUnwrap()[0]!.headers).toEqual({});
});
test('[B18] published, refused, handled and failed records are counted', async () => {
  const { log, topic, counts } = await opened();
  await log.publish([record(topic, 'k', 'a'), record(topic, 'k', 'b')]);
  await log.publish([record('nowhere', 'k', 'c')]);
  let calls = 0;
  const subscription = log.subscribe({
    group: 'g',
    topic,
    handler: async () => {
      if (++calls === 1) throw new Error('bug');
      return { kind: 'done' };
    },
  });
  await eventually(() => expect(counts.get('doska_log_batches_total done')).toBe(1));
  await subscription.stop();
  expect(Object.fromEntries(counts)).toEqual({
    'doska_log_published_total stored': 2,
    'doska_log_published_total UnknownTopic': 1,
    doska_log_delivered_total: 4,
    'doska_log_batches_total threw': 1,
    'doska_log_batches_total done': 1,
  });
});
