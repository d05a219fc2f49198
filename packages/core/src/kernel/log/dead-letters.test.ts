import { err, errAsync, okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { unavailable } from '../errors.ts';
import type { Codec } from '../ports/codec.port.ts';
import type { Batch, Delivered, LogPublisher, LogRecord } from '../ports/message-log.port.ts';
import { recordingTelemetry } from '../testing/recording-telemetry.ts';
import { silentTelemetry } from '../ports/telemetry.port.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { deadTopicSpec, withDeadLetters, type DeadLetter, type RecordOutcome } from './dead-letters.ts';

const text = new TextEncoder();
const codec: Codec<DeadLetter> = {
  encode: ({ reason, attempts, position }) => text.encode(`${reason} x${attempts} @${position.offset}`),
  decode: () => err({ kind: 'Malformed', what: 'a test never reads it' }),
};
const delivered = (offset: number): Delivered => ({
  key: `k${offset}`,
  value: text.encode('v'),
  headers: { trace: '1' },
  timestampMs: 0,
  position: { log: 'memory:1', topic: 't', partition: 0, offset },
});
const batch = (...offsets: readonly number[]): Batch => ({
  topic: 't',
  partition: 0,
  records: offsets.map(delivered),
});
const signal = new AbortController().signal;

/** A handler with scripted outcomes, over a log that can refuse. */
const bench = (outcomes: Readonly<Record<number, readonly RecordOutcome[]>>, attemptsMax?: number) => {
  const { clock, advance } = manualClock(5_000);
  const dead: LogRecord[] = [];
  const calls: number[] = [];
  const state = { refuses: false };
  const log: LogPublisher = {
    promises: { fences: false, joinsTransactions: false },
    publish: (records) => {
      if (state.refuses) return errAsync(unavailable('log'));
      dead.push(...records);
      return okAsync(undefined);
    },
  };
  const handler = withDeadLetters(
    {
      log,
      codec,
      clock,
      logger: silentTelemetry.logger,
      ...(attemptsMax === undefined ? {} : { attemptsMax }),
    },
    ({ position: { offset } }) => {
      const sofar = calls.filter((one) => one === offset).length;
      calls.push(offset);
      const script = outcomes[offset] ?? [];
      return Promise.resolve(script[Math.min(sofar, script.length - 1)] ?? { kind: 'done' });
    },
  );
  return {
    handler,
    dead,
    calls,
    state,
    advance,
    words: () => dead.map(({ value }) => new TextDecoder().decode(value)),
  };
};
const retry: RecordOutcome = { kind: 'retry', afterMs: 700, reason: 'busy' };
const lasting: RecordOutcome = { ...retry, lasting: true };
const poison: RecordOutcome = { kind: 'poison', reason: 'not a letter' };

test('[B7] a poison record becomes a dead letter with its reason and position, and the batch continues', async () => {
  const { handler, dead, calls, words } = bench({ 1: [poison] });
  expect(await handler(batch(0, 1, 2), signal)).toEqual({ kind: 'done' });
  expect(calls).toEqual([0, 1, 2]);
  expect(dead).toMatchObject([{ topic: 't.dead', key: 'k1', headers: { trace: '1' } }]);
  expect(words()).toEqual(['not a letter x1 @1']);
});
test('[B7] if the dead letter cannot be published, the partition waits and handles no later record', async () => {
  const { handler, dead, calls, state } = bench({ 1: [poison] });
  state.refuses = true;
  const outcome = await handler(batch(0, 1, 2), signal);
  expect(outcome).toMatchObject({ kind: 'blocked', handled: 1, reason: 'dead letter refused' });
  expect(calls).toEqual([0, 1]);
  state.refuses = false;
  expect(await handler(batch(1, 2), signal)).toEqual({ kind: 'done' });
  expect(dead).toHaveLength(1);
});
test('[B7] [X23] a retry blocks the partition until its time, each time for longer', async () => {
  const { handler, dead } = bench({ 1: [retry, retry, retry, { kind: 'done' }] });
  for (const waitMs of [700, 1_400, 2_800])
    expect(await handler(batch(1, 2), signal)).toEqual({
      kind: 'blocked',
      handled: 0,
      retryAtMs: 5_000 + waitMs,
      reason: 'busy',
    });
  expect(await handler(batch(1, 2), signal)).toEqual({ kind: 'done' });
  expect(dead).toEqual([]);
});
test('[X1] a record becomes a dead letter after its own maximal number of attempts with a lasting error', async () => {
  const { handler, words } = bench({ 1: [lasting, { kind: 'done' }], 2: [lasting] }, 3);
  expect(await handler(batch(1, 2), signal)).toMatchObject({ kind: 'blocked', handled: 0 });
  expect(await handler(batch(1, 2), signal)).toMatchObject({ kind: 'blocked', handled: 1 });
  expect(await handler(batch(2), signal)).toMatchObject({ kind: 'blocked', handled: 0 });
  expect(await handler(batch(2), signal)).toEqual({ kind: 'done' });
  expect(words()).toEqual(['busy x3 @2']);
});
test('[X1] errors that pass are retried without limit and do not count', async () => {
  const { handler, words, dead } = bench({ 1: [...Array<RecordOutcome>(20).fill(retry), lasting] }, 2);
  for (let tries = 0; tries < 20; tries++)
    expect(await handler(batch(1), signal)).toMatchObject({ kind: 'blocked', handled: 0 });
  expect(await handler(batch(1), signal)).toMatchObject({ kind: 'blocked' });
  expect(dead).toEqual([]);
  expect(await handler(batch(1), signal)).toEqual({ kind: 'done' });
  expect(words()).toEqual(['busy x22 @1']);
});
test('[X1] a record whose handler throws every time becomes a dead letter, loudly, and the next one is handled', async () => {
  const { telemetry, lines, counts } = recordingTelemetry();
  const { clock } = manualClock(5_000);
  const done: number[] = [];
  const log: LogPublisher = {
    promises: { fences: false, joinsTransactions: false },
    publish: () => okAsync(undefined),
  };
  const handler = withDeadLetters(
    { log, codec, clock, logger: telemetry.logger, metrics: telemetry.metrics, attemptsMax: 2 },
    ({ position: { offset } }) => {
      if (offset === 1) throw new TypeError('no such field');
      done.push(offset);
      return Promise.resolve({ kind: 'done' });
    },
  );
  expect(await handler(batch(1, 2), signal)).toMatchObject({
    kind: 'blocked',
    reason: 'the handler threw: no such field',
  });
  expect(await handler(batch(1, 2), signal)).toEqual({ kind: 'done' });
  expect(done).toEqual([2]);
  expect(counts.get('doska_log_dead_total t')).toBe(1);
  expect(lines.at(-1)).toMatchObject({
    level: 'error',
    topic: 't',
    partition: 0,
    offset: 1,
    key: 'k1',
    reason: 'the handler threw: no such field',
  });
});
test('[B7] `again` and a lost partition end the batch after the handled records', async () => {
  const { handler } = bench({ 1: [{ kind: 'again' }] });
  expect(await handler(batch(0, 1), signal)).toEqual({ kind: 'again', handled: 1 });
  const lost = AbortSignal.abort();
  expect(await handler(batch(0, 1), lost)).toEqual({ kind: 'again', handled: 0 });
});
test('[B7] the dead-letter topic has the same partitions and more room', () => {
  const spec = { name: 't', partitions: 8, retentionMs: 1, recordBytesMax: 1_000 };
  expect(deadTopicSpec(spec)).toEqual({ ...spec, name: 't.dead', recordBytesMax: 1_000 + 65_536 });
});
