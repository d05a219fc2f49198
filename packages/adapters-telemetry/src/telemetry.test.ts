import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '@doska/core/kernel';
import { err, ok } from 'neverthrow';
import { expect, test } from 'vitest';
import { telemetry, type TelemetryOptions } from './telemetry.ts';

const recorded = (options: Partial<TelemetryOptions> = {}) => {
  const texts: string[] = [];
  const running = telemetry({
    service: 'test',
    destination: { write: (line) => void texts.push(line) },
    ...options,
  });
  return { ...running, texts, lines: () => texts.map((line) => JSON.parse(line) as Record<string, unknown>) };
};
const parent = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };

test('[B18] a line has its level, message and fields, and the fields of its logger', () => {
  const { logger, lines } = recorded();
  logger.child({ app: 'gost' }).info('saved', { offers: 3n });
  expect(lines()).toMatchObject([
    { level: 'info', service: 'test', app: 'gost', message: 'saved', offers: '3' },
  ]);
  expect(new Date(lines()[0]!['time'] as string).getTime()).toBeGreaterThan(0);
});

test('[B18] lines under the level are not written', () => {
  const { logger, lines } = recorded({ level: 'warn' });
  logger.info('quiet');
  logger.warn('loud');
  expect(lines().map(({ message }) => message)).toEqual(['loud']);
});

test('[B18] secrets are removed from fields, nested values and messages', () => {
  const { logger, texts } = recorded();
  const fields = {
    headers: { Authorization: 'Bearer hush-1', cookie: 'hush-2' },
    accessToken: 'hush-3',
    config: { db: { password: 'hush-4', url: 'postgres://doska:hush-5@db/doska' } },
    draft: { contacts: { phone: '+7 hush-6' } },
    error: new Error('refused postgres://doska:hush-7@db', { cause: { apiKey: 'hush-8' } }),
    list: [{ secret: 'hush-9' }],
  };
  logger.child({ token: 'hush-10' }).error('sent Bearer hush.11', fields);
  expect(texts.join('')).not.toContain('hush');
  expect(texts.join('')).toContain('[redacted]');
});

test("[B18] a lease's token is a number and stays readable", () => {
  const { logger, lines } = recorded();
  logger.info('lease', { token: 42 });
  expect(lines()).toMatchObject([{ token: 42 }]);
});

test('[B18] an error is logged with all of its causes', () => {
  const { logger, lines } = recorded();
  const root = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  logger.error('failed', { error: unavailable('pg', new Error('no connection', { cause: root })) });
  expect(lines()[0]!['error']).toMatchObject({
    kind: 'Unavailable',
    what: 'pg',
    cause: {
      message: 'no connection',
      cause: { message: 'refused', code: 'ECONNREFUSED', stack: expect.any(String) },
    },
  });
});

test('[B18] long messages and circular fields are cut', () => {
  const { logger, texts } = recorded();
  const circle: Record<string, unknown> = {
    bytes: new Uint8Array(1_000_000),
    many: Array.from({ length: 10_000 }, () => 1),
  };
  circle['self'] = circle;
  logger.info('x'.repeat(100_000), circle);
  expect(texts[0]!.length).toBeLessThan(20_000);
});

test('[B18] pretty lines show time, level, message and fields', () => {
  const { logger, texts } = recorded({ pretty: true });
  logger.info('ready', { port: 8080, at: 'a b', error: new Error('x') });
  expect(texts[0]).toMatch(
    /^\d\d:\d\d:\d\d\.\d{3} INFO {2}test ready port=8080 at="a b" error=\{.*\}\nError: x\n/,
  );
});

test('[B18] metrics are counted once per name and shown as text', async () => {
  const { metrics, metricsText } = recorded();
  const spec = { name: 'doska_things_total', help: 'Things.', labels: ['kind'] };
  metrics.counter(spec).add(1, { kind: 'a' });
  metrics.counter(spec).add(2, { kind: 'a' });
  metrics.gauge({ name: 'doska_level', help: 'Level.' }).set(7);
  metrics.histogram({ name: 'doska_took_seconds', help: 'Took.' }).observe(0.02);
  const text = await metricsText();
  expect(text).toContain('doska_things_total{kind="a"} 3');
  expect(text).toContain('doska_level 7');
  expect(text).toContain('doska_took_seconds_bucket{le="0.025"} 1');
  expect(() => metrics.gauge(spec)).toThrow('of another kind');
});

test('[X20] a gauge can be measured when it is read, and its value disappears when it is removed', async () => {
  const { metrics, metricsText } = recorded();
  const gauge = metrics.gauge({ name: 'doska_age_seconds', help: 'Age.', labels: ['shard'] });
  let age = 1;
  gauge.set(() => age, { shard: '1' });
  gauge.set(5, { shard: '2' });
  expect(await metricsText()).toContain('doska_age_seconds{shard="1"} 1');
  age = 18;
  expect(await metricsText()).toContain('doska_age_seconds{shard="1"} 18');
  metrics.gauge({ name: 'doska_age_seconds', help: 'Age.', labels: ['shard'] }).remove({ shard: '1' });
  const text = await metricsText();
  expect(text).not.toContain('shard="1"');
  expect(text).toContain('doska_age_seconds{shard="2"} 5');
  gauge.set(() => age, { shard: '2' });
  gauge.set(7, { shard: '2' });
  expect(await metricsText()).toContain('doska_age_seconds{shard="2"} 7');
});

test('[B18] two telemetries in one process share nothing', async () => {
  const one = recorded();
  const two = recorded();
  one.metrics.counter({ name: 'doska_x_total', help: 'X.' }).add();
  expect(await two.metricsText()).not.toContain('doska_x_total');
  await one.tracer.span('a', {}, async () => expect(two.tracer.context()).toEqual({}));
});

test('[B18] a trace continues from its parent through everything awaited', async () => {
  const { tracer, logger, lines } = recorded();
  expect(tracer.context()).toEqual({});
  const onward = await tracer.span('outer', { parent }, async () => {
    await pause(1);
    return tracer.span('inner', {}, async () => {
      logger.info('inside');
      return tracer.context();
    });
  });
  expect(onward['traceparent']).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
  expect(onward['traceparent']).not.toContain('b7ad6b7169203331');
  expect(lines()).toMatchObject([
    { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: onward['traceparent']!.slice(36, 52) },
  ]);
  logger.info('outside');
  expect(lines()[1]).not.toHaveProperty('traceId');
});

test.each(['', 'nonsense', '00-00000000000000000000000000000000-b7ad6b7169203331-01'])(
  '[B18] a parent that is no parent («%s») starts a trace of its own',
  async (traceparent) => {
    const { tracer } = recorded();
    const context = await tracer.span('x', { parent: { traceparent } }, async () => tracer.context());
    expect(context['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(context['traceparent']).not.toContain('0'.repeat(32));
  },
);

test('[B18] work in a span keeps its value and its exception', async () => {
  const { tracer } = recorded();
  expect(await tracer.span('x', {}, async () => ok(1))).toEqual(ok(1));
  expect(await tracer.span('x', {}, async () => err('no'))).toEqual(err('no'));
  await expect(tracer.span('x', {}, () => Promise.reject(new Error('bug')))).rejects.toThrow('bug');
});
